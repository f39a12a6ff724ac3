"""Where two executors prefer different candidates."""

from repairstudy.evaluators.work import Disagreement, disagreements


def test_each_executor_has_a_best_candidate_of_its_own():
    means = {("f", 3): {"a": (0.8, 0.1), "b": (0.2, 0.6)}}
    assert disagreements(means) == [Disagreement("f", 3, "a", "b")]


def test_the_same_choice_is_no_disagreement():
    assert disagreements({("f", 3): {"a": (0.8, 0.7), "b": (0.2, 0.6)}}) == []


def test_equal_rewards_are_tied_in_whatever_order_they_were_added():
    rewards = [0.1, 0.2, 0.3]
    one, other = sum(rewards) / 3, sum(reversed(rewards)) / 3
    assert one != other  # in their last bits
    assert disagreements({("f", 3): {"a": (one, 0.1), "b": (other, 0.6)}}) == []
