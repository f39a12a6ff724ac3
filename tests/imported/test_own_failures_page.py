"""docs/own-failures.md as it stands: its files, its commands, and what they print."""

import shlex
from pathlib import Path

import pytest
from documented import blocks_of, outputs
from imported_worlds import ROOT

from repairstudy.cli.main import main
from repairstudy.imported import Run, read_runs

PAGE = "docs/own-failures.md"
BLOCKS = blocks_of(PAGE, (ROOT / PAGE).read_text("utf-8"))
HERE = "tests/imported/test_own_failures_page.py"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with the files of the page, and the configurations of the project."""
    for name in ("config", "resources", "tests"):
        (tmp_path / name).symlink_to(ROOT / name)
    for block in BLOCKS:
        if block.file:
            (tmp_path / block.file).write_text(block.content, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("block", [b for b in BLOCKS if b.reason == HERE], ids=str)
def test_a_command_prints_what_the_page_shows(folder, capsys, block):
    program, *words = shlex.split(block.content)
    assert program == ".venv/bin/repairstudy"
    assert main(words) == 0
    printed = capsys.readouterr()
    assert printed.out == outputs(BLOCKS)[block].content
    written = len(read_runs(Path("own.jsonl")))
    assert printed.err == f"{written} runs written to own.jsonl\n"


def test_the_page_has_a_file_and_a_command_for_every_format(folder):
    files = {block.file for block in BLOCKS if block.file}
    assert files == {"runs.jsonl", "chat.jsonl", "calls.jsonl", "traj.jsonl"}
    assert sum(block.reason == HERE for block in BLOCKS) == 5


def test_every_field_of_the_format_is_on_the_page():
    text = (ROOT / PAGE).read_text("utf-8").split("| field |")[1].split("\n\n")[0]
    for name in Run.model_fields:
        assert f"`{name}`" in text, name
