"""An engine without textworld: a corridor of numbered rooms, and ways to misbehave.

A game file is JSON with the corridor's `length` and `task`; "right" and "left" move, "wait" stays
and the game is won in the last room. "crash", "hang", "grow" and "raise" do so wherever they are
given; "crash once FILE" crashes only while FILE does not exist.
"""

import hashlib
import json
import os
import signal
import time
from pathlib import Path

from repairstudy.environments.alfworld.position import Position
from repairstudy.errors import ConfigError


class Engine:
    remembered = 1000

    def __init__(self, translations):
        self._ballast = []
        self._length = 0

    def open(self, game):
        content = json.loads(Path(game).read_text())
        self._name, self.task = str(game), content["task"]
        self._length, self._room = content["length"], 0
        self._known = {}
        return self._position("You stand in room 0.\n\nYour task is to: " + self.task)

    def knows(self, signature):
        return signature in self._known

    def go_to(self, signature):
        self._room = self._known[signature]
        return self._position("restored")

    def step(self, action):
        if action == "hang":
            time.sleep(1000)
        if action == "crash":
            os.kill(os.getpid(), signal.SIGSEGV)
        if action.startswith("crash once "):
            marker = Path(action.removeprefix("crash once "))
            if not marker.exists():
                marker.touch()
                os.kill(os.getpid(), signal.SIGSEGV)
        if action == "grow":
            self._ballast.append(b"x" * (40 << 20))
        if action == "raise":
            raise KeyError("lost")
        if action not in self._admissible():
            return self._position("Nothing happens.", valid=False)
        self._room += {"left": -1, "right": 1}.get(action, 0)
        return self._position(f"You stand in room {self._room}.")

    def plan(self, seconds):
        return ("right",) * (self._length - self._room)

    def describe(self):
        return f"room {self._room} of {self._length}, worker {os.getpid()}"

    def _admissible(self):
        moves = ["left"] * (self._room > 0) + ["right"] * (self._room < self._length)
        return (*moves, "wait", "crash", "hang", "grow", "raise")

    def _position(self, text, valid=True):
        signature = hashlib.sha256(f"{self._length} {self._room}".encode()).hexdigest()[:16]
        if len(self._known) >= self.remembered:
            self._known.clear()
        self._known[signature] = self._room
        return Position(text, self._admissible(), signature, self._room == self._length, valid)


class Forgetful(Engine):
    """Knows only the state it stands at."""

    remembered = 1


class Drifting(Engine):
    """Each process has states of its own: what must never happen."""

    remembered = 1

    def _position(self, text, valid=True):
        position = super()._position(text, valid)
        return Position(
            text, position.admissible, f"{position.signature}-{os.getpid()}", position.won, valid
        )


class Refusing:
    def __init__(self, translations):
        raise ConfigError("textworld 9.9 is installed; accepted: 1.7.0")


class Crashing:
    def __init__(self, translations):
        os.kill(os.getpid(), signal.SIGSEGV)
