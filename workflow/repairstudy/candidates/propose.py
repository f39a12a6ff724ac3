"""Where candidate repairs come from: language models, the planner, and chance."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass

import polars as pl

from repairstudy.candidates.situation import Situation
from repairstudy.engines import Engine, free_text
from repairstudy.environments import Environment
from repairstudy.environments.forms import closed
from repairstudy.executors import Decoding
from repairstudy.executors.decoding import action_probabilities, draw
from repairstudy.executors.protocols.answers import proposed_action
from repairstudy.records import generator, seed_of
from repairstudy.records.tables import PROPOSALS
from repairstudy.records.text import fill
from repairstudy.rollouts.actors import Actor


@dataclass(frozen=True, slots=True)
class Proposer:
    """A language model that proposes actions, under the source name it is recorded by.

    With an `actor`, the model is asked as an executor is, under its prompt and history protocol;
    else the template is filled with what is known of the situation.
    """

    source: str
    engine: Engine
    template: str
    decoding: Decoding
    actor: Actor | None = None


async def propose(
    proposer: Proposer, situations: Iterable[Situation], draws: int, seed: int
) -> pl.DataFrame:
    """Independent proposals of a model for each situation.

    Returns:
        PROPOSALS rows; a proposal that names no admissible action has a null action.

    Raises:
        EngineError: the model's server failed.
    """
    asked = [(situation, number) for situation in situations for number in range(draws)]
    texts = await asyncio.gather(
        *(_propose_once(proposer, situation, number, seed) for situation, number in asked)
    )
    rows = [
        _row(situation, proposer.source, number, text, proposed_action(text, situation.admissible))
        for (situation, number), text in zip(asked, texts, strict=True)
    ]
    return pl.DataFrame(rows, schema=PROPOSALS.schema)


async def _propose_once(
    proposer: Proposer, situation: Situation, number: int, study_seed: int
) -> str:
    seed = seed_of(
        study_seed, "proposal", proposer.source, situation.failure_id, situation.t, number
    )
    if proposer.actor is not None:
        decision = await proposer.actor.act(situation.view(), seed)
        return decision.text if decision.action is None else decision.action
    prompt, decoding = fill(proposer.template, situation.slots()), proposer.decoding
    if decoding.mode == "choice":
        actions = closed(situation.admissible)
        choices = tuple(f" {action}" for action in actions)
        scores = await proposer.engine.score(prompt, choices)
        return actions[draw(action_probabilities(scores.logprobs, decoding), seed)]
    completion = await proposer.engine.complete(free_text(prompt, decoding, seed))
    return completion.text


def planner_proposal(environment: Environment, situation: Situation) -> pl.DataFrame:
    """The first action of a plan from the situation the environment stands in (privileged).

    No row when no plan exists, which is itself a fact: the failure cannot be repaired here.
    """
    plan = environment.plan()
    rows = [_row(situation, "privileged", 0, plan[0], plan[0])] if plan else []
    return pl.DataFrame(rows, schema=PROPOSALS.schema)


def random_proposals(situation: Situation, number: int, seed: int) -> pl.DataFrame:
    """Random admissible actions other than the original, without replacement."""
    others = [action for action in closed(situation.admissible) if action != situation.original]
    rng = generator(seed, "random candidate", situation.failure_id, situation.t)
    drawn = rng.permutation(others)[:number]
    rows = [
        _row(situation, "random", i, str(action), str(action)) for i, action in enumerate(drawn)
    ]
    return pl.DataFrame(rows, schema=PROPOSALS.schema)


def all_admissible(situation: Situation) -> pl.DataFrame:
    """Every admissible action (WebShop's clickable elements)."""
    rows = [
        _row(situation, "clickable", i, a, a) for i, a in enumerate(closed(situation.admissible))
    ]
    return pl.DataFrame(rows, schema=PROPOSALS.schema)


def _row(
    situation: Situation, source: str, number: int, text: str, action: str | None
) -> dict[str, object]:
    return {
        "failure_id": situation.failure_id,
        "t": situation.t,
        "source": source,
        "draw": number,
        "text": text,
        "action": action,
    }
