"""What playing an episode must show. Each check is a function of the audit's ground.

It yields one item a thing it looked at: None, or the problem.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import isfinite
from typing import Any

from repairstudy.audit.findings import Problems
from repairstudy.audit.ground import Ground
from repairstudy.audit.observing import Moment, Spot, Track, difference, go, look
from repairstudy.audit.variants import NOTHING, filled, shuffled
from repairstudy.environments import Environment, Outcome, Step
from repairstudy.environments.forms import admits, closed
from repairstudy.records import generator

ACTIONS = 12  # offered actions tried at a state
ELSEWHERE = 4  # actions tried that are offered in other states alone


def kinds(ground: Ground) -> Problems:
    """Texts are texts; actions a tuple of different ones, on one line each."""
    environment = ground.make()
    for task_id in ground.tasks:
        environment.reset(task_id)
        offered: Any = environment.admissible_actions()
        wrong = None if isinstance(offered, tuple) else f"{type(offered).__name__}, no tuple"
        yield wrong and f"{Spot(task_id, ())}: the admissible actions are a {wrong}"
    for episode in ground.tracks:
        yield _no_text("the first observation", episode.first, episode.spot(0))
        for place, moment in enumerate(episode.moments):
            step = episode.steps[place - 1] if place else None
            yield _wrong_moment(moment, episode.spot(place)) or _wrong_step(
                step, episode.spot(place)
            )


def instruction_stays(ground: Ground) -> Problems:
    """The instruction is one over an episode."""
    for episode in ground.tracks:
        first = episode.moments[0].instruction
        others = [m.instruction for m in episode.moments if m.instruction != first]
        yield f"{episode.spot(0)}: {first!r:.80}, later {others[0]!r:.80}" if others else None


def ends_without_actions(ground: Ground) -> Problems:
    """No action is offered once a step said `done`, and some are before."""
    for episode in ground.tracks:
        for place, moment in enumerate(episode.moments):
            over = place > 0 and episode.steps[place - 1].done
            if over and moment.admissible:
                yield f"{episode.spot(place)}: it is over, but offers {moment.admissible[0]!r}"
            elif not over and not moment.admissible:
                yield f"{episode.spot(place)}: it is not over, but offers no action"
            else:
                yield None


def offered_actions_valid(ground: Ground) -> Problems:
    """What is offered can be done."""
    environment = ground.make()
    for spot in ground.spots:
        go(environment, spot)
        offered = environment.admissible_actions()
        random = generator("conformance actions", ground.sample.seed, ground.name, str(spot))
        for action in shuffled(offered, random)[:ACTIONS]:
            go(environment, spot)
            done = filled(action, environment.instruction())
            step = environment.step(done)
            yield None if step.valid else f"{spot}: {done!r} is offered, but was not valid"


def others_change_nothing(ground: Ground) -> Problems:
    """What is not offered is not valid and changes nothing."""
    moments = [moment for episode in ground.tracks for moment in episode.moments]
    known = dict.fromkeys(action for moment in moments for action in closed(moment.admissible))
    environment = ground.make()
    for episode in ground.tracks:
        for place in sorted({0, len(episode.steps) // 2, len(episode.steps)}):
            spot = episode.spot(place)
            offered = episode.moments[place].admissible
            elsewhere = [action for action in known if not admits(offered, action)]
            random = generator("conformance others", ground.sample.seed, ground.name, str(spot))
            for action in (NOTHING, "", *shuffled(elsewhere, random)[:ELSEWHERE]):
                go(environment, spot)
                changed = _did_something(environment, episode, place, action)
                if changed is None and environment.outcome() != ground.lone[spot]:
                    changed = "the outcome is then another"
                yield changed and f"{spot}: {action!r} is not offered, but {changed}"


def _did_something(environment: Environment, episode: Track, place: int, action: str) -> str | None:
    """What the action did, which is not offered at the place where the environment stands."""
    step = environment.step(action)
    over = place > 0 and episode.steps[place - 1].done
    if step.valid:
        return "was valid"
    if step.done != over:
        return f"its step says done={step.done}"
    return difference(look(environment), episode.moments[place])


def outcomes_are_scores(ground: Ground) -> Problems:
    """`success` is True or False, `reward` a number from 0 to 1."""
    environment = ground.make()
    for spot in ground.spots:
        go(environment, spot)
        found: Any = environment.outcome()
        if not isinstance(found, Outcome) or not isinstance(found.success, bool):
            yield f"{spot}: {found!r} is no Outcome with a success of True or False"
        elif not isinstance(found.reward, float | int) or not isfinite(found.reward):
            yield f"{spot}: the reward {found.reward!r} is no number"
        elif not 0.0 <= found.reward <= 1.0:
            yield f"{spot}: the reward {found.reward} is outside [0, 1]"
        else:
            yield None


def _wrong_moment(moment: Moment, spot: Spot) -> str | None:
    offered: Any = moment.admissible
    bad = [a for a in offered if not isinstance(a, str) or not a.strip() or "\n" in a]
    if bad:
        return f"{spot}: the action {bad[0]!r} is no text on one line"
    if len(set(offered)) < len(offered):
        return f"{spot}: an action is offered twice in {offered!r:.200}"
    if not moment.signature:
        return f"{spot}: the signature is empty"
    texts = {
        "signature": moment.signature,
        "instruction": moment.instruction,
        "description": moment.description,
    }
    return _first(_no_text(f"the {name}", text, spot) for name, text in texts.items())


def _wrong_step(step: Any, spot: Spot) -> str | None:
    if step is None:
        return None
    if not isinstance(step, Step):
        return f"{spot}: step() gave {step!r:.200}, no Step"
    for name in ("done", "valid"):
        if not isinstance(getattr(step, name), bool):
            return f"{spot}: {name} is {getattr(step, name)!r}, not True or False"
    return _no_text("the observation", step.observation, spot)


def _no_text(what: str, value: Any, spot: Spot) -> str | None:
    return None if isinstance(value, str) else f"{spot}: {what} is {value!r:.80}, no text"


def _first(problems: Iterable[str | None]) -> str | None:
    return next((problem for problem in problems if problem is not None), None)
