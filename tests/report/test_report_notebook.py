"""The notebook that tours a study's database."""

import json
from pathlib import Path

import nbformat
import pytest

from repairstudy.errors import DataError
from repairstudy.report.notebook import NotebookError, execute_notebook
from repairstudy.store import build_database

TOUR = Path(__file__).parents[2] / "notebooks" / "tour.ipynb"


@pytest.fixture(scope="module")
def database(frames, tmp_path_factory):
    path = tmp_path_factory.mktemp("database") / "study.duckdb"
    build_database(path, frames)
    return path


def test_the_committed_notebook_has_no_outputs():
    cells = json.loads(TOUR.read_text(encoding="utf-8"))["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert code
    assert all(not cell["outputs"] and cell["execution_count"] is None for cell in code)


def test_the_tour_runs_on_a_study_and_gives_a_page_that_fetches_nothing(database, tmp_path):
    before = database.read_bytes()
    execute_notebook(TOUR, database, tmp_path / "tour.html")
    html = (tmp_path / "tour.html").read_text(encoding="utf-8")
    assert "A tour of a study" in html
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
