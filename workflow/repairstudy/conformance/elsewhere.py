"""The same episodes in another process, and in several threads at once."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

from repairstudy.audit import Make
from repairstudy.audit.findings import NotApplicable, Problems
from repairstudy.audit.ground import Ground
from repairstudy.audit.observing import Track, difference, look, track
from repairstudy.environments import Environment
from repairstudy.rollouts.threads import WaitingThreads

THREADS = 4
ROUNDS = 2  # times that each episode is played in threads
HASH_SEED = "271828"  # of the other process: sets and hash() have another order there


def other_process(ground: Ground) -> Problems:
    """Another process, on another node say, sees the same tasks, version and episodes."""
    here = ground.make()
    try:
        asked = pickle.dumps((ground.make, [(t.task_id, t.actions) for t in ground.tracks]))
    except Exception as error:
        raise NotApplicable(f"what makes instances cannot be sent there: {error}") from error
    name, version, tasks, tracks = _asked_elsewhere(asked)
    for what, said, wanted in (
        ("name", name, here.name),
        ("version", version, here.version),
        ("list of tasks", tasks, tuple(here.tasks())),
    ):
        yield None if said == wanted else f"the {what} is {said!r:.200}, was {wanted!r:.200}"
    for there, known in zip(tracks, ground.tracks, strict=True):
        yield _other(there, known)


def threads_alike(ground: Ground) -> Problems:
    """Instances in several threads at once show the same, and so does one that goes from thread to
    thread; `knows` answers without a change."""
    if not ground.make().blocking:
        raise NotApplicable("it is not blocking, so rollouts call it in one thread alone")
    with_threads = WaitingThreads(THREADS)
    played = [
        (episode, with_threads.submit(_played_knowing, ground.make(), episode))
        for _ in range(ROUNDS)
        for episode in ground.tracks
    ]
    for _, future in played:
        problem = future.result()
        yield problem and f"beside other threads, {problem}"
    environment = ground.make()
    for episode in ground.tracks:
        # Its thread is another one as often as not: whichever waits takes the call.
        again = with_threads.submit(track, environment, episode.task_id, episode.actions).result()
        problem = _other(again, episode)
        yield problem and f"in a thread after others, {problem}"


def played(make: Make, episodes: Sequence[tuple[str, tuple[str, ...]]]) -> tuple[Any, ...]:
    """What `other_process` compares: name, version, tasks, and the episodes played."""
    environment = make()
    tracks = [track(make(), task_id, actions) for task_id, actions in episodes]
    return environment.name, environment.version, tuple(environment.tasks()), tracks


def _asked_elsewhere(asked: bytes) -> Any:
    variables = dict(os.environ, PYTHONHASHSEED=HASH_SEED, PYTHONPATH=os.pathsep.join(sys.path))
    done = subprocess.run(
        [sys.executable, "-m", __name__], input=asked, capture_output=True, env=variables
    )
    if done.returncode:
        last = done.stderr.decode(errors="replace").strip().splitlines()[-1:]
        raise RuntimeError(f"the other process ended with an error: {''.join(last)}")
    return pickle.loads(done.stdout)


def _played_knowing(environment: Environment, episode: Track) -> str | None:
    """Play the episode, asking `knows` before each action; the first difference."""
    knows = getattr(environment, "knows", None)
    if environment.reset(episode.task_id) != episode.first:
        return f"{episode.spot(0)}: another first observation"
    for place, action in enumerate(episode.actions):
        if knows is not None and not isinstance(knows(action), bool):
            return f"{episode.spot(place)}: knows('{action}') is neither True nor False"
        changed = difference(look(environment), episode.moments[place])
        if changed is not None:
            return f"{episode.spot(place)}: {changed}"
        step = environment.step(action)
        if step != episode.steps[place]:
            return f"{episode.spot(place)}: '{action}' shows {step}, was {episode.steps[place]}"
    changed = difference(look(environment), episode.moments[-1])
    return changed and f"{episode.spot(len(episode.steps))}: {changed}"


def _other(now: Track, before: Track) -> str | None:
    if now == before:
        return None
    for place, (one, other) in enumerate(zip(now.moments, before.moments, strict=False)):
        changed = difference(one, other)
        if changed is not None:
            return f"{before.spot(place)}: {changed}"
    return f"{before.spot(len(before.steps))}: other observations"


if __name__ == "__main__":
    _stdout, sys.stdout = sys.stdout.buffer, sys.stderr  # what an environment prints is no answer
    _stdout.write(pickle.dumps(played(*pickle.load(sys.stdin.buffer))))
