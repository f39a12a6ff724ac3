"""The worlds that are audited in tests, small ones, and a world of a user's own."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

from corridor import Corridor

from repairstudy.audit import Sample
from repairstudy.environments.gridworld import Gridworld

TESTS = Path(__file__).parents[1]
sys.path.insert(0, str(TESTS / "environments/webshop"))

SMALL = Sample(tasks=2, walks=2, length=10)


def gridworld(**options):
    """Makes gridworlds of nine to twelve cells."""
    defaults = {
        "layouts": 2, "width": 4, "height": 3, "walls": 1, "pits": 1, "collapsing": 1,
        "max_distance": 4,
    }  # fmt: skip
    return partial(Gridworld, **{**defaults, **options})


def webshop():
    """Makes shops with an invented catalogue."""
    from webshop_shops import invented_folder

    from repairstudy.environments.webshop import Webshop

    return partial(Webshop, data=invented_folder())


def corridor(**options):
    return partial(Corridor, **options)


WORLDS = {"gridworld": gridworld, "webshop": webshop, "corridor": corridor}
