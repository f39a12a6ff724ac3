"""The frame around scripts: errors are told, and no job outlives the Snakemake that started it."""

import re
import subprocess
import sys
import time

import pytest

from repairstudy.cli.script import job
from repairstudy.errors import StudyError


def test_a_study_error_ends_the_script_with_its_message_alone(tmp_path, capsys):
    with pytest.raises(SystemExit) as ended, job(tmp_path / "logs/a.log", "stage"):
        raise StudyError("file x: field y is wrong")
    assert ended.value.code == 1
    assert (tmp_path / "logs/a.log").read_text() == "error: file x: field y is wrong\n"
    assert capsys.readouterr().err == "[stage] error: file x: field y is wrong\n"


def test_a_bug_keeps_its_traceback_and_logs_it(tmp_path):
    with pytest.raises(ZeroDivisionError), job(tmp_path / "a.log", "stage"):
        1 / 0  # noqa: B018
    assert (tmp_path / "a.log").read_text().endswith("ZeroDivisionError: division by zero\n")


def test_progress_goes_to_the_log_and_to_the_terminal(tmp_path, capsys):
    with job(tmp_path / "a.log", "stage") as out:
        out.write("half\n")
    assert (tmp_path / "a.log").read_text().startswith("half\ndone in ")
    assert capsys.readouterr().err == "[stage] half\n"


def test_a_log_ends_with_what_the_job_took(tmp_path):
    with job(tmp_path / "a.log", "stage"):
        pass
    took = r"done in \d+\.\d s, \d+\.\d s of CPU, at most [\d,]+ MB\n"
    assert re.fullmatch(took, (tmp_path / "a.log").read_text())


JOB = """
import sys, time
from repairstudy.cli.script import job
with job(sys.argv[1] + ".log", "orphan"):
    while True:
        open(sys.argv[1], "a").write("x")
        time.sleep(0.1)
"""
PARENT = """
import subprocess, sys, time
subprocess.Popen([sys.executable, "-c", sys.argv[1], sys.argv[2]])
time.sleep(60)
"""


def test_a_job_ends_when_its_parent_is_killed(tmp_path):
    alive = tmp_path / "alive"
    parent = subprocess.Popen([sys.executable, "-c", PARENT, JOB, str(alive)])
    deadline = time.monotonic() + 30
    while not alive.exists():
        assert time.monotonic() < deadline
        time.sleep(0.05)
    parent.kill()
    parent.wait()
    size = -1
    while alive.stat().st_size != size:
        assert time.monotonic() < deadline
        size = alive.stat().st_size
        time.sleep(1.0)
