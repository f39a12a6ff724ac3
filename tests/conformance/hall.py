"""A world that offers all that can be checked: rooms in a row, and a hole that ends the episode."""

from __future__ import annotations

import hashlib

from repairstudy.environments import Outcome, Step
from repairstudy.environments.exact import StateView

ACTIONS = ("back", "forward", "jump")
HOLE = -1


class Hall:
    name = "hall"
    version = "1"
    blocking = True  # it does not wait for anything, but its threads are to be checked

    def __init__(self) -> None:
        self._goals = {f"hall-{goal}": goal for goal in (3, 4, 5)}
        self._task, self._room = "", 0

    def tasks(self):
        return tuple(self._goals)

    def cluster(self, task_id):
        return task_id

    def reset(self, task_id, seed=0):
        self._task, self._room = task_id, 0
        return self._seen()

    def instruction(self):
        return f"Walk to room {self._goals[self._task]}."

    def admissible_actions(self):
        return self.view(self.state()).admissible

    def step(self, action):
        valid = action in self.admissible_actions()
        if valid:
            self._room = self._after(self._room, action)
        return Step(self._seen(), self._over(), valid)

    def outcome(self):
        return self.view(self.state()).outcome

    def signature(self):
        return hashlib.sha256(f"{self._task} {self._room}".encode()).hexdigest()

    def describe(self):
        return f"room {self._room} of {self._task}"

    def snapshot(self):
        return self._task, self._room

    def restore(self, snapshot):
        self._task, self._room = snapshot

    def plan(self):
        left = self._goals[self._task] - self._room
        return None if self._room == HOLE else ("forward",) * left

    def solvable(self, budget):
        plan = self.plan()
        return plan is not None and len(plan) <= budget

    def knows(self, action):
        return False

    def state(self):
        return self._task, self._room

    def initial(self, task_id):
        return task_id, 0

    def view(self, state):
        task_id, room = state
        solved = room == self._goals[task_id]
        admissible = () if solved or room == HOLE else ACTIONS
        return StateView(f"You are in room {room}.", admissible, Outcome(solved, float(solved)))

    def transitions(self, state, action):
        task_id, room = state
        return ((1.0, (task_id, self._after(room, action))),)

    def _after(self, room, action):
        return (
            HOLE if action == "jump" else max(0, room + {"back": -1, "forward": 1}.get(action, 0))
        )

    def _over(self):
        return not self.view(self.state()).admissible

    def _seen(self):
        return self.view(self.state()).observation
