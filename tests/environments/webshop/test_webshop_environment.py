"""The shop as the rest of the study uses it, on an invented catalogue."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from webshop_shops import invented_folder

from repairstudy.environments import Environment
from repairstudy.environments.base import Outcome
from repairstudy.environments.forms import admits, closed
from repairstudy.environments.webshop import Webshop
from repairstudy.environments.webshop.selection import part_of_product
from repairstudy.errors import ConfigError, DataError

choices = st.lists(st.integers(0, 40), max_size=10)


def open_world(**options: Any) -> Webshop:
    return Webshop(data=invented_folder(), **options)


@pytest.fixture
def world() -> Webshop:
    return open_world()


def walk(world: Webshop, picks: list[int]) -> None:
    """Do something that the page offers, again and again, but never buy."""
    for pick in picks:
        offered = [action for action in world.admissible_actions() if "buy now" not in action]
        action = offered[pick % len(offered)].replace("<query>", world.instruction()[:40])
        assert world.step(action).valid


def test_it_is_an_environment_that_never_waits(world: Webshop) -> None:
    assert isinstance(world, Environment)
    assert world.blocking is False


def test_tasks_keep_their_order_and_are_capped_by_product() -> None:
    every = open_world(max_goals_per_product=None).tasks()
    for most in (1, 2):
        world = open_world(max_goals_per_product=most)
        wanted = [world.cluster(task) for task in world.tasks()]
        assert max(map(wanted.count, wanted)) == most
        assert list(world.tasks()) == [task for task in every if task in set(world.tasks())]


def test_parts_of_a_split_share_no_product() -> None:
    parts = {part: open_world(split=part) for part in ("train", "dev", "test")}
    assert sum(len(world.tasks()) for world in parts.values()) == len(open_world().tasks())
    for part, world in parts.items():
        assert {part_of_product(world.cluster(task)) for task in world.tasks()} == {part}


def test_an_episode_from_search_to_purchase(world: Webshop) -> None:
    task = world.tasks()[0]
    start = world.reset(task)
    assert start == f"WebShop [SEP] Instruction: [SEP] {world.instruction()} [SEP] Search"
    plan = world.plan()
    assert plan is not None
    assert plan[0].startswith("search[")
    assert plan[-1] == "click[buy now]"
    for number, action in enumerate(plan):
        assert world.outcome() == Outcome(False, 0.0)
        assert admits(world.admissible_actions(), action)
        step = world.step(action)
        assert step.valid
        assert step.done == (number == len(plan) - 1)
    assert world.outcome() == Outcome(True, 1.0)
    assert world.admissible_actions() == ()
    assert world.plan() == ()


def test_every_task_can_be_solved_by_its_plan(world: Webshop) -> None:
    for task in world.tasks():
        world.reset(task)
        plan = world.plan()
        assert plan is not None
        assert world.solvable(len(plan))
        assert not world.solvable(len(plan) - 1)
        for action in plan:
            world.step(action)
        assert world.outcome().success, task


@given(choices)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30)
def test_plans_work_from_wherever_a_walk_ends(world: Webshop, picks: list[int]) -> None:
    world.reset(world.tasks()[sum(picks) % len(world.tasks())])
    walk(world, picks)
    plan = world.plan()
    assert plan is not None
    for action in plan:
        assert admits(world.admissible_actions(), action)
        assert world.step(action).valid
    assert world.outcome().success


@given(choices)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30)
def test_a_snapshot_goes_on_in_another_instance(world: Webshop, picks: list[int]) -> None:
    world.reset(world.tasks()[0])
    walk(world, picks)
    other = open_world()
    other.restore(world.snapshot())
    assert other.signature() == world.signature()
    assert other.admissible_actions() == world.admissible_actions()
    assert other.describe() == world.describe()
    assert other.plan() == world.plan()
    there, here = other.step("click[next >]"), world.step("click[next >]")
    assert there == here


@given(st.text("aerchlikSK[]<> \n", max_size=20))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_is_no_action_changes_nothing(world: Webshop, action: str) -> None:
    before = world.reset(world.tasks()[0])
    state = world.snapshot()
    step = world.step(action)
    if not step.valid:
        assert (step.observation, step.done) == (before, False)
        assert world.snapshot() == state


def test_an_invalid_action_repeats_the_page(world: Webshop) -> None:
    world.reset(world.tasks()[0])
    shown = world.step("search[lamp]").observation
    for action in ("click[buy now]", "click[search]", "Click[next >]", "search[<r> lamp]", "hm"):
        step = world.step(action)
        assert (step.observation, step.done, step.valid) == (shown, False, False), action


def test_a_search_is_obeyed_where_it_is_not_offered(world: Webshop) -> None:
    world.reset(world.tasks()[0])
    world.step("search[lamp]")
    assert not admits(world.admissible_actions(), "search[chair]")
    assert world.step("search[chair]").valid


def start_with_an_option(world: Webshop) -> tuple[str, ...]:
    """Start the first task whose plan is to search, open, choose one option, and buy."""
    for task in world.tasks():
        world.reset(task)
        plan = world.plan()
        assert plan is not None
        if len(plan) == 4:
            return plan
    raise AssertionError("no task has one option")


def bought(world: Webshop, forget: bool) -> str:
    """Buy in such a task with the option, or without it; the last page."""
    search, item, option, buy = start_with_an_option(world)
    kept = (search, item, buy) if forget else (search, item, option, buy)
    return [world.step(action).observation for action in kept][-1]


def test_a_purchase_ends_the_episode_for_good(world: Webshop) -> None:
    shown = bought(world, forget=True)
    outcome = world.outcome()
    assert 0.0 < outcome.reward < 1.0
    assert not outcome.success
    assert world.plan() is None
    assert not world.solvable(25)
    for action in ("search[lamp]", "click[back to search]"):
        step = world.step(action)
        assert (step.observation, step.done, step.valid) == (shown, True, False)
    assert world.outcome() == outcome


def test_the_score_is_hidden_unless_asked_for() -> None:
    assert bought(open_world(), forget=True) == "Thank you for shopping with us!"
    world = open_world(show_score=True)
    shown = bought(world, forget=True)
    assert shown.endswith(f"Your score (min 0.0, max 1.0) [SEP] {world.outcome().reward}")


def test_chosen_options_are_hidden_from_the_agent_but_part_of_the_state(world: Webshop) -> None:
    plan = start_with_an_option(world)
    before = [world.step(action) for action in plan[:2]][-1]
    signature = world.signature()
    after = world.step(plan[2])
    assert after.observation == before.observation
    assert world.signature() != signature
    assert f"Chosen options: {': '.join(world.snapshot().options[0])}\n" in world.describe()
    assert world.plan() == plan[3:]


def test_a_description_tells_what_an_agent_could_know(world: Webshop) -> None:
    search, item, option, _ = start_with_an_option(world)
    for action in (search, item, option):
        world.step(action)
    lines = world.describe().splitlines()
    assert lines[0] == f"Goal: {world.instruction()}"
    assert lines[1] == f"Chosen options: {': '.join(world.snapshot().options[0])}"
    assert lines[2] == f"Last search: {search[7:-1]}"
    assert "Back to Search" in lines


def test_rich_text_shows_clicked_options() -> None:
    world = open_world(observation="text_rich")
    plan = start_with_an_option(world)
    assert world.step("no action").observation.splitlines()[0] == "WebShop"
    shown = [world.step(action).observation for action in plan[:3]][-1]
    assert "You have clicked " in shown
    assert "[clicked button]" in shown
    world.step("click[< prev]")
    assert "\n[clicked button]" in world.step("no action").observation


def test_the_version_names_the_catalogue_and_changes_with_what_episodes_depend_on() -> None:
    versions = [
        open_world().version,
        open_world(observation="text_rich").version,
        open_world(show_score=True).version,
        open_world(rules={"option_match": "corrected"}).version,
        Webshop(data=invented_folder(200, 1)).version,
    ]
    assert len(set(versions)) == len(versions)
    assert all("synthetic" in version for version in versions)
    assert open_world(split="test", max_goals_per_product=1).version == versions[0]


def test_corrected_rules_do_not_leak_into_another_instance() -> None:
    strict, plain = open_world(rules={"option_match": "corrected"}), open_world()
    bought(strict, forget=True)
    bought(plain, forget=True)
    assert strict.outcome().reward <= plain.outcome().reward


def test_every_goal_can_be_looked_up_with_what_it_is_scored_by(world: Webshop) -> None:
    goal = world.goal(world.tasks()[0])
    assert goal.reachable
    assert world.reset(goal.goal_id)
    assert world.instruction() == goal.instruction
    with pytest.raises(DataError, match="no task 'nothing'"):
        world.reset("nothing")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"products": 3}, "environment.options.products: no such option; accepted: data, rules"),
        ({"data": ""}, "environment.options.data: ''; accepted: the folder of a prepared shop"),
        ({"split": "half"}, "environment.options.split: 'half'; accepted: all, train, dev, test"),
        ({"observation": "html"}, "environment.options.observation: 'html'; accepted: text"),
        ({"show_score": 1}, "environment.options.show_score: 1; accepted: false, true"),
        ({"max_goals_per_product": 0}, "max_goals_per_product: 0; accepted: a whole number"),
        ({"rules": "corrected"}, "environment.options.rules: 'corrected'; accepted: rules by name"),
        ({"rules": {"luck": "original"}}, "environment.options.rules.luck: no such option"),
    ],
)
def test_wrong_options_are_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        Webshop(**{"data": invented_folder(), **options})
    assert message in str(caught.value)


def test_a_folder_that_was_not_prepared_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=str(tmp_path)):
        Webshop(data=str(tmp_path))


def test_a_page_offers_only_what_is_valid(world: Webshop) -> None:
    world.reset(world.tasks()[0])
    world.step("search[lamp]")
    state = world.snapshot()
    for action in closed(world.admissible_actions()):
        world.restore(state)
        assert world.step(action).valid
