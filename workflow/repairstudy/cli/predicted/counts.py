"""How many rollouts, runs and questions a configuration asks for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from repairstudy.cli.predicted.assumptions import Assumptions
from repairstudy.config import StudyConfig
from repairstudy.config.build import GREEDY, LOW_TEMPERATURE


@dataclass(frozen=True, slots=True)
class Wanted:
    """Rollouts of one executor (variants named NAME@VARIANT) in one role and stage."""

    stage: str
    executor: str
    role: str
    rollouts: float


@dataclass(frozen=True, slots=True)
class Shape:
    """What the numbers of rollouts are made of.

    Attributes:
        positions: positions of a failure.
        arms: candidates of a position, the original included.
    """

    positions: float
    arms: float


def shape_of(study: StudyConfig, assumed: Assumptions, admissible: float) -> Shape:
    """The shape to expect.

    Args:
        admissible: actions that can be listed at a step; there are no more candidates than that
            unless an action holds free text.
    """
    section = study.candidates
    proposed = section.proposals * len(section.proposers) + section.privileged + section.random
    others = min(assumed.distinct * proposed, admissible - 1)
    if section.all_admissible:
        others = admissible - 1
    eligible = study.environment.budget - study.positions.slack + 1
    return Shape(min(study.positions.per_failure, eligible), 1 + others)


def wanted_rollouts(study: StudyConfig, shape: Shape, assumed: Assumptions) -> Iterator[Wanted]:
    """Everything the three stages of rollouts ask for; the same draw of two pools counts once."""
    section, evaluators = study.rollouts, study.evaluators
    for deployed in study.deployed:
        arms = failures_in_pools(study, deployed, assumed) * shape.positions * shape.arms
        yield Wanted("screen", deployed, "screen", _screening(study, deployed, shape))
        yield Wanted("main", deployed, "label", arms * section.label)
        yield Wanted("main", deployed, "control", arms * section.control)
        yield Wanted("main", f"{deployed}@{GREEDY}", "evaluate", arms * evaluators.greedy)
        yield Wanted(
            "main", f"{deployed}@{LOW_TEMPERATURE}", "evaluate", arms * evaluators.low_temperature
        )
        for name, evaluator in evaluators.executors.items():
            failures = failures_in_pools(study, deployed, assumed, evaluator.pools)
            if name == deployed or not failures:
                continue
            positions = shape.positions if evaluator.positions == "all" else 1
            rollouts = failures * positions * shape.arms * evaluator.rollouts
            yield Wanted("main", name, "evaluate", rollouts)
            if evaluator.equal_budget is not None:
                fresh = failures * assumed.disagreeing * 2 * section.fresh
                yield Wanted("fresh", deployed, "fresh", fresh)
                yield Wanted("fresh", name, "fresh", fresh)


def failures_in_pools(
    study: StudyConfig, deployed: str, assumed: Assumptions, only: tuple[str, ...] | None = None
) -> float:
    """Failures of a deployed executor in its pools (or in some), each once."""
    pools = study.pools_of(deployed)
    sections = [pool for name, pool in pools.items() if only is None or name in only]
    plain = max((pool.size for pool in sections if pool.screen is None), default=0)
    screened = [pool for pool in sections if pool.screen is not None]
    # Of the screened failures that pass, those among the first `plain` are there already.
    beyond = 0.0
    for pool in screened:
        assert pool.screen is not None
        passing = min(pool.size, assumed.passing * pool.screen.among)
        beyond = max(beyond, passing * max(0.0, 1 - plain / pool.screen.among))
    return plain + beyond


def _screening(study: StudyConfig, deployed: str, shape: Shape) -> float:
    screens = [pool.screen for pool in study.pools_of(deployed).values() if pool.screen]
    failures = max((screen.among for screen in screens), default=0)
    return failures * shape.arms * max((screen.rollouts for screen in screens), default=0)
