"""Two versions of a table: every row and cell that differs is named, and nothing else."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from repairstudy.records import TABLES
from repairstudy.store.compare import difference
from repairstudy.store.contents import content_hash, content_hashes

VALUES = TABLES["values"]


def values(*losses: float, value: float | None = 0.5) -> pl.DataFrame:
    rows = [
        ("p", "e", "failure", f"f{i}", None, value, value, loss) for i, loss in enumerate(losses)
    ]
    return pl.DataFrame(rows, schema=VALUES.schema, orient="row")


def test_equal_tables_have_no_difference_in_any_order() -> None:
    frame = values(0.1, 0.2, 0.3)
    assert difference(frame, frame.reverse(), VALUES).lines == ()


def test_a_changed_cell_is_named_by_row_and_column() -> None:
    found = difference(values(0.1, 0.2), values(0.1, 0.25), VALUES)
    assert found.lines == (
        "row pool p, evaluator e, scope failure, failure_id f1, t None, column loss: 0.2 in the "
        "database, 0.25 recomputed",
    )


def test_the_last_bit_of_a_number_is_a_difference() -> None:
    assert difference(values(0.3), values(0.1 + 0.2), VALUES).lines


def test_a_null_is_no_number() -> None:
    [line] = difference(values(0.1, value=None), values(0.1, value=None), VALUES).lines or [""]
    assert line == ""
    assert len(difference(values(0.1, value=None), values(0.1), VALUES).lines) == 2


def test_missing_and_added_rows_are_named() -> None:
    assert difference(values(0.1), values(0.1, 0.2), VALUES).lines == (
        "row pool p, evaluator e, scope failure, failure_id f1, t None is missing from the "
        "database",
    )
    assert difference(values(0.1, 0.2), values(0.1), VALUES).lines == (
        "row pool p, evaluator e, scope failure, failure_id f1, t None is in the database alone",
    )


def test_many_differences_are_counted_and_some_shown() -> None:
    lines = difference(values(*[0.0] * 50), values(*[1.0] * 50), VALUES).lines
    assert len(lines) == 6
    assert lines[-1] == "and 45 more like it"


@given(st.permutations(range(6)))
def test_the_hash_of_a_content_does_not_depend_on_the_order_of_rows(order: list[int]) -> None:
    frame = values(*(i / 7 for i in range(6)))
    assert content_hash(frame[order], "values") == content_hash(frame, "values")


@given(st.floats(allow_nan=False), st.floats(allow_nan=False))
def test_the_hash_of_a_content_tells_every_two_numbers_apart(a: float, b: float) -> None:
    same = content_hash(values(a), "values") == content_hash(values(b), "values")
    assert same == (repr(a) == repr(b))


def test_every_public_table_has_a_hash_but_those_about_the_hashes_and_the_build() -> None:
    hashes = content_hashes({"values": values(0.1)})
    assert not set(hashes) & {"provenance", "build"}
    assert {"results", "rollouts", "preregistration", "costs"} <= set(hashes)
    assert hashes["scores"] == content_hash(TABLES["scores"].empty(), "scores")


def test_the_hash_of_a_content_does_not_depend_on_how_much_is_hashed_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    frame = values(*(i / 7 for i in range(6)))
    whole = content_hash(frame, "values")
    for rows in (1, 4):
        monkeypatch.setattr("repairstudy.store.contents.PART_ROWS", rows)
        assert content_hash(frame, "values") == whole
