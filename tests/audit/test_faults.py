"""Where exceptions are planted in a scorer, and where they are not."""

from __future__ import annotations

import gc
import sys
import threading

import pytest
from corridor import Corridor

from repairstudy.audit import audit_environment
from repairstudy.audit.faults import KINDS, Faults
from repairstudy.environments import Outcome

RIGHT = Outcome(True, 1.0)


def all_faults(score, handled=()):
    """Every call until no line is left, the plain answer included."""
    faults, calls = Faults(handled), []
    while not calls or calls[-1].place is not None:
        calls.append(faults.call(score))
    return calls


def lines_of(calls):
    return {int(call.place.rpartition(":")[2]) for call in calls if call.place}


def test_an_exception_of_each_kind_is_planted_at_every_line():
    def score():
        number = 1
        if number == 2:
            number = 3
        return RIGHT

    calls = all_faults(score)
    first = score.__code__.co_firstlineno
    assert lines_of(calls) == {first + 1, first + 2, first + 4}  # one line is never executed
    assert len(calls) == 3 * len(KINDS) + 1
    assert all(call.outcome is None for call in calls[:-1])
    assert calls[-1].outcome == RIGHT


def test_lines_of_what_a_scorer_calls_count_too_but_not_the_standard_library():
    def helper(values):
        return sorted(values, key=str)

    def score():
        threading.Event().is_set()
        return Outcome(helper([2, 1]) == [1, 2], 1.0)

    places = [call.place for call in all_faults(score) if call.place]
    assert any(f":{helper.__code__.co_firstlineno + 1}" in place for place in places)
    assert not any("threading.py" in place for place in places)


def test_what_watches_the_collection_of_garbage_is_no_part_of_the_scorer(request):
    met = []

    def watch(phase, info):
        met.append(phase)

    def score():
        rings = [[] for _ in range(10)]
        for ring in rings:
            ring.append(ring)
        return RIGHT

    threshold = gc.get_threshold()
    request.addfinalizer(lambda: (gc.set_threshold(*threshold), gc.callbacks.remove(watch)))
    gc.callbacks.append(watch)
    gc.set_threshold(1)
    calls = all_faults(score)
    assert met  # between the calls
    assert all(call.outcome is None for call in calls[:-1])
    assert lines_of(calls) < set(range(score.__code__.co_firstlineno, 10_000))
    assert gc.isenabled()


@pytest.mark.parametrize(
    "kind", [Exception, TimeoutError, KeyError, ValueError, AttributeError, KeyboardInterrupt]
)
def test_a_handler_of_any_kind_is_met(kind):
    def score():
        try:
            answer = RIGHT
        except kind:
            answer = Outcome(False, 0.0)
        return answer

    calls = all_faults(score)
    assert any(call.place and call.outcome == Outcome(False, 0.0) for call in calls)


def test_what_is_handled_by_intention_is_not_planted():
    def score():
        try:
            answer = RIGHT
        except AttributeError:
            answer = Outcome(False, 0.0)
        return answer

    calls = all_faults(score, handled=(AttributeError,))
    assert all(call.outcome is None for call in calls[:-1])


def test_cleaning_up_is_left_alone():
    done = []

    def score():
        try:
            answer = RIGHT
        finally:
            done.append(1)
            done.append(2)
        return answer

    calls = all_faults(score)
    first = score.__code__.co_firstlineno
    assert lines_of(calls) == {first + 2, first + 6}
    assert done.count(1) == done.count(2)


def test_a_lock_is_open_again_after_an_exception():
    lock = threading.Lock()

    def score():
        with lock:
            return RIGHT

    assert all_faults(score)[-1].outcome == RIGHT
    assert not lock.locked()


def test_the_methods_of_an_environment_fail_as_a_whole():
    class World(Corridor):
        entered = 0

        def step(self, action):
            World.entered += 1
            return super().step(action)

    world = World()
    world.reset("corridor-3")

    def score():
        world.step("look")
        return RIGHT

    calls = all_faults(score)
    first = World.step.__code__.co_firstlineno
    assert first in lines_of(calls)
    assert first + 1 not in lines_of(calls)
    assert World.entered <= 1 + len(KINDS)


def test_a_tracer_that_was_there_before_is_there_afterwards():
    def mine(frame, event, argument):
        return None

    before = sys.gettrace()
    sys.settrace(mine)
    try:
        Faults().call(lambda: RIGHT)
        kept = sys.gettrace()
    finally:
        sys.settrace(before)
    assert kept is mine


def test_an_exception_of_the_scorers_own_is_not_mistaken_for_a_planted_one():
    def score():
        raise LookupError("its own")

    faults = Faults()
    for _ in KINDS:
        assert faults.call(score).place is not None
    with pytest.raises(LookupError, match="its own"):
        faults.call(score)


def test_an_environment_says_which_errors_it_handles_by_intention():
    class Careful(Corridor):
        def outcome(self):
            try:
                solved = {3: True}[self._room]
            except KeyError:
                solved = self._over()
            return Outcome(solved and self._over(), float(solved and self._over()))

    class Declared(Careful):
        handled_errors = (KeyError,)

    passed = [
        {f.check: f.passed for f in audit_environment(world)}["exceptions in scoring come out"]
        for world in (Careful, Declared)
    ]
    assert passed == [False, True]
