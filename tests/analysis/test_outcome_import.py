"""Tables of outcomes made elsewhere: the golden tables, and every way to get one wrong."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from golden import golden_file

from repairstudy.analysis import build_pool, import_outcomes, select
from repairstudy.errors import DataError
from repairstudy.records import TABLES
from repairstudy.store import check


def table(**columns: list[object]) -> pl.DataFrame:
    """Two failures with two candidates and the original, two rollouts of each; one other."""
    rows = [
        (failure, 3, candidate, "deployed", replicate, float(candidate == "a"))
        for failure in ("f1", "f2")
        for candidate in ("a", "b", "o")
        for replicate in range(2)
    ] + [(f, 3, c, "larger", 0, 0.0) for f in ("f1", "f2") for c in ("a", "b")]
    names = ("failure_id", "t", "candidate_id", "executor", "replicate", "outcome")
    frame = pl.DataFrame(rows, schema=names, orient="row").with_columns(
        is_original=pl.col("candidate_id") == "o"
    )
    return frame.with_columns(**{k: pl.Series(k, v, strict=False) for k, v in columns.items()})


def edited(row: int, **cells: object) -> pl.DataFrame:
    rows = table().to_dicts()
    rows[row] |= cells
    return pl.DataFrame(rows, infer_schema_length=None, strict=False)


def imported(frame: pl.DataFrame, folder: Path, suffix: str = "parquet", **options: str):
    path = folder / f"outcomes.{suffix}"
    if suffix == "csv":
        frame.write_csv(path)
    else:
        frame.write_parquet(path)
    return import_outcomes(path, **options)


def golden_values(path: Path) -> pl.DataFrame:
    return select(build_pool(import_outcomes(path), "outcomes", "reward")).values


@pytest.mark.parametrize("kind", ["binary", "real"])
def test_golden_tables_give_the_values_of_the_independent_implementation(kind: str) -> None:
    values = golden_values(golden_file(f"outcomes_{kind}.parquet")).filter(scope="position")
    expected = json.loads(golden_file(f"expected_{kind}.json").read_text())
    compared = 0
    for row in expected:
        found = dict(
            values.filter(failure_id=row["failure_id"]).select("evaluator", "value").rows()
        )
        for name in found.keys() & row.keys():
            assert found[name] == pytest.approx(row[name], abs=1e-9), (row["failure_id"], name)
            compared += 1
    names = {"random", "matched", "executor:larger", *(f"own_{n}" for n in range(1, 6))}
    names |= {"executor:larger@5"} if kind == "binary" else set()
    assert compared == len(expected) * len(names)


def test_a_csv_gives_the_same_values_as_the_parquet_it_was_written_from(tmp_path: Path) -> None:
    golden = pl.read_parquet(golden_file("outcomes_binary.parquet"))
    flat = golden.with_columns(pl.col("sources").list.join(";"))
    flat.write_csv(tmp_path / "outcomes.csv")
    from_csv = import_outcomes(tmp_path / "outcomes.csv")
    from_parquet = import_outcomes(golden_file("outcomes_binary.parquet"))
    for name, frame in from_parquet.items():
        assert from_csv[name].equals(frame), name


def test_the_frames_keep_the_data_contract() -> None:
    for name, frame in import_outcomes(golden_file("outcomes_binary.parquet")).items():
        check(frame, TABLES[name], name)


def test_ids_that_look_like_numbers_stay_text(tmp_path: Path) -> None:
    renamed = table().with_columns(
        failure_id=pl.col("failure_id").replace({"f1": "007", "f2": "8"})
    )
    frames = imported(renamed, tmp_path, "csv")
    assert frames["failures"]["failure_id"].to_list() == ["007", "8"]


def test_whole_numbers_as_ids_and_floats_as_steps_are_understood(tmp_path: Path) -> None:
    numbered = table().with_columns(
        failure_id=pl.col("failure_id").str.slice(1).cast(pl.Int64), t=pl.col("t").cast(pl.Float64)
    )
    frames = imported(numbered, tmp_path)
    assert frames["failures"]["failure_id"].to_list() == ["1", "2"]
    assert frames["positions"]["t"].to_list() == [3, 3]


def test_sources_may_be_text_lists_or_missing(tmp_path: Path) -> None:
    by_hand = pl.col("candidate_id").replace_strict({"a": "x; y", "b": None, "o": ""})
    frames = imported(table().with_columns(sources=by_hand), tmp_path, "csv")
    assert frames["candidates"].filter(failure_id="f1")["sources"].to_list() == [["x", "y"], [], []]


def test_failures_of_one_task_make_one_cluster(tmp_path: Path) -> None:
    pool = build_pool(imported(table(task_id=["k"] * 16), tmp_path), "outcomes")
    assert pool.clusters == ("k", "k")
    assert build_pool(imported(table(), tmp_path), "outcomes").clusters == ("f1", "f2")


def test_the_deployed_executor_may_have_any_name(tmp_path: Path) -> None:
    renamed = table().with_columns(pl.col("executor").replace({"deployed": "7B"}))
    pool = build_pool(imported(renamed, tmp_path, deployed="7B"), "outcomes")
    assert (pool.deployed, pool.executors) == ("7B", ("larger",))


def test_of_several_steps_one_is_primary_and_the_same_one_every_time(tmp_path: Path) -> None:
    steps = pl.concat([table().with_columns(t=pl.lit(t)) for t in (9, 4, 6)])
    first = imported(steps, tmp_path)["positions"]
    assert first.filter("is_primary").height == 2
    again = imported(steps.reverse(), tmp_path)["positions"]
    assert first.equals(again)


def test_without_originals_only_losses_are_known(tmp_path: Path) -> None:
    golden = pl.read_parquet(golden_file("outcomes_binary.parquet"))
    bare = golden.filter(~pl.col("is_original")).drop("is_original")
    bare.write_parquet(tmp_path / "bare.parquet")
    values = golden_values(tmp_path / "bare.parquet")
    assert values["value"].null_count() == values["matched_value"].null_count() == values.height
    assert set(values["scope"]) == {"position"}
    with_originals = golden_values(golden_file("outcomes_binary.parquet")).filter(scope="position")
    keys = ["evaluator", "failure_id"]
    losses = values.join(with_originals, on=keys, suffix="_there", validate="1:1")
    assert losses.height == values.height
    assert (losses["loss"] - losses["loss_there"]).abs().max() < 1e-12


BAD = {
    "missing column": (table().drop("outcome"), "missing column outcome .*Required are"),
    "no rows": (table().head(0), "no rows"),
    "outcome above 1": (edited(2, outcome=1.5), r"column outcome, row 3: 1\.5 is outside"),
    "outcome below 0": (edited(0, outcome=-0.1), r"column outcome, row 1: -0\.1 is outside"),
    "outcome is text": (
        table(outcome=["1"] * 15 + ["won"]),
        "column outcome, row 16: 'won' is no number",
    ),
    "outcome is null": (edited(3, outcome=None), "column outcome, row 4: None is no number"),
    "outcome is NaN": (edited(3, outcome=float("nan")), "column outcome, row 4: nan is no number"),
    "id is null": (edited(5, failure_id=None), "column failure_id, row 6: None is empty"),
    "candidate is null": (edited(5, candidate_id=None), "column candidate_id, row 6"),
    "step is not whole": (edited(1, t=3.5), r"column t, row 2: 3\.5 is no whole number"),
    "step is negative": (edited(1, t=-1), "column t, row 2: -1"),
    "replicate is text": (
        table(replicate=["x"] * 16),
        "column replicate, row 1: 'x' is no number",
    ),
    "duplicate replicate": (
        edited(1, replicate=0),
        "failure f1, step 3, candidate a, executor deployed: replicate 0 appears more than once",
    ),
    "unequal rollouts": (
        table().filter(~((pl.col("candidate_id") == "b") & (pl.col("replicate") == 1))),
        "unequal numbers of rollouts: failure f1, step 3, candidate b has 1 of executor deployed, "
        "others have 2",
    ),
    "unequal rollouts of the original": (
        table().slice(0, 11).vstack(table().slice(12)),
        "unequal numbers of rollouts: failure f2, step 3, candidate o",
    ),
    "original lacking somewhere": (
        table().filter(~((pl.col("candidate_id") == "o") & (pl.col("failure_id") == "f2"))),
        "failure f2, step 3 has no rows of the original action .*net gain cannot be given",
    ),
    "two originals": (
        table().with_columns(is_original=pl.col("candidate_id") != "b"),
        "failure f1, step 3 has more than one original",
    ),
    "original in some rows": (
        edited(1, is_original=True),
        "failure f1, step 3, candidate a: is_original differs",
    ),
    "flag is a word": (
        table(is_original=["maybe"] * 16),
        "column is_original, row 1: 'maybe' is neither true nor false",
    ),
    "candidates only of the other": (
        edited(15, candidate_id="c"),
        "failure f2, step 3, candidate c has no rollouts of the deployed executor 'deployed'",
    ),
    "nothing beside the original": (
        table().filter(pl.col("is_original") | (pl.col("failure_id") == "f2")),
        "failure f1, step 3 has no candidate beside the original",
    ),
    "two tasks of a failure": (
        table(task_id=["k"] + ["l"] * 15),
        "failure f1 has more than one task_id",
    ),
    "unknown metric": (table(metric=["points"] * 16), "column metric holds points"),
    "two metrics": (table(metric=["reward"] + ["success"] * 15), "holds reward, success"),
    "half a success": (
        edited(4, outcome=0.5).with_columns(metric=pl.lit("success")),
        r"column outcome, row 5: 0\.5 is neither 0 nor 1, but the metric is success",
    ),
    "sources are numbers": (table(sources=[1] * 16), "column sources is Int64, expected lists"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_tables_are_refused_with_the_place(tmp_path: Path, case: str) -> None:
    frame, message = BAD[case]
    with pytest.raises(DataError, match=rf"outcomes\.parquet: .*{message}"):
        imported(frame, tmp_path)


def test_an_absent_deployed_executor_is_named_with_those_found(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"deployed executor 'x' \(found: deployed, larger\)"):
        imported(table(), tmp_path, deployed="x")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("outcomes.xlsx", b"", r"the ending is '\.xlsx'"),
        ("outcomes.csv", b"", "no readable CSV"),
        ("outcomes.parquet", b"PAR1 and then nothing", "truncated"),
    ],
)
def test_unreadable_files_are_named(
    tmp_path: Path, name: str, content: bytes, message: str
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DataError, match=rf"{name}: .*{message}"):
        import_outcomes(tmp_path / name)


def test_an_absent_file_is_named(tmp_path: Path) -> None:
    for suffix in ("csv", "parquet"):
        with pytest.raises(DataError, match="there is no such file"):
            import_outcomes(tmp_path / f"gone.{suffix}")
