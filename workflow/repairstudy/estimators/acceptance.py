"""Acceptance rules: an arm is accepted when enough of a few own replays succeed."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from repairstudy.estimators.arrays import heldout_size, outcome_table, success_table
from repairstudy.estimators.laws import Law, success_law
from repairstudy.estimators.tournament import Selected, tournament


def acceptance(
    outcomes: ArrayLike, k: int, of: int, successes: ArrayLike | None = None
) -> Selected:
    """Selection among the arms of which at least k of `of` own rollouts succeed.

    Uniform among the accepted, among all arms if none is. Exact over independent choices of the
    `of` rollouts; the others of the same choice evaluate, so that nothing scores what selected it.

    Args:
        outcomes: (K, n) outcomes that are credited.
        k: successes needed, at least 1.
        of: rollouts tried, below n.
        successes: (K, n) 0 or 1; may be left out if the outcomes are successes themselves.

    Raises:
        ValueError: a malformed table, rewards without successes, or k outside 1..of.
    """
    table = outcome_table(outcomes)
    wins = success_table(successes, table)
    heldout_size(table.shape[1], of)
    check_acceptance(k, of)
    return tournament(
        [verdict_law(success_law(*arm, of), k) for arm in zip(table, wins, strict=True)]
    )


def verdict_law(law: Law, k: int) -> Law:
    """The law cut down to what the rule compares: 0 rejected, 1 accepted."""
    accepted = law.support >= k
    parts = [(0.0, ~accepted), (1.0, accepted)]
    possible = [(verdict, part) for verdict, part in parts if part.any()]
    pmf = np.array([law.pmf[part].sum() for _, part in possible])
    credit = np.array([law.pmf[part] @ law.heldout[part] for _, part in possible])
    return Law(np.array([verdict for verdict, _ in possible]), pmf, credit / pmf)


def check_acceptance(k: int, of: int) -> None:
    """Refuse a rule that accepts everything or nothing."""
    if not 1 <= k <= of:
        raise ValueError(f"k = {k} is not in 1..{of}, the rollouts tried.")
