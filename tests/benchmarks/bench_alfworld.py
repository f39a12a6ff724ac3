"""ALFWorld's engine beside the unmodified environment: steps, resets, restores.

Both play the same actions, the unmodified one in a fresh process, and must show the same. All
times are CPU seconds.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path
from statistics import mean
from typing import Any

GAMES = 3
PREFIX, CANDIDATES, ROLLOUTS, STEPS, LONG = 10, 7, 10, 20, 30
COMPARED = 1  # rollouts of each game that the unmodified environment plays too
CHECKED = 1  # of its candidates


def clock() -> float:
    return time.process_time()


def walk(engine: Any, choose: random.Random, steps: int) -> tuple[list[str], list[Any]]:
    """Random admissible actions; they and what they showed."""
    actions, points = [], []
    position = engine.position
    while len(actions) < steps and not position.won:
        actions.append(choose.choice(position.admissible))
        position = engine.step(actions[-1])
        points.append(position)
    return actions, points


def measure(engine: Any, game: Path, seed: int) -> tuple[dict[str, list[float]], list[Any]]:
    """Times by what was done; and actions from the start with what each must show."""
    choose, times, jobs = random.Random(seed), {}, []
    start = clock()
    first = engine.open(game)
    times["open"] = [clock() - start]

    start = clock()
    prefix, shown = walk(engine, choose, PREFIX)
    times["cold"] = [(clock() - start) / len(prefix)]
    end = engine.position
    candidates = choose.sample(end.admissible, CANDIDATES)
    steps, spent = 0, 0.0
    for rollout in range(ROLLOUTS):
        for number, candidate in enumerate(candidates):
            start = clock()
            engine.go_to(end.signature)
            points = [engine.step(candidate)]
            actions, following = walk(engine, choose, STEPS)
            spent += clock() - start
            steps += 1 + len(actions)
            if rollout < COMPARED and number < CHECKED:
                jobs.append(([*prefix, candidate, *actions], [first, *shown, *points, *following]))
    times["warm"] = [spent / steps]

    engine.open(game)
    walk(engine, choose, LONG)
    far = engine.position.signature
    times["reset"], times["restore"] = [], []
    for _ in range(100):
        start = clock()
        engine.open(game)
        middle = clock()
        engine.go_to(far)
        times["reset"].append(middle - start)
        times["restore"].append(clock() - middle)
    return times, [(game, actions, points) for actions, points in jobs]


def check(points: list[Any], original: dict[str, Any]) -> int:
    """How many points were compared; fails where they differ."""
    for ours, (observation, admissible, score, won) in zip(points, original["points"], strict=True):
        theirs = (observation, tuple(a for a in admissible if a != "help"), won, score)
        assert (ours.observation, ours.admissible, ours.won, int(ours.won)) == theirs
    return len(points)


def run() -> list[dict[str, Any]]:
    """The figures `alfworld_step_ratio`, `alfworld_cold_step_ratio`, `alfworld_reset_ratio`,
    `alfworld_open_ratio` and `alfworld_restore_ratio`: the unmodified environment's time over ours.
    """
    if find_spec("textworld") is None:
        print("alfworld: requirements/alfworld.lock is not installed", file=sys.stderr)
        return []
    sys.path.insert(0, str(Path(__file__).parents[1] / "environments/alfworld"))
    from original import play
    from real_games import official_games

    from repairstudy.environments.alfworld.engine import Engine
    from repairstudy.environments.alfworld.generate import generate

    with tempfile.TemporaryDirectory() as folder:
        games = official_games()
        games = games[len(games) // (2 * GAMES) :: max(1, len(games) // GAMES)][:GAMES]
        games = games or list(generate(Path(folder) / "g", "train", GAMES, scenes=3, seed=0))
        engine = Engine(Path(folder) / "translations")
        for game in games:  # translate all, as preparing a study does
            engine.open(game)
        results = [measure(engine, game, seed) for seed, game in enumerate(games)]
    jobs = [job for _, played in results for job in played]
    originals = play([(game, actions) for game, actions, _ in jobs])
    compared = sum(
        check(points, original) for (_, _, points), original in zip(jobs, originals, strict=True)
    )
    ours = {
        name: mean(value for times, _ in results for value in times[name])
        for name in ("open", "cold", "warm", "reset", "restore")
    }
    step = mean(value for original in originals for value in original["steps"])
    reset = mean(original["reset"] for original in originals)
    load = mean(original["load"] for original in originals)
    workload = f"{CANDIDATES} candidates x {ROLLOUTS} rollouts of {STEPS} random steps"
    rows = [
        ("step", step, ours["warm"], f"a step; {workload} from one prefix"),
        ("cold_step", step, ours["cold"], f"a step of the first {PREFIX} in a game"),
        ("reset", reset, ours["reset"], "back to the start of the open game"),
        ("open", load + reset, ours["open"], "to the start of another game, translated before"),
        (
            "restore",
            reset + LONG * step,
            ours["restore"],
            f"to a state {LONG} steps from the start",
        ),
    ]
    return [
        {
            "figure": f"alfworld_{name}_ratio",
            "value": round(theirs / mine, 1),
            "unit": f"times faster: {what}, {1000 * mine:.3g} ms",
            "baseline": f"unmodified environment, {len(games)} games: {1000 * theirs:.0f} ms; "
            f"{compared} points equal in text, actions, score",
            "ratio": round(theirs / mine, 1),
        }
        for name, theirs, mine, what in rows
    ]


if __name__ == "__main__":
    for line in run():
        print(json.dumps(line))
