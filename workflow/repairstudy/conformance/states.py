"""What states must be good for: snapshots, signatures, replays of prefixes, exact values.

Each check is a function of the audit's ground that yields one item a thing it looked at: None, or
the problem.
"""

from __future__ import annotations

from typing import Any

from repairstudy.audit.findings import NotApplicable, Problems
from repairstudy.audit.ground import Ground
from repairstudy.audit.observing import Moment, Spot, Track, difference, look
from repairstudy.environments import Environment, Step
from repairstudy.errors import ReplayMismatch
from repairstudy.rollouts import RolloutSpec
from repairstudy.rollouts.world import EnvironmentCrash, World

LISTED = ("state", "initial", "view", "transitions")  # what `environments.exact` needs more


def prefixes_replayed(ground: Ground) -> Problems:
    """Rollouts restore every prefix by replay, in an instance that was used before."""
    environment = ground.make()
    for episode in ground.tracks:
        for place in range(len(episode.moments)):
            if episode.moments[place].admissible:
                yield _not_replayed(environment, episode, place)


def snapshots_exact(ground: Ground) -> Problems:
    """A state comes back with all that follows from it: later, and in another instance."""
    for episode in ground.tracks:
        one, other = ground.make(), ground.make()
        one.reset(episode.task_id)
        kept = [one.snapshot()]
        for action in episode.actions:
            one.step(action)
            kept.append(one.snapshot())
        for place in reversed(range(len(kept))):
            for whose, environment in (("the same", one), ("another", other)):
                environment.restore(kept[place])
                changed = _goes_on_otherwise(environment, episode, place)
                yield changed and f"{episode.spot(place)}, restored in {whose} instance: {changed}"


def signatures_tell_apart(ground: Ground) -> Problems:
    """States with one signature show the same, score the same, and the same follows from them."""
    seen: dict[str, tuple[Spot, Moment]] = {}
    scores: dict[str, tuple[Spot, Any]] = {}
    follows: dict[tuple[str, str], tuple[Spot, tuple[Step, str]]] = {}
    for episode in ground.tracks:
        for place, moment in enumerate(episode.moments):
            spot = episode.spot(place)
            first, was = seen.setdefault(moment.signature, (spot, moment))
            problem = difference(moment, was)
            if problem is None and spot in ground.lone:
                score = ground.lone[spot]
                first, known = scores.setdefault(moment.signature, (spot, score))
                problem = None if score == known else f"the outcome is {score}, was {known}"
            if problem is None and place < len(episode.steps):
                step, action = episode.steps[place], episode.actions[place]
                after = (step, episode.moments[place + 1].signature)
                first, led = follows.setdefault((moment.signature, action), (spot, after))
                problem = None if after == led else f"'{action}' led to {after}, was {led}"
            yield problem and f"{spot} has the signature of {first}, but {problem}"


def listed_states_agree(ground: Ground) -> Problems:
    """Where states can be listed: what they show and lead to is what playing shows."""
    environment: Any = ground.make()
    if not all(hasattr(environment, name) for name in LISTED):
        raise NotApplicable(f"the environment does not list its states ({', '.join(LISTED)})")
    for episode in ground.tracks:
        observation = environment.reset(episode.task_id)
        if environment.state() != environment.initial(episode.task_id):
            yield f"{episode.spot(0)}: initial() is another state than the one after reset()"
        for place, moment in enumerate(episode.moments):
            state = environment.state()
            view, spot = environment.view(state), episode.spot(place)
            shown = (observation, moment.admissible, environment.outcome())
            if (view.observation, view.admissible, view.outcome) != shown:
                yield f"{spot}: view() shows {view}, playing shows {shown}"
            else:
                yield None
            if place == len(episode.steps):
                break
            action = episode.actions[place]
            observation = environment.step(action).observation
            if action in moment.admissible:
                ways = environment.transitions(state, action)
                yield _other_ways(ways, environment.state(), f"{spot}, '{action}'")


def _not_replayed(environment: Environment, episode: Track, place: int) -> str | None:
    spot, moment = episode.spot(place), episode.moments[place]
    spec = RolloutSpec(
        executor_id="conformance",
        environment=environment.name,
        environment_version=environment.version,
        task_id=spot.task_id,
        prefix=spot.actions,
        forced=None,
        budget=len(spot.actions) + 1,
        role="label",
        replicate=0,
        signature=moment.signature,
        observation=episode.steps[place - 1].observation if place else episode.first,
        label=str(spot),
    )
    world = World(environment)
    try:
        world.begin(spec)
        view = world.view()
    except (ReplayMismatch, EnvironmentCrash) as problem:
        return str(problem)
    if (view.instruction, view.admissible) != (moment.instruction, moment.admissible):
        return f"{spot}: an agent sees {view.admissible}, was {moment.admissible}"
    shown = (episode.first, *(step.observation for step in episode.steps[:place]))
    if view.observations != shown:
        return f"{spot}: an agent has seen {view.observations}, was {shown}"
    changed = difference(look(environment), moment)
    return changed and f"{spot}: {changed}"


def _goes_on_otherwise(environment: Environment, episode: Track, place: int) -> str | None:
    changed = difference(look(environment), episode.moments[place])
    if changed is not None or place == len(episode.steps):
        return changed
    step = environment.step(episode.actions[place])
    if step != episode.steps[place]:
        return f"the next action shows {step}, was {episode.steps[place]}"
    changed = difference(look(environment), episode.moments[place + 1])
    return changed and f"after the next action {changed}"


def _other_ways(ways: Any, state: Any, where: str) -> str | None:
    total = sum(probability for probability, _ in ways)
    if abs(total - 1.0) > 1e-9:
        return f"{where}: probabilities of transitions() add up to {total}, not 1"
    if not any(after == state and probability > 0 for probability, after in ways):
        return f"{where}: it led to {state}, which transitions() does not list"
    return None
