"""The notebooks run on any study, and give the same page each time."""

import json
from pathlib import Path

import nbformat
import pytest

from repairstudy.errors import DataError
from repairstudy.report.notebook import NotebookError, execute_notebook
from repairstudy.store import build_database

NOTEBOOKS = sorted((Path(__file__).parents[2] / "notebooks").glob("*.ipynb"))
TOUR = next(path for path in NOTEBOOKS if path.stem == "tour")


@pytest.fixture(scope="module")
def database(frames, tmp_path_factory):
    path = tmp_path_factory.mktemp("database") / "study.duckdb"
    build_database(path, frames)
    return path


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_committed_notebook_has_no_outputs(path):
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert code
    assert all(not cell["outputs"] and cell["execution_count"] is None for cell in code)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_it_gives_a_page_that_fetches_nothing_and_the_same_one_again(path, database, tmp_path):
    before = database.read_bytes()
    for name in ("first.html", "again.html"):
        execute_notebook(path, database, tmp_path / name)
    html = (tmp_path / "first.html").read_text(encoding="utf-8")
    assert html == (tmp_path / "again.html").read_text(encoding="utf-8")
    heading = json.loads(path.read_text(encoding="utf-8"))["cells"][0]["source"][0].strip("# \n")
    assert f"<title>{heading.replace(chr(39), '&#x27;')}</title>" in html
    assert "data:image/png;base64," in html
    assert "<script" not in html
    assert "https://" not in html
    assert database.read_bytes() == before


def test_a_failing_cell_is_named(database, tmp_path):
    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell("raise ValueError('no such thing')")]
    )
    nbformat.write(notebook, tmp_path / "broken.ipynb")
    with pytest.raises(NotebookError, match=r"broken\.ipynb: .*ValueError: no such thing"):
        execute_notebook(tmp_path / "broken.ipynb", database, tmp_path / "out.ipynb")
    assert not (tmp_path / "out.ipynb").exists()


def test_a_missing_database_is_named_before_a_kernel_starts(tmp_path):
    with pytest.raises(DataError, match=r"none\.duckdb: there is no such file"):
        execute_notebook(TOUR, tmp_path / "none.duckdb", tmp_path / "out.html")


def test_another_ending_is_refused(database, tmp_path):
    with pytest.raises(DataError, match=r"Accepted: \.html, \.ipynb"):
        execute_notebook(TOUR, database, tmp_path / "out.pdf")
