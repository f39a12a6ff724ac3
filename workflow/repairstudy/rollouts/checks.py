"""What must hold of every cached rollout, and when two rows of one rollout contradict."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from repairstudy.errors import DataError
from repairstudy.records.tables import CACHED_ROLLOUTS, STATUSES

ERROR = "infrastructure_error"
# What two finished rows of one rollout must share. Left out: `attempt` and `cause` (history of
# the infrastructure, not of the agent), `finished` (time), and `tokens_thought` (of tokens_out; an
# earlier version did not count it, and where a server does not, it is an estimate).
OUTCOME = (
    "executor_id", "seed", "status", "success", "reward", "steps", "invalid_actions",
    "tokens_in", "tokens_out", "actions",
)  # fmt: skip

_errored = pl.col("status") == ERROR
# Column, what it must be, and the expression that says so.
_RULES: tuple[tuple[str, str, pl.Expr], ...] = (
    ("status", f"one of {', '.join(STATUSES)}", pl.col("status").is_in(STATUSES)),
    ("success", f"null exactly if status is {ERROR}", pl.col("success").is_null() == _errored),
    ("success", "true exactly if status is success",
     _errored | (pl.col("success") == (pl.col("status") == "success"))),
    ("reward", f"null exactly if status is {ERROR}", pl.col("reward").is_null() == _errored),
    ("reward", "within [0, 1]", _errored | pl.col("reward").is_between(0.0, 1.0)),
    ("attempt", "at least 0", pl.col("attempt") >= 0),
    ("seed", "at least 0", pl.col("seed") >= 0),
    ("steps", "the number of actions", pl.col("steps") == pl.col("actions").list.len()),
    ("invalid_actions", "within [0, steps]",
     pl.col("invalid_actions").is_between(0, pl.col("steps"))),
    ("tokens_in", "at least 0", pl.col("tokens_in") >= 0),
    ("tokens_out", "at least 0", pl.col("tokens_out") >= 0),
    ("tokens_thought", "null, or within [0, tokens_out]",
     pl.col("tokens_thought").is_null()
     | pl.col("tokens_thought").is_between(0, pl.col("tokens_out"))),
)  # fmt: skip


def check_rows(path: Path, rows: pl.DataFrame, executor_id: str) -> None:
    """Check every value of a shard.

    Raises:
        DataError: names the file, the rollout, the column and the value.
    """
    for column in CACHED_ROLLOUTS.columns:
        if not column.nullable and rows[column.name].null_count():
            raise DataError(path, f"column '{column.name}' has nulls.")
    _check(path, rows, "executor_id", "that of the folder", pl.col("executor_id") == executor_id)
    for column_name, requirement, holds in _RULES:
        _check(path, rows, column_name, requirement, holds)


def _check(path: Path, rows: pl.DataFrame, column: str, requirement: str, holds: pl.Expr) -> None:
    broken = rows.filter(~holds)
    if not broken.is_empty():
        row = broken.row(0, named=True)
        raise DataError(
            path,
            f"rollout {row['rollout_key']}: {column} is {row[column]!r}, must be {requirement}.",
        )


def check_agreement(rows: pl.DataFrame) -> None:
    """Check that finished rows of one rollout have one outcome.

    Args:
        rows: CACHED_ROLLOUTS columns and `shard`, the file of each row.

    Raises:
        DataError: names both files, the rollout and the column.
    """
    finished = rows.filter(~_errored)
    repeated = finished.filter(pl.col("rollout_key").is_duplicated()).sort("rollout_key", "shard")
    firsts = repeated.unique("rollout_key", keep="first", maintain_order=True)
    pairs = repeated.join(firsts, on="rollout_key", suffix="_first")
    for name in OUTCOME:
        other = pairs.filter(pl.col(name).ne_missing(pl.col(f"{name}_first")))
        if not other.is_empty():
            row = other.row(0, named=True)
            raise DataError(
                row["shard"],
                f"rollout {row['rollout_key']} has {name} {row[name]!r} here, but "
                f"{row[f'{name}_first']!r} in {row['shard_first']}.",
                "Find out which job wrote a wrong outcome, and delete its shard.",
            )


def one_row_each(rows: pl.DataFrame) -> pl.DataFrame:
    """One row a rollout: a finished one if there is any, else its latest infrastructure error.

    Args:
        rows: at least columns rollout_key, status, attempt, finished.

    Returns:
        The rows in no particular order.
    """
    repeated = rows["rollout_key"].is_duplicated()
    if not repeated.any():
        return rows
    order = pl.when(_errored).then(-pl.col("attempt")).otherwise(pl.col("attempt"))
    chosen = (
        rows.filter(repeated)
        .sort("rollout_key", _errored, order, "finished")
        .unique("rollout_key", keep="first", maintain_order=True)
    )
    return pl.concat([rows.filter(~repeated), chosen])
