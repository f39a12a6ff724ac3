"""A rollout with its retries: whose fault an error is, and what is recorded of it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from repairstudy.engines.affinity import GROUP
from repairstudy.environments import Environment
from repairstudy.errors import ConfigError, EngineError, StudyError, WrongModel
from repairstudy.rollouts.actors import Actor
from repairstudy.rollouts.checks import ERROR
from repairstudy.rollouts.episode import Episode, run_episode
from repairstudy.rollouts.spec import RolloutSpec
from repairstudy.rollouts.worklist import Pending
from repairstudy.rollouts.world import EnvironmentCrash

Environments = Callable[[], Environment]


@dataclass(frozen=True, slots=True)
class Limits:
    """What a run may use.

    `max_in_flight`: episodes open at most; `admission` opens fewer where more would not help.
    `retries` after infrastructure errors, the first after `retry_wait_s` seconds, each further
    after twice as long. `decision_timeout_s`: what one action of the actor may take;
    `environment_timeout_s`: what one call of a blocking environment may take.
    `give_up_after`: rollouts in a row that end in an infrastructure error before the run stops,
    because the server is gone rather than busy.
    """

    max_in_flight: int = 256
    retries: int = 2
    retry_wait_s: float = 1.0
    decision_timeout_s: float | None = 600.0
    environment_timeout_s: float | None = 600.0
    give_up_after: int = 100


class EnvironmentPool:
    """Environment instances, each lent to one episode at a time and made when none is free."""

    def __init__(self, make: Environments) -> None:
        self._make = make
        self._free: list[Environment] = []

    def take(self) -> Environment:
        """A free instance, or a new one.

        Raises:
            EnvironmentCrash: no new one can be made now, as without memory or files.
        """
        if self._free:
            return self._free.pop()
        try:
            return self._make()
        except StudyError:
            raise
        except Exception as error:
            raise EnvironmentCrash(
                f"no environment can be made ({type(error).__name__}: {error})"
            ) from error

    def give_back(self, environment: Environment) -> None:
        self._free.append(environment)


class Attempts:
    """Runs rollouts and turns what comes of them into CACHED_ROLLOUTS rows."""

    def __init__(
        self, actors: Mapping[str, Actor], environments: Environments, limits: Limits
    ) -> None:
        self._actors = actors
        self._pool = EnvironmentPool(environments)
        self._limits = limits

    async def run(self, item: Pending) -> dict[str, Any]:
        """The row of a rollout; an infrastructure error's if no attempt ended.

        Raises:
            WrongModel, ReplayMismatch, ConfigError: what no retry can mend.
        """
        for retry in range(self._limits.retries + 1):
            if retry:
                await asyncio.sleep(self._limits.retry_wait_s * 2 ** (retry - 1))
            try:
                episode = await self._once(item.spec)
                return _row(item.spec, item.attempt + retry, episode)
            except WrongModel:
                raise
            except TimeoutError:
                cause = f"no decision within {self._limits.decision_timeout_s} s"
            except (EngineError, EnvironmentCrash) as error:
                cause = f"{type(error).__name__}: {error}"
        return _error_row(item.spec, item.attempt + self._limits.retries, cause)

    async def _once(self, spec: RolloutSpec) -> Episode:
        actor = self._actors.get(spec.executor_id)
        if actor is None:
            raise ConfigError(f"{spec.label or spec.key}: no actor for executor {spec.executor_id}")
        GROUP.set(spec.task_id)
        environment = self._pool.take()
        try:
            episode = await run_episode(
                environment,
                actor,
                spec,
                timeout_s=self._limits.decision_timeout_s,
                environment_timeout_s=self._limits.environment_timeout_s,
            )
        except (EngineError, TimeoutError):
            self._pool.give_back(environment)
            raise
        self._pool.give_back(environment)
        return episode


def _row(spec: RolloutSpec, attempt: int, episode: Episode) -> dict[str, Any]:
    return {
        "rollout_key": spec.key,
        "executor_id": spec.executor_id,
        "seed": spec.seed,
        "attempt": attempt,
        "status": episode.status,
        "success": episode.success,
        "reward": episode.reward,
        "steps": episode.steps,
        "invalid_actions": episode.invalid_actions,
        "tokens_in": episode.tokens_in,
        "tokens_out": episode.tokens_out,
        "tokens_thought": episode.tokens_thought,
        "actions": episode.actions,
        "cause": None,
        "finished": datetime.now(UTC),
    }


def _error_row(spec: RolloutSpec, attempt: int, cause: str) -> dict[str, Any]:
    nothing = Episode(ERROR, False, 0.0, 0, 0, 0, 0, ())
    return {**_row(spec, attempt, nothing), "success": None, "reward": None, "cause": cause}
