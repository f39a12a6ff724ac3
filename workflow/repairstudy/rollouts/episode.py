"""One rollout: restore, force one action, let the executor go on to the end of the budget."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from repairstudy.environments import Environment
from repairstudy.rollouts.actors import Actor
from repairstudy.rollouts.spec import RolloutSpec
from repairstudy.rollouts.world import World


@dataclass(frozen=True, slots=True)
class Episode:
    """What came of a rollout that ended for the agent's own reasons.

    `actions` are those after the prefix, the forced one included; `steps` is their number and
    `invalid_actions` counts the inadmissible ones among them. `tokens_out` includes thoughts,
    `tokens_thought` of them.
    """

    status: str
    success: bool
    reward: float
    steps: int
    invalid_actions: int
    tokens_in: int
    tokens_out: int
    actions: tuple[str, ...]
    tokens_thought: int = 0


async def run_episode(
    environment: Environment,
    actor: Actor,
    spec: RolloutSpec,
    timeout_s: float | None = None,
    environment_timeout_s: float | None = None,
) -> Episode:
    """Run a rollout in an environment instance that nothing else uses meanwhile.

    The budget counts all actions of the episode, the prefix included.
    # ASSUME: so does the limit of invalid actions. The rollout goes on from where the failed run
    # stood, and a fresh allowance would make the rerun of its own action too easy.

    Args:
        timeout_s: seconds that one decision of the actor may take; None: no limit.
        environment_timeout_s: seconds that a blocking environment may take for one call.

    Raises:
        ReplayMismatch: the prefix does not lead to the recorded state.
        EngineError, TimeoutError, EnvironmentCrash: an infrastructure error.
    """
    world = World(environment, environment_timeout_s)
    await world.aside(world.begin, spec)
    actions: list[str] = []
    invalid = tokens_in = tokens_out = tokens_thought = 0
    limit = actor.executor.invalid_actions.limit
    start = len(spec.prefix)
    for index in range(start, spec.budget):
        if index == start and spec.forced is not None:
            action = spec.forced
        else:
            async with asyncio.timeout(timeout_s):
                decision = await actor.act(world.view(), spec.step_seed(index))
            action = decision.text.strip() if decision.action is None else decision.action
            tokens_in += decision.tokens_in
            tokens_out += decision.tokens_out
            tokens_thought += decision.tokens_thought
        actions.append(action)
        invalid += not await world.do(action)
        if world.done or world.invalid > limit:
            break
    outcome = await world.aside(world.outcome)
    return Episode(
        status=_status(world, outcome.success, limit),
        success=outcome.success,
        reward=float(outcome.reward),
        steps=len(actions),
        invalid_actions=invalid,
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        actions=tuple(actions),
        tokens_thought=tokens_thought,
    )


def _status(world: World, success: bool, limit: int) -> str:
    if success:
        return "success"
    if world.done:
        return "failure"
    return "invalid_limit" if world.invalid > limit else "budget_exhausted"
