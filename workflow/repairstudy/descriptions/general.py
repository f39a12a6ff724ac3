"""Symptoms of any environment, from states, actions and the budget."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from repairstudy.descriptions.run import FailedRun
from repairstudy.descriptions.symptom import AGENT, BUDGET, Finding, Symptom

REPEATS = 3  # of one action in one state that make a loop
SWINGS = 4  # steps between two states that make a ping-pong
ROW = 3  # actions in a row that are not admissible, or change nothing


def exhausted_budget(run: FailedRun) -> Finding | None:
    """Every action that was allowed was taken."""
    last = len(run.actions) - 1
    if run.budget is None or len(run.actions) < run.budget:
        return None
    return Finding(last, last, f"all {run.budget} actions were used")


def ended_early(run: FailedRun) -> Finding | None:
    """The run ended with at least half of the budget left, by an action that was admissible."""
    taken = len(run.actions)
    if run.budget is None or 2 * taken > run.budget or not run.valid[-1]:
        return None
    return Finding(taken - 1, taken - 1, f"over after {taken} of {run.budget} actions")


def loop(run: FailedRun) -> Finding | None:
    """The same action in the same state, three times or more."""
    pairs = list(zip(run.signatures, run.actions, strict=True))
    pair, times = Counter(pairs).most_common(1)[0]
    if times < REPEATS:
        return None
    places = [t for t, seen in enumerate(pairs) if seen == pair]
    return Finding(places[0], places[-1], f"the same action in the same state {times} times")


def ping_pong(run: FailedRun) -> Finding | None:
    """To and fro between two states, for four steps or more."""
    states = run.signatures
    swings = [
        t >= 2 and states[t] == states[t - 2] and states[t] != states[t - 1]
        for t in range(len(states))
    ]
    for first, last in _rows(swings):
        if last - first + 3 >= SWINGS:
            return Finding(first - 2, last, "to and fro between two states")
    return None


def invalid_actions(run: FailedRun) -> Finding | None:
    """Three or more actions in a row that were not admissible."""
    return _in_a_row([not valid for valid in run.valid], "actions in a row not admissible")


def no_effect(run: FailedRun) -> Finding | None:
    """Three or more admissible actions in a row that left the state as it was."""
    idle = [
        valid and before == after
        for valid, before, after in zip(run.valid, run.signatures, run.signatures[1:], strict=False)
    ]
    return _in_a_row(idle, "admissible actions in a row that changed nothing")


def dead_end(run: FailedRun) -> Finding | None:
    """The goal was out of reach within the budget left, at a step where that was asked."""
    t = run.unreachable
    return None if t is None else Finding(t, t, "no way to the goal within the budget, from here")


def _in_a_row(holds: Sequence[bool], what: str) -> Finding | None:
    for first, last in _rows(holds):
        if last - first + 1 >= ROW:
            return Finding(first, last, f"{last - first + 1} {what}")
    return None


def _rows(holds: Sequence[bool]) -> Iterator[tuple[int, int]]:
    """(first, last) of each longest row of places where it holds."""
    first = None
    for place, here in enumerate([*holds, False]):
        if here and first is None:
            first = place
        elif not here and first is not None:
            yield first, place - 1
            first = None


GENERAL = (
    Symptom("exhausted_budget", BUDGET, "efficiency", exhausted_budget),
    Symptom("ended_early", AGENT, "caution", ended_early),
    Symptom("loop", AGENT, "memory", loop),
    Symptom("ping_pong", AGENT, "memory", ping_pong),
    Symptom("invalid_actions", AGENT, "format", invalid_actions),
    Symptom("no_effect", AGENT, "grounding", no_effect),
    Symptom("dead_end", AGENT, "foresight", dead_end),
)
