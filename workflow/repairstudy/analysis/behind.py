"""Which rollouts a number rests on: one condition, counted here and written down as SQL.

Every row of `results` says its rollouts by a condition on view `pool_rollouts` of the database
(`store/views.py`). The same condition filters the frame that `pool_rollouts` makes, so that the
count of a row and the query that lists what was counted cannot come from different definitions.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import polars as pl

ARM = ("failure_id", "t", "candidate_id")
_TEXT, _FLAG = ("rollout_key", "role", "executor"), ("is_original", "is_primary")
NO_ROLLOUTS = pl.DataFrame(
    schema=dict.fromkeys(_TEXT, pl.String)
    | {"failure_id": pl.String, "t": pl.Int64, "candidate_id": pl.String}
    | dict.fromkeys(_FLAG, pl.Boolean)
    | {"sources": pl.List(pl.String), "sources_here": pl.List(pl.String)}
    | {"several_positions": pl.Boolean}
)


@dataclass(frozen=True, slots=True, eq=False)
class Condition:
    """A condition on pool_rollouts, for polars and for DuckDB."""

    expr: pl.Expr
    sql: str

    def __and__(self, other: Condition) -> Condition:
        return Condition(self.expr & other.expr, f"{self.sql} AND {other.sql}")


def either(conditions: Iterable[Condition]) -> Condition:
    """Rollouts that fulfil any of the conditions."""
    kept = [condition for condition in conditions if condition.sql != NOTHING.sql]
    if not kept:
        return NOTHING
    if len(kept) == 1:
        return kept[0]
    sql = " OR ".join(f"({condition.sql})" for condition in kept)
    return Condition(pl.any_horizontal([condition.expr for condition in kept]), f"({sql})")


def equals(column: str, value: str) -> Condition:
    return Condition(pl.col(column) == value, f"{column} = {quoted(value)}")


def holds(column: str, value: bool = True) -> Condition:
    """A column of truth values has this value."""
    name = pl.col(column)
    return Condition(name if value else ~name, column if value else f"NOT {column}")


def contains(column: str, value: str) -> Condition:
    """A column of lists holds the value."""
    return Condition(
        pl.col(column).list.contains(value), f"list_contains({column}, {quoted(value)})"
    )


def filled(column: str) -> Condition:
    """A column of lists holds anything."""
    return Condition(pl.col(column).list.len() > 0, f"len({column}) > 0")


def among(arms: Iterable[tuple[str, int, str]]) -> Condition:
    """The rollouts of some arms: (failure_id, t, candidate_id)."""
    rows = sorted(set(arms))
    expr = pl.struct(ARM).is_in(
        pl.Series(
            [dict(zip(ARM, row, strict=True)) for row in rows],
            dtype=pl.Struct({"failure_id": pl.String, "t": pl.Int64, "candidate_id": pl.String}),
        ).implode()
    )
    listed = ", ".join(f"({quoted(f)}, {t}, {quoted(c)})" for f, t, c in rows)
    return Condition(expr, f"({', '.join(ARM)}) IN ({listed})")


def quoted(text: str) -> str:
    """Text as an SQL literal."""
    return "'" + text.replace("'", "''") + "'"


NOTHING = Condition(pl.lit(False), "false")


def query(pool: str, condition: Condition) -> str:
    """SQL on the study's database: the rollouts that fulfil a condition, one row each.

    A rollout that several failures share is one row; its column `arms` says for which of them it
    counts.
    """
    return (
        "SELECT rollout_key, executor, role, replicate, success, reward, list(arm ORDER BY arm) "
        f"AS arms FROM pool_rollouts WHERE pool = {quoted(pool)} AND {condition.sql} "
        "GROUP BY ALL ORDER BY rollout_key"
    )


def pool_rollouts(
    rollouts: pl.DataFrame, candidates: pl.DataFrame, columns: Iterable[str] = ()
) -> pl.DataFrame:
    """One pool's rows of the view: each rollout for each arm of the pool that it serves.

    Args:
        rollouts: columns rollout_key, role, executor, failure_id, t, candidate_id.
        candidates: columns failure_id, t, candidate_id, is_original, is_primary, sources; at
            positions that have a candidate beside the original.
        columns: further columns of `rollouts` to keep.
    """
    repairs = candidates.filter(~pl.col("is_original"))
    here = repairs.group_by("failure_id", "t").agg(
        sources_here=pl.col("sources").explode().drop_nulls().unique().sort()
    )
    places = here.with_columns(several_positions=pl.len().over("failure_id") > 1)
    arms = candidates.select(*ARM, "is_original", "is_primary", "sources")
    return (
        rollouts.select("rollout_key", "role", "executor", *ARM, *columns)
        .join(arms, on=ARM)
        .join(places, on=["failure_id", "t"])
    )


class Counter:
    """Counts the distinct rollouts of a pool that fulfil conditions, each condition once.

    All rollouts of an executor and role at one arm fulfil the same conditions, and so do those of
    several arms that share them. So conditions look at such bundles, which are a hundred times
    fewer than rollouts.
    """

    def __init__(self, rollouts: pl.DataFrame) -> None:
        self._bundles = _bundled(rollouts)
        self._known: dict[str, int] = {NOTHING.sql: 0}

    def __call__(self, condition: Condition) -> int:
        if condition.sql not in self._known:
            found = self._bundles.lazy().filter(condition.expr).select("bundle", "size")
            self._known[condition.sql] = int(found.unique("bundle").collect()["size"].sum())
        return self._known[condition.sql]


def _bundled(rollouts: pl.DataFrame) -> pl.DataFrame:
    """The cells (arm, executor, role) of a pool, each with the bundles of rollouts it uses.

    A bundle is all rollouts that the same cells use. Columns: those of `rollouts` but the key,
    `bundle`, and `size`, its number of distinct rollouts.
    """
    cell = [*ARM, "executor", "role"]
    used = rollouts.select("rollout_key", cell=pl.struct(cell).rank("dense"))
    cells = rollouts.drop("rollout_key").with_columns(used["cell"]).unique("cell")
    used = used.with_columns(shared=pl.col("rollout_key").is_duplicated())
    alone = used.filter(~pl.col("shared")).group_by("cell").agg(size=pl.len())
    users = used.filter("shared").group_by("rollout_key").agg(pl.col("cell").unique().sort())
    together = users.group_by("cell").agg(size=pl.len())
    bundles = pl.concat([alone.with_columns(pl.concat_list("cell")), together])
    return bundles.with_row_index("bundle").explode("cell").join(cells, on="cell")
