"""Executing a notebook on a study's database, in a kernel of its own."""

from __future__ import annotations

import os
from html import escape
from pathlib import Path
from typing import Any

from repairstudy.errors import DataError, StudyError
from repairstudy.store import replacing

VARIABLE = "DATABASE"  # environment variable that tells the notebook what to read
TIMEOUT_S = 300


class NotebookError(StudyError):
    """A cell of a notebook failed: names the notebook and the cell's error."""


def execute_notebook(path: str | Path, database: str | Path, out: str | Path) -> None:
    """Execute a notebook on a database and write it with its outputs.

    Args:
        path: the notebook, which reads its database's path from the environment.
        database: the database of a study.
        out: .html gives a page without network or scripts; .ipynb an executed notebook.

    Raises:
        DataError: the notebook or the database is absent, or `out` has another ending.
        NotebookError: a cell failed.
    """
    import nbformat  # heavy, and of no use to the rest of the report
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError

    path, database, out = Path(path), Path(database), Path(out)
    for needed in (path, database):
        if not needed.is_file():
            raise DataError(needed, "there is no such file.")
    if out.suffix not in (".html", ".ipynb"):
        raise DataError(out, f"the ending is '{out.suffix}'.", "Accepted: .html, .ipynb.")
    notebook = nbformat.read(path, as_version=4)
    environment = os.environ | {VARIABLE: str(database.resolve())}
    client = NotebookClient(
        notebook,
        timeout=TIMEOUT_S,
        kernel_name="python3",
        extra_arguments=["--log-level=40"],  # errors alone
        resources={"metadata": {"path": str(path.parent)}},
    )
    try:
        client.execute(env=environment)
    except CellExecutionError as error:
        raise NotebookError(
            f"{path}: a cell failed on {database}: {error.ename}: {error.evalue}"
        ) from error
    text = _as_page(notebook, path.stem) if out.suffix == ".html" else nbformat.writes(notebook)
    with replacing(out) as temporary:
        temporary.write_text(text, encoding="utf-8")


def _as_page(notebook: Any, name: str) -> str:
    """HTML in the plain template: nothing is fetched and nothing runs. Its title is the heading."""
    from nbconvert import HTMLExporter

    exporter = HTMLExporter(template_name="basic")
    body, _ = exporter.from_notebook_node(notebook)
    headings = [
        line.removeprefix("# ")
        for cell in notebook.cells
        if cell.cell_type == "markdown"
        for line in cell.source.splitlines()
        if line.startswith("# ")
    ]
    return PAGE.format(title=escape((headings or [name])[0]), body=body)


PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy"
 content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ max-width: 62rem; margin: 2rem auto; padding: 0 1.25rem;
 font: 16px/1.5 system-ui, "DejaVu Sans", sans-serif; }}
pre {{ overflow-x: auto; font-size: .85rem; }}
div.output pre {{ white-space: pre-wrap; }}
.highlight, div.input_area {{ border-left: 3px solid #8c959f; padding-left: .8rem; }}
table {{ border-collapse: collapse; font-size: .84rem; }}
th, td {{ padding: .2rem .7rem .2rem 0; text-align: left; border-bottom: 1px solid #8c959f55; }}
img {{ max-width: 100%; background: white; }}
.prompt, .anchor-link {{ display: none; }}
div.output {{ overflow-x: auto; }}
</style>
</head>
<body>
{body}
</body>
</html>
"""
