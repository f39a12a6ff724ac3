"""Rollouts that adaptive allocation saves at the value of 10 rollouts of every candidate.

Where success probabilities are known, so that values are exact but for the draws of the rule.
Populations: Beta(.5, .9) for every candidate; and the same with 35% of the positions hopeless (all
candidates at 0). The rule always believes in Beta(.5, .9) with 10% hopeless, as the study does.
The curve of value against rollouts, by stopping at less and less opportunity cost, is cut at the
value of the baseline in the same run.
"""

from __future__ import annotations

import numpy as np

from repairstudy.estimators.allocation import (
    PerfectInformation,
    Rule,
    SuccessiveRejects,
    TopTwo,
    Uniform,
)
from repairstudy.estimators.allocation_bounds import KlLucb
from repairstudy.estimators.allocation_posterior import Prior
from repairstudy.estimators.allocation_replay import Stop, Trace, replay_known
from repairstudy.estimators.arrays import Array

POSITIONS, BASELINE = 4000, 10
PRIOR = Prior(0.5, 0.9, hopeless=0.1)
COSTS = (0.08, 0.06, 0.05, 0.04, 0.03, 0.025, 0.02, 0.015, 0.01)
# Name: candidates of a position, share of hopeless positions.
FIGURES = {
    "adaptive_rollouts_saved_k11": (11, 0.0),
    "adaptive_rollouts_saved_k6": (6, 0.0),
    "adaptive_rollouts_saved_k11_hopeless": (11, 0.35),
    "adaptive_rollouts_saved_k6_hopeless": (6, 0.35),
}


def run() -> list[dict[str, object]]:
    return [saved(name, arms, hopeless) for name, (arms, hopeless) in FIGURES.items()]


def saved(name: str, arms: int, hopeless: float) -> dict[str, object]:
    rng = np.random.default_rng(20261130 + arms)
    p = rng.beta(0.5, 0.9, (POSITIONS, arms))
    p[: round(hopeless * POSITIONS)] = 0.0
    fixed = BASELINE * arms
    uniform = replay_known(Uniform(), p, Stop(fixed), rng).at(Stop())[1]
    trace = stopped(PerfectInformation(), p, rng)
    spent = rollouts_for(trace, float(uniform.mean()))
    error = float(np.std(trace.at(Stop())[1] - uniform) / np.sqrt(POSITIONS))
    share = f", {hopeless:.0%} of the positions hopeless" if hopeless else ""
    return {
        "figure": name,
        "value": round(1.0 - spent / fixed, 3),
        "unit": "share of the rollouts",
        "baseline": f"uniform {BASELINE} a candidate, {fixed} rollouts, value {uniform.mean():.4f} "
        f"(Beta(.5, .9){share}; {POSITIONS} positions, standard error of a difference {error:.4f})"
        f"; perfect information, cost stop, reaches it with {spent:.1f}",
        "ratio": round(fixed / spent, 3),
    }


def stopped(rule: Rule, p: Array, rng: np.random.Generator, prior: Prior = PRIOR) -> Trace:
    """A replay that stops at the smallest of the costs, or when the baseline's rollouts are out."""
    return replay_known(rule, p, Stop(BASELINE * p.shape[1], cost=COSTS[-1]), rng, prior=prior)


def rollouts_for(trace: Trace, target: float) -> float:
    """Mean rollouts at which the curve first reaches a value, linear between its points.

    NaN if it never does.
    """
    spent, values = curve(trace)
    reached = np.flatnonzero(values >= target)
    if not reached.size:
        return float("nan")
    i = max(int(reached[0]), 1)
    return float(np.interp(target, values[i - 1 : i + 1], spent[i - 1 : i + 1]))


def curve(trace: Trace) -> tuple[Array, Array]:
    """Mean rollouts and values by stopping at each cost."""
    points = [trace.at(Stop(cost=cost)) for cost in COSTS]
    return np.array([s.mean() for s, _ in points]), np.array([v.mean() for _, v in points])


def table() -> str:
    """Shares of the rollouts saved: rules, populations, and shares of hopeless positions feared.

    Logit-normal: position and candidate effects of standard deviation 1.2 each around -1.
    """
    columns = {
        "perfect information": (PerfectInformation(), 0.1),
        "top two": (TopTwo(), 0.1),
        "KL-LUCB": (KlLucb(), 0.1),
        "perfect information, fears 0%": (PerfectInformation(), 0.0),
        "perfect information, fears 35%": (PerfectInformation(), 0.35),
    }
    heads = ("candidates", "population", *columns)
    lines = ["", f"| {' | '.join(heads)} |", f"|{' --- |' * len(heads)}"]
    heads = ("candidates", "uniform 3, 5, 8, 10", "successive rejects 3", "perfect information 3")
    worth = ["", f"| {' | '.join(heads)} |", f"|{' --- |' * len(heads)}"]
    for arms in (11, 6):
        for name, p in populations(arms, np.random.default_rng(arms)).items():
            rng = np.random.default_rng(7)
            uniform = replay_known(Uniform(), p, Stop(BASELINE * arms), rng)
            levels = [float(uniform.at(Stop(m * arms))[1].mean()) for m in (3, 5, 8, BASELINE)]
            cells = []
            for rule, hopeless in columns.values():
                trace = stopped(rule, p, rng, Prior(0.5, 0.9, hopeless))
                cells.append(f"{1 - rollouts_for(trace, levels[-1]) / (BASELINE * arms):.0%}")
            lines.append(f"| {arms} | {name} | {' | '.join(cells)} |")
            if name == "Beta(.5, .9)":
                three = [
                    replay_known(rule, p, Stop(3 * arms), rng, prior=PRIOR).at(Stop())[1].mean()
                    for rule in (SuccessiveRejects(3 * arms), PerfectInformation())
                ]
                values = ", ".join(f"{level:.3f}" for level in levels)
                worth.append(f"| {arms} | {values} | {three[0]:.3f} | {three[1]:.3f} |")
    return "\n".join(lines + worth)


def populations(arms: int, rng: np.random.Generator) -> dict[str, Array]:
    beta = rng.beta(0.5, 0.9, (POSITIONS, arms))
    logit = -1.0 + 1.2 * (rng.normal(size=(POSITIONS, 1)) + rng.normal(size=(POSITIONS, arms)))
    normal = 1.0 / (1.0 + np.exp(-logit))
    hope = np.arange(POSITIONS)[:, None] >= 0.35 * POSITIONS
    return {
        "Beta(.5, .9)": beta,
        "Beta(.5, .9), 35% hopeless": beta * hope,
        "logit-normal, 35% hopeless": normal * hope,
    }


if __name__ == "__main__":
    print(table())
