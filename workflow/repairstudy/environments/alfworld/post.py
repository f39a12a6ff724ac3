"""A worker's place in the pool: what it has to do and which games it has open."""

from __future__ import annotations

import threading
from collections import OrderedDict

from repairstudy.environments.alfworld.process import WorkerProcess

SWITCH_COST = 8  # opening a game costs about as much as answering this many requests


class Post:
    """A worker at its place: requests for it are made one after the other under its lock."""

    def __init__(self, process: WorkerProcess, open_games: int) -> None:
        self.process = process
        self.lock = threading.Lock()
        self.waiting = 0  # requests given to it and not yet answered
        self.left = False
        self._open_games = open_games
        self._open: OrderedDict[str, None] = OrderedDict()

    def note(self, game: str) -> None:
        """The worker has used this game: it forgets them in the same order."""
        self._open[game] = None
        self._open.move_to_end(game)
        while len(self._open) > self._open_games:
            self._open.popitem(last=False)

    def price(self, game: str) -> tuple[int, int]:
        """What giving it a request of this game costs, in requests; ties: who has less open."""
        return self.waiting + (0 if game in self._open else SWITCH_COST), len(self._open)
