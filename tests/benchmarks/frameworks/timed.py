"""What the loop of a framework measures and prints."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

from line import REPEATS, STEPS, Line


def timed(run: Callable[[int, Path], None], folder: Path) -> None:
    """Print the least CPU microseconds a step of some repeats, after one episode unmeasured."""
    episodes = int(sys.argv[1])
    run(1, folder)
    found = []
    for _ in range(REPEATS):
        before, start = Line.steps, time.process_time()
        run(episodes, folder)
        seconds, steps = time.process_time() - start, Line.steps - before
        if steps != episodes * STEPS:
            raise RuntimeError(f"{steps} steps instead of {episodes * STEPS}")
        found.append(seconds / steps * 1e6)
    print(json.dumps(min(found)))
