"""What the explorer looks up for the failures it shows: rollouts, exact values, choices."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import polars as pl

from repairstudy.report.frames import Frames, table_of
from repairstudy.report.study import executor_names, study_of

# In the order in which a page lists them; the first two are what candidates are judged by.
ROLES = ("label", "evaluate", "fresh", "control", "screen")
OUTCOME_ROLES = ("label", "evaluate")
BROKEN = "infrastructure_error"


class Rollout(NamedTuple):
    """One rollout, with its actions from the replaced one on; no success: it broke."""

    role: str
    replicate: int
    status: str
    success: bool | None
    reward: float | None
    steps: int | None
    actions: Sequence[str]


class Choice(NamedTuple):
    """What an evaluator's choice at a position is worth; None: not known."""

    gain: float | None
    loss: float | None


Place = tuple[str, int]  # failure and step
Rolled = defaultdict[Place, defaultdict[str, dict[str, list[Rollout]]]]
Exact = defaultdict[Place, defaultdict[str, dict[str, float]]]


def rows_of(frames: Frames, table: str, column: str, values: Iterable[str]) -> pl.DataFrame:
    """The rows of a table that have one of the values."""
    return table_of(frames, table).filter(pl.col(column).is_in(list(values)))


def grouped(frame: pl.DataFrame, *key: str) -> defaultdict[Any, list[dict[str, Any]]]:
    """Rows by their key: a value, or a tuple of several."""
    found: defaultdict[Any, list[dict[str, Any]]] = defaultdict(list)
    for row in frame.iter_rows(named=True):
        found[row[key[0]] if len(key) == 1 else tuple(row[name] for name in key)].append(row)
    return found


def columns_of(frames: Frames, deployed: str) -> list[str]:
    """Executors in the order of a page: the deployed one, its variants, and the others."""
    rest = table_of(frames, "executors").filter(pl.col("role") == "variant")["name"].sort()
    own = [name for name in rest if name.startswith(f"{deployed}@")]
    return list(dict.fromkeys([deployed, *own, *executor_names(frames), *rest]))


def rolled(frames: Frames, shown: Iterable[str]) -> Rolled:
    """Place -> candidate -> executor -> its rollouts, by role and number of the draw."""
    names = table_of(frames, "executors").select("executor_id", "name")
    place = {role: number for number, role in enumerate(ROLES)}
    rows = (
        rows_of(frames, "rollouts", "failure_id", shown)
        .join(names, on="executor_id")
        .with_columns(place=pl.col("role").replace_strict(place, default=len(ROLES)))
        .sort("candidate_id", "name", "place", "role", "replicate")
        .select("failure_id", "t", "candidate_id", "name", *Rollout._fields)
    )
    found: Rolled = defaultdict(lambda: defaultdict(dict))
    for failure_id, t, candidate, name, *rest in rows.iter_rows():
        found[failure_id, t][candidate].setdefault(name, []).append(Rollout(*rest))
    return found


def exact(frames: Frames, shown: Iterable[str]) -> Exact:
    """Place -> candidate -> executor -> exact value."""
    found: Exact = defaultdict(lambda: defaultdict(dict))
    for row in rows_of(frames, "exact_values", "failure_id", shown).iter_rows(named=True):
        found[row["failure_id"], row["t"]][row["candidate_id"]][row["executor"]] = row["value"]
    return found


def weights(
    frames: Frames, shown: Iterable[str], scope: str = "position"
) -> defaultdict[Any, dict[str, dict[tuple[int, str], float]]]:
    """(failure, step), in scope failure the failure -> evaluator -> (step, candidate) -> weight."""
    rows = _in_first_pool(frames, "selections", shown, scope)
    found: defaultdict[Any, dict[str, dict[tuple[int, str], float]]] = defaultdict(dict)
    columns = ("failure_id", "t", "evaluator", "candidate_id", "weight")
    for failure_id, t, name, candidate_id, weight in rows.select(columns).iter_rows():
        key = (failure_id, t) if scope == "position" else failure_id
        found[key].setdefault(name, {})[t, candidate_id] = weight
    return found


def worth(
    frames: Frames, shown: Iterable[str], scope: str = "position"
) -> dict[tuple[str, int | None, str], Choice]:
    """(failure, step, evaluator) -> net gain and loss of its choice; no step in scope failure."""
    rows = _in_first_pool(frames, "values", shown, scope)
    columns = ("failure_id", "t", "evaluator", "value", "loss")
    return {
        (failure_id, t, name): Choice(value, loss)
        for failure_id, t, name, value, loss in rows.select(columns).iter_rows()
    }


def _in_first_pool(frames: Frames, table: str, shown: Iterable[str], scope: str) -> pl.DataFrame:
    """What the first of a failure's pools says of each evaluator; the others repeat it."""
    place = {pool.name: number for number, pool in enumerate(study_of(frames).pools)}
    rows = rows_of(frames, table, "failure_id", shown).filter(
        (pl.col("scope") == scope) & pl.col("pool").is_in(list(place))
    )
    ordered = rows.with_columns(place=pl.col("pool").replace_strict(place, return_dtype=pl.Int64))
    first = pl.col("place").min().over("failure_id", "t", "evaluator")
    return ordered.filter(pl.col("place") == first).sort("failure_id", "t", "evaluator")
