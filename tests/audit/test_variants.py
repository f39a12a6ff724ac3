"""Other solutions that the rules permit: that they are other ones, and that they are solutions."""

from __future__ import annotations

from collections import Counter

import pytest
from audit_worlds import SMALL, gridworld, webshop

from repairstudy.audit import Sample
from repairstudy.audit.ground import Ground
from repairstudy.audit.variants import filled


def solved(make, task, actions):
    world = make()
    world.reset(task)
    for action in actions:
        world.step(action)
    return world.outcome().reward == 1.0


@pytest.fixture(scope="module")
def shop():
    return Ground(webshop(), Sample(tasks=24))


@pytest.mark.parametrize("make", [gridworld(layouts=9), webshop()], ids=["gridworld", "webshop"])
def test_variants_solve_the_task_in_another_way_than_the_reference(make):
    ground = Ground(make, Sample(tasks=6))
    for task, found in ground.permitted.items():
        for name, actions in found:
            assert actions != ground.references[task], name
            assert solved(make, task, actions), name


def test_in_the_shop_options_come_in_another_order_and_goods_from_elsewhere(shop):
    names = Counter(name for found in shop.permitted.values() for name, _ in found)
    assert names["the options in another order"] > 0
    assert names["another option first"] > 0
    assert names["with a look at the description"] == len(shop.references)
    assert names["a product that is as good"] > 0


def test_a_product_that_is_as_good_is_another_product(shop):
    world = webshop()()
    for task, found in shop.permitted.items():
        for name, actions in found:
            if name == "a product that is as good":
                wanted = world.cluster(task).lower()
                assert f"click[{wanted}]" not in actions


def test_in_a_grid_another_way_shares_no_state_between_its_ends():
    make = gridworld(layouts=40, width=4, height=4)
    ground = Ground(make, Sample(tasks=None))
    ways = [(task, actions) for task, found in ground.permitted.items()
            for name, actions in found if name == "another way altogether"]  # fmt: skip
    assert ways
    for task, actions in ways:
        passed = []
        for way in (ground.references[task], actions):
            world = make()
            world.reset(task)
            passed.append(set())
            for action in way[:-1]:
                world.step(action)
                passed[-1].add(world.signature())
        assert not passed[0] & passed[1]


def test_a_form_is_filled_with_words_of_the_instruction():
    assert filled("click[buy now]", "Find me a lamp") == "click[buy now]"
    assert filled("search[<query>]", "Find: a [red] Lamp, for under 20 dollars") == (
        "search[find a red lamp for under]"
    )
    assert filled("search[<query>]", "") == "search[anything]"


def test_leaving_an_action_out_of_a_reference_is_looked_at_too():
    ground = Ground(webshop(), SMALL)
    for task, actions in ground.shortened:
        assert len(actions) == len(ground.references[task]) - 1
    assert any(answer.reward not in (0.0, 1.0) for answer in ground.lone.values())
