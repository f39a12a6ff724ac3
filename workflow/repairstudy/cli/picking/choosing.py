"""Selection rollouts by the allocation rule, then fresh ones of the chosen action alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from repairstudy.analysis.picking import (
    Array,
    Campaign,
    Decision,
    Gain,
    Metric,
    decide,
    naive,
    net_gain,
    preferred,
)
from repairstudy.cli.picking.problems import Problem
from repairstudy.cli.picking.rollouts import OwnRollouts
from repairstudy.environments import Environment
from repairstudy.evaluators.work import Arm
from repairstudy.records import generator
from repairstudy.rollouts import RolloutSpec

SELECTION, CONFIRMATION = "screen", "evaluate"
# Draws of these roles that a study makes are numbered from 0; these are never among them.
FIRST_REPLICATE = 1_000_000

Rows = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Settings:
    """How much is spent, and what it has to show.

    `confirm`: fresh rollouts of the chosen action, and as many of the original one; `level` of
    the interval, two-sided; `margin`: net gain below which a repair is not worth it.
    """

    campaign: Campaign
    confirm: int
    level: float
    margin: float
    metric: Metric
    seed: int


class Drawer:
    """Names the draws of arms and reads their outcomes."""

    def __init__(
        self, executor_id: str, environment: Environment, budget: int, metric: Metric
    ) -> None:
        self._executor_id = executor_id
        self._environment = environment
        self._budget = budget
        self._metric = metric

    def spec(self, arm: Arm, role: str, number: int) -> RolloutSpec:
        situation = arm.situation
        return RolloutSpec(
            executor_id=self._executor_id,
            environment=self._environment.name,
            environment_version=self._environment.version,
            task_id=situation.task_id,
            prefix=situation.prefix,
            forced=arm.action,
            budget=self._budget,
            role=role,
            replicate=FIRST_REPLICATE + number,
            signature=situation.signature,
            observation=situation.observation,
            label=f"{situation.label}, action '{arm.action}'",
        )

    def value(self, rows: Rows, spec: RolloutSpec) -> float:
        return float(rows[spec.key][self._metric])


@dataclass(slots=True)
class Selection:
    """What selection has seen of one failure so far: (K,) rollouts and sums of the arms."""

    problem: Problem
    pulls: Array
    sums: Array

    @classmethod
    def begun(cls, problem: Problem) -> Selection:
        return cls(problem, np.zeros(len(problem.arms)), np.zeros(len(problem.arms)))

    @property
    def preferred(self) -> int:
        return preferred(self.pulls, self.sums, self.problem.candidates)

    @property
    def naive(self) -> tuple[int, float]:
        problem = self.problem
        return naive(self.pulls, self.sums, problem.candidates, problem.original_of)


@dataclass(frozen=True, slots=True)
class Picked:
    """The choice for one failure: the arm `chosen`, which would replace the arm `original`.

    `confirmed` holds the outcomes of fresh rollouts by arm.
    """

    selection: Selection
    chosen: int
    original: int
    confirmed: Mapping[int, Array]
    gain: Gain
    decision: Decision

    @property
    def problem(self) -> Problem:
        return self.selection.problem


async def pick(
    problems: Sequence[Problem], settings: Settings, drawer: Drawer, rollouts: OwnRollouts
) -> list[Picked]:
    """A choice for each failure, with its confirmed net gain.

    Which rollouts are asked for follows from the seed and from outcomes; so with the same cache
    the same ones are asked for again.

    Raises:
        StudyError: as `OwnRollouts.of`.
    """
    selections = await _select(problems, settings, drawer, rollouts)
    return await _confirm(selections, settings, drawer, rollouts)


async def _select(
    problems: Sequence[Problem], settings: Settings, drawer: Drawer, rollouts: OwnRollouts
) -> list[Selection]:
    selections = [Selection.begun(problem) for problem in problems]
    going, number = selections, 1
    while going:
        asked = [(one, _asked(one, settings, drawer)) for one in going]
        specs = [spec for _, arms in asked for _, spec in arms]
        rows = await rollouts.of(specs, f"selection, round {number}")
        for one, arms in asked:
            for arm, spec in arms:
                one.pulls[arm] += 1.0
                one.sums[arm] += drawer.value(rows, spec)
        going = [one for one, arms in asked if arms]
        number += 1
    return selections


def _asked(one: Selection, settings: Settings, drawer: Drawer) -> list[tuple[int, RolloutSpec]]:
    """The failure's next selection rollouts, with their arms."""
    problem = one.problem
    rng = generator(settings.seed, "pick", problem.failure_id, int(one.pulls.sum()))
    numbers, found = one.pulls.astype(int), []
    for arm in settings.campaign.asked(one.pulls, one.sums, rng):
        found.append((arm, drawer.spec(problem.arms[arm], SELECTION, int(numbers[arm]))))
        numbers[arm] += 1
    return found


async def _confirm(
    selections: Sequence[Selection], settings: Settings, drawer: Drawer, rollouts: OwnRollouts
) -> list[Picked]:
    specs = []
    for one in selections:
        chosen = one.preferred
        pair = (chosen, one.problem.original_of[chosen])
        specs.append({
            arm: [
                drawer.spec(one.problem.arms[arm], CONFIRMATION, number)
                for number in range(settings.confirm)
            ]
            for arm in pair
        })  # fmt: skip
    every = [spec for by_arm in specs for some in by_arm.values() for spec in some]
    rows = await rollouts.of(every, "confirmation")
    found = []
    for one, by_arm in zip(selections, specs, strict=True):
        fresh = {
            arm: np.array([drawer.value(rows, spec) for spec in some])
            for arm, some in by_arm.items()
        }
        chosen, original = fresh
        gain = net_gain(fresh[chosen], fresh[original], settings.metric, settings.level)
        found.append(Picked(one, chosen, original, fresh, gain, decide(gain, settings.margin)))
    return found
