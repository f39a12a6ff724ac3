"""What identifies a rollout, and the rows of a work list."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import polars as pl

from repairstudy.environments import Environment
from repairstudy.errors import DataError
from repairstudy.records import digest, seed_of
from repairstudy.records.tables import ROLES, WORKLIST


@dataclass(frozen=True)
class RolloutSpec:
    """One draw: restore the prefix, force an action, let the executor go on to the budget.

    In the key, because a change of it may change the outcome, or must give another draw:
        executor_id (weights, prompt, protocol, decoding, invalid-action handling), environment,
        environment_version, task_id, prefix, forced, budget; role and replicate, which tell
        draws of the same rollout apart, so that none is used both to select and to score.

    Left out of the key, each with its reason:
        signature, observation: expectations of the state after the prefix. They follow from
            environment_version, task_id and prefix, and are checked at every replay.
        label: what an error message calls the rollout.
        failure_id, t, candidate_id (columns of a work list): names that a study gives to a
            prefix and an action. Two failures that share both share the draws; they belong to
            one task, hence to one cluster of the statistics.
        attempt: a retry after an infrastructure error is the same draw again.
        engine, concurrency, node, time: nothing that may decide an outcome.
    """

    executor_id: str
    environment: str
    environment_version: str
    task_id: str
    prefix: tuple[str, ...]
    forced: str | None
    budget: int
    role: str
    replicate: int
    signature: str | None = field(default=None, compare=False)
    observation: str | None = field(default=None, compare=False)
    label: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        if self.role not in ROLES:
            raise ValueError(f"role: '{self.role}' is none of {', '.join(ROLES)}")
        if self.replicate < 0:
            raise ValueError(f"replicate: {self.replicate} is negative")
        if len(self.prefix) >= self.budget:
            raise ValueError(
                f"budget: {self.budget} leaves no action after a prefix of {len(self.prefix)}"
            )

    @cached_property
    def key(self) -> str:
        """The identity of the rollout: a hash of what the class docstring lists."""
        return digest(
            {
                "executor_id": self.executor_id,
                "environment": self.environment,
                "environment_version": self.environment_version,
                "task_id": self.task_id,
                "prefix": self.prefix,
                "forced": self.forced,
                "budget": self.budget,
                "role": self.role,
                "replicate": self.replicate,
            }
        )

    @cached_property
    def seed(self) -> int:
        """The rollout's seed, a function of its key."""
        return seed_of("rollout", self.key)

    def step_seed(self, index: int) -> int:
        """The seed of the action at `index`, counted from the start of the episode."""
        return seed_of(self.seed, index)

    def to_row(
        self,
        executor: str,
        failure_id: str | None = None,
        t: int | None = None,
        candidate_id: str | None = None,
    ) -> dict[str, Any]:
        """A WORKLIST row. `executor` is the executor's name in the study."""
        return {
            "rollout_key": self.key,
            "executor": executor,
            "executor_id": self.executor_id,
            "task_id": self.task_id,
            "failure_id": failure_id,
            "t": t,
            "candidate_id": candidate_id,
            "prefix": list(self.prefix),
            "forced": self.forced,
            "signature": self.signature,
            "observation": self.observation,
            "role": self.role,
            "replicate": self.replicate,
        }

    @classmethod
    def from_row(
        cls, row: Mapping[str, Any], environment: Environment, budget: int, source: str
    ) -> RolloutSpec:
        """The rollout that a WORKLIST row asks for.

        Args:
            environment: gives the environment's name and version.
            budget: actions of an episode, the prefix included.
            source: file of the work list, for messages.

        Raises:
            DataError: the row is not a rollout, or its key is another one's, as after a change
                of the environment's version or of the budget.
        """
        try:
            spec = cls(
                executor_id=row["executor_id"],
                environment=environment.name,
                environment_version=environment.version,
                task_id=row["task_id"],
                prefix=tuple(row["prefix"]),
                forced=row["forced"],
                budget=budget,
                role=row["role"],
                replicate=row["replicate"],
                signature=row["signature"],
                observation=row["observation"],
                label=_label(row),
            )
        except ValueError as error:
            raise DataError(source, f"rollout {row['rollout_key']}: {error}") from error
        if spec.key != row["rollout_key"]:
            raise DataError(
                source,
                f"rollout_key: {row['rollout_key']} is not the key of its row ({spec.key} is).",
                "The environment's version or the budget changed; make the work list again.",
            )
        return spec


def work_list(rows: list[dict[str, Any]]) -> pl.DataFrame:
    """A WORKLIST frame of rows that `RolloutSpec.to_row` made."""
    return pl.DataFrame(rows, schema=WORKLIST.schema, orient="row")


def _label(row: Mapping[str, Any]) -> str:
    if row["failure_id"] is None:
        return f"task {row['task_id']}, {row['role']} run {row['replicate']}"
    return f"failure {row['failure_id']}, step {row['t']}, candidate {row['candidate_id']}"
