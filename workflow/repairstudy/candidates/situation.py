"""A position as a repairer or a judge reads it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import polars as pl

from repairstudy.environments import Environment, replay
from repairstudy.executors import AgentView, last_turns

RECENT = 2  # turns in the slot `recent`


@dataclass(frozen=True, slots=True)
class Situation:
    """One position of a failure.

    `prefix` are the actions before the one to be replaced, `observations` what they showed, the
    first observation before them and the present one last.
    """

    failure_id: str
    t: int
    slack: int
    task_id: str
    prefix: tuple[str, ...]
    original: str
    instruction: str
    observations: tuple[str, ...]
    drawing: str
    signature: str
    admissible: tuple[str, ...]

    @property
    def label(self) -> str:
        return f"failure {self.failure_id}, step {self.t}"

    @property
    def observation(self) -> str:
        return self.observations[-1]

    def view(self) -> AgentView:
        """The position as the agent saw it."""
        return AgentView(self.instruction, self.observations, self.prefix, self.admissible)

    def slots(self) -> dict[str, str]:
        """What a prompt template may say of this position."""
        return {
            "instruction": self.instruction,
            "observation": self.observation,
            "history": last_turns(self.observations, self.prefix),
            "recent": last_turns(self.observations, self.prefix, most=RECENT),
            "drawing": self.drawing,
            "action": self.original,
            "admissible": ", ".join(self.admissible),
            "admissible_lines": "\n".join(self.admissible),
            "slack": str(self.slack),
        }


def situations(
    environment: Environment,
    positions: pl.DataFrame,
    failures: pl.DataFrame,
    trajectories: pl.DataFrame,
    steps: pl.DataFrame,
) -> Iterator[Situation]:
    """Each position, its state restored by a checked replay in `environment`.

    While a situation is in hand, the environment stands in its state.

    Args:
        positions: POSITIONS rows; `failures`: columns failure_id, trajectory_id;
            `trajectories` and `steps`: those of the data contract.

    Raises:
        ReplayMismatch: the environment does not lead to the recorded state.
    """
    runs = (
        failures.select("failure_id", "trajectory_id")
        .unique()
        .join(trajectories.select("trajectory_id", "task_id"), on="trajectory_id")
    )
    tasks = {row[0]: (row[1], row[2]) for row in runs.iter_rows()}
    recorded = steps.sort("t").partition_by("trajectory_id", as_dict=True)
    for row in positions.sort("failure_id", "t").iter_rows(named=True):
        trajectory_id, task_id = tasks[row["failure_id"]]
        run, t = recorded[trajectory_id,], row["t"]
        actions = tuple(run["action"])
        replay(
            environment,
            task_id,
            actions[:t],
            expected_signature=run["signature"][t],
            expected_observation=run["observation"][t],
            label=f"failure {row['failure_id']}, step {t}",
        )
        yield Situation(
            failure_id=row["failure_id"],
            t=t,
            slack=row["slack"],
            task_id=task_id,
            prefix=actions[:t],
            original=actions[t],
            instruction=environment.instruction(),
            observations=tuple(run["observation"][: t + 1]),
            drawing=environment.describe(),
            signature=run["signature"][t],
            admissible=environment.admissible_actions(),
        )
