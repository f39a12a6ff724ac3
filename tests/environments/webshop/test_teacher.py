"""Who shops without a language model: the teacher that knows the scores, and the shopper."""

from __future__ import annotations

from statistics import mean

import numpy as np
import pytest
from webshop_shops import CHAIR, LAMP, invented_folder, small_shop

from repairstudy.environments.webshop import Webshop
from repairstudy.environments.webshop.goals import Goal
from repairstudy.environments.webshop.rules import Rules
from repairstudy.environments.webshop.shopper import Shopper
from repairstudy.environments.webshop.teacher import Teacher
from repairstudy.environments.webshop_text import Page, Result, chosen, opened, read_page
from repairstudy.executors import AgentView
from repairstudy.executors.webshop_policy import WebshopDescriptors, described
from repairstudy.records import generator

GOAL = Goal(
    goal_id="B000000001-h0", index=0, asin="B000000001", instruction="a small red lamp",
    query="lamp", product_category="Home › Lamps", nouns=("lamp",), attributes=("bright",),
    options=("small", "blue [matt]"), price_upper=20.0,
)  # fmt: skip
ITEM = Page("item", ("< prev", "buy now"), title=LAMP.name)
FIRST_PAGE = (LAMP.asin.lower(), CHAIR.asin.lower())


@pytest.fixture
def teacher() -> Teacher:
    return Teacher(small_shop().catalogue, Rules())


def test_the_best_purchase_has_all_wanted_options(teacher: Teacher) -> None:
    best = teacher.best(GOAL, "b000000001")
    assert best.reward == 1.0
    assert dict(best.choices) == {"color": "blue [matt]", "size": "small"}


def test_options_come_first_then_the_purchase(teacher: Teacher) -> None:
    choices: dict[str, str] = {}
    clicks = []
    while (item := teacher.click(GOAL, ITEM, choices, "b000000001", FIRST_PAGE)) != "buy now":
        clicks.append(item)
        choices["color" if item.startswith("blue") else "size"] = item
    assert clicks == ["blue [matt]", "small"]
    wrong = {"color": "red", "size": "small"}
    assert teacher.click(GOAL, ITEM, wrong, "b000000001", FIRST_PAGE) == "blue [matt]"


def test_what_is_poor_beside_the_first_page_is_left(teacher: Teacher) -> None:
    results = Page("results", (), number=1, results=(Result("b000000002", "Desk Chair", "$20.0"),))
    assert teacher.best(GOAL, "b000000002").reward < 0.3
    assert teacher.click(GOAL, ITEM, {}, "b000000002", FIRST_PAGE) == "< prev"
    assert teacher.click(GOAL, results, {}, "", FIRST_PAGE) == "< prev"
    assert teacher.click(GOAL, results, {}, "", ()) == "b000000002"
    assert teacher.click(GOAL, Page("sub", ("< prev",)), {}, "", FIRST_PAGE) == "< prev"


def walk(shop: Webshop, task: str, shopper: Shopper, rng: np.random.Generator) -> list[AgentView]:
    """The views of one episode of at most 25 steps; the last one is of its end."""
    observations, actions, views = [shop.reset(task)], list[str](), list[AgentView]()
    while True:
        admissible = shop.admissible_actions()
        views.append(AgentView(shop.instruction(), tuple(observations), tuple(actions), admissible))
        if not admissible or len(actions) == 25:
            return views
        actions.append(shopper.act(views[-1], rng))
        step = shop.step(actions[-1])
        assert step.valid
        observations.append(step.observation)


def test_the_shopper_buys_and_noise_makes_it_worse() -> None:
    shop = Webshop(data=invented_folder())
    rewards = {}
    for noise in (0.0, 0.5):
        rng, gains = generator("shopper-walks", noise), []
        for task in shop.tasks()[:60]:
            walk(shop, task, Shopper(noise), rng)
            gains.append(shop.outcome().reward)
        rewards[noise] = mean(gains)
    assert 0.6 < rewards[0.0] < 1.0
    assert rewards[0.5] < rewards[0.0] - 0.1


def test_on_any_walk_all_that_can_be_clicked_has_a_descriptor_and_choices_are_known() -> None:
    """What the views remember of hidden choices agrees with the shop's own state."""
    shop, protocol = Webshop(data=invented_folder()), WebshopDescriptors()
    rng = generator("wandering")
    for task in shop.tasks()[:30]:
        views = walk(shop, task, Shopper(0.8), rng)
        for view in views[:-1]:
            offered = {action for action in view.admissible if action.startswith("click[")}
            options = protocol.options(view)
            if offered:
                assert {f"click[{item}]" for item, _ in described(view)} == offered
                assert set(options.values()) <= offered
        last, state = views[-2], shop.snapshot()
        if state.page == "bought":
            page = read_page(last.observations[-1], last.admissible)
            assert chosen(page, last.observations, last.actions) == dict(state.options)
            bought = shop.shop.catalogue.product(state.product).asin.lower()
            assert opened(last.observations, last.actions)[-1] == bought
