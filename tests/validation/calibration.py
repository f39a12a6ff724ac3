"""How well intervals cover, tests hold their level, and cross-fit values are centred.

On simulated executors whose true values are known exactly:

    export OPENBLAS_NUM_THREADS=1  # small products: more threads only wait for each other
    python tests/validation/calibration.py           # the full measurement, minutes on one core
    python tests/validation/calibration.py --quick   # seconds, coarse

Prints one JSON line for each figure; `measured.jsonl` keeps those of the full run. `mc_error` is
the Monte Carlo standard error of a rate at its nominal value. Nominal: coverage 0.95 (`two_sided`
of the 95 % interval, `lower` and `upper` of the one-sided 95 % bounds), type-I and family-wise
error at most 0.05.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from simulated_executors import (
    CORRELATIONS,
    NULLS,
    ROLLOUTS,
    Array,
    Pools,
    probabilities,
    rollouts,
    simulate,
)

from repairstudy.estimators import (
    bootstrap_t_interval,
    cluster_bootstrap,
    common_splits,
    crossfit_many,
    exact_value,
    holm,
    p_centred,
    p_inversion,
    p_sign_flip,
    p_t,
    percentile_interval,
    random_splits,
    t_interval,
)

ALPHA, LEVEL = 0.05, 0.95
BATCH = 50  # studies simulated at once


class Size(NamedTuple):
    """How much is simulated."""

    studies: int
    replicates: int
    pools: tuple[tuple[int, int], ...]  # failures, failures of each task
    positions: int


POOLS = ((30, 1), (60, 1), (120, 1), (120, 4))
FULL = Size(studies=1500, replicates=2000, pools=POOLS, positions=10_000)
QUICK = Size(studies=60, replicates=300, pools=((60, 1), (60, 4)), positions=800)


def measure(size: Size, seed: int) -> Iterator[dict[str, Any]]:
    """All figures, one after the other."""
    yield from bias(size.positions, np.random.default_rng([seed, 0]))
    for pool in size.pools:
        yield from calibration(size, *pool, np.random.default_rng([seed, *pool]))


def bias(positions: int, rng: np.random.Generator) -> Iterator[dict[str, Any]]:
    """Mean error of estimates of V_m, in units of its standard error (`z`)."""
    p, _ = probabilities((positions,), 1, rng)
    outcomes = rollouts(p, ROLLOUTS, rng)
    budgets = (0, 1, 5, ROLLOUTS - 1)
    truth = {m: np.array([exact_value(row, m).value for row in p]) for m in budgets}
    estimates: dict[tuple[str, int], Any] = {
        ("crossfit", m): [s.value for s in crossfit_many(outcomes, m)] for m in budgets
    }
    estimates["common_splits", 5] = [common_splits(y, 5).value for y in outcomes]
    estimates["random_splits", 5] = [random_splits(y, 5, 50, rng).value for y in outcomes]
    # What not to do: score the largest mean by the rollouts that made it the largest.
    estimates["naive", 5] = outcomes[..., :5].mean(axis=-1).max(axis=-1)
    for (estimator, m), values in estimates.items():
        errors = np.asarray(values) - truth[m]
        z = errors.mean() / (errors.std(ddof=1) / np.sqrt(positions))
        yield {
            "check": "bias", "estimator": estimator, "m": m, "positions": positions,
            "bias": _digits(errors.mean(), 5), "z": _digits(z, 2), "sd": _digits(errors.std(), 4),
        }  # fmt: skip


def calibration(
    size: Size, failures: int, per_task: int, rng: np.random.Generator
) -> Iterator[dict[str, Any]]:
    """Coverage, type-I error and family-wise error of studies with this many failures."""
    setting = {"failures": failures, "per_task": per_task, "studies": size.studies}
    ends: dict[tuple[str, str], list[Array]] = defaultdict(list)
    p_values: dict[str, list[Array]] = defaultdict(list)
    spread, truths = [], []
    for start in range(0, size.studies, BATCH):
        pools = simulate(min(BATCH, size.studies - start), failures, per_task, rng)
        truths.append(np.append(pools.true_losses, pools.true_control))
        for study in np.concatenate([pools.losses, pools.control[..., None]], axis=-1):
            spread.append(study.std(axis=0, ddof=1))
            for name, levels in intervals(study, pools, size.replicates, rng):
                ends[name].append(np.array(levels))
            for name, p in tests(study, pools, size.replicates, rng):
                p_values[name].append(p)
    truth = np.mean(truths, axis=0)
    covered = {name: ends_cover(np.array(listed), truth) for name, listed in ends.items()}
    yield from _coverage(covered, setting, np.mean(spread, axis=0))
    yield from _errors(p_values, setting)


def intervals(
    study: Array, pools: Pools, replicates: int, rng: np.random.Generator
) -> Iterator[tuple[tuple[str, str], list[Any]]]:
    """The 90 % and 95 % intervals of each method; by failure too where that is wrong."""
    units = {"task": pools.clusters}
    if len(set(pools.clusters)) < len(study):
        units["failure"] = np.arange(len(study))
    for unit, clusters in units.items():
        draws = cluster_bootstrap(study, clusters, replicates, rng)
        seed = int(rng.integers(2**63))
        levels = (2 * LEVEL - 1, LEVEL)
        yield ("percentile", unit), [percentile_interval(draws, level) for level in levels]
        yield ("t", unit), [t_interval(study, clusters, level) for level in levels]
        yield (
            ("bootstrap_t", unit),
            [
                bootstrap_t_interval(
                    study, clusters, replicates, np.random.default_rng(seed), level
                )
                for level in levels
            ],
        )


def ends_cover(ends: Array, truth: Array) -> Array:
    """(3, E): how often the two-sided interval, the lower and the upper bound hold.

    Args:
        ends: (S, 2, 2, E) of each study the 90 % and the 95 % interval, their low and high ends.
        truth: (E,) true values.
    """
    above, below = ends[:, :, 0] <= truth, truth <= ends[:, :, 1]
    return np.stack([above[:, 1] & below[:, 1], above[:, 0], below[:, 0]]).mean(axis=1)


def tests(
    study: Array, pools: Pools, replicates: int, rng: np.random.Generator
) -> Iterator[tuple[str, Array]]:
    """One-sided p-values of all losses, by each method."""
    losses = study[:, :-1]
    draws = cluster_bootstrap(losses, pools.clusters, replicates, rng)
    yield "inversion", p_inversion(draws)
    yield "centred", p_centred(draws, losses.mean(axis=0))
    yield "t", p_t(losses, pools.clusters)
    yield "sign_flip", p_sign_flip(losses, pools.clusters, replicates, rng)


def _coverage(
    covered: dict[tuple[str, str], Array], setting: dict[str, int], sd: Array
) -> Iterator[dict[str, Any]]:
    middle = CORRELATIONS.index(0.5)
    for (method, unit), rates in covered.items():
        for estimand, column in (("loss", middle), ("control_gap", -1)):
            two_sided, lower, upper = (_digits(rate, 4) for rate in rates[:, column])
            yield {
                "check": "coverage", "method": method, "unit": unit, "estimand": estimand,
                **setting, "sd": _digits(sd[column], 3), "two_sided": two_sided, "lower": lower,
                "upper": upper, "mc_error": _mc_error(setting["studies"]),
            }  # fmt: skip


def _errors(p_values: dict[str, Any], setting: dict[str, int]) -> Iterator[dict[str, Any]]:
    """Single nulls; Holm's family of nulls alone; Holm's family of half nulls, half true losses."""
    true = len(CORRELATIONS)
    for method, listed in p_values.items():
        p = np.stack(listed)
        nulls = np.apply_along_axis(holm, 1, p[:, true:]) <= ALPHA
        mixed = np.apply_along_axis(holm, 1, p[:, : 2 * true]) <= ALPHA
        yield {
            "check": "type_1", "method": method, **setting,
            "error": _digits((p[:, true:] <= ALPHA).mean(), 4),
            "holm_all_null": _digits(nulls.any(axis=1).mean(), 4), "family_all_null": NULLS,
            "holm_half_null": _digits(mixed[:, true:].any(axis=1).mean(), 4),
            "power_half_null": _digits(mixed[:, :true].mean(), 3), "family_half_null": 2 * true,
            "mc_error": _mc_error(setting["studies"]),
        }  # fmt: skip


def _mc_error(studies: int) -> float:
    return _digits(np.sqrt(ALPHA * (1 - ALPHA) / studies), 4)


def _digits(value: Any, digits: int) -> float:
    return round(float(value), digits)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="seconds instead of minutes")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    for figure in measure(QUICK if arguments.quick else FULL, arguments.seed):
        print(json.dumps(figure), flush=True)


if __name__ == "__main__":
    main()
