"""The command line itself: help, completion, versions, exit statuses and who imports what."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from typing import get_args

import pytest
from typer.main import get_command

from repairstudy import __version__
from repairstudy.cli.main import app, main
from repairstudy.cli.terminal import waiting
from repairstudy.errors import StudyError

COMMANDS = sorted(get_command(app).commands)
HEAVY = {"duckdb", "matplotlib", "numpy", "pandas", "polars", "pyarrow", "rich",
         "scipy", "yaml"}  # fmt: skip


def shown(capsys, *words, status=0):
    assert main(list(words)) == status
    return capsys.readouterr()


def test_each_command_says_what_it_does_in_one_line(capsys):
    text = shown(capsys, "--help").out
    listed = text.split("Commands:\n")[1].splitlines()
    assert sorted(line.split()[0] for line in listed) == COMMANDS
    assert all(line.endswith(".") and not line.endswith("...") for line in listed)


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("columns", ["60", "200"])
def test_help_fits_the_terminal_and_explains_every_option(capsys, monkeypatch, command, columns):
    monkeypatch.setenv("COLUMNS", columns)
    text = shown(capsys, command, "--help").out
    assert "\x1b" not in text
    for parameter in get_command(app).commands[command].params:
        assert parameter.help, parameter.name
        assert parameter.help.endswith("."), parameter.name
    # Click keeps a word that is wider than its column: the list of a choice's values.
    assert all(len(line) <= int(columns) or "|" in line for line in text.splitlines())


def test_help_and_completion_load_no_data_library():
    """So that they answer at once; a command imports what it needs when it runs."""
    code = "import sys; from repairstudy.cli.main import main; print(main(['pick', '--help'])); "
    code += "print(*{name.split('.')[0] for name in sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not set(done.stdout.splitlines()[-1].split()) & HEAVY


def test_the_shell_completes_commands_and_options():
    def completed(words):
        asked = {"_REPAIRSTUDY_COMPLETE": "complete_bash", "COMP_WORDS": words,
                 "COMP_CWORD": str(words.count(" "))}  # fmt: skip
        code = "import sys; from repairstudy.cli.main import main; sys.exit(main())"
        done = subprocess.run(
            [sys.executable, "-c", code], env=os.environ | asked, capture_output=True, text=True,
            check=False,
        )  # fmt: skip
        return done.stdout.split()

    assert completed("repairstudy p") == ["plan-size", "pick"]
    assert completed("repairstudy pick --c") == ["--cost", "--confirm"]
    assert completed("repairstudy pick --method t") == ["top-two"]


def test_the_version_is_the_package_s(capsys):
    assert shown(capsys, "--version").out == f"repairstudy {__version__}\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["costs"], "No such command 'costs'. Did you mean 'cost'?"),
        (["cost"], "Missing argument 'CONFIG'"),
        (
            ["cost", "a.yaml", "--candidates", "many"],
            "'--candidates': Input should be a valid number",
        ),
        (
            ["plan-size", "--loss", "0.06", "--tests", "1.5"],
            "'--tests': Input should be a valid integer",
        ),
        (["pick", "f.jsonl"], "Missing option '--study'"),
        (["pick", "f.jsonl", "--study", "a.yaml", "--budgt", "3"], "(Possible options: --budget)"),
        (
            ["pick", "f.jsonl", "--study", "a.yaml", "--pool", "a", "--executor", "b"],
            "give --pool or --executor, not both",
        ),
        (["pick", "f.jsonl", "--study", "a.yaml", "--method", "best"], "'best' is not one of"),
    ],
)
def test_a_wrong_call_has_status_2_and_says_how_to_get_help(capsys, words, said):
    found = shown(capsys, *words, status=2)
    assert said in found.err
    assert "-h' for help" in found.err
    assert not found.out


def test_a_study_error_is_one_line_and_a_bug_keeps_its_traceback(capsys, monkeypatch):
    from repairstudy.cli import studies

    def failing(error):
        def read(path):
            raise error

        monkeypatch.setattr(studies, "read_study", read)

    failing(StudyError("file x: field y is wrong"))
    assert shown(capsys, "cost", "x", status=1).err == "error: file x: field y is wrong\n"
    failing(ZeroDivisionError())
    with pytest.raises(ZeroDivisionError):
        main(["cost", "x"])


def test_what_is_written_down_for_a_quick_start_is_what_the_code_has():
    from repairstudy.analysis.picking import METHODS
    from repairstudy.cli.import_runs import Form, Observations
    from repairstudy.cli.pick import Method
    from repairstudy.conformance.kit import SAMPLE
    from repairstudy.imported.formats import FORMATS
    from repairstudy.imported.replaying import Comparison

    assert get_args(Method) == METHODS
    assert get_args(Form) == ("auto", *FORMATS)
    assert get_args(Observations) == get_args(Comparison)
    [tasks] = [
        one for one in get_command(app).commands["check-environment"].params if one.name == "tasks"
    ]
    assert tasks.default == SAMPLE.tasks


def test_waiting_is_visible_to_a_person_alone(monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.setenv("TERM", "xterm")
    for stream, visible in ((Terminal(), True), (io.StringIO(), False)):
        monkeypatch.setattr(sys, "stderr", stream)
        with waiting("reading"):
            pass
        assert ("reading" in stream.getvalue()) is visible
        assert stream.getvalue().count("\x1b[?25l") == stream.getvalue().count("\x1b[?25h")
