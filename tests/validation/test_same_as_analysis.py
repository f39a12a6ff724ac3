"""A replicated study of the suite is what the analysis of a study makes of the same rollouts."""

import numpy as np
import pytest

from repairstudy.analysis import Plan, select
from repairstudy.analysis.pool import PoolData, PositionData
from repairstudy.analysis.statistics.inference import Inference
from repairstudy.validation import simulated
from repairstudy.validation.populations import clusters_of, observe
from repairstudy.validation.studies import intervals, losses_of, p_values

FAILURES, PER_TASK, POOL = 30, 3, "pool"
NAMES = ("correlated .7", "correlated .5", "correlated .3", "scores")


@pytest.fixture(scope="module")
def seen():
    population, rng = simulated.successes(40), np.random.default_rng(8)
    return observe(population, population.draw(1, FAILURES, PER_TASK, rng).ravel(), 5, rng)


@pytest.fixture(scope="module")
def pool(seen):
    names = tuple(f"f{i:02d}" for i in range(FAILURES))
    positions = [
        PositionData(
            failure_id=name,
            t=0,
            is_primary=True,
            candidates=tuple("abcdef"),
            sources=((),) * 6,
            original_id="orig",
            outcomes=seen.outcomes[i],
            original=seen.original[i],
            successes=seen.outcomes[i],
            others={other: rollouts[i] for other, rollouts in seen.others.items()},
            scores={"judge": seen.fixed["scores"][i]},
        )
        for i, name in enumerate(names)
    ]
    clusters = tuple(clusters_of(FAILURES, PER_TASK))
    return PoolData(POOL, "deployed", "success", names, clusters, tuple(positions))


def analysed(pool, kind="percentile", p_value="inversion"):
    """The estimates of the losses, the control gap and the matched net gain of the pool."""
    plan = Plan.model_validate(
        {
            "study": "any", "date": "2026-11-29", "interval": {"type": kind},
            "bootstrap": {"p_value": p_value},
        }
    )  # fmt: skip
    values = select(pool).values.filter(scope="position").sort("failure_id")
    wanted = [(f"executor:{name}", "loss") for name in NAMES[:3]]
    wanted += [("judge", "loss"), ("random", "loss"), ("matched", "value")]
    table = np.column_stack([values.filter(evaluator=name)[column] for name, column in wanted])
    return Inference.of(pool.failures, pool.clusters, plan, pool.name).means(table)


def columns(seen):
    """(failures, 1 study, statistics) of the suite."""
    found = losses_of(seen)
    table = np.column_stack([found.losses, found.gap, found.gain])
    return table[:, None, :]


@pytest.mark.parametrize("kind", ["percentile", "bootstrap_t", "t"])
def test_estimates_and_intervals_are_those_of_the_analysis(seen, pool, kind):
    rows, table = analysed(pool, kind), columns(seen)
    [found] = intervals(table, PER_TASK, kind, [0.95], POOL)
    np.testing.assert_allclose([row.estimate for row in rows], table.mean(axis=(0, 1)), atol=1e-12)
    np.testing.assert_allclose([row.low for row in rows], found.low[0], atol=1e-12)
    np.testing.assert_allclose([row.high for row in rows], found.high[0], atol=1e-12)


@pytest.mark.parametrize("name", ["inversion", "centred"])
def test_p_values_are_those_of_the_analysis(seen, pool, name):
    rows = analysed(pool, p_value=name)
    found = p_values(columns(seen), PER_TASK, POOL)[name]
    assert [row.p_greater for row in rows] == found.greater[0].tolist()
    assert [row.p_less for row in rows] == found.less[0].tolist()
