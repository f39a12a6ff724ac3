"""Method ranking: which candidate source is best, under each scoring executor."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from repairstudy.analysis.behind import Condition, contains, either, filled
from repairstudy.analysis.pool import Array
from repairstudy.analysis.statistics.inference import Estimate, order_interval
from repairstudy.analysis.statistics.rows import Row
from repairstudy.analysis.statistics.study import AT_PRIMARY, ORIGINALS, REPAIRS, PoolStudy
from repairstudy.estimators.agreement import kendall_tau

ANALYSIS = "method_ranking"
NAN = float("nan")


def method_ranking(study: PoolStudy) -> Iterator[Row]:
    """Mean gain of each source's candidates ("SOURCE|EXECUTOR"), and how rankings differ ("A|B").

    At the primary positions, over the failures where the source proposed something. The estimand
    is `net_gain` over the executor's own rollouts of the original, or `value` where it has none.
    `winner_change_probability`: of the bootstrap draws, the share in which the two executors rank
    different sources first (ties shared).
    """
    primary = study.pool.primary
    sources = sorted({s for p in primary for found in p.sources for s in found})
    if len(sources) < 2 or study.inference.n_clusters < 2:
        return
    means: dict[str, Array] = {}
    draws: dict[str, Array] = {}
    whole: dict[str, Condition] = {}
    for executor in (study.pool.deployed, *study.scoring_executors):
        values, present, is_gain = _by_source(study, executor, sources)
        means[executor] = values.sum(axis=0) / present.sum(axis=0)
        both = study.inference.draws(np.concatenate([values, present], axis=1))
        totals, shares = np.split(both, 2, axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            draws[executor] = totals / shares
        for i, source in enumerate(sources):
            low, high = order_interval(draws[executor][:, i], study.plan.interval.level)
            yield study.row(
                ANALYSIS,
                f"{source}|{executor}",
                "net_gain" if is_gain else "value",
                Estimate(float(means[executor][i]), low, high, NAN, NAN),
                behind=_behind(study, executor, is_gain, source),
                n_failures=int(present[:, i].sum()),
            )
        whole[executor] = _behind(study, executor, is_gain)
    for a, b in combinations(means, 2):
        yield from _compare(study, a, b, means, draws, either([whole[a], whole[b]]))


def _compare(
    study: PoolStudy,
    a: str,
    b: str,
    means: dict[str, Array],
    draws: dict[str, Array],
    behind: Condition,
) -> Iterator[Row]:
    taus = np.array([kendall_tau(x, y) for x, y in zip(draws[a], draws[b], strict=True)])
    low, high = order_interval(taus, study.plan.interval.level)
    same = (_winners(draws[a]) * _winners(draws[b])).sum(axis=1)
    for estimand, found in (
        ("kendall_tau", Estimate(kendall_tau(means[a], means[b]), low, high, NAN, NAN)),
        ("winner_change_probability", Estimate(1.0 - float(same.mean()), NAN, NAN, NAN, NAN)),
    ):
        yield study.row(ANALYSIS, f"{a}|{b}", estimand, found, behind=behind)


def _behind(study: PoolStudy, executor: str, is_gain: bool, source: str | None = None) -> Condition:
    """An executor's rollouts on the candidates of a source (None: of any), and their originals."""

    def of(column: str) -> Condition:
        return filled(column) if source is None else contains(column, source)

    scored = study.scored_by(executor, original=True)
    if not is_gain:
        return AT_PRIMARY & scored & REPAIRS & of("sources")
    arms = either([REPAIRS & of("sources"), ORIGINALS & of("sources_here")])
    return AT_PRIMARY & scored & arms


def _by_source(study: PoolStudy, executor: str, sources: list[str]) -> tuple[Array, Array, bool]:
    """(F, S) mean gains of a source's candidates, 0 where it has none, and 1 where it has some."""
    primary, deployed = study.pool.primary, study.pool.deployed
    values, present = np.zeros((2, len(primary), len(sources)))
    originals = [position.originals_of(executor, deployed) for position in primary]
    is_gain = all(row.size for row in originals)
    for i, position in enumerate(primary):
        gains = position.rollouts_of(executor, deployed).mean(axis=1)
        gains = gains - originals[i].mean() if is_gain else gains
        for j, source in enumerate(sources):
            proposed = [source in found for found in position.sources]
            if any(proposed):
                values[i, j], present[i, j] = gains[proposed].mean(), 1.0
    return values, present, is_gain


def _winners(draws: Array) -> Array:
    """(B, S): the share of each source in being first; a source without failures is never."""
    known = np.where(np.isnan(draws), -np.inf, draws)
    first = known == known.max(axis=1, keepdims=True)
    return first / first.sum(axis=1, keepdims=True)
