"""The layouts of a seed, and the options that have none."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from repairstudy.environments import make_environment
from repairstudy.environments.exact import enumerate_states
from repairstudy.environments.gridworld import Gridworld
from repairstudy.environments.gridworld.layouts import make_layouts
from repairstudy.environments.gridworld.options import Options
from repairstudy.environments.gridworld.search import distances, reachable
from repairstudy.errors import ConfigError
from repairstudy.records import digest

# version of the default gridworld -> digest of everything that its episodes can show
GOLDEN = {"1-e3fc252bcda9": "2229639889e97a3d74e42b5809d56bee"}


def test_what_can_happen_in_the_default_gridworld_is_what_its_version_says() -> None:
    """If this fails, stored rollouts and the action tables under tests/data no longer apply.

    Rules or texts that changed need a new RULES in environment.py; then put the new pair here.
    """
    world = Gridworld()
    space = enumerate_states(world, map(world.initial, world.tasks()))
    views = [[v.observation, list(v.admissible), v.outcome.success] for v in space.views]
    edges = np.stack([space.source, space.arm, space.target]).tolist()
    drawn = [world.reset(task) + world.describe() for task in world.tasks()]
    assert {world.version: digest([views, edges, drawn])} == GOLDEN


def test_every_layout_is_as_asked() -> None:
    layouts = make_layouts(Options())
    assert len(set(layouts)) == 60
    for layout in layouts:
        cells = [layout.start, layout.goal, *layout.walls, *layout.pits, *layout.collapsing]
        assert len(set(cells)) == len(cells) == 2 + 2 + 4 + 1
        assert all(layout.contains(cell) for cell in cells)
        left = distances(layout, layout.initial())
        assert 3 <= left[layout.initial()] <= 6
        lost = [s for s in reachable(layout, layout.initial()) if s not in left]
        assert any(state.position not in layout.pits for state in lost)


def test_more_layouts_begin_with_the_fewer_and_another_seed_gives_others() -> None:
    fewer, more = make_layouts(Options(layouts=5)), make_layouts(Options(layouts=9))
    assert more[:5] == fewer
    assert not set(make_layouts(Options(layouts=5, seed=1))) & set(more)


def test_without_collapsing_tiles_pits_are_the_way_to_lose_the_goal() -> None:
    for layout in make_layouts(Options(layouts=5, collapsing=0)):
        assert any(s.position in layout.pits for s in reachable(layout, layout.initial()))


@pytest.mark.parametrize(
    "other",
    [{"seed": 1}, {"layouts": 59}, {"walls": 3}, {"pits": 3}, {"collapsing": 2}, {"width": 6},
     {"height": 6}, {"max_distance": 5}, {"slip": 0.1}],
)  # fmt: skip
def test_the_version_depends_on_every_option(other: dict[str, Any]) -> None:
    assert Gridworld(**other).version != Gridworld().version


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"size": 5}, r"options\.size: no such option; accepted: layouts, seed, walls"),
        ({"walls": 24}, r"options\.walls: 24; accepted: a whole number from 0 to 23"),
        ({"walls": 2.0}, r"options\.walls: 2\.0; accepted"),
        ({"walls": True}, r"options\.walls: True; accepted"),
        ({"pits": 22}, r"options\.pits: 22; accepted: a whole number from 0 to 21"),
        ({"collapsing": 9}, r"options\.collapsing: 9; accepted: a whole number from 0 to 8"),
        ({"pits": 0, "collapsing": 0}, r"options\.pits: 0 with 'collapsing' 0"),
        ({"layouts": 0}, r"options\.layouts: 0; accepted: a whole number from 1"),
        ({"seed": -1}, r"options\.seed: -1; accepted: a whole number from 0"),
        ({"width": 1}, r"options\.width: 1; accepted: a whole number from 2 to 12"),
        ({"height": "5"}, r"options\.height: '5'; accepted"),
        ({"min_distance": 7}, r"options\.max_distance: 6; accepted: a whole number from 7"),
        ({"slip": 1}, r"options\.slip: 1; accepted: a number from 0 to below 1"),
    ],
)
def test_impossible_options_are_named_with_what_is_accepted(
    options: dict[str, Any], message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        make_environment("gridworld", options)


def test_options_that_no_layout_satisfies_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("repairstudy.environments.gridworld.layouts.PATIENCE", 50)
    with pytest.raises(ConfigError, match=r"options\.layouts: only 0 of 1 .* min_distance"):
        Gridworld(layouts=1, width=2, height=2, walls=0, pits=1, collapsing=0)
