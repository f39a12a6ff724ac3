"""What the tests of ALFWorld's outer half share: pools of fake engines and folders of games."""

import json
import os
import time
from pathlib import Path

from repairstudy.environments.alfworld.process import WorkerSettings
from repairstudy.environments.alfworld.workers import PoolSettings

HERE = Path(__file__).parent


def settings(engine="Engine", open_games=4, **changes):
    """A pool of fake engines; this folder must be on the import path, as pytest puts it."""
    worker = WorkerSettings(engine=f"fake_engine:{engine}", open_games=open_games)
    return PoolSettings(**{"worker": worker, "size": 2, **changes})


def write_game(folder, name, length=5, task="reach the end."):
    """A game file that the fake engine can play; whole enough to be read as a real one."""
    path = Path(folder) / name / "game.tw-pddl"
    path.parent.mkdir(parents=True, exist_ok=True)
    content = {
        "pddl_domain": "",
        "grammar": "",
        "pddl_problem": "",
        "solvable": True,
        "walkthrough": ["right"] * length,
        "length": length,
        "task": task,
    }
    path.write_text(json.dumps(content))
    return path


def alive(pid):
    """Whether a process runs (a zombie does not)."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


def wait_until(condition, seconds=10.0):
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if condition():
            return True
        time.sleep(0.02)
    return False


def official():
    """The folder of official games, or None."""
    folder = Path(os.environ.get("REPAIRSTUDY_DATA", HERE.parents[3] / "shared/data")) / "alfworld"
    return folder if folder.is_dir() else None
