"""Each symptom on the shortest run that has it, and on the longest that has it not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repairstudy.descriptions import AXES, FailedRun, labels_of, symptoms_of
from repairstudy.descriptions.registry import SPECIFIC


def run(states, actions=None, valid=None, seen=None, world="any", **more):
    """States and actions as letters, one a step."""
    n = len(states)
    return FailedRun(
        world,
        tuple(seen) if seen else ("",) * n,
        tuple(actions or "x" * n),
        tuple(valid if valid is not None else (True,) * n),
        tuple(states),
        **more,
    )


def found(name, failed):
    [symptom] = [symptom for symptom in symptoms_of(failed.environment) if symptom.label == name]
    return symptom.find(failed)


@pytest.mark.parametrize(
    ("name", "failed", "where"),
    [
        ("exhausted_budget", run("abcd", budget=4), (3, 3)),
        ("exhausted_budget", run("abcd", budget=5), None),
        ("exhausted_budget", run("abcd"), None),
        ("ended_early", run("ab", budget=4), (1, 1)),
        ("ended_early", run("abc", budget=4), None),
        ("ended_early", run("ab", valid=[True, False], budget=4), None),
        ("loop", run("abaca"), (0, 4)),
        ("loop", run("abac"), None),
        ("loop", run("aaaa", "wxyz"), None),
        ("ping_pong", run("cabab"), (1, 4)),
        ("ping_pong", run("caba"), None),
        ("ping_pong", run("aaaaa"), None),
        ("invalid_actions", run("aaaab", valid=[1, 0, 0, 0, 1]), (1, 3)),
        ("invalid_actions", run("aaaab", valid=[1, 0, 0, 1, 0]), None),
        ("no_effect", run("baaaa"), (1, 3)),
        ("no_effect", run("baaa"), None),
        ("no_effect", run("aaaa", valid=[0, 0, 0, 0]), None),
        ("dead_end", run("ab", unreachable=1), (1, 1)),
        ("dead_end", run("ab"), None),
    ],
)
def test_general_symptoms(name, failed, where):
    finding = found(name, failed)
    assert (finding and (finding.first, finding.last)) == where


def grid(*steps):
    seen = [f"Around you: up {up}, down free, left free, right pit. The goal is up." for up, _ in
            steps]  # fmt: skip
    return run("abcdef"[: len(steps)], [move for _, move in steps], seen=seen, world="gridworld")


def test_gridworld_symptoms():
    assert found("entered_pit", grid(("free", "up"), ("free", "right"))).first == 1
    assert found("entered_pit", grid(("free", "right"), ("free", "up"))) is None
    assert found("bumped_into_walls", grid(("wall", "up"), ("free", "up"), ("wall", "up"))) == (
        0, 2, "2 moves against walls that were in sight",
    )  # fmt: skip
    assert found("bumped_into_walls", grid(("wall", "up"), ("wall", "down"))) is None


def household(*actions, valid=None, task="clean some mug and put it in shelf."):
    return run("a" * len(actions), actions, valid, world="alfworld", instruction=task)


def test_alfworld_symptoms():
    looked = [f"go to shelf {i}" for i in range(3)]
    assert found("never_took", household(*looked)) is not None
    assert found("never_took", household("take mug 1 from shelf 1")) is None
    assert found("never_took", household("take mug 1 from shelf 1", valid=[False])) is not None
    assert found("never_placed", household("look", "take mug 1 from shelf 1")).first == 1
    assert found("never_placed", household("take mug", "move mug 1 to shelf 1")) is None
    assert found("never_placed", household("take mug", "put mug 1 in/on shelf 1")) is None
    assert found("never_placed", household("look")) is None
    looking = household("take mug 1 from shelf 1", task="look at mug under the desklamp.")
    assert found("never_placed", looking) is None
    assert found("looked_little", household("go to a", "go to a", "go to b")) is not None
    assert found("looked_little", household(*looked)) is None


def test_evidence_names_the_steps():
    assert found("loop", run("abaca")).evidence == (
        "steps 0 to 4: the same action in the same state 3 times"
    )
    assert found("dead_end", run("ab", unreachable=1)).evidence.startswith("step 1: ")


def test_labels_lie_on_four_axes():
    labels = {(label.axis, label.label) for label in labels_of(run("cababab", budget=7))}
    assert labels == {
        ("failure_type", "loop"), ("failure_type", "ping_pong"),
        ("failure_type", "exhausted_budget"), ("source", "agent"),
        ("stage", "start"), ("capability", "memory"), ("capability", "efficiency"),
    }  # fmt: skip


def test_the_budget_is_responsible_where_it_merely_ran_out():
    sources = [label.label for label in labels_of(run("abcd", budget=4)) if label.axis == "source"]
    assert sources == ["budget"]


def test_what_a_run_lacks_shows_at_its_end():
    labels = labels_of(household("go to a", "go to b", "go to c"))
    assert ("stage", "end") in {(label.axis, label.label) for label in labels}


def test_the_stage_is_that_of_the_first_symptom():
    late = labels_of(run("abcdefghi", valid=[1] * 6 + [0] * 3))
    assert [label.label for label in late if label.axis == "stage"] == ["end"]


def test_a_run_without_symptoms_is_unexplained():
    assert labels_of(run("abc")) == [
        ("failure_type", "unexplained", "no symptom that is looked for")
    ]


@given(
    st.sampled_from(["any", *SPECIFIC]),
    st.lists(
        st.tuples(
            st.sampled_from("abc"),
            st.sampled_from(["up", "take a", "click[buy now]", "search[x]", ""]),
            st.booleans(),
            st.text(max_size=30),
        ),
        min_size=1,
        max_size=12,
    ),
    st.one_of(st.none(), st.integers(1, 20)),
)
def test_any_run_is_labelled_once_on_known_axes(world, steps, budget):
    states, actions, valid, seen = zip(*steps, strict=True)
    failed = run(states, actions, valid, seen, world, budget=budget)
    labels = labels_of(failed)
    keys = [(label.axis, label.label) for label in labels]
    assert len(set(keys)) == len(keys)
    assert {axis for axis, _ in keys} <= set(AXES)
    assert any(axis == "failure_type" for axis, _ in keys)
    for symptom in symptoms_of(world):
        finding = symptom.find(failed)
        assert finding is None or 0 <= finding.first <= finding.last < len(steps)


def test_labels_of_symptoms_are_distinct_and_have_a_reason():
    for world in SPECIFIC:
        symptoms = symptoms_of(world)
        assert len({symptom.label for symptom in symptoms}) == len(symptoms)
        assert all(symptom.find.__doc__ for symptom in symptoms)
