"""What the size of a study follows from: a pilot, or assumptions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from repairstudy.analysis import build_pools
from repairstudy.analysis.pilot import only_pool, pilot_of
from repairstudy.analysis.registration_file import from_row
from repairstudy.cli.predicted.assumptions import positive
from repairstudy.errors import ConfigError, DataError
from repairstudy.estimators.sizing import Costs, Spread
from repairstudy.report import load_frames

WARNING = "a pilot's failures must not be used again in the study that it sizes"


@dataclass(frozen=True, slots=True)
class Basis:
    """What sizes follow from: spreads by evaluator, the cost of a failure, where both are from."""

    spreads: Mapping[str, Spread]
    costs: Costs
    candidates: float
    positions: float
    remarks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Assumed:
    """In place of a pilot; each field is the option of its name (`at`: rollouts of `sd`)."""

    sd: float | None
    at: int
    noise_share: float
    candidates: float
    positions: float
    evaluator_rollouts: float
    failing: float


def from_pilot(
    database: Path, pool_name: str | None, evaluators: Sequence[str], numbers: list[int]
) -> Basis:
    """Spreads and costs of a finished study.

    Args:
        numbers: rollouts a candidate that a study is sized for.

    Raises:
        DataError: the database is not one of a study.
        ConfigError: no such pool or evaluator.
    """
    frames = load_frames(database)
    registered = frames["preregistration"].to_dicts()
    if not registered:
        raise DataError(database, "has no frozen plan.")
    plan = from_row(registered[0], frames["provenance"]["started"][0]).plan
    pool = only_pool({one.name: one for one in build_pools(frames, plan.metric)}, pool_name)
    pilot = pilot_of(pool, frames["values"], frames["trajectories"], plan, evaluators, numbers)
    remarks = (
        f"pilot: {len(pool.failures)} failures of pool {pool.name}, {pilot.rollouts} rollouts a "
        "candidate; a spread from so few failures is itself uncertain",
        WARNING,
    )
    return Basis(pilot.spreads, pilot.costs, pilot.candidates, pilot.positions, remarks)


def from_assumptions(given: Assumed) -> Basis:
    """Spreads and costs as assumed.

    Raises:
        ConfigError: a number is outside its range, or nobody gives a spread.
    """
    if given.sd is None:
        raise ConfigError("give --pilot DATABASE, or --sd S to assume one")
    sd, at, share = positive("--sd", given.sd), at_least_one("--at", given.at), given.noise_share
    if not 0 <= share <= 1:
        raise ConfigError(f"--noise-share: '{share:g}' is no share from 0 to 1")
    candidates = positive("--candidates", given.candidates)
    places = positive("--positions", given.positions)
    arms = places * (1 + candidates)
    others, failing = given.evaluator_rollouts, positive("--failing", given.failing)
    if failing > 1 or not 0 <= others < float("inf"):
        raise ConfigError("--failing is a share up to 1, --evaluator-rollouts 0 or more")
    spread = Spread((1 - share) * sd**2, {at: share * sd**2})
    remarks = (
        f"assumed: sd {sd:g} at {at} rollouts, {share:.0%} of the variance is noise of rollouts "
        "and falls as 1 / rollouts",
    )
    costs = Costs(arms, arms * others, 1 / failing)
    return Basis({"any": spread}, costs, candidates, places, remarks)


def at_least_one(what: str, number: int) -> int:
    """The number.

    Raises:
        ConfigError: it is below 1.
    """
    return int(positive(what, number))
