"""Restoring a prefix by replay, checked against what was recorded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from repairstudy.environments.base import Environment
from repairstudy.errors import ReplayMismatch


class Replayed(NamedTuple):
    """A replayed prefix of n actions: the n + 1 observations, and which actions were valid."""

    observations: tuple[str, ...]
    valid: tuple[bool, ...]


def replay_steps(
    environment: Environment,
    task_id: str,
    actions: Sequence[str],
    expected_signature: str | None = None,
    expected_observation: str | None = None,
    label: str = "",
) -> Replayed:
    """Reset to the task and do the actions again.

    Raises:
        ReplayMismatch: the episode ended early, or the state or the last observation differs
            from the expected; `label` names the failure and step.
    """
    where = label or f"task {task_id}, step {len(actions)}"
    observations, valid = [environment.reset(task_id)], []
    for index, action in enumerate(actions):
        step = environment.step(action)
        observations.append(step.observation)
        valid.append(step.valid)
        if step.done and index + 1 < len(actions):
            raise ReplayMismatch(
                f"{where}: the episode ended after {index + 1} of {len(actions)} actions"
            )
    if expected_signature is not None and environment.signature() != expected_signature:
        raise ReplayMismatch(
            f"{where}: replay led to state {environment.signature()}, "
            f"recorded was {expected_signature}; was the environment changed without its version?"
        )
    if expected_observation is not None and observations[-1] != expected_observation:
        raise ReplayMismatch(
            f"{where}: replay shows {observations[-1]!r}, recorded was {expected_observation!r}"
        )
    return Replayed(tuple(observations), tuple(valid))


def replay(
    environment: Environment,
    task_id: str,
    actions: Sequence[str],
    expected_signature: str | None = None,
    expected_observation: str | None = None,
    label: str = "",
) -> tuple[str, ...]:
    """As `replay_steps`, for callers who want the observations alone."""
    return replay_steps(
        environment, task_id, actions, expected_signature, expected_observation, label
    ).observations
