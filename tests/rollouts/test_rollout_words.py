"""Actions of several words are drawn word by word, each among single tokens."""

import asyncio
import math
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repairstudy.engines import ChoiceScores
from repairstudy.errors import ConfigError
from repairstudy.executors import AgentView, Decoding, Executor, ModelIdentity, make_protocol
from repairstudy.executors.scripted import RandomPolicy, make_policy
from repairstudy.executors.words import next_words
from repairstudy.rollouts import ModelActor, ScriptedActor

TEMPLATE = "{history}\nact:"
IDENTITY = ModelIdentity("m", "1", "w")


class Uniform:
    """Every word is as likely as the others; it notes what it was asked."""

    def __init__(self):
        self.asked = []

    async def score(self, prompt, choices):
        self.asked.append((prompt, tuple(choices)))
        return ChoiceScores((math.log(1 / len(choices)),) * len(choices), 1)

    async def close(self):
        pass


def actor(engine):
    executor = Executor("e", IDENTITY, "window-1/1", TEMPLATE, Decoding(1.0, 1.0))
    return ModelActor(executor, make_protocol("window-1/1"), engine)


def act(acting, actions, seed=0):
    return asyncio.run(acting.act(AgentView("i", ("seen",), (), tuple(actions)), seed))


def test_only_words_that_differ_are_asked_for():
    engine = Uniform()
    decision = act(actor(engine), ("go to desk 1", "go to desk 2"))
    assert engine.asked == [("seen\nact: go to desk", (" 1", " 2"))]
    assert (decision.action, decision.tokens_out) == (decision.text.strip(), 1)


def test_a_single_action_costs_no_question():
    engine = Uniform()
    assert act(actor(engine), ("look",)).action == "look"
    assert engine.asked == []


def test_an_action_that_goes_on_where_another_ends():
    engine = Uniform()
    found = {act(actor(engine), ("use lamp", "use lamp 1"), seed).action for seed in range(40)}
    assert found == {"use lamp", "use lamp 1"}
    assert engine.asked[0] == ("seen\nact: use lamp", ("\n", " 1"))


def test_probabilities_multiply_along_the_words():
    """Among `go a`, `go b`, `stay`: a half for `stay`, a quarter for each of the others."""
    acting = actor(Uniform())
    counts = Counter(act(acting, ("go a", "go b", "stay"), seed).action for seed in range(4000))
    assert counts["stay"] / 4000 == pytest.approx(0.5, abs=0.03)
    assert counts["go a"] / 4000 == pytest.approx(0.25, abs=0.03)


@given(st.sets(st.text("ab 1", min_size=1).map(lambda s: " ".join(s.split())), min_size=1))
def test_every_action_is_reached_by_its_words(actions):
    texts = tuple(f" {action}" for action in actions if action)
    for text in texts:
        left, spoken = texts, ""
        while len(left) > 1:
            following = next_words(left, spoken)
            word = next(word for word, leading in following.items() if text in leading)
            left, spoken = following[word], spoken + word
        assert left == (text,)


def test_scripted_executors_act_by_their_seed():
    executor = Executor("r", IDENTITY, "scripted", "")
    acting = ScriptedActor(executor, RandomPolicy())
    actions = ("a", "b", "search[<query>]")
    assert {act(acting, actions, seed).action for seed in range(30)} == {"a", "b"}
    assert act(acting, actions, 5) == act(acting, actions, 5)


def test_unknown_policies_and_parameters_are_refused():
    with pytest.raises(ConfigError, match=r"no policy 'lucky' \(installed: .*random"):
        make_policy("lucky", {})
    with pytest.raises(ConfigError, match="parameters of policy 'random'"):
        make_policy("random", {"luck": 3})
