"""Planner and solvability scores, checked against search by hand on the gridworld."""

import itertools

import pytest

from repairstudy.candidates.situation import Situation
from repairstudy.environments.gridworld import Gridworld
from repairstudy.evaluators.reachability import reachability_scores

WORDS = ("up", "down", "left", "right")


def at_start(environment, task, slack):
    observation = environment.reset(task)
    return Situation(
        "f", 0, slack, task, (), "up", environment.instruction(), observation,
        environment.describe(), environment.signature(), WORDS,
    )  # fmt: skip


def fewest_actions(environment, start, limit):
    """Length of the shortest success from a snapshot, by trying everything up to `limit`."""
    for length in range(limit + 1):
        for actions in itertools.product(WORDS, repeat=length):
            environment.restore(start)
            if any([environment.step(action).done for action in actions][:-1]):
                continue
            if environment.outcome().success:
                return length
    return None


@pytest.mark.parametrize("task", ["layout-000", "layout-003"])
def test_scores_agree_with_trying_everything(task):
    environment = Gridworld(layouts=4, seed=5)
    slack = 6
    situation = at_start(environment, task, slack)
    before = environment.signature()
    scores = reachability_scores(environment, situation, [(w, w) for w in WORDS])
    assert environment.signature() == before
    for word in WORDS:
        environment.reset(task)
        environment.step(word)
        fewest = fewest_actions(environment, environment.snapshot(), slack - 1)
        row = scores.filter(candidate_id=word)
        solvable = row.filter(evaluator="solvability")["score"].item()
        planner = row.filter(evaluator="planner")["score"].item()
        assert solvable == float(fewest is not None)
        assert planner == (-fewest if fewest is not None else -slack)
