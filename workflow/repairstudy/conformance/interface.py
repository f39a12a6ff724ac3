"""What an environment must offer before an episode can be played: its parts, tasks and clusters.

Each check yields one item a thing it looked at: None, or the problem.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from repairstudy.audit import Make, Sample
from repairstudy.audit.audit import REQUIRED
from repairstudy.audit.findings import Problems
from repairstudy.audit.ground import Ground

KINDS: dict[str, type] = {"name": str, "version": str, "blocking": bool}


def parts(make: Make) -> Problems:
    """All methods and attributes are there; name, version and blocking say something."""
    one, other = make(), make()
    for name in REQUIRED:
        if not hasattr(one, name):
            yield f"it has no '{name}'"
            continue
        value = getattr(one, name)
        kind = KINDS.get(name)
        if kind is None:
            yield None if callable(value) else f"'{name}' is no method"
        elif not isinstance(value, kind) or value == "":
            yield f"{name} is {value!r}, no {'text' if kind is str else 'True or False'}"
        elif getattr(other, name) != value:
            yield f"{name} is {value!r}, of another instance {getattr(other, name)!r}"
        else:
            yield None


def tasks_in_order(make: Make, sample: Sample) -> Problems:
    """Task ids are different texts in an order that neither instances nor episodes change."""
    environment = make()
    listed = list(environment.tasks())
    if not listed:
        yield "it has no tasks"
        return
    seen = set[str]()
    for task_id in listed:
        problem = None
        if not isinstance(task_id, str) or not task_id:
            problem = f"the task id {task_id!r} is no text"
        elif task_id in seen:
            problem = f"task '{task_id}' is listed twice"
        seen.add(task_id)
        yield problem
    yield _other_order(listed, list(make().tasks()), "of another instance")
    for task_id in Ground(make, sample).tasks[:2]:
        environment.reset(task_id)
    yield _other_order(listed, list(environment.tasks()), "after an episode")


def clusters_named(make: Make, sample: Sample) -> Problems:
    """Each task has a cluster, a text that is the same in every instance."""
    one, other = make(), make()
    for task_id in Ground(make, sample).tasks:
        cluster = one.cluster(task_id)
        if not isinstance(cluster, str) or not cluster:
            yield f"the cluster of task '{task_id}' is {cluster!r}, no text"
        elif other.cluster(task_id) != cluster:
            yield f"the cluster of task '{task_id}' is {cluster!r}, of another instance another"
        else:
            yield None


def _other_order(before: list[Any], now: list[Any], when: str) -> str | None:
    if now == before:
        return None
    pairs: Iterator[tuple[Any, Any]] = zip(before, now, strict=False)
    place = next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(before), len(now)))
    return f"{when} tasks are others or in another order, from number {place} on"
