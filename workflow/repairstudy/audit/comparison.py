"""Whether a planted defect makes any difference, found without the audit.

The sound environment and the one with the defect are made to do the same, step by step, and all
that they return and show is compared. The programs are run through completely: every state, every
ordered pair of states, every kind of failure. The states are all there are, where they are few
enough to be listed; else those that some part of the reference solution leads to, its actions in
their order; and some along long ways besides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import combinations, product
from typing import Any

from repairstudy.audit.defects import Wrapper, plant
from repairstudy.audit.ground import Make
from repairstudy.audit.observing import Spot, look, planned
from repairstudy.audit.variants import NOTHING, filled
from repairstudy.environments import Environment

MOST = 150  # states of a task that are listed
LONGEST = 7  # actions of a reference whose parts are listed
LONG_WAYS, LONG = 3, 12  # ways that go on and on, and their actions
FAILING = 3  # times that a state is scored while scoring fails
TIMES = 12  # that a state is scored in a row
FAILURES: tuple[type[BaseException], ...] = (
    RuntimeError, TimeoutError, KeyError, AttributeError, KeyboardInterrupt,
)  # fmt: skip


class Differs(Exception):
    """The message says where the two came apart."""


class Both:
    """A sound instance and one with the defect, told to do the same."""

    def __init__(self, sound: Environment, defective: Environment) -> None:
        self.two: tuple[Any, Any] = (sound, defective)

    def do(self, name: str, *arguments: Any) -> None:
        self._same(name, [_result(getattr(one, name), *arguments) for one in self.two])

    def go(self, spot: Spot) -> None:
        self.do("reset", spot.task_id)
        for action in spot.actions:
            self.do("step", action)

    def score(self, times: int = 1) -> None:
        for _ in range(times):
            self.do("outcome")

    def look(self) -> None:
        self._same("look", [look(one) for one in self.two])

    def snapshot(self) -> tuple[Any, Any]:
        return self.two[0].snapshot(), self.two[1].snapshot()

    def restore(self, kept: tuple[Any, Any]) -> None:
        for one, state in zip(self.two, kept, strict=True):
            one.restore(state)

    def fail(self, kind: type[BaseException], first: int, last: int) -> None:
        """Score while the innermost scorer raises, from its call number `first` to `last`.

        Where it raised the defect must raise too; where it was not asked, or did answer, the
        answer must be the sound one.
        """
        sound, defective = self.two
        right, broken = sound.outcome(), _Broken(defective.inner.outcome, kind, first, last)
        defective.inner.outcome = broken
        try:
            for _ in range(FAILING):
                before = broken.raised
                result = _result(defective.outcome)
                if broken.raised > before and not isinstance(result, type):
                    raise Differs(f"outcome: {result!r:.120} in place of {kind.__name__}")
                if broken.raised == before:
                    self._same("outcome while others fail", [right, result])
        finally:
            del defective.inner.outcome

    def _same(self, name: str, results: Sequence[Any]) -> None:
        if results[0] != results[1]:
            raise Differs(f"{name}: {results[1]!r:.120} in place of {results[0]!r:.120}")


def difference_of(defect: type[Wrapper], make: Make, tasks: Sequence[str]) -> str | None:
    """The first difference between a sound environment and one with the defect; None: none."""
    spots = [states_of(make, task) for task in tasks]
    pair = _pairs(defect, make, tasks)
    try:
        _side_by_side(pair, spots)
        for states in spots:
            _alone(pair, states)
            _on_the_way(pair, states)
            _when_it_fails(pair, states)
            _one_after_another(pair(), states)
    except Differs as where:
        return str(where)
    return None


def states_of(make: Make, task_id: str) -> list[Spot]:
    """States of a task, each by a way to it: the start first, a solution last if there is one."""
    environment = make()
    listed = _all_states(environment, task_id)
    environment.reset(task_id)
    plan = planned(environment) or ()
    if listed is None:
        listed = _parts(environment, task_id, plan)
    for number in range(LONG_WAYS):
        listed += _long_way(environment, task_id, number)
    if plan:
        listed = [spot for spot in listed if spot.actions != plan] + [Spot(task_id, plan)]
    return listed


def _long_way(environment: Environment, task_id: str, number: int) -> Iterator[Spot]:
    """The middle and the end of a way that takes the same one of the admissible actions again."""
    environment.reset(task_id)
    actions: list[str] = []
    while len(actions) < LONG and (offered := environment.admissible_actions()):
        action = offered[number % len(offered)]
        actions.append(filled(action, environment.instruction()))
        environment.step(actions[-1])
    for length in dict.fromkeys((min(len(actions), LONG // 2), len(actions))):
        yield Spot(task_id, tuple(actions[:length]))


def _all_states(environment: Environment, task_id: str) -> list[Spot] | None:
    """Breadth first; None: there are too many, or actions of free text."""
    environment.reset(task_id)
    found = {environment.signature(): Spot(task_id, ())}
    waiting = [(environment.snapshot(), Spot(task_id, ()))]
    for state, spot in waiting:  # the list grows while it is read
        environment.restore(state)
        for action in environment.admissible_actions():
            environment.restore(state)
            if "<" in action or len(found) > MOST:
                return None
            environment.step(action)
            if environment.signature() not in found:
                found[environment.signature()] = Spot(task_id, (*spot.actions, action))
                waiting.append((environment.snapshot(), found[environment.signature()]))
    return list(found.values())


def _parts(environment: Environment, task_id: str, plan: tuple[str, ...]) -> list[Spot]:
    """Every selection of a reference's actions; those that lead to the same look count once."""
    first = max(0, len(plan) - LONGEST)
    found: dict[Any, Spot] = {}
    for length in range(len(plan) - first + 1):
        for chosen in combinations(plan[first:], length):
            spot = Spot(task_id, (*plan[:first], *chosen))
            last = environment.reset(task_id)
            for action in spot.actions:
                last = environment.step(action).observation
            found.setdefault((environment.signature(), last), spot)
    return list(found.values())


