"""Halls with one fault each, by the check that is made for it."""

from __future__ import annotations

import time
from dataclasses import replace
from itertools import count

import numpy as np
from hall import HOLE, Hall

from repairstudy.environments import Outcome, Step

FAULTS: dict[str, list[type[Hall]]] = {}


def of(check):
    def planted(fault):
        FAULTS.setdefault(check, []).append(fault)
        return fault

    return planted


@of("offers what the protocol asks for")
class CannotDescribe(Hall):
    describe = property(doc="hasattr finds no such attribute")


@of("offers what the protocol asks for")
class AnotherVersionEachTime(Hall):
    made = count()

    def __init__(self):
        super().__init__()
        self.version = f"1.{next(self.made)}"


@of("offers what the protocol asks for")
class MayBeBlocking(Hall):
    blocking = "sometimes"


@of("offers what the protocol asks for")
class CannotBeMade(Hall):
    def __init__(self):
        raise OSError("no such file")


@of("tasks are different and in a fixed order")
class ListsATaskTwice(Hall):
    def tasks(self):
        return (*super().tasks(), "hall-3")


@of("tasks are different and in a fixed order")
class TurnsItsTasksAround(Hall):
    made = count()

    def __init__(self):
        super().__init__()
        self._backwards = next(self.made) % 2

    def tasks(self):
        return super().tasks()[:: -1 if self._backwards else 1]


@of("tasks are different and in a fixed order")
class LastPlayedFirst(Hall):
    def tasks(self):
        return tuple(sorted(super().tasks(), key=lambda task: task != self._task))


@of("tasks are different and in a fixed order")
class HasNoTasks(Hall):
    def tasks(self):
        return ()


@of("each task has a cluster")
class NumbersItsClusters(Hall):
    def cluster(self, task_id):
        return int(task_id[-1])


@of("each task has a cluster")
class ClustersByInstance(Hall):
    def cluster(self, task_id):
        return str(id(self))


@of("fresh instances are alike")
class TellsItsAge(Hall):
    made = count()

    def __init__(self):
        super().__init__()
        self._number = next(self.made)

    def describe(self):
        return f"hall number {self._number}, {super().describe()}"


@of("texts and actions are of the right kind")
class ListsActions(Hall):
    def admissible_actions(self):
        return list(super().admissible_actions())


@of("texts and actions are of the right kind")
class OffersTwice(Hall):
    def admissible_actions(self):
        offered = super().admissible_actions()
        return (*offered, *offered[:1])


@of("texts and actions are of the right kind")
class ShowsNumbers(Hall):
    def step(self, action):
        return replace(super().step(action), observation=self._room)


@of("texts and actions are of the right kind")
class DoneIsNumpy(Hall):
    def step(self, action):
        step = super().step(action)
        return replace(step, done=np.bool_(step.done))


@of("the instruction stays")
class CountsDown(Hall):
    def instruction(self):
        return f"Go {self._rooms[self._task] - self._room} rooms."


@of("offered actions are valid")
class LocksADoor(Hall):
    def step(self, action):
        if self._room == 0 and action == "back":
            return Step(self._seen(), False, False)
        return super().step(action)


@of("other actions change nothing")
class DoesSomethingElse(Hall):
    def step(self, action):
        if action in self.admissible_actions() or self._over():
            return super().step(action)
        return replace(super().step("back"), valid=False)


@of("other actions change nothing")
class AdmitsAnything(Hall):
    def step(self, action):
        return replace(super().step(action), valid=True)


@of("other actions change nothing")
class GivesUpOnNonsense(Hall):
    def step(self, action):
        step = super().step(action)
        return step if step.valid else replace(step, done=True)


@of("other actions change nothing")
class FinesNonsense(Hall):
    """No state shows the fine, but the score does."""

    def reset(self, task_id, seed=0):
        self._fine = 0.0
        return super().reset(task_id, seed)

    def step(self, action):
        step = super().step(action)
        self._fine += 0.1 * (not step.valid)
        return step

    def outcome(self):
        found = super().outcome()
        return Outcome(found.success, max(0.0, found.reward - self._fine))


@of("an end offers no actions, and only an end")
class OffersActionsAfterTheEnd(Hall):
    def admissible_actions(self):
        return super().admissible_actions() or ("forward",)


@of("an end offers no actions, and only an end")
class NeverSaysThatItIsOver(Hall):
    def step(self, action):
        return replace(super().step(action), done=False)


