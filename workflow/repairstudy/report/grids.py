"""Tables of a page: rounded, and always saying which rows are confirmatory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from repairstudy.report.captions import LOSS_PLACES
from repairstudy.report.counts import largest_budget
from repairstudy.report.frames import Frames, statistics, table_of
from repairstudy.report.names import evaluator, in_order
from repairstudy.report.numbers import MISSING, budget, count, decimal, interval, probability
from repairstudy.report.study import study_of
from repairstudy.report.tables import loss_table
from repairstudy.report.verdicts import firm

ESTIMANDS = {
    "net_gain": "value after the selected replacement minus value after the original action",
    "value": "value after the selected replacement",
    "loss": "held-out value of matched selection minus that of the evaluator's selection",
    "loss_t": "loss with Student's t interval and p-value over clusters",
    "loss_sign_flip": "loss with the p-value of a sign-flip test over clusters",
    "control_gap": "matched selection minus random choice",
    "control_gap_lower_bound": "one-sided lower bound of that gap",
    "equivalent_budget": "own rollouts a candidate whose value equals the evaluator's",
    "target_loss": "part of the loss that is left at equal numbers of rollouts",
    "budget_loss": "part of the loss that fewer own rollouts alone would cost",
    "exact_net_gain": "net gain by dynamic programming",
    "exact_loss": "loss by dynamic programming",
    "true_target_loss": "exact loss of the evaluator with unlimited rollouts",
    "evaluator_noise": "exact loss minus true target loss",
    "kappa": "agreement beyond chance (Cohen)",
    "exact_agreement": "share of failures with the same label",
    "kendall_tau": "rank correlation of the sources under two executors",
    "winner_change_probability": "share of bootstrap draws in which another source is first",
    "deployed_advantage": "the deployed executor's value of its own choice minus of the other's",
    "evaluator_advantage": "the other executor's value of its own choice minus of the deployed's",
    "set_minus_privileged": "best of the candidate set minus the privileged action",
    "net_gain_independent": "matched net gain, an independent split for each candidate (exact)",
    "net_gain_common_252": "matched net gain, all splits common to the candidates",
    "net_gain_random_50": "matched net gain, 50 random splits as published",
    "net_gain_random_50_sd": "how far the seed of the 50 splits moves it",
    "mean_error": "mean outcome of the rollouts minus the exact value",
    "disagreement_rate": "share of candidates whose greedy runs did not all end alike",
    "rollouts": "rollouts of a position, on average",
    "exact_rollouts_saved": "share of the rollouts saved at the value of 10 of each candidate",
    "gain_over_own": "net gain minus that of as many own rollouts alone",
    "validity_mass": "mean unconstrained probability of the admissible actions",
    "loss_bounds": "mean loss, bounds by betting, and p of a loss that is not certified",
    "failures_to_certify": "failures like these that a certificate needs; ∞: its loss is too large",
    "cheapest_certified": "cheapest evaluator whose loss is certified, and the bound",
}


@dataclass(frozen=True, slots=True)
class Grid:
    """A table: titles of its columns, texts of its cells, which columns hold numbers.

    `exploratory` lists the rows that are not confirmatory. `folded` hides it until asked for.
    `queries` holds for each row the SQL that lists the rollouts behind it, or nothing at all.
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    numeric: frozenset[int] = frozenset()
    exploratory: frozenset[int] = frozenset()
    folded: bool = False
    notes: Sequence[str] = field(default_factory=tuple)
    queries: Sequence[str] = field(default_factory=tuple)


def losses_grid(frames: Frames) -> Grid:
    """Every loss with its interval and test, both scopes."""
    place = {pool.name: number for number, pool in enumerate(study_of(frames).pools)}
    table = loss_table(frames)
    names = {item.name: n for n, item in enumerate(in_order(table["evaluator"].to_list()))}
    rows = sorted(
        table.filter(pl.col("evaluator") != "matched").to_dicts(),
        key=lambda row: (place.get(row["pool"], 99), row["scope"] != "position",
                         names[row["evaluator"]]),
    )  # fmt: skip
    cells = [
        [
            row["pool"], row["scope"], evaluator(row["evaluator"]).label, decimal(row["net_gain"]),
            decimal(row["loss"], LOSS_PLACES),
            interval(row["loss_low"], row["loss_high"], LOSS_PLACES),
            probability(row["p_value"]), probability(row["p_holm"]), _decision(row), firm(row),
            count(row["n_failures"]), count(row["n_rollouts"]), row["note"] or "",
        ]
        for row in rows
    ]  # fmt: skip
    columns = (
        "pool", "scope", "evaluator", "net gain", "loss", "interval", "p", "Holm p", "loss > 0",
        "firmness", "failures", "rollouts", "note",
    )  # fmt: skip
    return Grid(
        "All losses", columns, cells, frozenset({3, 4, 5, 6, 7, 10, 11}), _weak(rows), folded=True,
        queries=[row["rollouts_query"] or "" for row in rows],
    )  # fmt: skip


