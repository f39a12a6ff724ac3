"""Collecting failures: the first N in an order that nothing but the seed decides."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TextIO

import polars as pl

from repairstudy.environments import Environment
from repairstudy.errors import EngineError, StudyError
from repairstudy.records.tables import STEPS, TRAJECTORIES
from repairstudy.rollouts.actors import Actor
from repairstudy.rollouts.attempts import Environments, Limits
from repairstudy.rollouts.cache import RolloutCache
from repairstudy.rollouts.checks import ERROR
from repairstudy.rollouts.order import CollectionOrder
from repairstudy.rollouts.recording import record_steps
from repairstudy.rollouts.scheduler import run_rollouts
from repairstudy.rollouts.spec import RolloutSpec
from repairstudy.rollouts.worklist import Pending


@dataclass(frozen=True, slots=True)
class Collection:
    """What is to be collected.

    `size` failures among the first `max_episodes` places of the collection order, each run with
    `budget` actions. `max_per_cluster`: once a cluster has that many failures, its tasks are
    passed over; None: no cap. `window` runs are in flight together; that decides only how many
    are run in vain beyond the last failure.
    """

    size: int
    budget: int
    seed: int
    max_episodes: int = 20_000
    max_per_cluster: int | None = None
    window: int = 128


@dataclass(frozen=True, slots=True)
class Collected:
    """The runs up to the last failure needed: TRAJECTORIES rows in order, and all their STEPS.

    Its failures are exactly the pool: a run of a cluster that was full at its turn is left out.
    """

    trajectories: pl.DataFrame
    steps: pl.DataFrame


def recorded(
    environment: Environment, runs: Iterable[tuple[Mapping[str, Any], Sequence[str]]]
) -> Collected:
    """Runs written out by doing them again.

    Args:
        runs: TRAJECTORIES rows without the instruction, each with the actions of its run.

    Raises:
        ReplayMismatch: actions do not lead to the outcome that their run had.
    """
    rows, steps = [], []
    for trajectory, actions in runs:
        steps += record_steps(environment, trajectory, actions)
        rows.append({**trajectory, "instruction": environment.instruction()})
    return Collected(
        pl.DataFrame(rows, schema=TRAJECTORIES.schema, orient="row"),
        pl.DataFrame(steps, schema=STEPS.schema, orient="row"),
    )


async def collect_failures(
    actor: Actor,
    environments: Environments,
    cache: RolloutCache,
    collection: Collection,
    limits: Limits | None = None,
    stream: TextIO | None = None,
) -> Collected:
    """Run an executor on the tasks until enough runs have failed.

    The runs are rollouts of role "collect" with an empty prefix; their replicate is the number
    of the pass over the tasks. They come from the cache where it has them.

    Args:
        stream: gets a line of progress a window.

    Raises:
        StudyError: too few failures; says how many there were.
        EngineError: a run ended in an infrastructure error. To go on without it would select.
        Also whatever `run_rollouts` raises.
    """
    environment = environments()
    kept = _Kept(environment, collection)
    runs = _Runs(actor, environments, cache, limits)
    for window in _windows(environment, collection, kept, actor.executor_id):
        rows = await runs.of(list(window.values()))
        for order, spec in window.items():
            if kept.wants(spec.task_id):
                kept.add(order, spec, rows[spec.key])
        if stream is not None:
            stream.write(f"collecting for {actor.executor.name}: {kept.line()}\n")
            stream.flush()
    if not kept.enough:
        raise StudyError(
            f"executor {actor.executor.name}: {kept.line()} among the first "
            f"{collection.max_episodes:,} of the collection order (max_episodes; "
            f"max_per_cluster is {collection.max_per_cluster})"
        )
    return kept.collected()


class _Kept:
    """The runs that count so far, in collection order."""

    def __init__(self, environment: Environment, collection: Collection) -> None:
        self._environment = environment
        self._collection = collection
        self._runs: list[tuple[dict[str, Any], list[str]]] = []
        self._failures: Counter[str] = Counter()

    @property
    def enough(self) -> bool:
        return self._failures.total() >= self._collection.size

    def wants(self, task_id: str) -> bool:
        cap = self._collection.max_per_cluster
        full = cap is not None and self._failures[self._environment.cluster(task_id)] >= cap
        return not (full or self.enough)

    def add(self, order: int, spec: RolloutSpec, outcome: Mapping[str, Any]) -> None:
        row = {
            "trajectory_id": spec.key,
            "environment": spec.environment,
            "task_id": spec.task_id,
            "cluster": self._environment.cluster(spec.task_id),
            "order": order,
            **{name: outcome[name] for name in ("executor_id", "seed", "success", "reward")},
            "steps": outcome["steps"],
        }
        self._runs.append((row, outcome["actions"]))
        if not outcome["success"]:
            self._failures[row["cluster"]] += 1

    def line(self) -> str:
        found = f"{self._failures.total()} of {self._collection.size} failures"
        return f"{found} in {len(self._runs):,} runs"

    def collected(self) -> Collected:
        return recorded(self._environment, self._runs)


def _windows(
    environment: Environment, collection: Collection, kept: _Kept, executor_id: str
) -> Iterator[dict[int, RolloutSpec]]:
    """Runs by their place in the order, window by window, until there are enough failures."""
    order = CollectionOrder(environment.tasks(), collection.seed)
    start = 0
    while not kept.enough and start < collection.max_episodes:
        end = min(start + collection.window, collection.max_episodes)
        places = {index: order[index] for index in range(start, end)}
        specs = {
            index: RolloutSpec(
                executor_id=executor_id,
                environment=environment.name,
                environment_version=environment.version,
                task_id=place.task_id,
                prefix=(),
                forced=None,
                budget=collection.budget,
                role="collect",
                replicate=place.replicate,
            )
            for index, place in places.items()
            if kept.wants(place.task_id)
        }
        if specs:
            yield specs
        start = end


class _Runs:
    """Outcomes of collected runs: from the cache, or run now."""

    def __init__(
        self, actor: Actor, environments: Environments, cache: RolloutCache, limits: Limits | None
    ) -> None:
        self._actor = actor
        self._environments = environments
        self._cache = cache
        self._limits = limits
        self._known = cache.read([actor.executor_id])

    async def of(self, specs: list[RolloutSpec]) -> dict[str, dict[str, Any]]:
        """CACHED_ROLLOUTS rows by key, after running the runs that lack an outcome."""
        known = self._find(specs)
        items = [
            Pending(spec, known[spec.key]["attempt"] + 1 if spec.key in known else 0)
            for spec in specs
            if spec.key not in known or known[spec.key]["status"] == ERROR
        ]
        if items:
            actors = {self._actor.executor_id: self._actor}
            await run_rollouts(items, actors, self._environments, self._cache, self._limits)
            self._known = self._cache.read([self._actor.executor_id])
            known = self._find(specs)
        for row in known.values():
            if row["status"] == ERROR:
                raise EngineError(
                    f"executor {self._actor.executor.name}: collected run {row['rollout_key']} "
                    f"ended in an infrastructure error ({row['cause']}). Start the same run again "
                    "to retry it; to go on without it would let the server choose the failures."
                )
        return known

    def _find(self, specs: list[RolloutSpec]) -> dict[str, dict[str, Any]]:
        keys = pl.DataFrame({"rollout_key": [spec.key for spec in specs]})
        rows = self._known.join(keys, on="rollout_key", how="semi")
        return {row["rollout_key"]: row for row in rows.iter_rows(named=True)}
