"""The pair of position and candidate with the largest gain, with every expectation exact."""

from __future__ import annotations

from collections.abc import Sequence
from math import lcm, prod
from typing import NamedTuple

import numpy as np

from repairstudy.estimators.arrays import Array, lattice
from repairstudy.estimators.laws import Law
from repairstudy.estimators.positions import FailureSelected
from repairstudy.estimators.tournament import gauss_legendre, leave_one_out, tabulate

LARGEST_RACE = 40_000_000  # numbers held for one position, 320 MB


class Contest(NamedTuple):
    """The laws of one position: those of its K candidates, each of m rollouts, and the original's.

    Attributes:
        arms: laws of the candidates' selection sums.
        m: rollouts of a candidate that select.
        original: law of the original's selection sum.
        m0: rollouts of the original that select.
    """

    arms: list[Law]
    m: int
    original: Law
    m0: int


def race(contests: Sequence[Contest]) -> FailureSelected:
    """The pair with the largest gain over independent positions, ties shared equally.

    sum over t, z, a, y of P(z) f_a(y) [heldout_a(y) - heldout_0(z)] times the integral over u of
    prod_{b != a in t} [F_b(y-) + u f_b(y)] prod_{s != t} Q_s(y - z, u). The integrand has degree
    (number of pairs that can tie) - 1 at most, so Gauss-Legendre is exact.
    """
    if not contests:
        raise ValueError("a failure needs at least one position.")
    nodes, gauss = gauss_legendre(sum(_most_tied(contest.arms) for contest in contests))
    scale = lcm(*(max(size, 1) for contest in contests for size in (contest.m, contest.m0)))
    fronts = [_Front(contest, scale, nodes) for contest in contests]
    value, weights = 0.0, []
    for front in fronts:
        others = prod(
            (other.largest(front.gains) for other in fronts if other is not front),
            start=np.ones((len(front.gains), len(nodes))),
        )
        part, chosen = front.selected(others, gauss)
        value += part
        weights.append(chosen)
    return FailureSelected(value, tuple(weights))


class _Front:
    """One position in the race: its gains, and the law of the largest of them.

    Sums are turned into gains on one integer scale, so that ties between positions are ties. With
    candidates' sums y and the original's z, pair (y, z) has the gain y - z. Given z candidates are
    independent, so with F_b and f_b their laws
    Q(g, u) = sum_z P(z) prod_b [F_b((g + z)-) + u f_b(g + z)],
    which is P(largest gain < g) plus, where a gain can equal g, a polynomial in u.
    """

    def __init__(self, contest: Contest, scale: int, nodes: Array) -> None:
        arms = [_scaled(law, scale, contest.m) for law in contest.arms]
        original = _scaled(contest.original, scale, contest.m0)
        sums = np.unique(np.concatenate([law.support for law in arms]))
        if len(sums) * len(original.support) * len(nodes) > LARGEST_RACE:
            raise ValueError(
                f"{len(sums)} sums of candidates against {len(original.support)} of the original "
                "are too many: round the rewards, or select with fewer rollouts."
            )
        below, self.at, self.heldout = tabulate(arms, sums)
        self.chances = below[..., None] + self.at[..., None] * nodes  # (K, Y, Q)
        self.original = original
        gains = sums[:, None] - original.support
        self.gains, place = np.unique(gains, return_inverse=True)
        self.place = place.reshape(gains.shape)  # (Y, Z)
        self._tell_largest(below.prod(axis=0), (below + self.at).prod(axis=0))

    def _tell_largest(self, before: Array, upto: Array) -> None:
        mass = self._gather((upto - before)[:, None])[:, 0]
        self.less = np.concatenate([[0.0], np.cumsum(mass)])
        self.tied = self._gather(self.chances.prod(axis=0) - before[:, None])  # (M, Q)

    def _gather(self, terms: Array) -> Array:
        """Terms (Y, Q) of sums, weighted by the original's law and added up by gain: (M, Q)."""
        places = self.place.ravel()
        columns = [np.outer(column, self.original.pmf).ravel() for column in terms.T]
        return np.stack([np.bincount(places, c, len(self.gains)) for c in columns], axis=1)

    def largest(self, gains: Array) -> Array:
        """Q(g, u) for each gain and node: (G, Q)."""
        place = np.searchsorted(self.gains, gains)
        hit = self.gains[np.minimum(place, len(self.gains) - 1)] == gains
        result = np.repeat(self.less[place][:, None], self.tied.shape[1], axis=1)
        result[hit] += self.tied[place[hit]]
        return result

    def selected(self, others: Array, gauss: Array) -> tuple[float, Array]:
        """The part of the value, and the weights (K,), given the others' product (M, Q)."""
        rivals = others[self.place] * gauss  # (Y, Z, Q)
        free = np.einsum("yzq,z->yq", rivals, self.original.pmf)
        cost = np.einsum("yzq,z->yq", rivals, self.original.pmf * self.original.heldout)
        wins = self.at[..., None] * leave_one_out(self.chances)
        won = np.einsum("ayq,yq->ay", wins, free)
        value = (won * self.heldout).sum() - np.einsum("ayq,yq->", wins, cost)
        return float(value), won.sum(axis=1)


def _most_tied(arms: Sequence[Law]) -> int:
    """How many of the arms can have the same sum, and so the same gain over one original."""
    _, counts = np.unique(np.concatenate([law.support for law in arms]), return_counts=True)
    return int(counts.max())


def _scaled(law: Law, scale: int, size: int) -> Law:
    """The law with its sums as means in units of the lattice over `scale`, whole numbers."""
    return law._replace(support=lattice(law.support) * (scale // max(size, 1)))
