"""What evaluators are called, and how they are grouped and sorted."""

import pytest

from repairstudy.report import names
from repairstudy.report.names import evaluator, executor_of, in_order, spoken


@pytest.mark.parametrize(
    ("name", "label", "kind"),
    [
        ("matched", "matched selection", names.REFERENCE),
        ("random", "random choice", names.CONTROL),
        ("greedy", "greedy replay", names.TARGET),
        ("temperature_0.3", "temperature 0.3", names.TARGET),
        ("executor:big", "big, all rollouts", names.TARGET),
        ("executor:big@5", "big, 5 rollouts", names.TARGET),
        ("executor:org/big-7B@v2@5", "org/big-7B@v2, 5 rollouts", names.TARGET),
        ("executor:small@other_seeds", "small, other seeds", names.CONTROL),
        ("own_1", "1 own rollout", names.BUDGET),
        ("own_3", "3 own rollouts", names.BUDGET),
        ("accept_2_of_3", "2-of-3 acceptance", names.BUDGET),
        ("hybrid_mean", "hybrid mean", names.FURTHER),
    ],
)
def test_every_evaluator_of_the_protocol_has_a_label_and_a_kind(name, label, kind):
    found = evaluator(name)
    assert (found.label, found.kind) == (label, kind)


def test_evaluators_are_listed_by_kind_then_by_what_they_do():
    listed = in_order(
        ["random", "own_2", "own_10", "executor:b@5", "executor:b", "executor:a", "greedy",
         "flip_1", "judge", "own_2"]
    )  # fmt: skip
    assert [item.name for item in listed] == [
        "greedy", "executor:a", "executor:b", "executor:b@5", "judge",
        "own_2", "own_10", "flip_1", "random",
    ]  # fmt: skip


def test_the_executor_behind_an_evaluator():
    assert executor_of("executor:big@5") == "big"
    assert executor_of("executor:big") == "big"
    assert executor_of("greedy") is None


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("planner", "the planner"),
        ("judge", "the LLM judge"),
        ("greedy", "greedy replay"),
        ("own_1", "1 own rollout"),
        ("executor:big", "all rollouts of big"),
        ("executor:big@1", "1 rollout of big"),
        ("executor:a, b@5", "5 rollouts of a, b"),
        ("executor:small@other_seeds", "small, other seeds"),
    ],
)
def test_an_evaluator_in_a_sentence(name, said):
    assert spoken(name) == said
