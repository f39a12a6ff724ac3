"""Which rollouts a study needs: the wanted work, before the cache is asked what is there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import polars as pl

from repairstudy.candidates.situation import Situation
from repairstudy.environments import Environment
from repairstudy.executors import Executor
from repairstudy.rollouts.spec import RolloutSpec, work_list

DECIMALS = 9  # means equal to this many decimals are tied


@dataclass(frozen=True, slots=True)
class Arm:
    """One action to be rolled out at one position; `is_original`: what the failed run did."""

    situation: Situation
    candidate_id: str
    action: str
    is_original: bool


def arms_of(situations: Iterable[Situation], candidates: pl.DataFrame) -> list[Arm]:
    """Every candidate of every situation, the originals included, in a fixed order."""
    by_position = candidates.sort("failure_id", "t", "candidate_id").partition_by(
        "failure_id", "t", as_dict=True
    )
    return [
        Arm(situation, row["candidate_id"], row["action"], row["is_original"])
        for situation in situations
        for row in by_position[situation.failure_id, situation.t].iter_rows(named=True)
    ]


def wanted(
    executor: Executor,
    arms: Iterable[Arm],
    role: str,
    replicates: int,
    environment: Environment,
    budget: int,
) -> pl.DataFrame:
    """The rollouts of one executor on some arms, as WORKLIST rows.

    Args:
        replicates: rollouts an arm, numbered from 0, so that asking for more adds to those run.
    """
    executor_id = executor.executor_id
    rows = []
    for arm in arms:
        situation = arm.situation
        for replicate in range(replicates):
            spec = RolloutSpec(
                executor_id=executor_id,
                environment=environment.name,
                environment_version=environment.version,
                task_id=situation.task_id,
                prefix=situation.prefix,
                forced=arm.action,
                budget=budget,
                role=role,
                replicate=replicate,
                signature=situation.signature,
                observation=situation.observation,
            )
            rows.append(
                spec.to_row(executor.name, situation.failure_id, situation.t, arm.candidate_id)
            )
    return work_list(rows)


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A position where the deployed executor and another prefer different candidates."""

    failure_id: str
    t: int
    deployed_choice: str
    other_choice: str


def disagreements(
    means: Mapping[tuple[str, int], Mapping[str, tuple[float, float]]],
) -> list[Disagreement]:
    """Where both executors have one best candidate, and not the same.

    Args:
        means: for each position, candidate id -> mean outcome under the deployed executor and
            under the other.
    """
    found = []
    for (failure_id, t), by_candidate in sorted(means.items()):
        deployed = _single_best({c: pair[0] for c, pair in by_candidate.items()})
        other = _single_best({c: pair[1] for c, pair in by_candidate.items()})
        if deployed and other and deployed != other:
            found.append(Disagreement(failure_id, t, deployed, other))
    return found


def _single_best(means: Mapping[str, float]) -> str | None:
    """The candidate of largest mean; None when it is tied.

    Means of the same rewards differ in their last bits by the order in which they were added.
    """
    rounded = {candidate: round(mean, DECIMALS) for candidate, mean in means.items()}
    largest = max(rounded.values())
    best = [candidate for candidate, mean in rounded.items() if mean == largest]
    return best[0] if len(best) == 1 else None
