"""Choices as a JSON document and as a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from repairstudy.cli.columns import table
from repairstudy.cli.picking.choosing import Picked, Settings

WORDS = {
    "replace": "replace",
    "keep_original": "keep the original",
    "not_enough_evidence": "not enough evidence",
}


def document(
    found: Sequence[Picked], settings: Settings, about: dict[str, str], distinct: int
) -> dict[str, Any]:
    """Everything, a function of the settings and of the rollouts alone.

    Args:
        about: study, executor and executor_id.
        distinct: rollouts behind it all; failures of one task may share theirs.
    """
    campaign = settings.campaign
    return {
        **about,
        "metric": settings.metric,
        "method": campaign.method,
        "budget": campaign.budget,
        "cost": campaign.cost,
        "confirm": settings.confirm,
        "level": settings.level,
        "margin": settings.margin,
        "summary": {
            **{name: sum(one.decision == name for one in found) for name in WORDS},
            "mean_net_gain": _mean([one.gain.estimate for one in found]),
            "mean_naive_net_gain": _mean([one.selection.naive[1] for one in found]),
            "selection_rollouts": int(sum(one.selection.pulls.sum() for one in found)),
            "confirmation_rollouts": sum(_confirmed(one) for one in found),
            "distinct_rollouts": distinct,
        },
        "failures": [_failure(one) for one in found],
    }


def text(found: Sequence[Picked], settings: Settings, about: dict[str, str]) -> str:
    """The table, and what it says in words."""
    lines = [["failure", "decision", "step", "action", "instead of", "net gain",
              f"{settings.level:.0%} interval", "naive claim", "rollouts"]]  # fmt: skip
    for one in found:
        arm, original = one.problem.arms[one.chosen], one.problem.arms[one.original]
        lines.append([
            one.problem.failure_id, WORDS[one.decision], str(arm.situation.t), arm.action,
            original.action, f"{one.gain.estimate:+.2f}",
            f"{one.gain.low:+.2f} to {one.gain.high:+.2f}", f"{one.selection.naive[1]:+.2f}",
            f"{one.selection.pulls.sum():.0f} + {_confirmed(one)}",
        ])  # fmt: skip
    counts = ", ".join(
        f"{sum(one.decision == name for one in found)} {words}" for name, words in WORDS.items()
    )
    worth = f" below {settings.margin:g}" if settings.margin else " below 0"
    return "\n".join([
        f"study {about['study']}, executor {about['executor']}, {settings.metric}; selection by "
        f"{settings.campaign.method}, confirmed by {settings.confirm} fresh rollouts of the action "
        "and of the original",
        table(lines),
        f"{counts}; mean net gain {_mean([one.gain.estimate for one in found]):+.3f}, "
        f"naively claimed {_mean([one.selection.naive[1] for one in found]):+.3f}",
        f"replace: the interval lies above 0; keep the original: it lies{worth}; rollouts: "
        "selection + confirmation",
    ])  # fmt: skip


def _failure(one: Picked) -> dict[str, Any]:
    arms = one.problem.arms
    arm, (place, claimed) = arms[one.chosen], one.selection.naive
    return {
        "failure_id": one.problem.failure_id,
        "task_id": one.problem.task_id,
        "decision": one.decision,
        "t": arm.situation.t,
        "action": arm.action,
        "original": arms[one.original].action,
        "net_gain": _number(one.gain.estimate),
        "low": _number(one.gain.low),
        "high": _number(one.gain.high),
        "naive": {
            "t": arms[place].situation.t,
            "action": arms[place].action,
            "net_gain": _number(claimed),
        },
        "candidates": [_candidate(one, number) for number in range(len(arms))],
    }


def _candidate(one: Picked, number: int) -> dict[str, Any]:
    arm, fresh = one.problem.arms[number], one.confirmed.get(number)
    return {
        "t": arm.situation.t,
        "action": arm.action,
        "is_original": arm.is_original,
        "selection_rollouts": int(one.selection.pulls[number]),
        "selection_mean": _number(one.selection.sums[number] / one.selection.pulls[number]),
        "confirmation_rollouts": 0 if fresh is None else len(fresh),
        "confirmation_mean": None if fresh is None else _number(fresh.mean()),
    }


def _confirmed(one: Picked) -> int:
    return sum(len(fresh) for fresh in one.confirmed.values())


def _mean(values: Sequence[float]) -> float:
    return _number(sum(values) / len(values))


def _number(value: float) -> float:
    """Rounded where only the order of additions would show."""
    return round(float(value), 9) + 0.0  # no -0.0
