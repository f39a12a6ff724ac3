"""Which task of the environment an imported run was about."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property

from repairstudy.environments import Environment
from repairstudy.imported.logged import LoggedRun, field_of

SHOWN = 5  # tasks that a message lists


class Tasks:
    """The tasks of an environment, found by their names or by their instructions.

    Args:
        key: field of the log that names the task; None: `task_id`, in the log or its metadata,
            else the instruction, which must stand in what the run was shown at first.
        ignored: parts of texts that do not count when instructions are compared.
    """

    def __init__(
        self, environment: Environment, key: str | None = None,
        ignored: Sequence[re.Pattern[str]] = (),
    ) -> None:  # fmt: skip
        self._environment = environment
        self._key = key
        self._ignored = ignored
        self._names = frozenset(environment.tasks())

    def of(self, run: LoggedRun) -> str:
        """The task of a run.

        Raises:
            ValueError: there is none, or which one cannot be told; lists those that could be.
        """
        keys = ("task_id", "metadata.task_id") if self._key is None else (self._key,)
        named = next(
            (value for key in keys if (value := field_of(run.fields, key)) is not None), None
        )
        if named is not None:
            return self._named(named)
        if self._key is not None:
            listed = ", ".join(map(str, run.fields)) or "none"
            raise ValueError(f"no field '{self._key}' names the task (fields: {listed:.200})")
        return self._by_instruction(run.opening)

    def _named(self, value: object) -> str:
        if isinstance(value, str | int) and str(value) in self._names:
            return str(value)
        example = next(iter(self._environment.tasks()), "")
        raise ValueError(
            f"environment {self._environment.name} has no task {value!r:.80} "
            f"(it has {len(self._names):,}, such as '{example}')"
        )

    def _by_instruction(self, opening: Sequence[str]) -> str:
        text = self._plain(" ".join(opening))
        found = [one for one in self._instructions if one in text]
        # "size: 9" stands in "size: 9.5": of instructions within each other the longest is meant.
        meant = [one for one in found if not any(one != other and one in other for other in found)]
        tasks = [task for one in meant for task in self._instructions[one]]
        if len(tasks) == 1:
            return tasks[0]
        if not tasks:
            raise ValueError(
                f"no instruction of the {len(self._names):,} tasks of environment "
                f"{self._environment.name} stands in what the run was shown at first"
            )
        more = f" and {len(tasks) - SHOWN} more" if len(tasks) > SHOWN else ""
        raise ValueError(
            f"{len(tasks)} tasks have an instruction that the run was shown: "
            f"{', '.join(tasks[:SHOWN])}{more}; name one in a field"
        )

    @cached_property
    def _instructions(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = defaultdict(list)
        for task in self._environment.tasks():
            self._environment.reset(task)
            instruction = self._plain(self._environment.instruction())
            if instruction:
                found[instruction].append(task)
        return dict(found)

    def _plain(self, text: str) -> str:
        return " ".join(without(text, self._ignored).split())


def without(text: str, ignored: Sequence[re.Pattern[str]]) -> str:
    """The text without what matches one of the patterns."""
    for pattern in ignored:
        text = pattern.sub("", text)
    return text
