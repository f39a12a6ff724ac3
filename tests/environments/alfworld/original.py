"""The unmodified environment, played in a process of its own.

As a script: reads ``[[game file, [action, ...]], ...]`` from its input and writes one JSON object
a game: what was shown at each point, and how long everything took. It imports nothing of ours.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

Job = tuple[Path, Sequence[str]]


def play(jobs: Sequence[Job]) -> list[dict[str, Any]]:
    """Play each game's actions in a fresh process.

    Returns:
        A game's `points` (observation, admissible commands, score, won), one for the start and one
        an action, and its CPU seconds: `load`, `reset`, `steps` (one an action).
    """
    with tempfile.TemporaryDirectory() as home:  # the package makes a folder in the user's home
        run = subprocess.run(
            [sys.executable, __file__],
            input=json.dumps([[str(game), list(actions)] for game, actions in jobs]),
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "HOME": home, "ALFWORLD_DATA": home},
        )
    if run.returncode:
        raise RuntimeError(run.stderr)
    return [json.loads(line) for line in run.stdout.splitlines()]


def _main() -> None:
    import textworld
    from alfworld.agents.utils.misc import Demangler
    from textworld.envs.pddl import PddlEnv

    infos = textworld.EnvInfos(feedback=True, admissible_commands=True, won=True, score=True)
    environment = PddlEnv(infos)
    clock = time.process_time
    for game, actions in json.load(sys.stdin):
        start = clock()
        environment.load(game)
        names = Demangler(game_infos=environment._entity_infos, shuffle=False)
        for info in environment._entity_infos.values():
            info.name = names.demangle_alfred_name(info.id)
        loaded = clock()
        state = environment.reset()
        ready = clock()
        points = [[state["feedback"], state["admissible_commands"], 0, state["won"]]]
        steps = []
        for action in actions:
            before = clock()
            state, score, _ = environment.step(action)
            steps.append(clock() - before)
            points.append([state["feedback"], state["admissible_commands"], score, state["won"]])
        print(
            json.dumps(
                {"points": points, "load": loaded - start, "reset": ready - loaded, "steps": steps}
            ),
            flush=True,
        )
    sys.stdout.flush()
    os._exit(0)  # not through the library's own end


if __name__ == "__main__":
    _main()
