"""Putting game files in place: whole, checked, read-only, with a manifest written last."""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from repairstudy.environments.alfworld.games import GAME_FILE, games_root
from repairstudy.environments.files import sha256_of
from repairstudy.errors import DataError

SPLITS = ("train", "valid_seen", "valid_unseen")
MANIFEST = "manifest.json"
NAMED = 3  # files that an error names


def read_sums(path: Path) -> dict[str, str]:
    """SHA-256 sums by relative path, from a file as `sha256sum` writes it.

    Raises:
        DataError: it cannot be read, or a line is not a sum and a path.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise DataError(path, f"cannot be read ({error.strerror}).") from error
    sums = {}
    for number, line in enumerate(lines, 1):
        match = re.fullmatch(r"([0-9a-f]{64})  (\S.*)", line)
        if match is None:
            raise DataError(path, f"line {number} is not a SHA-256 sum, two blanks and a path.")
        sums[match[2]] = match[1]
    return sums


def game_sums(folder: Path) -> dict[str, str]:
    """The sum of each game file of the official splits below a folder, by relative path, sorted.

    Raises:
        DataError: there is no such folder, or no game in it.
    """
    root = games_root(folder)
    paths = sorted(path for split in SPLITS for path in (root / split).glob(f"*/*/{GAME_FILE}"))
    if not paths:
        raise DataError(root, f"no {GAME_FILE} below {', '.join(SPLITS)}.")
    return {path.relative_to(root).as_posix(): sha256_of(path) for path in paths}


def check_sums(folder: Path, found: Mapping[str, str], expected: Mapping[str, str]) -> None:
    """Compare the sums of a folder's games with the known ones; others are not judged.

    Raises:
        DataError: a known game is missing or differs.
    """
    again = "Fetch the games again, from ALFWorld's release of 0.4.0 (json_2.1.2_tw-pddl.zip)."
    missing = sorted(path for path in expected if path not in found)
    if missing:
        raise DataError(folder, f"{_some(missing)} missing of {len(expected)} known games.", again)
    different = sorted(path for path, known in expected.items() if found[path] != known)
    if different:
        raise DataError(
            folder, f"the SHA-256 sum of {_some(different)} is not the official game's.", again
        )


def place_games(source: Path, target: Path, sums: Mapping[str, str]) -> None:
    """Copy the games into `target`, all or none, in place of what was placed there before.

    Raises:
        DataError: `target` holds something else.
    """
    root = games_root(source)
    if target.is_dir() and any(target.iterdir()) and not (target / MANIFEST).is_file():
        raise DataError(target, "holds something else than placed games.", "Move it away first.")
    target.parent.mkdir(parents=True, exist_ok=True)
    made = Path(tempfile.mkdtemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent))
    try:
        for path in sums:
            (made / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(root / path, made / path)
        finish(made)
        made.chmod(0o755)
        if target.is_dir():
            shutil.rmtree(target)
        made.rename(target)
    finally:
        shutil.rmtree(made, ignore_errors=True)


def finish(folder: Path) -> None:
    """Make a folder's games read-only, since many jobs read them, and write their manifest."""
    sums = game_sums(folder)
    for path in sums:
        (folder / path).chmod(0o444)
    text = json.dumps(sums, indent=0) + "\n"
    (folder / MANIFEST).write_text(text, encoding="utf-8")


def _some(paths: list[str]) -> str:
    shown = ", ".join(paths[:NAMED])
    return shown + (f" and {len(paths) - NAMED} more" if len(paths) > NAMED else "")