def _pairs(defect: type[Wrapper], make: Make, tasks: Sequence[str]) -> Callable[[], Both]:
    planted = plant(defect, make, tasks)
    return lambda: Both(make(), planted())


def _alone(pair: Callable[[], Both], states: Sequence[Spot]) -> None:
    """Each state, scored and looked at again and again, and then left by every action."""
    for spot in states:
        both = pair()
        both.go(spot)
        for _ in range(TIMES):
            both.score()
            both.do("signature")
        both.look()
        kept = both.snapshot()
        for action in [*both.two[0].admissible_actions()[:4], NOTHING]:
            both.restore(kept)
            both.look()
            both.score(2)
            both.do("step", action)
            both.look()
            both.score()


def _on_the_way(pair: Callable[[], Both], states: Sequence[Spot]) -> None:
    """Each way to a state, scored at every step so many times."""
    for times, spot in product((1, 3), states):
        both = pair()
        both.do("reset", spot.task_id)
        for action in spot.actions:
            both.score(times)
            both.do("step", action)
            both.do("signature")
        both.score(times)
        both.look()


def _one_after_another(both: Both, states: Sequence[Spot]) -> None:
    """Each ordered pair of states by restoring; by replay those with a start or a solution."""
    kept = []
    for spot in states:
        both.go(spot)
        kept.append(both.snapshot())
    for pair in product(range(len(states)), repeat=2):
        for place in pair:
            both.restore(kept[place])
            both.score()
    for spot, other in product(states, _few(states)):
        for here in (spot, other, spot):
            both.go(here)
            both.score()


def _when_it_fails(pair: Callable[[], Both], states: Sequence[Spot]) -> None:
    """Each state while scoring fails, once or for ever, and after that."""
    for spot in states:
        both = pair()
        for kind, (first, last) in product(FAILURES, ((0, 0), (1, 1), (2, 2), (0, LONG))):
            both.go(spot)
            both.fail(kind, first, last)
            both.do("signature")
            both.score()
        both.look()


def _side_by_side(pair: Callable[[], Both], spots: Sequence[Sequence[Spot]]) -> None:
    """Two instances at starts, solutions and between, of all tasks; in one thread and in two."""
    chosen = [spot for states in spots for spot in _few(states)]
    one, other = pair(), pair()
    with ThreadPoolExecutor(1) as thread:
        for here, there in product(chosen, repeat=2):
            one.go(here)
            other.go(there)
            one.score()
            other.score()
            one.go(here)
            thread.submit(other.go, there).result()
            one.score()
            thread.submit(other.score).result()
            thread.submit(one.score).result()


def _few(states: Sequence[Spot]) -> Iterator[Spot]:
    for place in sorted({0, len(states) // 2, len(states) - 1}):
        yield states[place]


def _result(do: Callable[..., Any], *arguments: Any) -> Any:
    """What a call returns, or the kind of what it raises."""
    try:
        return do(*arguments)
    except BaseException as error:
        return type(error)


class _Broken:
    """A scorer that raises in its calls from number `first` to `last`, counted from 0."""

    def __init__(
        self, sound: Callable[[], Any], kind: type[BaseException], first: int, last: int
    ) -> None:
        self._sound, self._kind, self._failing = sound, kind, range(first, last + 1)
        self.calls = self.raised = 0

    def __call__(self) -> Any:
        self.calls += 1
        if self.calls - 1 in self._failing:
            self.raised += 1
            raise self._kind("broken by the comparison")
        return self._sound()
