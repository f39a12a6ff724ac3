"""``repairstudy plan-size``: failures and rollouts that a study needs to detect a loss.

From a pilot (--pilot study.duckdb), which tells how losses spread and what a failure costs, or from
assumptions (--sd). Prints a row for each number of rollouts a candidate; the cheapest is marked.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil
from typing import Any

from repairstudy.analysis import build_pools
from repairstudy.analysis.pilot import only_pool, pilot_of
from repairstudy.analysis.registration_file import from_row
from repairstudy.cli.cost import read_study, table
from repairstudy.cli.predicted.assumptions import Assumptions, positive
from repairstudy.cli.predicted.counts import Shape, wanted_rollouts
from repairstudy.config import StudyConfig
from repairstudy.errors import ConfigError, DataError
from repairstudy.estimators.sizing import Costs, Design, Spread, design
from repairstudy.report import load_frames

HELP = "failures and rollouts that a study needs to detect a loss"
ROLLOUTS = "6,8,10,15,20"
FEW = 20  # clusters below which a mean is not nearly normal
WARNING = "a pilot's failures must not be used again in the study that it sizes"


@dataclass(frozen=True, slots=True)
class Basis:
    """What sizes follow from: spreads by evaluator, the cost of a failure, where both are from."""

    spreads: Mapping[str, Spread]
    costs: Costs
    candidates: float
    positions: float
    remarks: tuple[str, ...]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--loss", required=True, metavar="X", help="true mean loss to detect")
    parser.add_argument("--pilot", metavar="DATABASE", help="study.duckdb of a finished study")
    parser.add_argument("--pool", metavar="NAME", help="of the pilot; needed if it has several")
    parser.add_argument(
        "--evaluator",
        action="append",
        default=[],
        metavar="NAME",
        help="of the pilot; default: those that its plan tests",
    )
    parser.add_argument("--sd", metavar="S", help="assumed sd of the losses of failures")
    parser.add_argument(
        "--at", default="10", metavar="N", help="rollouts a candidate that --sd belongs to (10)"
    )
    parser.add_argument(
        "--noise-share",
        default="0.5",
        metavar="F",
        help="assumed share of the variance that is noise of N rollouts (0.5)",
    )
    parser.add_argument(
        "--tests", metavar="M", help="tests of the family; default: the evaluators, or 1"
    )
    parser.add_argument("--alpha", default="0.05", help="one-sided level of the family (0.05)")
    parser.add_argument("--power", default="0.8", help="probability to detect the loss (0.8)")
    parser.add_argument(
        "--rollouts", default=ROLLOUTS, metavar="N,N", help=f"rollouts a candidate ({ROLLOUTS})"
    )
    parser.add_argument("--matched", default="5", help="rollouts that select; N must be more (5)")
    parser.add_argument("--candidates", default="6", help="assumed beside the original (6)")
    parser.add_argument("--positions", default="1", help="assumed positions a failure (1)")
    parser.add_argument(
        "--evaluator-rollouts", default="0", help="assumed, of other executors, a candidate (0)"
    )
    parser.add_argument("--failing", default="0.5", help="assumed share of runs that fail (0.5)")
    parser.add_argument(
        "--config", metavar="CONFIG", help="split the rollouts of the cheapest study by executor"
    )
    parser.add_argument("--json", action="store_true", help="one JSON document instead of tables")


def run(arguments: argparse.Namespace) -> None:
    """Print the sizes.

    Raises:
        StudyError: an option, the pilot or the configuration is not usable.
    """
    numbers = _rollouts(arguments)
    basis = _from_pilot(arguments, numbers) if arguments.pilot else _assumed(arguments)
    tests = _whole("--tests", arguments.tests) if arguments.tests else len(basis.spreads)
    loss, alpha = positive("--loss", arguments.loss), _share("--alpha", arguments.alpha)
    power = _share("--power", arguments.power)
    sizes = {
        name: [design(spread, loss, n, tests, basis.costs, alpha, power) for n in numbers]
        for name, spread in basis.spreads.items()
    }
    # The evaluator whose losses spread most needs most; a study has one size.
    hardest = max(sizes, key=lambda name: min(one.total for one in sizes[name]))
    cheapest = min(sizes[hardest], key=lambda one: (one.total, one.rollouts))
    split = None
    if arguments.config:
        split = by_executor(read_study(arguments.config), cheapest, basis)
    asked = {"loss": loss, "alpha": alpha, "power": power, "tests": tests}
    if arguments.json:
        print(json.dumps(_document(asked, basis, sizes, hardest, cheapest, split)))
    else:
        print(_text(asked, basis, sizes, hardest, cheapest, split))


def by_executor(study: StudyConfig, size: Design, basis: Basis) -> dict[str, int]:
    """Rollouts of each executor when every pool of a configuration has that size."""
    pools = {}
    for name, pool in study.pools.items():
        screen = pool.screen
        if screen is not None:
            among = ceil(screen.among * size.failures_holm / pool.size)
            screen = screen.model_copy(update={"among": among})
        pools[name] = pool.model_copy(update={"size": size.failures_holm, "screen": screen})
    rollouts = study.rollouts.model_copy(update={"label": size.rollouts})
    sized = study.model_copy(update={"pools": pools, "rollouts": rollouts})
    shape = Shape(study.positions.per_failure, 1 + basis.candidates)
    found: dict[str, float] = {}
    for wanted in wanted_rollouts(sized, shape, Assumptions()):
        found[wanted.executor] = found.get(wanted.executor, 0.0) + wanted.rollouts
    return {name: round(count) for name, count in found.items() if count}


def _from_pilot(arguments: argparse.Namespace, numbers: list[int]) -> Basis:
    frames = load_frames(arguments.pilot)
    registered = frames["preregistration"].to_dicts()
    if not registered:
        raise DataError(arguments.pilot, "has no frozen plan.")
    plan = from_row(registered[0], frames["provenance"]["started"][0]).plan
    pools = {pool.name: pool for pool in build_pools(frames, plan.metric)}
    pool = only_pool(pools, arguments.pool)
    pilot = pilot_of(
        pool, frames["values"], frames["trajectories"], plan, arguments.evaluator, numbers
    )
    remarks = (
        f"pilot: {len(pool.failures)} failures of pool {pool.name}, {pilot.rollouts} rollouts a "
        "candidate; a spread from so few failures is itself uncertain",
        WARNING,
    )
    return Basis(pilot.spreads, pilot.costs, pilot.candidates, pilot.positions, remarks)


def _assumed(arguments: argparse.Namespace) -> Basis:
    if arguments.sd is None:
        raise ConfigError("give --pilot DATABASE, or --sd S to assume one")
    sd, at = positive("--sd", arguments.sd), _whole("--at", arguments.at)
    share = _number("--noise-share", arguments.noise_share)
    if not 0 <= share <= 1:
        raise ConfigError(f"--noise-share: '{arguments.noise_share}' is no share from 0 to 1")
    candidates = positive("--candidates", arguments.candidates)
    places = positive("--positions", arguments.positions)
    arms = places * (1 + candidates)
    others = _number("--evaluator-rollouts", arguments.evaluator_rollouts)
    failing = positive("--failing", arguments.failing)
    if failing > 1 or others < 0:
        raise ConfigError("--failing is a share up to 1, --evaluator-rollouts 0 or more")
    spread = Spread((1 - share) * sd**2, {at: share * sd**2})
    remarks = (
        f"assumed: sd {sd:g} at {at} rollouts, {share:.0%} of the variance is noise of rollouts "
        "and falls as 1 / rollouts",
    )
    costs = Costs(arms, arms * others, 1 / failing)
    return Basis({"any": spread}, costs, candidates, places, remarks)


def _document(
    asked: dict[str, Any], basis: Basis, sizes: dict[str, list[Design]], hardest: str,
    cheapest: Design, split: dict[str, int] | None,
) -> dict[str, Any]:  # fmt: skip
    return {
        "asked": asked,
        "spreads": {name: spread._asdict() for name, spread in basis.spreads.items()},
        "cost_of_a_failure": basis.costs._asdict(),
        "designs": {name: [one._asdict() for one in found] for name, found in sizes.items()},
        "hardest": hardest,
        "cheapest": cheapest._asdict(),
        "rollouts_by_executor": split,
        "remarks": list(basis.remarks),
    }


def _text(
    asked: dict[str, Any], basis: Basis, sizes: dict[str, list[Design]], hardest: str,
    cheapest: Design, split: dict[str, int] | None,
) -> str:  # fmt: skip
    lines = [["evaluator", "between sd", *(f"sd at {one.rollouts}" for one in sizes[hardest]),
              *(f"failures at {one.rollouts}" for one in sizes[hardest])]]  # fmt: skip
    for name, found in sizes.items():
        sds = [f"{one.sd:.3f}" for one in found]
        counts = [str(one.failures_holm) for one in found]
        lines.append([name, f"{basis.spreads[name].between ** 0.5:.3f}", *sds, *counts])
    rows = [["rollouts a candidate", "failures, one test", f"failures, {asked['tests']} tests",
             "rollouts in all", "detectable", ""]]  # fmt: skip
    for one in sizes[hardest]:
        mark = "cheapest" if one == cheapest else ""
        rows.append([str(one.rollouts), str(one.failures), str(one.failures_holm),
                     f"{one.total:,}", f"{one.detectable:.3f}", mark])  # fmt: skip
    costs = basis.costs
    parts = [
        f"to detect a loss of {asked['loss']:g} with power {asked['power']:g} at one-sided alpha "
        f"{asked['alpha']:g}, Holm's worst case over {asked['tests']} tests",
        *basis.remarks,
        table(lines) if len(sizes) > 1 else "",
        f"sizes for {hardest}, whose losses need most" if len(sizes) > 1 else "",
        table(rows),
        f"a failure costs {costs.arms:.1f} candidates (originals included) times the rollouts, "
        f"{costs.evaluating:.1f} rollouts of evaluators, {costs.collecting:.1f} collected runs",
    ]
    if cheapest.failures_holm < FEW:
        parts.append(
            f"fewer than {FEW} failures: the formulas are too optimistic there, take {FEW} or more"
        )
    if split is not None:
        parts.append(table([["executor", "rollouts"], *([n, f"{c:,}"] for n, c in split.items())]))
        parts.append("by executor: every pool at that size, screening and fresh rollouts included")
    return "\n".join(filter(None, parts))


def _rollouts(arguments: argparse.Namespace) -> list[int]:
    numbers = sorted({_whole("--rollouts", word) for word in arguments.rollouts.split(",")})
    matched = _whole("--matched", arguments.matched)
    if numbers[0] <= matched:
        raise ConfigError(
            f"--rollouts: {numbers[0]} leaves none to value what {matched} select (--matched)"
        )
    return numbers


def _whole(what: str, text: str) -> int:
    number = positive(what, text)
    if number != int(number):
        raise ConfigError(f"{what}: '{text}' is no whole number")
    return int(number)


def _share(what: str, text: str) -> float:
    number = positive(what, text)
    if number >= 1:
        raise ConfigError(f"{what}: '{text}' is not below 1")
    return number


def _number(what: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ConfigError(f"{what}: '{text}' is no number") from None


if __name__ == "__main__":
    from repairstudy.cli.main import main

    sys.exit(main(["plan-size", *sys.argv[1:]]))
