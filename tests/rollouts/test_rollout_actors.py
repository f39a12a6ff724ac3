"""How an executor's next action comes about."""

from __future__ import annotations

import asyncio
from collections import Counter

import pytest
from rollout_toys import HashEngine, actor

from repairstudy.engines import ChoiceScores
from repairstudy.executors import AgentView
from repairstudy.executors.decoding import action_probabilities, draw
from repairstudy.rollouts import Decision

VIEW = AgentView("Walk to cell 6.", ("cell 3",), (), ("left", "right", "wait"))


def act(acting, seed=0, view=VIEW):
    return asyncio.run(acting.act(view, seed))


class Fixed(HashEngine):
    """Always the same log-probabilities; remembers what it was asked."""

    def __init__(self, *logprobs):
        super().__init__()
        self.logprobs, self.asked = logprobs, []

    async def score(self, prompt, choices):
        self.asked.append((prompt, tuple(choices)))
        return ChoiceScores(self.logprobs, tokens_in=12)


def test_choice_mode_asks_once_and_draws_with_the_seed():
    engine = Fixed(-2.0, -1.0, -1.5)
    acting = actor(engine, temperature=0.7, top_p=1.0)
    probabilities = action_probabilities((-2.0, -1.0, -1.5), acting.executor.decoding)
    for seed in range(20):
        decision = act(acting, seed)
        expected = VIEW.admissible[draw(probabilities, seed)]
        assert decision == Decision(expected, f" {expected}", tokens_in=12, tokens_out=1)
    prompt = "Walk to cell 6. cell 3\nMove:"
    assert engine.asked == [(prompt, (" left", " right", " wait"))] * 20


def test_choice_mode_follows_the_probabilities():
    acting = actor(Fixed(-2.0, -1.0, -1.5), temperature=1.0, top_p=1.0)
    counts = Counter(act(acting, seed).action for seed in range(3000))
    expected = action_probabilities((-2.0, -1.0, -1.5), acting.executor.decoding)
    for action, probability in zip(VIEW.admissible, expected, strict=True):
        assert counts[action] / 3000 == pytest.approx(probability, abs=0.03)


def test_greedy_choice_does_not_depend_on_the_seed():
    acting = actor(Fixed(-2.0, -1.0, -1.5), temperature=0.0)
    assert {act(acting, seed).action for seed in range(50)} == {"right"}


@pytest.mark.parametrize(
    ("text", "action"), [("go right", "right"), ("LEFT", "left"), ("dance", None)]
)
def test_text_mode_parses_what_the_engine_writes(text, action):
    acting = actor(HashEngine(texts=(text,)), mode="text", max_tokens=8)
    decision = act(acting)
    assert decision.action == action
    assert decision.text.strip() == text
    assert (decision.tokens_in, decision.tokens_out) == (7, len(text.split()))


def test_text_mode_hands_every_sampling_parameter_to_the_engine():
    engine = HashEngine()
    decoding = {"temperature": 0.3, "top_p": 0.9, "top_k": 4, "max_tokens": 8, "stop": ("\n",)}
    act(actor(engine, mode="text", **decoding), seed=99)
    (request,) = engine.requests
    assert {name: getattr(request, name) for name in decoding} == decoding
    assert (request.seed, request.choices) == (99, ())