@of("outcomes are scores")
class CountsRooms(Hall):
    def outcome(self):
        return replace(super().outcome(), reward=float(self._room))


@of("outcomes are scores")
class ScoresNothingAsNan(Hall):
    def outcome(self):
        found = super().outcome()
        return found if found.success else replace(found, reward=float("nan"))


@of("outcomes are scores")
class SuccessIsNumpy(Hall):
    def outcome(self):
        found = super().outcome()
        return replace(found, success=np.bool_(found.success))


@of("prefixes are replayed as in rollouts")
class RemembersTheLastEpisode(Hall):
    """A fresh instance starts in room 0, one that was used where it fell or stood."""

    def reset(self, task_id, seed=0):
        room = self._room
        super().reset(task_id, seed)
        self._room = 1 if room > 1 else 0
        return self._seen()


@of("snapshots are exact")
class SharesItsState(Hall):
    """The snapshot is the state itself, which the next action changes."""

    def reset(self, task_id, seed=0):
        self._kept = {}
        return super().reset(task_id, seed)

    def snapshot(self):
        self._kept |= {"task": self._task, "room": self._room}
        return self._kept

    def restore(self, snapshot):
        self._task, self._room = snapshot["task"], snapshot["room"]


@of("snapshots are exact")
class RestoresItsOwnAlone(Hall):
    """Snapshots are numbers of states that the instance itself remembers."""

    def __init__(self):
        super().__init__()
        self._known = []

    def snapshot(self):
        self._known.append((self._task, self._room))
        return len(self._known) - 1

    def restore(self, snapshot):
        self._task, self._room = self._known[snapshot] if self._known else ("hall-3", 0)


@of("signatures tell states apart")
class SignsEverySecondRoom(Hall):
    def signature(self):
        return f"{self._task} {self._room // 2}"


@of("signatures tell states apart")
class HidesWhatItSigns(Hall):
    """Going back once opens a trapdoor that nothing shows; the third room ends there."""

    def reset(self, task_id, seed=0):
        self._open = False
        return super().reset(task_id, seed)

    def step(self, action):
        self._open |= action == "back"
        step = super().step(action)
        if self._open and self._room == 2:
            self._room = HOLE
            step = Step(self._seen(), True, step.valid)
        return step

    def snapshot(self):
        return *super().snapshot(), self._open

    def restore(self, snapshot):
        *rest, self._open = snapshot
        super().restore(rest)


@of("listed states agree with playing")
class SeesOtherStates(Hall):
    def initial(self, task_id):
        return task_id, 1


@of("listed states agree with playing")
class LosesProbability(Hall):
    def transitions(self, state, action):
        return tuple((0.5 * p, after) for p, after in super().transitions(state, action))


@of("listed states agree with playing")
class LeadsElsewhere(Hall):
    def transitions(self, state, action):
        return ((1.0, state),)


@of("plans and solvability agree")
class PlansShort(Hall):
    def plan(self):
        return super().plan() and super().plan()[1:]


@of("plans and solvability agree")
class PlansTheImpossible(Hall):
    def plan(self):
        plan = super().plan()
        return ("open the door", *plan) if plan else plan


@of("plans and solvability agree")
class AlwaysSolvable(Hall):
    def solvable(self, budget):
        return True


@of("plans and solvability agree")
class SolvableInAHurry(Hall):
    def solvable(self, budget):
        return super().solvable(budget) and budget < 100


@of("plans and solvability agree")
class WalksWhilePlanning(Hall):
    def plan(self):
        plan = super().plan()
        for action in plan or ():
            self.step(action)
        return plan


@of("threads see the same")
class OneDeskForAll(Hall):
    """A step is worked out on a desk that all instances share."""

    desk = 0

    def step(self, action):
        OneDeskForAll.desk = self._room
        time.sleep(0.0005)
        self._room = OneDeskForAll.desk
        return super().step(action)


@of("threads see the same")
class KnowsByTrying(Hall):
    def knows(self, action):
        self.step(action)
        return True


@of("another process sees the same")
class SignsWithHash(Hall):
    """Python's hash of a text is another one in each process."""

    def signature(self):
        return str(hash((self._task, self._room)))


@of("does nothing: rejected")
class AlwaysSucceeds(Hall):
    def outcome(self):
        return Outcome(True, 1.0)
