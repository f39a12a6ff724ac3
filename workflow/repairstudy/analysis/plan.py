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

    level: Annotated[float, Field(gt=0.5, lt=1.0)] = Field(
        default=0.95, description="Nominal coverage, unadjusted."
    )
    type: Literal["percentile", "bootstrap_t", "t"] = Field(
        default="percentile",
        description="percentile: as published; bootstrap_t: holds its coverage with fewer "
        "failures; t: Student's.",
    )


class BootstrapPlan(Section):
    """The bootstrap behind intervals and tests."""

    replicates: Annotated[int, Field(ge=100)] = Field(
        default=2000, description="Draws of the failures, 100 or more."
    )
    unit: Literal["cluster", "failure"] = Field(
        default="cluster", description="cluster: failures of one task or layout stay together."
    )
    p_value: Literal["inversion", "centred"] = Field(
        default="inversion",
        description="inversion: share of draws at or below zero; centred: share of draws that "
        "exceed the estimate by at least the estimate.",
    )
    seed: Count = Field(default=1, description="Seed of the draws.")


class PositiveControlPlan(Section):
    """When a pool is informative: matched selection beats random selection by the threshold."""

    threshold: Annotated[float, Field(ge=0.0, le=1.0)] = Field(
        default=0.10,
        description="Least gap between matched and random selection in an informative pool; also "
        "the eps of certificates.",
    )
    gate: Literal["point", "bound"] = Field(
        default="point", description="point: the estimate; bound: its one-sided lower bound."
    )


class Family(Section):
    """Hypotheses that are corrected together (Holm)."""

    name: str = Field(description="Each family has another.")
    pool: str = Field(description="Key of the study's `pools`.")
    estimand: Literal["loss"] = Field(default="loss", description="What is tested: loss.")
    scope: Literal["position", "failure"] = Field(
        default="position",
        description="position: choices at the primary position; failure: across all positions.",
    )
    direction: Literal["greater", "less"] = Field(
        default="greater", description="greater: the evaluator loses; less: it gains."
    )
    evaluators: Annotated[tuple[Evaluator, ...], Field(strict=False, min_length=1)] = Field(
        description=f"One hypothesis each: {', '.join([*SCORED, *POSITION_RULES, *FAILURE_RULES])},"
        " own_N, temperature_X, executor:NAME, executor:NAME@N (N rollouts of each candidate)."
    )

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

    pool_size: Positive | None = Field(
        default=None, description="Failures of a pool; more are noted, fewer are allowed."
    )
    positions_per_failure: Positive | None = Field(default=None, description="For the reader.")
    primary_position: str | None = Field(default=None, description="In words, for the reader.")
    minimal_slack: Positive | None = Field(default=None, description="For the reader.")
    label_rollouts: Positive | None = Field(
        default=None,
        description="Of each candidate; fewer are an error, more are noted, as in the next four.",
    )
    original_rollouts: Positive | None = Field(
        default=None, description="Label rollouts of the original action."
    )
    evaluator_rollouts: Positive | None = Field(
        default=None, description="Of each tested other executor on each candidate."
    )
    greedy_runs: Positive | None = Field(default=None, description="Greedy replays.")
    low_temperature_rollouts: Positive | None = Field(
        default=None, description="Rollouts at temperature 0.3."
    )
    equal_budget: Positive | None = Field(
        default=None, description="Rollouts at which evaluators are compared; 5 if not said."
    )


class Plan(Section):
    """A whole plan."""

    study: str = Field(description="The study it is for; any: every study.")
    date: Annotated[date, Field(strict=False, description="When it was written.")]
    alpha: Annotated[float, Field(gt=0.0, le=0.5)] = Field(
        default=0.05, description="Error rate of each family, one-sided."
    )
    metric: Literal["success", "reward"] = Field(
        default="success", description="As in the study's configuration."
    )
    interval: IntervalPlan = Field(default_factory=IntervalPlan)
    bootstrap: BootstrapPlan = Field(default_factory=BootstrapPlan)
    positive_control: PositiveControlPlan = Field(default_factory=PositiveControlPlan)
    ties: Literal["uniform"] = Field(
        default="uniform", description="Tied candidates are chosen with equal probability."
    )
    none_accepted: Literal["uniform"] = Field(
        default="uniform", description="A rule that accepts none chooses among all."
    )
    keep_original: Literal[False] = Field(
        default=False, description="The original action is no candidate."
    )
    matched_rollouts: Positive = Field(
        default=5, description="Own rollouts of each candidate that select in matched selection."
    )
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
