"""A judge's answer becomes a ranking, or is counted as unparsable; nothing is guessed."""

import asyncio

import polars as pl
import pytest

from repairstudy.candidates.situation import Situation
from repairstudy.engines import Completion
from repairstudy.evaluators.judge import Judge, judge, parse_ranking


class Scripted:
    """An engine that answers every request with the same text and keeps the prompts."""

    def __init__(self, text):
        self.text, self.prompts = text, []

    async def complete(self, request):
        self.prompts.append(request.prompt)
        return Completion(self.text, "stop", 1, 1)

    async def score(self, prompt, choices):
        raise AssertionError("a judge writes text")

    async def close(self):
        pass


SITUATION = Situation(
    failure_id="f",
    t=1,
    slack=9,
    task_id="task",
    prefix=("up",),
    original="up",
    instruction="reach the goal",
    observations=("the start", "a {drawing} of braces"),
    drawing="map",
    signature="s",
    admissible=("up", "down", "left"),
)
ACTIONS = {"c1": "down", "c2": "left", "c3": "right"}


def ranked(text):
    engine = Scripted(text)
    who = Judge(engine, "{observation} | {candidates} | Ranking:", 16, 0.0)
    return asyncio.run(judge(who, [(SITUATION, ACTIONS)], seed=1)), engine


def test_a_ranking_scores_by_the_number_of_candidates_below():
    scores, _ = ranked(" right, down, left")
    assert dict(scores.select("candidate_id", "score").iter_rows()) == {
        "c1": 1.0,
        "c2": 0.0,
        "c3": 2.0,
    }


def test_candidates_that_the_answer_leaves_out_rank_last_together():
    scores, _ = ranked(" right")
    assert sorted(scores["score"].to_list()) == [0.0, 0.0, 2.0]


def test_an_answer_that_names_no_candidate_gives_no_scores_and_is_counted():
    scores, _ = ranked(" I cannot decide.")
    assert scores["score"].null_count() == 3
    assert not scores["parsed"].any()
    assert scores["text"].unique().to_list() == [" I cannot decide."]


def test_texts_of_the_environment_cannot_fill_other_slots():
    _, engine = ranked("down")
    assert engine.prompts[0].startswith("a {drawing} of braces | ")


def test_the_order_shown_is_drawn_by_seed_and_position():
    _, first = ranked("down")
    _, second = ranked("down")
    assert first.prompts == second.prompts


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("down > left > right", ["down", "left", "right"]),
        ("<think>left is bad, right too</think> down, left", ["down", "left"]),
        ("<think>left never ends", []),
        ("DOWN, Down, left", ["down", "left"]),
        ("downright leftover", []),
    ],
)
def test_parsing_of_rankings(text, expected):
    assert parse_ranking(text, ["down", "left", "right"]) == expected


def test_the_longer_of_two_nested_actions_is_meant():
    actions = ["go to desk 1", "go to desk 1 and look"]
    assert parse_ranking("go to desk 1 and look", actions) == ["go to desk 1 and look"]


def test_scores_are_a_table_even_without_cases():
    who = Judge(Scripted(""), "{observation}", 4, 0.0)
    assert asyncio.run(judge(who, [], seed=1)).schema["score"] == pl.Float64()
