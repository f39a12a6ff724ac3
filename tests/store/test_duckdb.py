"""The database holds every public table, and appears whole."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import duckdb
import polars as pl
import pytest

from repairstudy.errors import DataError
from repairstudy.records import TABLES
from repairstudy.store import build_database, open_database
from repairstudy.store.duckdb import PUBLIC

AUDIT = pl.DataFrame(
    {"environment": ["g", "g"], "check": ["b", "a"], "passed": [True, False], "detail": ["", ""]}
)


def test_every_public_table_is_there_with_its_columns(tmp_path: Path) -> None:
    path = tmp_path / "study.duckdb"
    build_database(path, {"audit": AUDIT})
    with open_database(path) as connection:
        assert connection.execute("SELECT * FROM audit").fetchall() == [
            ("g", "a", False, ""),
            ("g", "b", True, ""),
        ]
        for name in PUBLIC:
            frame = connection.sql(f'SELECT * FROM "{name}"').pl()
            assert frame.columns == list(TABLES[name].schema)
    assert [entry.name for entry in tmp_path.iterdir()] == ["study.duckdb"]


def test_lists_times_and_infinities_survive(tmp_path: Path) -> None:
    path = tmp_path / "study.duckdb"
    moment = datetime(2026, 11, 29, 12, tzinfo=UTC)
    plan = pl.DataFrame(
        [("h", "r", moment, "c", "{}", "{}", "[]", "[]")],
        schema=TABLES["preregistration"].schema,
        orient="row",
    )
    candidate = pl.DataFrame(
        [("c", "f", 1, "up", False, ["a", "b"])], schema=TABLES["candidates"].schema, orient="row"
    )
    score = pl.DataFrame(
        [("p", "e", "f", 1, "c", float("inf"))], schema=TABLES["scores"].schema, orient="row"
    )
    build_database(path, {"preregistration": plan, "candidates": candidate, "scores": score})
    with open_database(path) as connection:
        assert connection.execute("SELECT frozen_at FROM preregistration").fetchone() == (moment,)
        assert connection.execute("SELECT sources FROM candidates").fetchone() == (["a", "b"],)
        assert connection.execute("SELECT score FROM scores").fetchone() == (float("inf"),)


def test_columns_explain_themselves(tmp_path: Path) -> None:
    build_database(tmp_path / "s.duckdb", {})
    with open_database(tmp_path / "s.duckdb") as connection:
        found = connection.execute(
            "SELECT comment FROM duckdb_columns() WHERE table_name = 'values' "
            "AND column_name = 'value'"
        ).fetchone()
    assert found == ("held-out net gain of the evaluator's selection",)


def test_the_database_is_read_only(tmp_path: Path) -> None:
    build_database(tmp_path / "s.duckdb", {"audit": AUDIT})
    with open_database(tmp_path / "s.duckdb") as connection, pytest.raises(duckdb.Error):
        connection.execute("DELETE FROM audit")


def test_a_wrong_frame_leaves_the_old_database(tmp_path: Path) -> None:
    path = tmp_path / "s.duckdb"
    build_database(path, {"audit": AUDIT})
    before = path.read_bytes()
    with pytest.raises(DataError, match="two rows with the key"):
        build_database(path, {"audit": pl.concat([AUDIT, AUDIT])})
    with pytest.raises(DataError, match="no table worklist"):
        build_database(path, {"worklist": TABLES["worklist"].empty()})
    assert path.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["s.duckdb"]


def test_a_database_that_is_none_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"none\.duckdb: there is no such database"):
        open_database(tmp_path / "none.duckdb")
    (tmp_path / "text.duckdb").write_text(
        "no database at all, but long enough to look like one" * 9
    )
    with pytest.raises(DataError, match=r"text\.duckdb: the database cannot be opened"):
        open_database(tmp_path / "text.duckdb")


def test_a_table_written_in_parts_is_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("repairstudy.store.duckdb.PART_ROWS", 2)
    rows = [("p", "judge", "f", 0, f"c{number}", number / 7) for number in range(5)]
    scores = pl.DataFrame(rows, schema=TABLES["scores"].schema, orient="row")
    build_database(tmp_path / "s.duckdb", {"scores": scores.reverse()})
    with open_database(tmp_path / "s.duckdb") as connection:
        assert connection.execute("SELECT * FROM scores").fetchall() == rows
        nullable = connection.execute(
            "SELECT column_name FROM duckdb_columns() WHERE table_name = 'scores' AND is_nullable"
        ).fetchall()
    assert nullable == [("score",)]
