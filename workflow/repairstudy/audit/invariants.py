"""What scoring must never do, whatever the environment. Every check uses instances of its own.

Each is a function of the ground that yields one item a thing it looked at: None, or the problem.
"""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import NamedTuple

from repairstudy.audit.faults import Faults
from repairstudy.audit.findings import Problems
from repairstudy.audit.ground import Ground
from repairstudy.audit.observing import Moment, Spot, Track, difference, go, look, planned, track
from repairstudy.audit.variants import NOTHING, shuffled
from repairstudy.environments import Environment, Outcome
from repairstudy.records import generator

IN_A_ROW = 12  # times that a state is scored without anything in between


def comparable(ground: Ground) -> Problems:
    """Two fresh instances that do the same show the same: else nothing below means anything."""
    for episode in ground.tracks:
        again = track(ground.make(), episode.task_id, episode.actions)
        place = next((n for n, pair in enumerate(zip(again.moments, episode.moments, strict=False))
                      if pair[0] != pair[1]), None)  # fmt: skip
        if place is not None:
            changed = difference(again.moments[place], episode.moments[place])
            yield f"{episode.spot(place)}: {changed}"
        elif again != episode:
            yield f"{episode.spot(len(episode.steps))}: other observations"
        else:
            yield None


def state_preserved(ground: Ground) -> Problems:
    """An episode that is scored at every state shows what it shows when it is never scored."""
    for episode in ground.tracks:
        environment, spare = ground.make(), ground.make()
        if environment.reset(episode.task_id) != episode.first:
            yield f"{episode.task_id}: another first observation"
        for place, moment in enumerate(episode.moments):
            for _ in range(1 + place % 3):
                environment.outcome()
            changed = difference(look(environment), moment)
            if changed is None:
                spare.restore(environment.snapshot())
                kept = difference(look(spare), moment)
                changed = kept and f"in its snapshot {kept}"
            if changed is None and place < len(episode.steps):
                step = environment.step(episode.actions[place])
                if step != episode.steps[place]:
                    changed = f"the next action shows {step}, was {episode.steps[place]}"
            yield None if changed is None else f"{episode.spot(place)}: {changed}"
            if changed is not None:
                break  # what follows is another episode


def same_when_asked_twice(ground: Ground) -> Problems:
    """Asking again, reading, planning and restoring the same state change no answer."""
    environment = ground.make()
    for spot in ground.spots:
        go(environment, spot)
        answers = [environment.outcome() for _ in range(IN_A_ROW)]
        kept = environment.snapshot()
        look(environment)
        answers.append(environment.outcome())
        environment.restore(kept)
        answers.append(environment.outcome())
        if spot in ground.ends:  # plans may take long
            planned(environment)
            environment.restore(kept)
            answers.append(environment.outcome())
        yield _unequal(spot, answers[1:], answers[0])


def order_of_no_account(ground: Ground) -> Problems:
    """Each state's answer is that of an instance which is asked nothing else.

    Whatever came before: states of any task in both directions and shuffled, by replay and by
    restoring, every state of the episode so far, another instance that stands elsewhere, and
    another thread.
    """
    spots = list(ground.spots)
    mixed = shuffled(spots, generator("audit order", ground.sample.seed, ground.name))
    one = ground.make()
    for order in (spots, spots[::-1], mixed):
        for spot in order:
            go(one, spot)
            yield _unequal(spot, [one.outcome()], ground.lone[spot])
    yield from _restored(ground, [*mixed, *spots[::-1]])
    yield from _scored_on_the_way(ground)
    yield from _beside_another(ground, mixed)


def _restored(ground: Ground, order: list[Spot]) -> Problems:
    environment, snapshots = ground.make(), {}
    for spot in ground.spots:
        go(environment, spot)
        snapshots[spot] = environment.snapshot()
    for spot in order:
        environment.restore(snapshots[spot])
        yield _unequal(spot, [environment.outcome()], ground.lone[spot])


