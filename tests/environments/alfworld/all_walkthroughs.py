"""Every official game at hand is won by its own walkthrough, and by a plan as long.

``python tests/environments/alfworld/all_walkthroughs.py [FOLDER [EVERY]]``: FOLDER keeps the
translations (without it they are made anew, a second or two a game); only each EVERY-th game is
played. Prints each game it is at, at the end one JSON object, and fails if a game is not won.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from pathlib import Path

from real_games import official_games

from repairstudy.environments.alfworld.engine import Engine


def main(folder: str | None = None, every: str = "1") -> int:
    engine, start = Engine(Path(folder) if folder else None), time.monotonic()
    games = official_games(two_objects=True)[:: int(every)]
    not_won, not_planned, longer, seconds = [], [], [], 0.0
    for number, game in enumerate(games, start=1):
        print(f"{number}/{len(games)} {game.parent}", file=sys.stderr)
        walkthrough = json.loads(game.read_text(encoding="utf-8"))["walkthrough"]
        engine.open(game)
        if not [engine.step(action) for action in walkthrough][-1].won:
            not_won.append(str(game))
        first = engine.open(game)
        before = time.monotonic()
        plan = engine.plan(60.0)
        seconds = max(seconds, time.monotonic() - before)
        if not plan or not [engine.step(action) for action in plan][-1].won:
            not_planned.append(str(game))
        elif len(plan) != len(walkthrough):
            longer.append((str(game), len(plan), len(walkthrough)))
        engine.go_to(first.signature)
    result = {
        "games": len(games),
        "won": len(games) - len(not_won),
        "won by a plan": len(games) - len(not_planned),
        "plan of another length": longer,
        "longest planning, s": round(seconds, 1),
        "not won": not_won + not_planned,
        "seconds": round(time.monotonic() - start),
        "peak memory, MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }
    print(json.dumps(result, indent=1))
    return 1 if not_won or not_planned else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
