"""Brute-force twins: the definitions of the estimators, by listing every product of splits.

Sums are compared as whole numbers of 1e-9, like a person would compare rewards on paper.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations, product

import numpy as np
from numpy.typing import ArrayLike, NDArray

Row = tuple[Fraction, ...]
Split = tuple[tuple[int, ...], tuple[int, ...]]  # indices that select, indices that evaluate


def exact(values: ArrayLike) -> list[Row]:
    """A table of outcomes as exact fractions of whole nanounits."""
    return [tuple(Fraction(round(v * 1e9), 10**9) for v in row) for row in np.asarray(values)]


def splits(n: int, m: int) -> list[Split]:
    """Every split of n rollouts into m that select and the others."""
    return [
        (chosen, tuple(j for j in range(n) if j not in chosen))
        for chosen in combinations(range(n), m)
    ]


def mean(row: Row, indices: Sequence[int]) -> Fraction:
    return sum((row[j] for j in indices), Fraction(0)) / len(indices) if indices else Fraction(0)


def uniform(members: Sequence[bool]) -> list[Fraction]:
    """Equal shares of the members; of everyone if there are none."""
    among = list(members) if any(members) else [True] * len(members)
    return [Fraction(int(member), sum(among)) for member in among]


def largest(scores: Sequence[Fraction]) -> list[Fraction]:
    return uniform([score == max(scores) for score in scores])


Chooser = Callable[[Sequence[Split]], list[Fraction]]


def average(
    sizes: Sequence[tuple[int, int]],
    choose: Chooser,
    credit: Callable[[int, Sequence[Split]], Fraction],
) -> tuple[float, NDArray[np.float64]]:
    """Value and weights of a choice, averaged over every product of splits (n, m) of the rows."""
    value, weights, count = Fraction(0), [], 0
    for count, joint in enumerate(product(*(splits(n, m) for n, m in sizes)), 1):  # noqa: B007
        chances = choose(joint)
        weights.append(chances)
        value += sum((w * credit(a, joint) for a, w in enumerate(chances) if w), Fraction(0))
    total = [float(sum(column, Fraction(0)) / count) for column in zip(*weights, strict=True)]
    return float(value / count), np.array(total)


def crossfit(outcomes: ArrayLike, m: int) -> tuple[float, NDArray[np.float64]]:
    rows = exact(outcomes)
    return average(
        [(len(row), m) for row in rows],
        lambda joint: largest([mean(row, s) for row, (s, _) in zip(rows, joint, strict=True)]),
        lambda a, joint: mean(rows[a], joint[a][1]),
    )


def common_splits(outcomes: ArrayLike, m: int) -> tuple[float, NDArray[np.float64]]:
    rows = exact(outcomes)
    return average(
        [(len(rows[0]), m)],
        lambda joint: largest([mean(row, joint[0][0]) for row in rows]),
        lambda a, joint: mean(rows[a], joint[0][1]),
    )


def acceptance(
    outcomes: ArrayLike, successes: ArrayLike, k: int, of: int
) -> tuple[float, NDArray[np.float64]]:
    rows, wins = exact(outcomes), exact(successes)
    return average(
        [(len(row), of) for row in rows],
        lambda joint: uniform(
            [sum(win[j] for j in s) >= k for win, (s, _) in zip(wins, joint, strict=True)]
        ),
        lambda a, joint: mean(rows[a], joint[a][1]),
    )


class Failure:
    """A failure's positions flattened: candidates as rows, each with its position's original."""

    def __init__(self, outcomes: Sequence[ArrayLike], originals: Sequence[ArrayLike]) -> None:
        self.rows = [row for table in outcomes for row in exact(table)]
        self.originals = exact_rows(originals)
        self.position = [t for t, table in enumerate(outcomes) for _ in np.asarray(table)]

    def original_split(self, a: int, joint: Sequence[Split]) -> Split:
        return joint[len(self.rows) + self.position[a]]

    def gain(self, a: int, joint: Sequence[Split], part: int) -> Fraction:
        """Mean of the candidate less that of its original, on their halves (0) or the rest (1)."""
        original = self.originals[self.position[a]]
        return mean(self.rows[a], joint[a][part]) - mean(
            original, self.original_split(a, joint)[part]
        )

    def sizes(self, m: int, m0: Sequence[int]) -> list[tuple[int, int]]:
        return [(len(row), m) for row in self.rows] + [
            (len(row), size) for row, size in zip(self.originals, m0, strict=True)
        ]


def exact_rows(rows: Sequence[ArrayLike]) -> list[Row]:
    return [exact([row])[0] for row in rows]


def crossfit_failure(
    failure: Failure, m: int, m0: Sequence[int]
) -> tuple[float, NDArray[np.float64]]:
    return average(
        failure.sizes(m, m0),
        lambda joint: largest([failure.gain(a, joint, 0) for a in range(len(failure.rows))]),
        lambda a, joint: failure.gain(a, joint, 1),
    )


def earliest_success(
    failure: Failure, successes: Sequence[ArrayLike]
) -> tuple[float, NDArray[np.float64]]:
    wins = [row for table in successes for row in exact(table)]

    def choose(joint: Sequence[Split]) -> list[Fraction]:
        won = [wins[a][joint[a][0][0]] == 1 for a in range(len(wins))]
        first = min((t for t, w in zip(failure.position, won, strict=True) if w), default=None)
        return uniform([w and t == first for t, w in zip(failure.position, won, strict=True)])

    def credit(a: int, joint: Sequence[Split]) -> Fraction:
        original = failure.originals[failure.position[a]]
        return mean(failure.rows[a], joint[a][1]) - mean(original, range(len(original)))

    sizes = failure.sizes(1, [0] * len(failure.originals))
    return average(sizes, choose, credit)


def latest_significant(
    failure: Failure, m: int, m0: Sequence[int], alpha: float
) -> tuple[float, NDArray[np.float64]]:
    def choose(joint: Sequence[Split]) -> list[Fraction]:
        halves = [[row[j] for j in joint[a][0]] for a, row in enumerate(failure.rows)]
        others = [
            [failure.originals[t][j] for j in failure.original_split(a, joint)[0]]
            for a, t in enumerate(failure.position)
        ]
        # A level such as 1/3 is a float a little below the p-value that it means.
        level = Fraction(alpha) + Fraction(1, 10**12)
        hit = [permutation_p(x, y) <= level for x, y in zip(halves, others, strict=True)]
        last = max((t for t, h in zip(failure.position, hit, strict=True) if h), default=None)
        there = [h and t == last for t, h in zip(failure.position, hit, strict=True)]
        if last is None:
            return uniform(there)
        best = max(sum(half) for half, h in zip(halves, there, strict=True) if h)
        return uniform([h and sum(half) == best for half, h in zip(halves, there, strict=True)])

    return average(failure.sizes(m, m0), choose, lambda a, joint: failure.gain(a, joint, 1))


def permutation_p(x: Sequence[Fraction], y: Sequence[Fraction]) -> Fraction:
    """Share of the relabellings whose difference of means is at least that of x and y."""
    return _permutation_p(tuple(sorted(x)), tuple(sorted(y)))


@cache
def _permutation_p(x: Row, y: Row) -> Fraction:
    pooled = [*x, *y]
    differences = [
        mean(tuple(pooled), chosen) - mean(tuple(pooled), rest)
        for chosen, rest in splits(len(pooled), len(x))
    ]
    observed = mean(x, range(len(x))) - mean(y, range(len(y)))
    return Fraction(sum(d >= observed for d in differences), len(differences))


def success_counts(arms: int, n: int) -> Iterator[tuple[int, ...]]:
    """Every table of success counts of the arms."""
    return product(range(n + 1), repeat=arms)


def table_of(counts: Sequence[int], n: int) -> NDArray[np.float64]:
    """Outcomes (K, n) with these success counts."""
    return (np.arange(n) < np.asarray(counts)[:, None]).astype(np.float64)
