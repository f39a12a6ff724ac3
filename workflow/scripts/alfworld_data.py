"""Put ALFWorld's games in place, or make small ones of our own.

    python workflow/scripts/alfworld_data.py official --out resources/alfworld/official
    python workflow/scripts/alfworld_data.py generate --out resources/alfworld/generated \
        --games train=60 valid_unseen=30 --scenes 6 --seed 0

Official games are taken from the folder of --source, or of $ALFWORLD_DATA (where ALFWorld's own
download puts them), or from $REPAIRSTUDY_DATA/alfworld, or else downloaded by ALFWorld's
`alfworld-download`. They are checked against the sums of resources/alfworld.sha256.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from repairstudy.environments.alfworld.games import find_games
from repairstudy.environments.alfworld.generate import check_walkthroughs, generate
from repairstudy.environments.alfworld.placing import (
    MANIFEST,
    check_sums,
    finish,
    game_sums,
    place_games,
    read_sums,
)
from repairstudy.errors import DataError, StudyError

ARCHIVE = "https://github.com/alfworld/alfworld/releases/download/0.4.0/json_2.1.2_tw-pddl.zip"
HELP = (
    f"Fetch {ARCHIVE} and unpack it; then set ALFWORLD_DATA to the folder that holds its "
    f"json_2.1.1 (or give that folder as --source) and run this again."
)


def official(out: Path, source: Path | None, sums: Path, unchecked: bool) -> None:
    """Find the official games, check them and copy them to `out`."""
    found = source or _named_folder()
    if found is not None:
        _place(found, out, sums, unchecked)
        return
    with tempfile.TemporaryDirectory() as folder:
        _download(Path(folder))
        _place(Path(folder), out, sums, unchecked)


def _named_folder() -> Path | None:
    """The folder that the user's settings name, if any; it need not exist."""
    if os.environ.get("ALFWORLD_DATA"):
        return Path(os.environ["ALFWORLD_DATA"])
    if os.environ.get("REPAIRSTUDY_DATA"):
        folder = Path(os.environ["REPAIRSTUDY_DATA"]) / "alfworld"
        return folder if folder.is_dir() else None
    return None


def _download(folder: Path) -> None:
    tool = shutil.which("alfworld-download", path=str(Path(sys.executable).parent))
    looked = "No --source is given, and ALFWORLD_DATA and $REPAIRSTUDY_DATA/alfworld name no folder"
    if tool is None:
        raise DataError("official games", f"not found. {looked}.", HELP)
    command = [sys.executable, tool, "--data-dir", str(folder)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode:
        said = done.stderr.strip().splitlines() or ["no message"]
        raise DataError(
            "official games", f"not found. {looked}; alfworld-download failed: {said[-1]}.", HELP
        )


def _place(source: Path, out: Path, sums: Path, unchecked: bool) -> None:
    try:
        found = game_sums(source)
    except DataError as error:
        raise DataError(error.path, error.problem, HELP) from None
    expected = read_sums(sums)
    if not unchecked:
        check_sums(source, found, expected)
    place_games(source, out, found)
    checked = 0 if unchecked else len(expected)
    print(f"alfworld_data: {out}: {len(found)} games, {checked} of them checked against {sums}")


def generated(out: Path, games: dict[str, int], scenes: int, seed: int) -> None:
    """Write games of our own to `out` and win each by its walkthrough."""
    from repairstudy.environments.alfworld.engine import Engine

    if out.is_dir() and any(out.iterdir()) and not (out / MANIFEST).is_file():
        raise DataError(out, "holds something else than games.", "Move it away first.")
    shutil.rmtree(out, ignore_errors=True)
    for split, count in games.items():
        generate(out, split, count, scenes, seed)
    check_walkthroughs(find_games(out), Engine(None))
    finish(out)
    print(f"alfworld_data: {out}: {sum(games.values())} games, each won by its walkthrough")


def _count(text: str) -> tuple[str, int]:
    split, _, count = text.partition("=")
    return split, int(count)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    for_official = commands.add_parser("official", help="put the official games in place")
    for_official.add_argument("--out", type=Path, required=True)
    for_official.add_argument("--source", type=Path, help="folder that holds json_2.1.1")
    for_official.add_argument("--sums", type=Path, default=Path("resources/alfworld.sha256"))
    for_official.add_argument(
        "--unchecked", action="store_true", help="take games whose sums are not the known ones"
    )
    for_own = commands.add_parser("generate", help="make games of our own")
    for_own.add_argument("--out", type=Path, required=True)
    for_own.add_argument(
        "--games", type=_count, nargs="+", required=True, metavar="SPLIT=N", help="e.g. train=60"
    )
    for_own.add_argument("--scenes", type=int, default=6, help="scenes of each split")
    for_own.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    try:
        if arguments.command == "official":
            official(arguments.out, arguments.source, arguments.sums, arguments.unchecked)
        else:
            generated(arguments.out, dict(arguments.games), arguments.scenes, arguments.seed)
    except StudyError as error:
        sys.exit(f"alfworld_data: {error}")
    # The planner library may crash at an ordinary exit, after all is written.
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
