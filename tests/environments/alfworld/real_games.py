"""What the tests and benchmarks of the real engine share: games, and ways to play them."""

from __future__ import annotations

import os
import random
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

DATA = Path(os.environ.get("REPAIRSTUDY_DATA", Path(__file__).parents[4] / "shared/data"))
needs_engine = pytest.mark.skipif(
    find_spec("textworld") is None, reason="requirements/alfworld.lock is not installed"
)
needs_data = pytest.mark.skipif(
    not (DATA / "alfworld").is_dir(), reason=f"no official games in {DATA}; set REPAIRSTUDY_DATA"
)


def official_games(two_objects: bool = False) -> list[Path]:
    """The official games at hand by path; a study plays none of two objects."""
    return sorted(
        path
        for path in (DATA / "alfworld").rglob("game.tw-pddl")
        if two_objects or "pick_two_obj_and_place" not in str(path)
    )


def small_games(per_type: int = 1) -> list[Path]:
    """The official games with the smallest files, of each type: they load fastest."""
    types: dict[str, list[Path]] = {}
    for path in sorted(official_games(), key=lambda path: (path.stat().st_size, str(path))):
        types.setdefault(path.parts[-3].split("-")[0], []).append(path)
    return [path for kind in sorted(types) for path in types[kind][:per_type]]


def wander(engine: Any, steps: int, seed: int) -> Iterable[Any]:
    """Random actions from where the engine stands; some are inadmissible. Yields what they did."""
    choose = random.Random(seed)
    position = engine.position
    for _ in range(steps):
        action = choose.choice(position.admissible)
        if choose.random() < 0.1:
            action = choose.choice(["go to nowhere 1", action.upper(), f"{action}.", f" {action}"])
        position = engine.step(action)
        yield action, position
