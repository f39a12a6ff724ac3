"""The arg max among candidates that may not take part, in many worlds at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from repairstudy.estimators.arrays import Array
from repairstudy.estimators.tournament import gauss_legendre


class Runner(NamedTuple):
    """What one candidate may show in each of Z worlds.

    Attributes:
        sums: (L,) its possible sums, ascending and distinct.
        at: (L, Z) probability that it takes part with each sum.
        out: (Z,) probability that it does not take part.
    """

    sums: Array
    at: Array
    out: Array


class _Rival(NamedTuple):
    """Another runner, looked at from the sums (L,) of the one whose chances are wanted."""

    place: NDArray[np.intp]  # where they stand among its sums
    hit: NDArray[np.bool_]  # whether it may have the same sum
    ladder: Array  # (its L + 1, Z) probability that it is below each place, or out
    at: Array


def leads(runners: Sequence[Runner]) -> list[Array]:
    """For each runner (L, Z): the probability that it has the sum and wins, ties shared equally.

    Runners are independent in a world, and one that does not take part is below every sum. With F_b
    the probability of that or of a smaller sum, runner a wins with x with the probability
    at_a(x) * integral over u in [0, 1] of prod_{b != a} [F_b(x-) + u at_b(x)],
    as in `win_probabilities`. The degree of the integrand is the number of others that may have the
    sum x as well: where sums are many that is small, and so is the number of nodes.
    """
    silent = np.prod([r.out for r in runners if not len(r.sums)], axis=0)  # 1.0 of none
    ladders = {
        b: np.concatenate([r.out[None], r.out + np.cumsum(r.at, axis=0)])
        for b, r in enumerate(runners)
        if len(r.sums)
    }
    return [silent * _lead(a, runners, ladders) for a in range(len(runners))]


def _lead(a: int, runners: Sequence[Runner], ladders: Mapping[int, Array]) -> Array:
    mine = runners[a]
    won = np.empty_like(mine.at)
    if a not in ladders:
        return won
    rivals = []
    for b, ladder in ladders.items():
        if b != a:
            place = np.searchsorted(runners[b].sums, mine.sums)
            hit = np.searchsorted(runners[b].sums, mine.sums, side="right") > place
            rivals.append(_Rival(place, hit, ladder, runners[b].at))
    ties = np.zeros(len(mine.sums), dtype=np.intp)
    for rival in rivals:
        ties += rival.hit
    few = ties < 2  # one node is exact there
    for rows in (np.flatnonzero(few), np.flatnonzero(~few)):
        if len(rows):
            nodes = gauss_legendre(int(ties[rows].max()) + 1)
            won[rows] = mine.at[rows] * _chance(rivals, rows, *nodes)
    return won


def _chance(
    rivals: Sequence[_Rival], rows: NDArray[np.intp], nodes: Array, weights: Array
) -> Array:
    """(rows, Z): probability that no rival is above, and none that is tied wins."""
    product = weights[:, None, None]
    for rival in rivals:
        place, hit = rival.place[rows], rival.hit[rows]
        factor = rival.ladder[place]
        if hit.any():
            tied = hit[:, None] * rival.at[np.minimum(place, len(rival.at) - 1)]
            factor = factor + nodes[:, None, None] * tied
        product = product * factor
    return np.asarray(product.sum(axis=0))
