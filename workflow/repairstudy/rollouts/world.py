"""An environment inside one rollout: what the agent has seen, and whose errors are whose."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from functools import partial
from typing import Concatenate, ParamSpec, TypeVar

from repairstudy.environments import Environment, Outcome
from repairstudy.environments.replay import replay_steps
from repairstudy.errors import ReplayMismatch, StudyError
from repairstudy.executors import AgentView
from repairstudy.rollouts.spec import RolloutSpec
from repairstudy.rollouts.threads import WaitingThreads

P = ParamSpec("P")
R = TypeVar("R")

# A thread that computes for a moment must not hold up the event loop's many small waits.
_SWITCH_S = 2e-4

# Threads in which environments that wait for other processes are called. A thread that waits costs
# next to nothing, and too few of them would hold up environments that are slow and not busy.
_WAITING = WaitingThreads(1024)


def waiting_for_environments() -> int:
    """Episodes of this process that wait for a thread to call their environment."""
    return _WAITING.waiting


class EnvironmentCrash(StudyError):
    """An environment raised an error of its own: an infrastructure error, and its instance is
    not to be used again."""


def _crashes(
    method: Callable[Concatenate[World, P], R],
) -> Callable[Concatenate[World, P], R]:
    """Tell an environment's own errors from the study's."""

    def guarded(self: World, *args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return method(self, *args, **kwargs)
        except StudyError:
            raise
        except Exception as error:
            raise EnvironmentCrash(
                f"environment {self.environment.name}: {type(error).__name__}: {error}"
            ) from error

    return guarded


class World:
    """The episode of one rollout in an environment instance.

    Args:
        timeout_s: seconds that one call of a blocking environment may take; None: no limit.
    """

    def __init__(self, environment: Environment, timeout_s: float | None = None) -> None:
        self.environment = environment
        self._timeout_s = timeout_s
        self.done = False
        self.invalid = 0  # invalid actions of the whole episode, the prefix included
        self._instruction = ""
        self._observations: tuple[str, ...] = ()
        self._actions: tuple[str, ...] = ()

    async def do(self, action: str) -> bool:
        """As `act`, without holding up other episodes."""
        knows = getattr(self.environment, "knows", None)
        if knows is not None and knows(action):  # a thread would cost more than the step
            return self.act(action)
        return await self.aside(self.act, action)

    async def aside(self, method: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """A method's result; of a blocking environment, without holding up other episodes.

        Raises:
            EnvironmentCrash: a blocking environment does not answer.
        """
        if not self.environment.blocking:
            return method(*args, **kwargs)
        sys.setswitchinterval(_SWITCH_S)
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(self._timeout_s):
                return await loop.run_in_executor(_WAITING, partial(method, *args, **kwargs))
        except TimeoutError:
            _WAITING.give_up_one()
            raise EnvironmentCrash(
                f"environment {self.environment.name}: no answer within {self._timeout_s:g} s"
            ) from None

    @_crashes
    def begin(self, spec: RolloutSpec) -> None:
        """Replay the prefix, with its checks.

        Raises:
            ReplayMismatch: it leads elsewhere than recorded, or ends the episode.
        """
        found = (self.environment.name, self.environment.version)
        if found != (spec.environment, spec.environment_version):
            raise ReplayMismatch(
                f"{spec.label or spec.key}: made for {spec.environment} version "
                f"{spec.environment_version}, but this is {found[0]} version {found[1]}"
            )
        replayed = replay_steps(
            self.environment,
            spec.task_id,
            spec.prefix,
            expected_signature=spec.signature,
            expected_observation=spec.observation,
            label=spec.label,
        )
        if not self.environment.admissible_actions():
            raise ReplayMismatch(f"{spec.label or spec.key}: the prefix ended the episode")
        self._instruction = self.environment.instruction()
        self._observations, self._actions = replayed.observations, spec.prefix
        self.invalid = replayed.valid.count(False)

    @_crashes
    def view(self) -> AgentView:
        admissible = self.environment.admissible_actions()
        if not admissible:
            raise RuntimeError("no admissible action in an episode that has not ended")
        return AgentView(self._instruction, self._observations, self._actions, admissible)

    @_crashes
    def act(self, action: str) -> bool:
        """Do the action; whether it was valid."""
        step = self.environment.step(action)
        self._observations += (step.observation,)
        self._actions += (action,)
        self.done = step.done
        self.invalid += not step.valid
        return step.valid

    @_crashes
    def outcome(self) -> Outcome:
        outcome = self.environment.outcome()
        if not 0.0 <= outcome.reward <= 1.0:
            raise StudyError(
                f"environment {self.environment.name}: reward {outcome.reward} is outside [0, 1]"
            )
        return outcome