def _scored_on_the_way(ground: Ground) -> Problems:
    environment = ground.make()
    for episode in ground.tracks:
        environment.reset(episode.task_id)
        for place in range(len(episode.moments)):
            answer, spot = environment.outcome(), episode.spot(place)
            if spot in ground.lone:
                yield _unequal(spot, [answer], ground.lone[spot])
            if place < len(episode.steps):
                environment.step(episode.actions[place])


def _beside_another(ground: Ground, order: list[Spot]) -> Problems:
    """Two instances stand at different states; the second may live in a thread of its own."""
    one, other = ground.make(), ground.make()
    with ThreadPoolExecutor(1) as thread:
        for spot, next_spot in zip(order, order[1:] + order[:1], strict=True):
            for apart in (False, True):
                go(one, spot)
                if apart:
                    thread.submit(go, other, next_spot).result()
                    answers = [one.outcome(), thread.submit(other.outcome).result()]
                else:
                    go(other, next_spot)
                    answers = [one.outcome(), other.outcome()]
                yield _unequal(spot, answers[:1], ground.lone[spot])
                yield _unequal(next_spot, answers[1:], ground.lone[next_spot])
            yield _unequal(spot, [thread.submit(one.outcome).result()], ground.lone[spot])


def errors_come_out(ground: Ground) -> Problems:
    """An exception in scoring reaches the caller: what is answered instead would be invented."""
    for failures in _failures(ground):
        yield from failures.answers


def state_restored_after_errors(ground: Ground) -> Problems:
    """After an exception in scoring the state and its answer are what they were."""
    for failures in _failures(ground):
        yield failures.changed


class Failures(NamedTuple):
    """What came of the exceptions planted into scoring one state.

    Attributes:
        answers: one item an exception: None, or what was answered in its place.
        changed: how the state differs afterwards.
    """

    answers: list[str | None]
    changed: str | None


@lru_cache(maxsize=1)
def _failures(ground: Ground) -> list[Failures]:
    """Made once for both checks: what the first scoring remembers is not run a second time."""
    moments = {e.spot(p): m for e in ground.tracks for p, m in enumerate(e.moments)}
    return [_failures_at(ground, spot, moments[spot]) for spot in ground.ends]


def _failures_at(ground: Ground, spot: Spot, moment: Moment) -> Failures:
    environment = ground.make()
    go(environment, spot)
    faults = Faults(tuple(getattr(environment, "handled_errors", ())))
    answers, changed = list[str | None](), None
    while (fault := faults.call(environment.outcome)).place is not None:
        silent = fault.outcome is not None
        answers.append(f"{spot}: {fault.place} gave {fault.outcome}" if silent else None)
        if environment.signature() != moment.signature:
            changed = changed or difference(look(environment), moment) or "another signature"
    changed = changed or difference(look(environment), moment)
    changed = changed or _unequal(spot, [environment.outcome()], ground.lone[spot])
    return Failures(answers, changed and f"{spot}: {changed}")


def end_stays_the_agents(ground: Ground) -> Problems:
    """Where an episode ended it stays: scored or not, whatever is tried afterwards."""
    for episode in ground.tracks:
        environment = ground.make()
        go(environment, episode.spot(len(episode.steps)))
        for _ in range(3):
            environment.outcome()
        changed = difference(look(environment), episode.moments[-1])
        changed = changed or _goes_on(ground, environment, episode)
        yield changed and f"{episode.spot(len(episode.steps))}: {changed}"


def _goes_on(ground: Ground, environment: Environment, episode: Track) -> str | None:
    """What differs when actions are tried after the end, from an episode that was never scored."""
    never_scored = ground.make()
    go(never_scored, episode.spot(len(episode.steps)))
    for action in (NOTHING, *episode.actions[:1], *episode.moments[-1].admissible[:1]):
        now, before = environment.step(action), never_scored.step(action)
        if now != before:
            return f"'{action}' afterwards shows {now}, was {before}"
    return difference(look(environment), look(never_scored))


def _unequal(spot: Spot, answers: Iterable[Outcome], expected: Outcome) -> str | None:
    for answer in answers:
        if answer != expected:
            return f"{spot}: {answer}, was {expected}"
    return None
