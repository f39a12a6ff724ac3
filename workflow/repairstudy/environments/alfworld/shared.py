"""What the many environment instances of a process share: games, workers and what is remembered."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from pathlib import Path

from repairstudy.environments.alfworld.games import balanced, find_games, manifest
from repairstudy.environments.alfworld.memo import Memo
from repairstudy.environments.alfworld.options import Options
from repairstudy.environments.alfworld.position import Position
from repairstudy.environments.alfworld.workers import WorkerPool, shared_pool


@dataclass(frozen=True, slots=True)
class Start:
    """A game's task sentence and first position."""

    task: str
    position: Position


class Shared:
    """What all instances of a process with the same options have in common."""

    def __init__(self, options: Options) -> None:
        found = find_games(Path(options.games), options.splits, options.task_types)
        chosen = found if options.limit is None else balanced(found, options.limit)
        self.games = {game.task_id: game for game in chosen}
        self.sums = manifest(chosen)
        self.pool: WorkerPool = shared_pool(options.pool_settings())
        self.starts: Memo[str, Start] = Memo(len(chosen))
        self.transitions: Memo[tuple[str, str, str], Position] = Memo(options.memo)
        self.plans: Memo[tuple[str, str], tuple[str, ...] | None] = Memo(options.memo)


_SHARED: dict[Options, Shared] = {}
_SHARED_LOCK = threading.Lock()


def shared(options: Options) -> Shared:
    """The process's one. Raises DataError as `find_games` does."""
    with _SHARED_LOCK:
        if options not in _SHARED:
            _SHARED[options] = Shared(options)
        return _SHARED[options]
