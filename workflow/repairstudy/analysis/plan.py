"""The analysis plan: what is tested, and how, written down before the first rollout."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import AfterValidator, Field, model_validator

from repairstudy.checked import Section, read_yaml, validate
from repairstudy.records import digest

POSITION_RULES = ("random", "accept_2_of_3", "flip_1")
FAILURE_RULES = ("earliest_success", "latest_significant")
SCORED = ("greedy", "solvability", "planner", "judge")
_EVALUATOR = re.compile(
    "|".join([*POSITION_RULES, *FAILURE_RULES, *SCORED])
    + r"|own_[1-9]\d*|temperature_\d+(\.\d+)?|executor:[^@\s]+(@[1-9]\d*)?"
)
_OWN = re.compile(r"own_\d+")

Count = Annotated[int, Field(ge=0)]
Positive = Annotated[int, Field(ge=1)]


def _known_evaluator(name: str) -> str:
    if not _EVALUATOR.fullmatch(name):
        known = ", ".join([*SCORED, *POSITION_RULES, *FAILURE_RULES])
        raise ValueError(f"accepted: {known}, own_N, temperature_X, executor:NAME, executor:NAME@N")
    return name


Evaluator = Annotated[str, AfterValidator(_known_evaluator)]


class Hypothesis(NamedTuple):
    """One one-sided test: in this pool, the evaluator's estimand lies in this direction from 0."""

    pool: str
    evaluator: str
    estimand: str
    scope: str
    direction: str


class IntervalPlan(Section):
    """Two-sided intervals over failures."""

    level: Annotated[float, Field(gt=0.5, lt=1.0)] = 0.95
    type: Literal["percentile", "bootstrap_t", "t"] = "percentile"


class BootstrapPlan(Section):
    """The bootstrap behind intervals and tests."""

    replicates: Annotated[int, Field(ge=100)] = 2000
    unit: Literal["cluster", "failure"] = Field(
        default="cluster", description="cluster: failures of one task or layout stay together."
    )
    p_value: Literal["inversion", "centred"] = "inversion"
    seed: Count = 1


class PositiveControlPlan(Section):
    """When a pool is informative: matched selection beats random selection by the threshold."""

    threshold: Annotated[float, Field(ge=0.0, le=1.0)] = 0.10
    gate: Literal["point", "bound"] = Field(
        default="point", description="point: the estimate; bound: its one-sided lower bound."
    )


class Family(Section):
    """Hypotheses that are corrected together (Holm)."""

    name: str
    pool: str
    estimand: Literal["loss"] = "loss"
    scope: Literal["position", "failure"] = "position"
    direction: Literal["greater", "less"] = "greater"
    evaluators: Annotated[tuple[Evaluator, ...], Field(strict=False, min_length=1)]

    @model_validator(mode="after")
    def _scope_fits(self) -> Family:
        for name in self.evaluators:
            across = name in FAILURE_RULES
            within = name in ("accept_2_of_3", "flip_1") or _OWN.fullmatch(name)
            if (across and self.scope == "position") or (within and self.scope == "failure"):
                other = "failure" if across else "position"
                raise ValueError(f"{name} exists in scope {other} only")
        return self

    def hypotheses(self) -> list[Hypothesis]:
        return [
            Hypothesis(self.pool, evaluator, self.estimand, self.scope, self.direction)
            for evaluator in self.evaluators
        ]


class Decisions(Section):
    """What the publication leaves open and the study fixes. None: not fixed by this plan."""

    pool_size: Positive | None = None
    positions_per_failure: Positive | None = None
    primary_position: str | None = None
    minimal_slack: Positive | None = None
    label_rollouts: Positive | None = None
    original_rollouts: Positive | None = None
    evaluator_rollouts: Positive | None = None
    equal_budget: Positive | None = None
    greedy_runs: Positive | None = None
    low_temperature_rollouts: Positive | None = None


class Plan(Section):
    """A whole plan."""

    study: str
    date: Annotated[date, Field(strict=False)]
    alpha: Annotated[float, Field(gt=0.0, le=0.5)] = 0.05
    metric: Literal["success", "reward"] = "success"
    interval: IntervalPlan = Field(default_factory=IntervalPlan)
    bootstrap: BootstrapPlan = Field(default_factory=BootstrapPlan)
    positive_control: PositiveControlPlan = Field(default_factory=PositiveControlPlan)
    ties: Literal["uniform"] = "uniform"
    none_accepted: Literal["uniform"] = "uniform"
    keep_original: Literal[False] = False
    matched_rollouts: Positive = 5
    outcomes_unseen: bool = Field(
        default=False,
        description="The authors state that they had not seen the outcomes. Only asked for when "
        "the plan is frozen after the outcomes exist, which the workflow cannot witness.",
    )
    decisions: Decisions = Field(default_factory=Decisions)
    families: Annotated[tuple[Family, ...], Field(strict=False)] = ()

    @model_validator(mode="after")
    def _each_hypothesis_once(self) -> Plan:
        names = [family.name for family in self.families]
        if len(set(names)) < len(names):
            raise ValueError("two families have the same name")
        tested = [item[:4] for item in self.hypotheses()]
        for item in tested:
            if tested.count(item) > 1:
                raise ValueError(f"{item[1]} of pool {item[0]} is tested twice (scope {item[3]})")
        return self

    def hypotheses(self) -> list[Hypothesis]:
        return [item for family in self.families for item in family.hypotheses()]

    def as_json(self) -> dict[str, Any]:
        return self.model_dump(mode="json")

    @property
    def plan_hash(self) -> str:
        """The hash of what the plan says; its comments and layout do not count."""
        return digest(self.as_json(), length=64)


def read_plan(path: str | Path) -> Plan:
    """The plan in a YAML file.

    Raises:
        ConfigError: one line a problem, with the file, the key and what is accepted there.
    """
    return validate(Plan, read_yaml(path), path)
