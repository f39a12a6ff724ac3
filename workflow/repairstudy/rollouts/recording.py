"""A collected run written out step by step, by doing its actions again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from repairstudy.environments import Environment
from repairstudy.errors import ReplayMismatch


def record_steps(
    environment: Environment, trajectory: Mapping[str, Any], actions: Sequence[str]
) -> list[dict[str, Any]]:
    """The STEPS rows of a run, each with the state before its action.

    Args:
        trajectory: a TRAJECTORIES row; `actions`: what the run did.

    Raises:
        ReplayMismatch: the actions do not lead to the outcome that the run had.
    """
    rows = []
    observation = environment.reset(trajectory["task_id"])
    for t, action in enumerate(actions):
        row = {
            "trajectory_id": trajectory["trajectory_id"],
            "t": t,
            "observation": observation,
            "action": action,
            "signature": environment.signature(),
            "drawing": environment.describe(),
        }
        step = environment.step(action)
        rows.append({**row, "valid": step.valid})
        observation = step.observation
    outcome = environment.outcome()
    if (outcome.success, outcome.reward) != (trajectory["success"], trajectory["reward"]):
        raise ReplayMismatch(
            f"run {trajectory['trajectory_id']} of task {trajectory['task_id']}: its actions lead "
            f"to {outcome}, recorded was success={trajectory['success']}, "
            f"reward={trajectory['reward']}; was the environment changed without its version?"
        )
    return rows
