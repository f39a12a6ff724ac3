"""Tables of outcomes made elsewhere: read, checked, and turned into the tables of a study."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import polars as pl

from repairstudy.analysis.columns import flags, integers, numbers, text_lists, texts
from repairstudy.analysis.outcome_frames import outcome_frames
from repairstudy.errors import DataError
from repairstudy.store.parquet import read_parquet

Convert = Callable[[pl.DataFrame, str, Path], pl.Series]

REQUIRED: dict[str, Convert] = {
    "failure_id": texts,
    "t": integers,
    "candidate_id": texts,
    "executor": texts,
    "replicate": integers,
    "outcome": numbers,
}
OPTIONAL: dict[str, Convert] = {
    "task_id": texts,
    "is_original": flags,
    "sources": text_lists,
    "metric": texts,
}
METRICS = ("success", "reward")
CELL = ("executor", "failure_id", "t", "candidate_id")


def import_outcomes(
    path: str | Path, deployed: str = "deployed", pool: str = "outcomes", seed: int = 1
) -> dict[str, pl.DataFrame]:
    """The tables of a study from a Parquet or CSV table of outcomes.

    Required columns: failure_id, t, candidate_id, executor, replicate, outcome (in [0, 1]).
    Optional: task_id (failures of one task are dependent; else each failure stands alone),
    is_original, sources (a list, or text separated by ';'), metric ("success" or "reward").
    Other columns are ignored.

    Args:
        path: the table; .parquet or .csv.
        deployed: which value of column `executor` is the deployed executor.
        pool: name of the one pool that the failures make.
        seed: of the draw of each failure's primary position among its steps.

    Returns:
        Frames by table name: executors, trajectories, failures, positions, candidates, rollouts,
        scores (empty).

    Raises:
        DataError: names the file, and the column and row or the failure, step and candidate.
    """
    path = Path(path)
    rows = _typed(_read(path), path)
    _check_outcomes(rows, path)
    _check_deployed(rows, deployed, path)
    _check_originals(rows, deployed, path)
    _check_replicates(rows, path)
    _check_tasks(rows, path)
    return outcome_frames(rows, deployed, pool, seed)


def _read(path: Path) -> pl.DataFrame:
    if path.suffix == ".parquet":
        return read_parquet(path)
    if path.suffix != ".csv":
        raise DataError(path, f"the ending is '{path.suffix}'.", "Accepted: .parquet, .csv.")
    if not path.is_file():
        raise DataError(path, "there is no such file.")
    try:
        # As text: a guessed type would turn the id 007 into 7.
        return pl.read_csv(path, infer_schema=False)
    except (pl.exceptions.PolarsError, OSError) as error:
        raise DataError(path, f"the file is no readable CSV ({error}).") from error


def _typed(raw: pl.DataFrame, path: Path) -> pl.DataFrame:
    missing = [name for name in REQUIRED if name not in raw.columns]
    if missing:
        raise DataError(
            path,
            f"missing column {', '.join(missing)} (found: {', '.join(raw.columns)}).",
            f"Required are {', '.join(REQUIRED)}; optional {', '.join(OPTIONAL)}.",
        )
    if raw.is_empty():
        raise DataError(path, "the table has no rows.")
    columns = REQUIRED | {name: to for name, to in OPTIONAL.items() if name in raw.columns}
    rows = pl.DataFrame([convert(raw, name, path).alias(name) for name, convert in columns.items()])
    # ASSUME: without is_original no row is of the original action, and the study gives losses
    # but no net gains; the position's loss does not need the original, which cancels.
    if "is_original" not in rows.columns:
        rows = rows.with_columns(is_original=pl.lit(False))
    if "task_id" not in rows.columns:
        rows = rows.with_columns(task_id=pl.col("failure_id"))
    if "sources" not in rows.columns:
        rows = rows.with_columns(sources=pl.lit([], dtype=pl.List(pl.String)))
    return rows


def _check_outcomes(rows: pl.DataFrame, path: Path) -> None:
    outcome = rows["outcome"]
    outside = (outcome < 0) | (outcome > 1)
    if outside.any():
        row = int(outside.arg_max() or 0)
        raise DataError(path, f"column outcome, row {row + 1}: {outcome[row]} is outside [0, 1].")
    if "metric" not in rows.columns:
        return
    metrics = rows["metric"].unique().sort().to_list()
    if len(metrics) > 1 or metrics[0] not in METRICS:
        raise DataError(
            path, f"column metric holds {', '.join(metrics)}.", "Accepted: success, or reward."
        )
    partial = (outcome > 0) & (outcome < 1)
    if metrics == ["success"] and partial.any():
        row = int(partial.arg_max() or 0)
        raise DataError(
            path,
            f"column outcome, row {row + 1}: {outcome[row]} is neither 0 nor 1, but the metric is "
            "success.",
        )


def _check_deployed(rows: pl.DataFrame, deployed: str, path: Path) -> None:
    names = rows["executor"].unique().sort().to_list()
    if deployed not in names:
        raise DataError(
            path,
            f"no row is of the deployed executor '{deployed}' (found: {', '.join(names)}).",
            "Name the deployed one in the configuration (deployed: NAME).",
        )
    bare = rows.group_by("failure_id", "t", "candidate_id").agg(
        run=(pl.col("executor") == deployed).any(), is_original=pl.col("is_original").first()
    )
    lacking = bare.filter(~pl.col("run") & ~pl.col("is_original"))
    if not lacking.is_empty():
        raise DataError(
            path, f"{_where(lacking)} has no rollouts of the deployed executor '{deployed}'."
        )


def _check_originals(rows: pl.DataFrame, deployed: str, path: Path) -> None:
    mixed = rows.group_by("failure_id", "t", "candidate_id").agg(pl.col("is_original").n_unique())
    mixed = mixed.filter(pl.col("is_original") > 1)
    if not mixed.is_empty():
        raise DataError(path, f"{_where(mixed)}: is_original differs between its rows.")
    own = rows.filter(pl.col("executor") == deployed)
    positions = own.group_by("failure_id", "t").agg(
        originals=pl.col("candidate_id").filter("is_original").n_unique(),
        candidates=pl.col("candidate_id").filter(~pl.col("is_original")).n_unique(),
    )
    several = positions.filter(pl.col("originals") > 1)
    if not several.is_empty():
        raise DataError(path, f"{_where(several)} has more than one original.")
    empty = positions.filter(pl.col("candidates") == 0)
    if not empty.is_empty():
        raise DataError(path, f"{_where(empty)} has no candidate beside the original.")
    without = positions.filter(pl.col("originals") == 0)
    if 0 < without.height < positions.height:
        raise DataError(
            path,
            f"{_where(without)} has no rows of the original action under '{deployed}', so its net "
            "gain cannot be given.",
            "Add them, or leave all originals out: losses alone are given then.",
        )


def _check_replicates(rows: pl.DataFrame, path: Path) -> None:
    key = [*CELL, "replicate"]
    if rows.n_unique(key) < rows.height:
        twice = rows.filter(rows.select(key).is_duplicated())
        raise DataError(
            path,
            f"{_where(twice)}, executor {twice['executor'][0]}: replicate "
            f"{twice['replicate'][0]} appears more than once.",
        )
    counts = rows.group_by(*CELL, "is_original").len().sort(*CELL)
    spread = counts.with_columns(most=pl.col("len").max().over("executor", "is_original"))
    short = spread.filter(pl.col("len") < pl.col("most"))
    if not short.is_empty():
        executor, found, most = (short[name][0] for name in ("executor", "len", "most"))
        raise DataError(
            path,
            f"unequal numbers of rollouts: {_where(short)} has {found} of executor {executor}, "
            f"others have {most}.",
            "Every candidate needs the same number: a rollout that is missing is no failure.",
        )


def _check_tasks(rows: pl.DataFrame, path: Path) -> None:
    tasks = rows.group_by("failure_id").agg(pl.col("task_id").n_unique())
    mixed = tasks.filter(pl.col("task_id") > 1).sort("failure_id")
    if not mixed.is_empty():
        raise DataError(path, f"failure {mixed['failure_id'][0]} has more than one task_id.")


def _where(rows: pl.DataFrame) -> str:
    keys = [name for name in ("failure_id", "t", "candidate_id") if name in rows.columns]
    first = rows.sort(keys).row(0, named=True)
    words = {"failure_id": "failure", "t": "step", "candidate_id": "candidate"}
    return ", ".join(f"{words[key]} {first[key]}" for key in keys)
