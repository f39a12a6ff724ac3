"""Memory and temporary disk space over many episodes of random play, a new game each time.

``python tests/environments/alfworld/many_episodes.py [FOLDER [EPISODES [GAMES]]]``: FOLDER keeps
the translations. Prints one JSON line a tenth of the way; fails if the last nine tenths take much.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

from real_games import official_games, wander

from repairstudy.environments.alfworld.engine import Engine

STEPS = 15
MAY_GROW = 100  # MB


def memory_mb() -> float:
    pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
    return int(pages) * os.sysconf("SC_PAGESIZE") / 2**20


def deleted_files_mb() -> float:
    """Files without a name that this process still holds, open or mapped."""
    sizes = {}
    for entry in Path("/proc/self/map_files").iterdir():
        if str(entry.readlink()).endswith("(deleted)"):
            state = entry.stat()
            sizes[state.st_dev, state.st_ino] = state.st_size
    return sum(sizes.values()) / 2**20


def main(folder: str | None = None, episodes: str = "1000", games: str = "40") -> int:
    engine, number = Engine(Path(folder) if folder else None), int(episodes)
    paths = official_games()[:: max(1, len(official_games()) // int(games))][: int(games)]
    start, sizes = time.process_time(), []
    for episode in range(1, number + 1):
        engine.open(paths[episode % len(paths)])
        for _ in wander(engine, STEPS, seed=episode):
            pass
        if episode % max(1, number // 10) == 0:
            sizes.append(memory_mb())
            line = {
                "episodes": episode,
                "games": min(episode, len(paths)),
                "memory_mb": round(sizes[-1], 1),
                "deleted_files_mb": round(deleted_files_mb(), 1),
                "cpu_s": round(time.process_time() - start, 1),
            }
            print(json.dumps(line), flush=True)
    return int(sizes[-1] - sizes[0] > MAY_GROW)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
