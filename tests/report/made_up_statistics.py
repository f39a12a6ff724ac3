"""Rows of `results` for the made-up study: every analysis that the report shows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl
from made_up_world import JUDGES, SOURCES

from repairstudy.report.names import BUDGET, REFERENCE, TARGET, evaluator

Row = dict[str, Any]
# Value of r own rollouts over the value of 5, as fractions of what 5 gain over random choice.
CURVE = (0.0, 0.5, 0.72, 0.85, 0.94, 1.0, 1.04, 1.07, 1.09, 1.1)
CONFIRMATORY = ("greedy", "solvability", "planner", "judge", "own_1", "accept_2_of_3", "flip_1")


def result_rows(
    rng: np.random.Generator, evaluators: Mapping[str, list[str]], failures: pl.DataFrame
) -> list[Row]:
    rows: list[Row] = []
    for number, (pool, names) in enumerate(evaluators.items()):
        n = failures.filter(pl.col("pool") == pool).height
        rows += _PoolRows(rng, pool, names, n, gap=(0.16, 0.24, 0.14, 0.06)[number % 4]).rows()
    for name in JUDGES[:3]:
        rows.append(_row("all", "validity", f"{name}", "validity_mass", 0.93, None, 0))
    return rows


def _row(
    pool: str, analysis: str, name: str, estimand: str, estimate: float | None,
    half: float | None, n: int, **more: Any,
) -> Row:  # fmt: skip
    known = estimate is not None and half is not None
    return {
        "pool": pool, "analysis": analysis, "evaluator": name, "estimand": estimand,
        "estimate": estimate, "ci_low": estimate - half if known else None,
        "ci_high": estimate + half if known else None, "p_value": None, "p_holm": None,
        "reject": None, "n_failures": n, "n_rollouts": n * 40, "confirmatory": False,
        "rollouts_query": f"SELECT 1 FROM pool_rollouts WHERE pool = '{pool}'",
        "note": None,
    } | more  # fmt: skip


class _PoolRows:
    """All statistics of one pool, drawn so that they hang together."""

    def __init__(
        self, rng: np.random.Generator, pool: str, names: list[str], n: int, gap: float
    ) -> None:
        self.rng, self.pool, self.names, self.n, self.gap = rng, pool, names, n, gap
        self.deployed = pool.removesuffix("-screened")
        self.base = 0.12
        self.loss = {name: self._loss_of(name) for name in names}

    def _loss_of(self, name: str) -> float:
        if name == "matched":
            return 0.0
        if name == "random":
            return self.gap
        if name.startswith("own_"):
            return self.gap * (1 - CURVE[int(name[4:])])
        return float(self.gap * self.rng.uniform(-0.1, 1.1))

    def row(
        self, analysis: str, name: str, estimand: str, estimate: float | None,
        half: float | None = 0.05, **more: Any,
    ) -> Row:  # fmt: skip
        return _row(self.pool, analysis, name, estimand, estimate, half, self.n, **more)

    def rows(self) -> Iterator[Row]:
        yield from self.losses()
        yield from self.budgets()
        yield from self.controls()
        yield from self.exact()
        yield from self.between_executors()
        yield from self.sets_and_splits()
        yield from self.fewer_rollouts()

    def value(self, name: str) -> float:
        return self.base + self.gap - self.loss[name]

    def losses(self) -> Iterator[Row]:
        for name in self.names:
            yield self.row("losses", name, "net_gain", self.value(name))
            if name == "matched":
                continue
            tested = name in CONFIRMATORY and not self.pool.endswith("-screened")
            p = float(np.clip(np.exp(-60 * self.loss[name]) / 2, 0.0005, 1))
            more = {"p_value": p, "confirmatory": tested}
            if tested:
                more |= {"p_holm": min(1.0, 4 * p), "reject": 4 * p <= 0.05}
            yield self.row("losses", name, "loss", self.loss[name], **more)
        for name, loss in {"random": 0.22, "earliest_success": 0.11,
                           "latest_significant": 0.16}.items():  # fmt: skip
            yield self.row("failure_scope", name, "net_gain", 0.3 - loss)
            yield self.row("failure_scope", name, "loss", loss, p_value=0.01)
        yield self.row("failure_scope", "matched", "net_gain", 0.3)

    def budgets(self) -> Iterator[Row]:
        curve = [self.base + self.gap * share for share in CURVE]
        for number, value in enumerate(curve):
            yield self.row("budget_curve", f"own_{number}", "net_gain", value, 0.04)
        for name in self.names:
            kind = evaluator(name).kind
            if kind in (REFERENCE,) or name.startswith("own_"):
                continue
            value = self.value(name)
            if value <= curve[0]:
                worth = float("-inf") if value < curve[0] else 0.0
            elif value > curve[-1]:
                worth = float("inf")
            else:
                worth = float(np.interp(value, curve, range(10)))
            finite = np.isfinite(worth)
            yield self.row("equivalent_budget", name, "equivalent_budget", worth,
                           0.4 if finite else None)  # fmt: skip
            if name.endswith("@5") or name == "greedy":
                r = 1 if name == "greedy" else 5
                yield self.row("decomposition", name, "target_loss", curve[r] - value)
                yield self.row("decomposition", name, "budget_loss", curve[5] - curve[r])

    def controls(self) -> Iterator[Row]:
        note = "informative" if self.gap >= 0.1 else "uninformative"
        yield self.row("positive_control", "matched", "control_gap", self.gap, note=note)
        yield self.row("negative_control", "shuffled", "control_gap", 0.004, 0.02)
        yield self.row("negative_control", "original", "net_gain", 0.0, 0.0)
        name = f"executor:{self.deployed}@other_seeds"
        yield self.row("negative_control", name, "loss", -0.006, 0.025)

    def exact(self) -> Iterator[Row]:
        for name in self.names:
            if evaluator(name).kind not in (TARGET, BUDGET, REFERENCE) and name != "random":
                continue
            if name == "executor:smollm2-transcript":
                yield self.row("exact", name, "exact_loss", None, None,
                               note="its probabilities are not known")  # fmt: skip
                continue
            wobble = float(self.rng.normal(0, 0.015))
            loss = self.loss[name] + wobble
            yield self.row("exact", name, "exact_net_gain", self.value(name) - wobble, None)
            yield self.row("exact", name, "exact_loss", loss, None)
            if name.startswith("executor:") or name in ("greedy", "temperature_0.3"):
                true = loss * (0.6 if "strong" in name else -0.1)
                yield self.row("exact", name, "true_target_loss", true, None)
                yield self.row("exact", name, "evaluator_noise", loss - true, None)

    def between_executors(self) -> Iterator[Row]:
        for a, b in combinations(JUDGES[:3], 2):
            pair = f"{a}|{b}"
            kappa = float(self.rng.uniform(0.1, 0.7))
            yield self.row("location_labels", pair, "kappa", kappa, 0.15)
            yield self.row("location_labels", pair, "exact_agreement", 0.4 + kappa / 2, 0.1)
            tau = float(self.rng.uniform(-0.2, 1.0))
            yield self.row("method_ranking", pair, "kendall_tau", tau, 0.3)
            yield self.row("method_ranking", pair, "winner_change_probability", 0.35, None)
        for judge in JUDGES[:3]:
            for source in SOURCES:
                gain = float(self.rng.normal(0.12, 0.08))
                yield self.row("method_ranking", f"{source}|{judge}", "net_gain", gain, 0.06)
            if judge != self.deployed:
                name = f"executor:{judge}"
                yield self.row("disagreement", name, "deployed_advantage", 0.18, 0.08)
                yield self.row("disagreement", name, "evaluator_advantage", 0.22, 0.09)

    def sets_and_splits(self) -> Iterator[Row]:
        yield self.row("candidate_set", "matched", "net_gain", self.value("matched"))
        yield self.row("candidate_set", "privileged", "net_gain", 0.31)
        yield self.row("candidate_set", "matched", "set_minus_privileged", -0.03)
        for scheme, half in {
            "net_gain_independent": 0.05, "net_gain_common_252": 0.05, "net_gain_random_50": 0.05,
        }.items():  # fmt: skip
            yield self.row("split_scheme", "matched", scheme, self.value("matched"), half)
        yield self.row("split_scheme", "matched", "net_gain_random_50_sd", 0.0026, None)

    def fewer_rollouts(self) -> Iterator[Row]:
        for m in range(6):
            gain = self.base + self.gap * CURVE[m]
            for name, saved in {"uniform": 1.0, "top_two": 0.7, "perfect_information": 0.6}.items():
                yield self.row("adaptive", f"{name}@{m}", "rollouts", 6.0 * m * saved, 0.3)
                yield self.row("adaptive", f"{name}@{m}", "net_gain", gain)
            if m in (0, 1, 2, 3, 5):
                yield self.row("hybrid", f"own@{m}", "net_gain", gain)
                for name in ("hybrid", "control_variate"):
                    more = 0.05 / (1 + m)
                    yield self.row("hybrid", f"{name}@{m}", "net_gain", gain + more)
                    yield self.row("hybrid", f"{name}@{m}", "gain_over_own", more, 0.02)
        for cost, spent in {"0.05": 11.0, "0.02": 15.5, "0.01": 18.0}.items():
            name = f"perfect_information@cost_{cost}"
            yield self.row("adaptive", name, "rollouts", spent, 0.6)
            yield self.row("adaptive", name, "net_gain", self.base + self.gap * spent / 18)
