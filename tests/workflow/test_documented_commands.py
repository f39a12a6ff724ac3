"""Examples of README and documentation that need a finished study, on the miniature one.

Shell blocks marked `<!-- run -->` run page by page and print what the page shows; Python and SQL
marked `<!-- with results -->` run in between. `tests/docs` says how all other examples are tested.
"""

import contextlib
import itertools
import os
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest
from documented import BLOCKS, outputs, same_output

pytestmark = pytest.mark.workflow

NEEDING = [block for block in BLOCKS if block.mark in ("run", "with results")]
PAGES = [
    pytest.param(list(found), id=page)
    for page, found in itertools.groupby(NEEDING, lambda block: block.page)
]


@pytest.fixture(scope="module")
def beside_tiny(tiny, tmp_path_factory):
    """A folder with the project, its programs, and a copy of the finished miniature study."""
    folder = tmp_path_factory.mktemp("documented") / "project"
    subprocess.run(["cp", "-a", tiny.folder, folder], check=True)
    (folder / ".venv").symlink_to(Path(sys.executable).parents[1])
    return folder


@pytest.mark.parametrize("blocks", PAGES)
def test_examples_run_and_print_what_the_page_shows(blocks, beside_tiny, monkeypatch):
    monkeypatch.chdir(beside_tiny)
    shown, page = outputs(BLOCKS), {}
    for block in blocks:
        if block.language == "sql":
            with duckdb.connect("results/tiny/study.duckdb", read_only=True) as study:
                assert study.sql(block.content).fetchall()
            continue
        if block.mark == "with results":
            with contextlib.redirect_stdout(None):
                exec(compile(block.content, str(block), "exec"), page)
            continue
        done = subprocess.run(
            ["bash", "-e", "-c", block.content],
            capture_output=True, text=True, env=os.environ | {"HOME": str(beside_tiny)},
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        if block in shown:
            assert same_output(shown[block].content, done.stdout), done.stdout
