"""The states that an audit looks at: of seeded tasks, along solutions and random walks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from repairstudy.audit.findings import NotApplicable
from repairstudy.audit.observing import Spot, Track, can_plan, go, planned, track
from repairstudy.audit.variants import Variant, filled, shuffled, variants
from repairstudy.environments import Environment, Outcome
from repairstudy.records import generator

Make = Callable[[], Environment]
ENDING_WALK = 1  # the number of the walk that ends early; those below it never end
TRIED = 8  # actions tried at a state for one that suits such a walk
SHORTENED = 4  # ways to leave one action of a reference out


@dataclass(frozen=True, slots=True)
class Sample:
    """How much of an environment is looked at.

    Attributes:
        tasks: how many tasks, drawn by seed; None is all.
        walks: random walks a task.
        length: most actions of a walk.
        seed: of the draws.
    """

    tasks: int | None = 12
    walks: int = 3
    length: int = 15
    seed: int = 0


class Ground:
    """An environment's states to look at, each known from an instance that never scored.

    Args:
        make: gives a fresh instance at every call.
    """

    def __init__(self, make: Make, sample: Sample) -> None:
        self.make, self.sample = make, sample
        self._guide = make()  # plans and walks, and never scores
        self.name = self._guide.name
        self.all_tasks = tuple(self._guide.tasks())
        self.tasks = _drawn(self.all_tasks, sample, self.name)

    @cached_property
    def references(self) -> dict[str, tuple[str, ...]]:
        """Reference solutions by task, where the environment has one; may be empty."""
        found = {}
        for task_id in self.tasks:
            self._guide.reset(task_id)
            plan = planned(self._guide)
            if plan and self._solvable(len(plan)):
                found[task_id] = plan
        return found

    def require_references(self) -> None:
        """Raises NotApplicable where no task has a reference solution."""
        if not can_plan(self._guide):
            raise NotApplicable("the environment has no plan(), hence no reference solution")
        if not self.references:
            raise NotApplicable("plan() solves none of these tasks")

    @cached_property
    def walks(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """(task, actions) of random walks over admissible actions.

        The first of a task never ends it, the second ends it unsolved where it can.
        """
        return tuple(
            (task, self._walk(task, number))
            for task in self.tasks
            for number in range(self.sample.walks)
        )

    @cached_property
    def shortened(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """(task, actions) of reference solutions with one action left out."""
        return tuple(
            (task, reference[:place] + reference[place + 1 :])
            for task, reference in self.references.items()
            for place in range(len(reference) - 1)[-SHORTENED:]
        )

    @cached_property
    def permitted(self) -> dict[str, tuple[Variant, ...]]:
        """Other solutions by task; without a reference those alone that the environment names."""
        found = {}
        for task_id in self.tasks:
            random = generator("audit variants", self.sample.seed, self.name, task_id)
            reference = self.references.get(task_id)
            found[task_id] = tuple(variants(self._guide, task_id, reference, random))
        return found

    @cached_property
    def tracks(self) -> tuple[Track, ...]:
        """The episodes, played by a fresh instance each that never scores."""
        played = [*self.references.items(), *self.walks, *self.shortened]
        played += [(task, found[1][1]) for task, found in self.permitted.items() if len(found) > 1]
        return tuple(track(self.make(), task, actions) for task, actions in sorted(set(played)))

    @cached_property
    def spots(self) -> tuple[Spot, ...]:
        """States of every episode, each once: start, middle, last but one, end, and that after as
        many actions as the reference has."""
        found = []
        for episode in self.tracks:
            length, solved = len(episode.steps), len(self.references.get(episode.task_id, ()))
            places = {0, length // 2, max(0, length - 1), length, min(solved, length)}
            found += [episode.spot(place) for place in sorted(places)]
        return tuple(dict.fromkeys(found))

    @cached_property
    def ends(self) -> tuple[Spot, ...]:
        """Starts and ends of episodes."""
        found = [episode.spot(p) for episode in self.tracks for p in (0, len(episode.steps))]
        return tuple(dict.fromkeys(found))

    @cached_property
    def lone(self) -> dict[Spot, Outcome]:
        """The answer at each spot of an instance that is asked nothing else."""
        answers = {}
        for spot in self.spots:
            environment = self.make()
            go(environment, spot)
            answers[spot] = environment.outcome()
        return answers

    def _solvable(self, length: int) -> bool:
        """Whether the environment itself says that its plan solves the task."""
        try:
            return bool(self._guide.solvable(length))
        except (AttributeError, NotImplementedError):
            return True  # it does not say

    def _walk(self, task_id: str, number: int) -> tuple[str, ...]:
        random = generator("audit walk", self.sample.seed, self.name, task_id, number)
        self._guide.reset(task_id)
        actions: list[str] = []
        while len(actions) < self.sample.length:
            offered = shuffled(self._guide.admissible_actions(), random)
            action = self._chosen(offered[:TRIED], number)
            if action is None:
                break
            actions.append(action)
            if self._guide.step(action).done:
                break
        return tuple(actions)

    def _chosen(self, offered: Sequence[str], number: int) -> str | None:
        """The first of the actions that suits the walk; None: it ends here."""
        actions = [filled(action, self._guide.instruction()) for action in offered]
        if number > ENDING_WALK:
            return actions[0] if actions else None
        here = self._guide.snapshot()
        for action in actions:
            self._guide.restore(here)
            done = self._guide.step(action).done
            lost = done and planned(self._guide) != ()
            self._guide.restore(here)
            if lost if number == ENDING_WALK else not done:
                return action
        return actions[0] if actions and number == ENDING_WALK else None


def _drawn(tasks: Sequence[str], sample: Sample, name: str) -> tuple[str, ...]:
    """A sample of the tasks, in their order."""
    if sample.tasks is None or sample.tasks >= len(tasks):
        return tuple(tasks)
    chosen = shuffled(tasks, generator("audit tasks", sample.seed, name))[: sample.tasks]
    return tuple(task for task in tasks if task in set(chosen))
