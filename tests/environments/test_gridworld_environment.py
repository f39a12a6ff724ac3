"""The gridworld as the rest of the study uses it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from repairstudy.environments import Environment, Outcome, make_environment, replay
from repairstudy.environments.exact import Enumerable
from repairstudy.environments.gridworld import Gridworld
from repairstudy.environments.gridworld.dynamics import ACTIONS, State
from repairstudy.environments.gridworld.environment import Episode, Place
from repairstudy.environments.gridworld.search import reachable
from repairstudy.errors import ConfigError, DataError, ReplayMismatch

TASKS = Gridworld(layouts=8).tasks()
moves = st.lists(st.sampled_from([*ACTIONS, "jump"]), max_size=20)


@pytest.fixture
def world() -> Gridworld:
    return Gridworld(layouts=8)


def test_it_is_installed_as_an_environment_that_can_be_enumerated() -> None:
    world = make_environment("gridworld", {"layouts": 8})
    assert isinstance(world, Environment)
    assert isinstance(world, Enumerable)
    assert list(world.tasks()) == [f"layout-{number:03d}" for number in range(8)]
    assert [world.cluster(task) for task in world.tasks()] == list(world.tasks())


def test_an_episode_from_start_to_goal(world: Gridworld) -> None:
    observation = world.reset(TASKS[0])
    plan = world.plan()
    assert plan is not None
    for number, action in enumerate(plan):
        assert world.admissible_actions() == ("up", "down", "left", "right")
        assert world.outcome() == Outcome(False, 0.0)
        assert world.solvable(len(plan) - number)
        assert not world.solvable(len(plan) - number - 1)
        step = world.step(action)
        assert step.valid
        assert step.observation != observation
        observation = step.observation
    assert step.done
    assert world.outcome() == Outcome(True, 1.0)
    assert world.admissible_actions() == ()
    assert world.plan() == ()
    assert world.solvable(0)


def test_a_pit_ends_the_episode_as_a_failure(world: Gridworld) -> None:
    world.restore(_first_place(world, " pit"))
    action = next(a for a in ACTIONS if f"{a} pit" in world.view(world.state()).observation)
    assert world.step(action).done
    assert world.outcome() == Outcome(False, 0.0)
    assert world.plan() is None
    assert not world.solvable(100)


def test_invalid_actions_change_nothing(world: Gridworld) -> None:
    observation, signature = world.reset(TASKS[1]), world.signature()
    for word in ("jump", "", "UP", " up"):
        step = world.step(word)
        assert (step.valid, step.done, step.observation) == (False, False, observation)
        assert world.signature() == signature


def test_nothing_moves_after_the_end(world: Gridworld) -> None:
    world.reset(TASKS[0])
    for action in world.plan() or ():
        world.step(action)
    signature, step = world.signature(), world.step("up")
    assert (step.valid, step.done, world.signature()) == (False, True, signature)


def test_a_blocked_move_is_legal(world: Gridworld) -> None:
    world.restore(_first_place(world, "up wall"))
    signature = world.signature()
    assert world.step("up").valid
    assert world.signature() == signature


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(TASKS), moves, moves)
def test_restore_goes_back_on_any_instance(
    world: Gridworld, task: str, before: list[str], after: list[str]
) -> None:
    world.reset(task)
    for action in before:
        world.step(action)
    snapshot, signature, drawn = world.snapshot(), world.signature(), world.describe()
    taken = [world.step(action) for action in after]
    other = Gridworld(layouts=8)
    for instance in (world, other):
        instance.restore(snapshot)
        assert (instance.signature(), instance.describe()) == (signature, drawn)
        assert [instance.step(action) for action in after] == taken


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(TASKS), moves)
def test_replay_leads_to_the_same_state(world: Gridworld, task: str, walk: list[str]) -> None:
    seen = [world.reset(task)]
    taken = []
    for action in walk:
        if world.admissible_actions():
            seen.append(world.step(action).observation)
            taken.append(action)
    signature = world.signature()
    assert replay(Gridworld(layouts=8), task, taken, signature, seen[-1]) == tuple(seen)


def test_replay_notices_another_layout(world: Gridworld) -> None:
    world.reset(TASKS[0])
    with pytest.raises(ReplayMismatch, match="task layout-001, step 0: replay led to state"):
        replay(Gridworld(layouts=8), TASKS[1], [], world.signature())


def test_signatures_tell_all_states_of_all_layouts_apart(world: Gridworld) -> None:
    signatures, states = set(), 0
    for task in TASKS:
        layout = world.layout(task)
        for state in reachable(layout, layout.initial()):
            world.restore(_at(world, task, state))
            signatures.add(world.signature())
            states += 1
    assert len(signatures) == states > 200


def test_the_signature_sees_a_collapsed_tile_that_the_observation_does_not(
    world: Gridworld,
) -> None:
    layout = world.layout(TASKS[0])
    shown: dict[str, set[str]] = {}
    for state in reachable(layout, layout.initial()):
        world.restore(_at(world, TASKS[0], state))
        shown.setdefault(world.view(world.state()).observation, set()).add(world.signature())
    assert max(map(len, shown.values())) > 1


def test_the_drawing_shows_everything() -> None:
    world = Gridworld(layouts=1)
    world.reset("layout-000")
    rows = world.describe().splitlines()
    symbols = "".join(rows[:5]).replace(" ", "")
    layout = world.layout("layout-000")
    assert len(symbols) == 25
    counts = {symbol: symbols.count(symbol) for symbol in "AG#Oc"}
    assert counts == {"A": 1, "G": 1, "#": 2, "O": 4, "c": 1}
    assert symbols[layout.goal[0] * 5 + layout.goal[1]] == "G"
    assert all(f"{symbol} " in rows[5] for symbol in "AG#Oc.")


def test_slips_follow_from_the_seed_and_the_number_of_the_move() -> None:
    world = Gridworld(layouts=2, slip=0.5)

    def states(seed: int) -> list[str]:
        world.reset("layout-000", seed)
        return [world.step("up").observation + world.signature() for _ in range(12)]

    assert states(3) == states(3)
    assert len({tuple(states(seed)) for seed in range(1, 9)}) > 1


def test_slips_without_a_seed_are_refused_since_all_runs_would_share_them() -> None:
    with pytest.raises(ConfigError, match=r"options\.slip: 0\.5 needs a seed"):
        Gridworld(layouts=2, slip=0.5).reset("layout-000")


def test_a_wrong_use_says_so(world: Gridworld) -> None:
    with pytest.raises(RuntimeError, match="reset or restore"):
        world.step("up")
    with pytest.raises(DataError, match="no task 'layout-999' Tasks are layout-000 to layout-007"):
        world.reset("layout-999")


def _at(world: Gridworld, task: str, state: State) -> Episode:
    world.reset(task)
    episode = world.snapshot()
    return replace(episode, place=replace(episode.place, state=state))


def _first_place(world: Gridworld, seen: str) -> Episode:
    """The first reachable state in which the observation has these words."""
    layout = world.layout(TASKS[0])
    for state in reachable(layout, layout.initial()):
        if seen in world.view(Place(TASKS[0], state)).observation:
            return _at(world, TASKS[0], state)
    raise AssertionError(f"nowhere in the layout: {seen}")