def statistics_grid(
    frames: Frames, title: str, analysis: str, *estimands: str, folded: bool = True
) -> Grid:
    """All rows of one analysis."""
    place = {pool.name: number for number, pool in enumerate(study_of(frames).pools)}
    rows = statistics(frames, analysis, *estimands).to_dicts()
    rows.sort(key=lambda row: place.get(row["pool"], 99))  # stable: else the table's order
    largest = largest_budget(frames)
    cells = [
        [
            row["pool"], _named(row["evaluator"]), row["estimand"].replace("_", " "),
            _number(row, largest), interval(row["ci_low"], row["ci_high"], _places(row)),
            probability(row["p_value"]), firm(row), count(row["n_failures"]),
            count(row["n_rollouts"]), row["note"] or "",
        ]
        for row in rows
    ]  # fmt: skip
    columns = (
        "pool", "of", "what", "estimate", "interval", "p", "firmness", "failures", "rollouts",
        "note",
    )  # fmt: skip
    meanings = dict.fromkeys(row["estimand"] for row in rows)
    notes = [f"{name.replace('_', ' ')}: {ESTIMANDS[name]}." for name in meanings
             if name in ESTIMANDS]  # fmt: skip
    queries = [row["rollouts_query"] for row in rows]
    return Grid(
        title, columns, cells, frozenset({3, 4, 5, 7, 8}), _weak(rows), folded, notes, queries
    )


def frame_grid(
    title: str,
    frame: pl.DataFrame,
    columns: dict[str, str],
    formats: dict[str, Callable[[Any], str]] | None = None,
    folded: bool = False,
) -> Grid:
    """Columns of a frame under titles of their own; `formats` turns values into text."""
    formats = formats or {}
    cells = [[formats.get(name, _text)(row[name]) for name in columns] for row in frame.to_dicts()]
    numeric = frozenset(i for i, name in enumerate(columns) if frame.schema[name].is_numeric())
    return Grid(title, tuple(columns.values()), cells, numeric, folded=folded)


def executors_grid(frames: Frames) -> Grid:
    """Who acted: name, role, model, validity, identity."""
    rows = table_of(frames, "executors").sort(pl.col("role") != "deployed", "role", "name")
    columns = {
        "name": "executor", "role": "role", "model": "model",
        "validity": "probability of admissible actions", "executor_id": "id",
    }  # fmt: skip
    return frame_grid("Executors", rows, columns, {"validity": lambda v: decimal(v, 3)})


def _named(name: str) -> str:
    return evaluator(name).label if "|" not in name else " | ".join(name.split("|"))


def _places(row: dict[str, Any]) -> int:
    if row["estimand"].endswith("_sd"):
        return 4
    fine = row["analysis"] == "split_scheme" or "loss" in row["estimand"]
    return LOSS_PLACES if fine else 2


def _number(row: dict[str, Any], largest: int) -> str:
    if row["estimand"] == "equivalent_budget":
        return budget(row["estimate"], largest)
    if row["estimand"] == "failures_to_certify":
        return decimal(row["estimate"], 0)
    return decimal(row["estimate"], _places(row))


def _decision(row: dict[str, Any]) -> str:
    if row["reject"] is None:
        return MISSING
    return "yes" if row["reject"] else "not shown"


def _weak(rows: Iterable[dict[str, Any]]) -> frozenset[int]:
    return frozenset(place for place, row in enumerate(rows) if not row["confirmatory"])


def _text(value: Any) -> str:
    if value is None:
        return MISSING
    if isinstance(value, bool):
        return "yes" if value else "no"
    return count(value) if isinstance(value, int) else str(value)
