"""Rollouts that are asked for round after round: from the cache, or run now."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TextIO

import polars as pl

from repairstudy.errors import EngineError, WrongModel
from repairstudy.rollouts import (
    Actor,
    Limits,
    Pending,
    RolloutCache,
    RolloutSpec,
    progress_on,
    run_rollouts,
)
from repairstudy.rollouts.attempts import Environments
from repairstudy.rollouts.checks import ERROR
from repairstudy.rollouts.writer import CacheWriter

RESUME = "What had finished is in the cache; the same command goes on from there."


class OwnRollouts:
    """Outcomes of rollouts of one executor.

    Attributes:
        asked: keys of all that were asked for.
        ran: how many of them were run; the others came from the cache.
    """

    def __init__(
        self,
        actor: Actor,
        environments: Environments,
        cache: RolloutCache,
        limits: Limits,
        progress: TextIO,
        calls: Callable[[], int],
    ) -> None:
        self._actor = actor
        self._environments = environments
        self._cache = cache
        self._limits = limits
        self._progress = progress
        self._calls = calls
        self._cached = cache.read([actor.executor_id])
        self._new: dict[str, dict[str, Any]] = {}
        self.asked: set[str] = set()
        self.ran = 0

    @property
    def executor_id(self) -> str:
        return self._actor.executor_id

    async def of(self, specs: Iterable[RolloutSpec], title: str) -> Mapping[str, Mapping[str, Any]]:
        """CACHED_ROLLOUTS rows by key, after running those that lack an outcome.

        Raises:
            EngineError: some ended in infrastructure errors; says that the command resumes.
            Also whatever `run_rollouts` raises.
        """
        wanted = {spec.key: spec for spec in specs}  # failures may share draws
        self.asked.update(wanted)
        known = self._find(wanted)
        items = [
            Pending(spec, known[key]["attempt"] + 1 if key in known else 0)
            for key, spec in wanted.items()
            if key not in known or known[key]["status"] == ERROR
        ]
        if not items:
            return known
        writer = _Remembering(self._cache, self._new)
        cached = len(wanted) - len(items)
        try:
            with progress_on(self._progress, title, cached, self._calls) as progress:
                await run_rollouts(
                    items,
                    {self.executor_id: self._actor},
                    self._environments,
                    self._cache,
                    self._limits,
                    progress,
                    writer,
                )
        except WrongModel:
            raise
        except EngineError as error:
            raise EngineError(f"{error}. {RESUME}") from error
        known = self._find(wanted)
        errors = [row for row in known.values() if row["status"] == ERROR]
        if errors:
            raise EngineError(
                f"{len(errors)} rollouts ended in infrastructure errors, the last: "
                f"{errors[-1]['cause']}. {RESUME}"
            )
        self.ran += len(items)
        return known

    def _find(self, keys: Iterable[str]) -> dict[str, dict[str, Any]]:
        frame = pl.DataFrame({"rollout_key": list(keys)}, schema={"rollout_key": pl.String})
        rows = self._cached.join(frame, on="rollout_key", how="semi").iter_rows(named=True)
        new = {key: self._new[key] for key in frame["rollout_key"] if key in self._new}
        return {row["rollout_key"]: row for row in rows} | new


class _Remembering(CacheWriter):
    """A writer that also keeps what it writes at hand: to read a large cache takes seconds."""

    def __init__(self, cache: RolloutCache, rows: dict[str, dict[str, Any]]) -> None:
        super().__init__(cache.folder, flush_rows=5_000, flush_s=5.0)
        self._kept = rows

    def add(self, row: dict[str, Any]) -> None:
        super().add(row)
        self._kept[row["rollout_key"]] = row
