"""A user's own environment: a corridor of rooms, to be left by its last door.

It is as small as an environment can be that is audited in full. Tests take parts away from it.
"""

from __future__ import annotations

import hashlib

from repairstudy.environments import Outcome, Step


class Corridor:
    name = "corridor"
    version = "1"
    blocking = False

    def __init__(self, rooms: int = 3) -> None:
        self._rooms = {f"{self.name}-{n}": n for n in range(rooms, rooms + 3)}
        self._task, self._room = "", 0

    def tasks(self):
        return tuple(self._rooms)

    def cluster(self, task_id):
        return task_id

    def reset(self, task_id, seed=0):
        self._task, self._room = task_id, 0
        return self._seen()

    def instruction(self):
        return f"Walk to room {self._rooms[self._task]}."

    def admissible_actions(self):
        return () if self._over() else ("back", "forward", "look")

    def step(self, action):
        valid = action in self.admissible_actions()
        if valid:
            self._room = self._after(self._room, action)
        return Step(self._seen(), self._over(), valid)

    def outcome(self):
        solved = self._over()
        return Outcome(solved, float(solved))

    def signature(self):
        return hashlib.sha256(f"{self._task} {self._room}".encode()).hexdigest()

    def describe(self):
        return f"room {self._room} of {self._task}"

    def snapshot(self):
        return self._task, self._room

    def restore(self, snapshot):
        self._task, self._room = snapshot

    def plan(self):
        return ("forward",) * (self._rooms[self._task] - self._room)

    def _after(self, room, action):
        return max(0, room + {"back": -1, "forward": 1}.get(action, 0))

    def _over(self):
        return self._room == self._rooms[self._task]

    def _seen(self):
        return f"You are in room {self._room}."


class Unplanned(Corridor):
    """The same without a planner."""

    plan = property(doc="hasattr finds no such attribute")


class WithVariants(Unplanned):
    """It cannot plan, but it can name a solution."""

    def permitted_variants(self):
        return {"straight on": ("forward",) * self._rooms[self._task]}
