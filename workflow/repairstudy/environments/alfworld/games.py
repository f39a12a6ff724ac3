"""The game files of a folder: which there are, what their names say, and whether they are whole.

A game lies at ``SPLIT/TYPE-OBJECT-MRECEP-RECEPTACLE-SCENE/TRIAL/game.tw-pddl``, as ALFWorld's
download has it (there below a folder ``json_2.1.1``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from repairstudy.environments.files import read_object, sha256_of
from repairstudy.errors import DataError
from repairstudy.records import digest

GAME_FILE = "game.tw-pddl"
OFFICIAL_FOLDER = "json_2.1.1"
# The sixth type, pick_two_obj_and_place, is left out: its plans take minutes and gigabytes.
TASK_TYPES = (
    "look_at_obj_in_light",
    "pick_and_place_simple",
    "pick_clean_then_place_in_recep",
    "pick_cool_then_place_in_recep",
    "pick_heat_then_place_in_recep",
)
KEYS = {
    "pddl_domain": str,
    "grammar": str,
    "pddl_problem": str,
    "solvable": bool,
    "walkthrough": list,
}
HOW_TO_GET = (
    "Run `snakemake resources/alfworld/official/manifest.json` for the official games, or "
    "`snakemake resources/alfworld/generated/manifest.json` for generated ones."
)


@dataclass(frozen=True, slots=True)
class Game:
    """A game file; `task_id` is the path of its folder below the games' root."""

    task_id: str
    path: Path
    split: str
    task_type: str
    scene: str

    def __lt__(self, other: Game) -> bool:
        return self.task_id < other.task_id


def find_games(
    folder: Path, splits: Sequence[str] | None = None, task_types: Sequence[str] = TASK_TYPES
) -> tuple[Game, ...]:
    """The games of some splits (None: all) and types, sorted by task id.

    Raises:
        DataError: the folder, a split, or any game of the wanted kind is missing.
    """
    root = games_root(folder)
    found = []
    for split in splits_of(root) if splits is None else splits:
        if not (root / split).is_dir():
            raise DataError(root, f"no folder of split '{split}'.", HOW_TO_GET)
        games = [_named(path, root) for path in (root / split).glob(f"*/*/{GAME_FILE}")]
        found += [game for game in games if game.task_type in task_types]
    if not found:
        raise DataError(
            root, f"no {GAME_FILE} of the types {', '.join(task_types)} in it.", HOW_TO_GET
        )
    return tuple(sorted(found))


def games_root(folder: Path) -> Path:
    """The folder that holds the splits.

    Raises:
        DataError: there is no such folder.
    """
    if not folder.is_dir():
        raise DataError(folder, "no such folder of ALFWorld games.", HOW_TO_GET)
    inner = folder / OFFICIAL_FOLDER
    return inner if inner.is_dir() else folder


def splits_of(root: Path) -> tuple[str, ...]:
    return tuple(sorted(path.name for path in root.iterdir() if path.is_dir()))


def _named(path: Path, root: Path) -> Game:
    task = path.parent.relative_to(root)
    split, kind = task.parts[0], task.parts[1]
    return Game(task.as_posix(), path, split, kind.split("-")[0], kind.rsplit("-", 1)[-1])


def balanced(games: Iterable[Game], limit: int) -> tuple[Game, ...]:
    """`limit` of the games (all, if there are fewer), spread over types and scenes.

    Each next game is of the type drawn least so far, there of the scene drawn least; ties go by a
    hash of the name, so that no kind of room is preferred. Sorted by task id.
    """
    left = sorted(games, key=lambda game: digest(game.task_id))
    types: Counter[str] = Counter()
    scenes: Counter[str] = Counter()
    chosen: list[Game] = []
    while left and len(chosen) < limit:
        best = min(left, key=lambda game: (types[game.task_type], scenes[game.scene]))
        left.remove(best)
        types[best.task_type] += 1
        scenes[best.scene] += 1
        chosen.append(best)
    return tuple(sorted(chosen))


def manifest(games: Iterable[Game]) -> dict[str, str]:
    """The SHA-256 of each game's file by task id."""
    return {game.task_id: sha256_of(game.path, HOW_TO_GET) for game in games}


def read_game(path: Path) -> dict[str, Any]:
    """The content of a game file.

    Raises:
        DataError: it is missing, no JSON, or lacks a part.
    """
    content = read_object(path, HOW_TO_GET)
    for key, kind in KEYS.items():
        if not isinstance(content.get(key), kind):
            problem = f"is not a game file: '{key}' is missing or no {kind.__name__}."
            raise DataError(path, problem, HOW_TO_GET)
    return content
