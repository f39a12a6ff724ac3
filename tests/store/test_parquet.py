"""A table is written whole, sorted, and only if it keeps the contract."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from repairstudy.errors import DataError
from repairstudy.records import TABLES
from repairstudy.store import read_parts, read_table, write_table

SCORES, CANDIDATES, VALUES = TABLES["scores"], TABLES["candidates"], TABLES["values"]


def scores(**columns: list[object]) -> pl.DataFrame:
    rows: dict[str, list[object]] = {
        "pool": ["p", "p"],
        "evaluator": ["judge", "judge"],
        "failure_id": ["f", "f"],
        "t": [3, 3],
        "candidate_id": ["b", "a"],
        "score": [0.5, None],
    }
    return pl.DataFrame(rows | columns)


def candidates(sources: list[list[str | None]]) -> pl.DataFrame:
    ids = [f"c{i}" for i in range(len(sources))]
    return pl.DataFrame(
        {
            "candidate_id": ids,
            "failure_id": ["f"] * len(ids),
            "t": [0] * len(ids),
            "action": ids,
            "is_original": [False] * len(ids),
            "sources": pl.Series(sources, dtype=pl.List(pl.String)),
        }
    )


def test_rows_come_back_sorted_by_key(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "scores.parquet"
    write_table(scores(), path, SCORES)
    assert read_table(path, SCORES).rows() == [
        ("p", "judge", "f", 3, "a", None),
        ("p", "judge", "f", 3, "b", 0.5),
    ]
    assert [entry.name for entry in path.parent.iterdir()] == ["scores.parquet"]


@given(st.permutations(range(6)))
def test_any_order_of_the_rows_gives_the_same_bytes(
    tmp_path_factory: pytest.TempPathFactory, order: list[int]
) -> None:
    folder = tmp_path_factory.mktemp("bytes")
    frame = candidates([["x"], [], ["y", "z"], ["x"], ["y"], []])
    write_table(frame, folder / "one.parquet", CANDIDATES)
    write_table(frame[order], folder / "two.parquet", CANDIDATES)
    assert (folder / "one.parquet").read_bytes() == (folder / "two.parquet").read_bytes()


def test_a_null_in_the_key_is_a_value_like_any_other(tmp_path: Path) -> None:
    row = ("p", "matched", "failure", "f", None, 0.1, 0.1, 0.0)
    one = pl.DataFrame([row], schema=VALUES.schema, orient="row")
    write_table(one, tmp_path / "v.parquet", VALUES)
    assert read_table(tmp_path / "v.parquet", VALUES).rows() == [row]
    with pytest.raises(DataError, match=r"two rows with the key .*t None"):
        write_table(pl.concat([one, one]), tmp_path / "v.parquet", VALUES)


def test_a_column_of_nothing_takes_the_type_of_the_contract(tmp_path: Path) -> None:
    write_table(scores(score=[None, None]), tmp_path / "s.parquet", SCORES)
    assert read_table(tmp_path / "s.parquet", SCORES)["score"].dtype == pl.Float64


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (scores().drop("score"), "lacks column score"),
        (scores().with_columns(extra=1), "unknown column extra"),
        (scores(t=["3", "3"]), "column t of scores is String, expected Int64"),
        (scores(evaluator=["judge", None]), "column evaluator is null in row 1"),
        (scores(score=[0.5, float("nan")]), "column score is NaN in row 1"),
        (scores(candidate_id=["a", "a"]), "two rows with the key .*candidate_id 'a'"),
    ],
)
def test_a_frame_that_breaks_the_contract_is_not_written(
    tmp_path: Path, frame: pl.DataFrame, message: str
) -> None:
    path = tmp_path / "scores.parquet"
    with pytest.raises(DataError, match=rf"scores\.parquet: .*{message}"):
        write_table(frame, path, SCORES)
    assert list(tmp_path.iterdir()) == []


def test_a_null_inside_a_list_is_refused_and_an_empty_list_is_not(tmp_path: Path) -> None:
    write_table(candidates([[], ["x"]]), tmp_path / "c.parquet", CANDIDATES)
    with pytest.raises(DataError, match="column sources has a null inside a list"):
        write_table(candidates([[], ["x", None]]), tmp_path / "c.parquet", CANDIDATES)


def test_a_refused_write_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "scores.parquet"
    write_table(scores(), path, SCORES)
    before = path.read_bytes()
    with pytest.raises(DataError):
        write_table(scores(candidate_id=["a", "a"]), path, SCORES)
    assert path.read_bytes() == before


@pytest.mark.parametrize("kept", [0, 4, 100, -1])
def test_a_truncated_file_is_named(tmp_path: Path, kept: int) -> None:
    path = tmp_path / "scores.parquet"
    write_table(scores(), path, SCORES)
    path.write_bytes(path.read_bytes()[:kept])
    with pytest.raises(DataError, match=r"scores\.parquet: the file is truncated"):
        read_table(path, SCORES)


def test_an_absent_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"gone\.parquet: there is no such file"):
        read_table(tmp_path / "gone.parquet", SCORES)


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (scores().drop("t"), "lacks column t"),
        (scores(score=[1, 2]), "column score of scores is Int64, expected Float64"),
        (scores(pool=[None, "p"]), "column pool is null in row 0"),
        (scores(candidate_id=["a", "a"]), "two rows with the key"),
    ],
)
def test_a_foreign_file_is_checked_when_read(
    tmp_path: Path, frame: pl.DataFrame, message: str
) -> None:
    path = tmp_path / "foreign.parquet"
    frame.write_parquet(path)
    with pytest.raises(DataError, match=rf"foreign\.parquet: .*{message}"):
        read_table(path, SCORES)


def test_some_columns_are_read_with_the_key_and_checked(tmp_path: Path) -> None:
    path = tmp_path / "scores.parquet"
    write_table(scores(), path, SCORES)
    whole = read_table(path, SCORES)
    assert read_table(path, SCORES, ("score",)).equals(whole)
    assert read_table(path, SCORES, ()).equals(whole.select(SCORES.key))
    scores(candidate_id=["a", "a"]).write_parquet(path)
    with pytest.raises(DataError, match="two rows with the key"):
        read_table(path, SCORES, ())
    scores(score=[1, 2]).drop("pool").write_parquet(path)
    with pytest.raises(DataError, match=r"scores\.parquet: table scores lacks column pool"):
        read_table(path, SCORES, ())
    scores(score=[1, 2]).write_parquet(path)
    assert read_table(path, SCORES, ()).height == 2
    with pytest.raises(DataError, match="column score of scores is Int64"):
        read_table(path, SCORES, ("score",))


@given(rows=st.integers(1, 9), group=st.integers(1, 9), part=st.integers(1, 9))
def test_parts_and_row_groups_of_any_size_are_the_same_table(
    tmp_path_factory: pytest.TempPathFactory, rows: int, group: int, part: int
) -> None:
    path = tmp_path_factory.mktemp("parts") / "c.parquet"
    frame = candidates([["x"] * (number % 3) for number in range(rows)])
    frame.write_parquet(path, row_group_size=group)
    assert read_table(path, CANDIDATES).equals(frame)
    parts = list(read_parts(path, CANDIDATES, part))
    assert max(one.height for one in parts) <= part
    assert pl.concat(parts).equals(frame)


def test_an_empty_table_is_read_whole_and_in_no_parts(tmp_path: Path) -> None:
    path = tmp_path / "scores.parquet"
    write_table(SCORES.empty(), path, SCORES)
    assert read_table(path, SCORES).equals(SCORES.empty())
    assert list(read_parts(path, SCORES)) == []


def test_a_part_that_breaks_the_contract_is_refused_when_it_is_reached(tmp_path: Path) -> None:
    path = tmp_path / "scores.parquet"
    scores(score=[0.5, float("nan")]).write_parquet(path)
    parts = read_parts(path, SCORES, 1)
    assert next(parts).height == 1
    with pytest.raises(DataError, match=r"scores\.parquet: column score is NaN"):
        next(parts)
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(DataError, match=r"scores\.parquet: the file is truncated"):
        next(read_parts(path, SCORES))
