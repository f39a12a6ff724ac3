"""The scripted agent: finds, treats and delivers with what the text tells, and no more."""

import numpy as np
import pytest
from alfworld_worlds import official
from hypothesis import given
from hypothesis import strategies as st
from real_games import needs_engine

from repairstudy.environments.alfworld.explorer import Explorer, load_prior
from repairstudy.executors.protocols import AgentView

ROOM = (
    "You are in the middle of a room. Looking quickly around you, you see a cabinet 1, a drawer 1, "
    "a fridge 1, a microwave 1, and a diningtable 1."
)
ALL = ("cabinet 1", "diningtable 1", "drawer 1", "fridge 1", "microwave 1")
BUDGET = 50


def go_to(*left_out):
    return tuple(f"go to {place}" for place in ALL if place not in left_out)


def act(task, turns, admissible, **options):
    actions, observations = zip(*turns, strict=True) if turns else ((), ())
    view = AgentView(task, (ROOM, *observations), actions, admissible)
    return Explorer(**options).act(view, np.random.default_rng(1))


AT_TABLE = (
    "go to diningtable 1",
    "You arrive at diningtable 1. On the diningtable 1, you see a apple 2, and a cup 1.",
)
TAKEN = ("take apple 2 from diningtable 1", "You pick up the apple 2 from the diningtable 1.")
HOLDING = ("examine apple 2", *go_to("diningtable 1"), "move apple 2 to diningtable 1")
HEAT = "heat some apple and put it in cabinet."


def test_it_searches_first_where_such_things_are_kept():
    prior = load_prior()["apple"]
    likeliest = max(ALL, key=lambda place: prior.get(place.split()[0], 0))
    assert act(HEAT, [], (*go_to(), "look")) == f"go to {likeliest}"


def test_without_experience_it_searches_in_the_order_of_the_room():
    assert act(HEAT, [], (*go_to(), "look"), experience="none") == "go to cabinet 1"


def test_it_takes_what_is_in_sight():
    takes = ("take apple 2 from diningtable 1", "take cup 1 from diningtable 1")
    assert act(HEAT, [AT_TABLE], (*go_to("diningtable 1"), *takes)) == takes[0]


def test_it_looks_into_what_is_closed_before_it_goes_on():
    closed = ("go to cabinet 1", "You arrive at cabinet 1. The cabinet 1 is closed.")
    assert act(HEAT, [closed], (*go_to("cabinet 1"), "open cabinet 1")) == "open cabinet 1"


def test_it_remembers_where_it_saw_what_it_wants():
    drawer = ("go to drawer 1", "You arrive at drawer 1. The drawer 1 is closed.")
    assert act(HEAT, [AT_TABLE, drawer], go_to("drawer 1")) == "go to diningtable 1"


def test_it_treats_before_it_delivers():
    assert act(HEAT, [AT_TABLE, TAKEN], HOLDING) == "go to microwave 1"
    arrived = ("go to microwave 1", "You arrive at microwave 1. The microwave 1 is closed.")
    there = (*go_to("microwave 1"), "heat apple 2 with microwave 1", "open microwave 1")
    assert act(HEAT, [AT_TABLE, TAKEN, arrived], there) == "heat apple 2 with microwave 1"
    heated = (there[-2], "You heat the apple 2 using the microwave 1.")
    assert act(HEAT, [AT_TABLE, TAKEN, arrived, heated], there) == "go to cabinet 1"


def test_it_opens_a_closed_goal_and_then_puts_the_thing_there():
    place = "put some apple on cabinet."
    arrived = ("go to cabinet 1", "You arrive at cabinet 1. The cabinet 1 is closed.")
    closed = (*go_to("cabinet 1"), "open cabinet 1")
    assert act(place, [AT_TABLE, TAKEN, arrived], closed) == "open cabinet 1"
    opened = (
        "open cabinet 1",
        "You open the cabinet 1. The cabinet 1 is open. In it, you see nothing.",
    )
    ready = (*go_to("cabinet 1"), "close cabinet 1", "move apple 2 to cabinet 1")
    assert act(place, [AT_TABLE, TAKEN, arrived, opened], ready) == "move apple 2 to cabinet 1"


def test_it_puts_down_what_it_does_not_want():
    task = "put a cup in cabinet."
    assert act(task, [AT_TABLE, TAKEN], HOLDING) == "move apple 2 to diningtable 1"


def test_it_takes_the_thing_to_the_lamp_and_switches_it_on():
    task = "look at apple under the desklamp."
    lit = (*HOLDING, "use desklamp 1")
    assert act(task, [AT_TABLE, TAKEN], lit) == "use desklamp 1"
    assert act(task, [AT_TABLE, TAKEN], HOLDING).startswith("go to ")


@given(
    turns=st.lists(
        st.sampled_from(
            [
                AT_TABLE,
                TAKEN,
                ("look", "Nothing happens."),
                ("open drawer 1", "You open the drawer 1."),
            ]
        ),
        max_size=6,
    ),
    admissible=st.lists(
        st.sampled_from([*HOLDING, "open drawer 1", "look", "use desklamp 1"]),
        min_size=1,
        unique=True,
    ),
    task=st.sampled_from([HEAT, "put a cup in cabinet.", "look at apple under the desklamp."]),
    experience=st.sampled_from(["likely", "none"]),
    noise=st.sampled_from([0.0, 0.5, 1.0]),
)
def test_it_does_only_what_may_be_done_and_repeats_itself(
    turns, admissible, task, experience, noise
):
    options = {"experience": experience, "noise": noise}
    first = act(task, turns, tuple(admissible), **options)
    assert first in admissible
    assert act(task, turns, tuple(admissible), **options) == first


def test_full_noise_is_an_even_draw():
    rng, explorer = np.random.default_rng(5), Explorer(noise=1.0)
    view = AgentView(HEAT, (ROOM,), (), ("look", "inventory"))
    drawn = [explorer.act(view, rng) for _ in range(400)]
    assert abs(drawn.count("look") - 200) < 40


@needs_engine
@pytest.mark.skipif(official() is None, reason="the official games are not there")
@pytest.mark.parametrize("experience", ["likely", "none"])
def test_it_wins_official_games(experience, tmp_path):
    from repairstudy.environments.alfworld import Alfworld

    world = Alfworld(games=str(official()), limit=3, workers=1)
    for task_id in world.tasks():
        first = world.reset(task_id)
        view = AgentView(world.instruction(), (first,), (), world.admissible_actions())
        while view.admissible and len(view.actions) < BUDGET:
            action = Explorer(experience=experience).act(view, np.random.default_rng(0))
            step = world.step(action)
            assert step.valid
            view = AgentView(
                view.instruction,
                (*view.observations, step.observation),
                (*view.actions, action),
                world.admissible_actions(),
            )
        assert world.outcome().success, (task_id, view.actions)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"noise": 1.5}, r"noise: 1\.5 \(accepted: 0 to 1\)"),
        ({"experience": "much"}, r"experience: 'much' \(accepted: likely, none\)"),
    ],
)
def test_impossible_arguments_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        Explorer(**options)
