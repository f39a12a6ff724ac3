"""A world that offers all that can be checked: rooms in a row, and a hole that ends the episode."""

from __future__ import annotations

from corridor import Corridor

from repairstudy.environments import Outcome
from repairstudy.environments.exact import StateView

ACTIONS = ("back", "forward", "jump")
HOLE = -1


class Hall(Corridor):
    name = "hall"
    blocking = True  # it does not wait for anything, but its threads are to be checked

    def admissible_actions(self):
        return self.view(self.state()).admissible

    def outcome(self):
        return self.view(self.state()).outcome

    def plan(self):
        return None if self._room == HOLE else super().plan()

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
        solved = room == self._rooms[task_id]
        admissible = () if solved or room == HOLE else ACTIONS
        return StateView(f"You are in room {room}.", admissible, Outcome(solved, float(solved)))

    def transitions(self, state, action):
        task_id, room = state
        return ((1.0, (task_id, self._after(room, action))),)

    def _after(self, room, action):
        return HOLE if action == "jump" else super()._after(room, action)

    def _over(self):
        return not self.view(self.state()).admissible

    def _seen(self):
        return self.view(self.state()).observation
