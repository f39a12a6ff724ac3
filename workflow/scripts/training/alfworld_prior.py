"""Count where the rooms of ALFWorld's training games keep which objects.

    python workflow/scripts/training/alfworld_prior.py \
        --games ../shared/data/alfworld/json_2.1.1/train \
        --out workflow/repairstudy/environments/alfworld/prior.json

For each type of object and of receptacle: the share of the receptacles that hold such an object
when a game begins. The explorer searches in that order.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path

from repairstudy.environments.alfworld.scene import read_scene


def count_prior(games: Path) -> dict[str, dict[str, float]]:
    """{object: {receptacle: share}} with three decimals, over all game files below a folder."""
    receptacles: Counter[str] = Counter()
    holding: Counter[tuple[str, str]] = Counter()
    for file in sorted(games.rglob("game.tw-pddl")):
        scene = read_scene(file)
        receptacles.update(scene.receptacle_types.values())
        holding.update(
            (scene.object_types[thing], scene.receptacle_types[place])
            for thing, place in scene.one_of_each_type()
        )
    prior: dict[str, dict[str, float]] = {}
    for (thing, place), number in sorted(holding.items()):
        prior.setdefault(thing, {})[place] = round(number / receptacles[place], 3)
    return prior


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--games", type=Path, required=True, help="folder of training games")
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    prior = count_prior(args.games)
    lines = [f"{json.dumps(thing)}: {json.dumps(places)}" for thing, places in prior.items()]
    args.out.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
