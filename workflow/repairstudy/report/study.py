"""What a study is about, read from its tables: pools, plan, metric."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import polars as pl

from repairstudy.report.frames import Frames, statistics, table_of


@dataclass(frozen=True, slots=True)
class Pool:
    """A pool of failures. `informative` is None where no positive control was computed."""

    name: str
    deployed: str
    screened: bool
    n_failures: int
    informative: bool | None


@dataclass(frozen=True, slots=True)
class Study:
    """The head of a report."""

    name: str
    metric: str
    pools: tuple[Pool, ...]
    plan: dict[str, Any]
    plan_hash: str | None
    frozen_at: datetime | None
    commit: str | None
    amendments: tuple[dict[str, Any], ...]
    config: dict[str, Any]

    @property
    def level(self) -> float:
        """Level of the two-sided intervals."""
        return float(self.plan.get("interval", {}).get("level", 0.95))

    @property
    def threshold(self) -> float:
        """What matched selection must beat random selection by for a pool to be informative."""
        return float(self.plan.get("positive_control", {}).get("threshold", 0.10))

    @property
    def matched_rollouts(self) -> int:
        """Own rollouts of each candidate by which matched selection chooses."""
        return int(self.plan.get("matched_rollouts", 5))

    @property
    def unit(self) -> str:
        """What net gains and losses are measured in."""
        return "reward" if self.metric == "reward" else "success probability"

    def pool(self, name: str) -> Pool:
        return next(pool for pool in self.pools if pool.name == name)


def study_of(frames: Frames) -> Study:
    """The study behind the frames; what a table does not tell is taken as the design's default."""
    registered = _first(table_of(frames, "preregistration"))
    provenance = _first(table_of(frames, "provenance"))
    plan = json.loads(registered["plan"]) if registered else {}
    config = json.loads(provenance["config"]) if provenance else {}
    return Study(
        name=provenance["study"] if provenance else str(plan.get("study", "study")),
        metric=str(plan.get("metric") or config.get("metric") or "success"),
        pools=tuple(_pools(frames, plan, config)),
        plan=plan,
        plan_hash=registered.get("plan_hash"),
        frozen_at=registered.get("frozen_at"),
        commit=registered.get("commit"),
        amendments=tuple(json.loads(registered["amendments"])) if registered else (),
        config=config,
    )


def executor_names(frames: Frames) -> list[str]:
    """Executors that are no variant of another: deployed ones in the pools' order, then others."""
    rows = table_of(frames, "executors").filter(~pl.col("role").is_in(["variant", "proposer"]))
    deployed = [pool.deployed for pool in study_of(frames).pools]
    names = rows["name"].sort().to_list()
    return [*dict.fromkeys(name for name in deployed if name in names),
            *(name for name in names if name not in deployed)]  # fmt: skip


def _first(frame: pl.DataFrame) -> dict[str, Any]:
    return frame.row(0, named=True) if frame.height else {}


def _pools(frames: Frames, plan: dict[str, Any], config: dict[str, Any]) -> list[Pool]:
    """Deployed executors in the order of the plan; of each the unscreened pools first."""
    # Statistics of the whole study name no pool of failures in their `pool`.
    failures = table_of(frames, "failures")
    named = failures if failures.height else table_of(frames, "results")
    pools = [_pool(frames, name, config) for name in named["pool"].unique().sort()]
    planned = [family["pool"] for family in plan.get("families", ())]
    place = {pool.deployed: len(planned) for pool in pools}
    for pool in pools:
        if pool.name in planned:
            place[pool.deployed] = min(place[pool.deployed], planned.index(pool.name))
    return sorted(
        pools, key=lambda pool: (place[pool.deployed], pool.deployed, pool.screened, pool.name)
    )


def _pool(frames: Frames, name: str, config: dict[str, Any]) -> Pool:
    section = config.get("pools", {}).get(name, {})
    rows = table_of(frames, "failures").filter(pl.col("pool") == name)
    control = _first(statistics(frames, "positive_control", "control_gap", pool=name))
    note = control.get("note") or ""
    return Pool(
        name=name,
        deployed=section.get("deployed") or _deployed(frames, rows) or name,
        screened=bool(section.get("screen")) or name.endswith("-screened"),
        n_failures=rows.height or int(control.get("n_failures", 0)),
        informative=None if not note else not note.startswith("uninformative"),
    )


def _deployed(frames: Frames, failures: pl.DataFrame) -> str | None:
    found = (
        failures.join(table_of(frames, "trajectories"), on="trajectory_id")
        .join(table_of(frames, "executors"), on="executor_id")["name"]
        .unique()
        .sort()
    )
    return str(found[0]) if len(found) else None
