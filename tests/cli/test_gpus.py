"""Jobs side by side on one machine get GPUs of their own."""

import os
import subprocess
import sys

import pytest

from repairstudy.cli.gpus import own_gpus
from repairstudy.cli.script import job
from repairstudy.errors import StudyError


@pytest.fixture(autouse=True)
def machine(monkeypatch, tmp_path):
    """A machine with three GPUs, two of them called by their UUID."""
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0,GPU-b,GPU-c")
    monkeypatch.delenv("SLURM_JOB_ID", raising=False)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))


def visible():
    return os.environ["CUDA_VISIBLE_DEVICES"]


def test_each_holder_sees_its_own_and_all_are_free_afterwards():
    with own_gpus(2):
        assert visible() == "0,GPU-b"
        # What a second job of this machine sees: the environment that it was started with.
        os.environ["CUDA_VISIBLE_DEVICES"] = "0,GPU-b,GPU-c"
        with own_gpus(1):
            assert visible() == "GPU-c"
    assert visible() == "0,GPU-b,GPU-c"
    with own_gpus(3):
        assert visible() == "0,GPU-b,GPU-c"


def test_a_job_that_takes_none_changes_nothing():
    with own_gpus(0):
        assert visible() == "0,GPU-b,GPU-c"


def test_more_than_the_machine_has_is_refused_at_once():
    with pytest.raises(StudyError, match="takes 4 GPUs, and 3 are visible"), own_gpus(4):
        pass


def test_who_waits_holds_nothing(monkeypatch):
    monkeypatch.setattr("repairstudy.cli.gpus._POLL_S", 0.01)
    with own_gpus(2):
        os.environ["CUDA_VISIBLE_DEVICES"] = "0,GPU-b,GPU-c"
        lines = []
        with (
            pytest.raises(StudyError, match="2 of 3 GPUs wanted, 1 free"),
            own_gpus(2, type("Lines", (), {"write": lines.append})(), wait_s=0.05),
        ):
            pass
        assert lines == ["waiting for 2 GPUs, 1 are free\n"]
        with own_gpus(1):
            assert visible() == "GPU-c"


def test_jobs_of_one_allocation_share_its_gpus_and_other_allocations_are_not_waited_for(
    monkeypatch,
):
    """Each allocation calls its GPUs 0, 1, ..., whichever of the node's they are."""
    monkeypatch.setenv("SLURM_JOB_ID", "7")
    with own_gpus(2):
        os.environ["CUDA_VISIBLE_DEVICES"] = "0,GPU-b,GPU-c"
        with own_gpus(1):
            assert visible() == "GPU-c"
        monkeypatch.setenv("SLURM_JOB_ID", "8")
        with own_gpus(3, wait_s=0.0):
            assert visible() == "0,GPU-b,GPU-c"


HOLDER = """
import sys, tempfile, time
tempfile.tempdir = sys.argv[1]
from repairstudy.cli.gpus import own_gpus
with own_gpus(3):
    print("held", flush=True)
    time.sleep(60)
"""


def test_a_killed_job_gives_its_gpus_back(tmp_path, monkeypatch):
    monkeypatch.setattr("repairstudy.cli.gpus._POLL_S", 0.05)
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout.readline() == "held\n"
    with pytest.raises(StudyError), own_gpus(1, wait_s=0.0):
        pass
    holder.kill()
    holder.communicate()
    with own_gpus(3, wait_s=5.0):
        assert visible() == "0,GPU-b,GPU-c"


def test_a_script_runs_with_the_gpus_of_its_job(tmp_path):
    with job(tmp_path / "a.log", "stage", gpus=1):
        assert visible() == "0"
    assert visible() == "0,GPU-b,GPU-c"
