"""Sizes as a JSON document and as tables."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from repairstudy.cli.columns import table
from repairstudy.cli.sizing.basis import Basis
from repairstudy.cli.sizing.sizes import Asked, Sizes

FEW = 20  # clusters below which a mean is not nearly normal


def document(
    asked: Asked, basis: Basis, sizes: Sizes, split: dict[str, int] | None
) -> dict[str, Any]:
    return {
        "asked": asdict(asked),
        "spreads": {name: spread._asdict() for name, spread in basis.spreads.items()},
        "cost_of_a_failure": basis.costs._asdict(),
        "designs": {
            name: [one._asdict() for one in found] for name, found in sizes.designs.items()
        },
        "hardest": sizes.hardest,
        "cheapest": sizes.cheapest._asdict(),
        "rollouts_by_executor": split,
        "remarks": list(basis.remarks),
    }


def text(asked: Asked, basis: Basis, sizes: Sizes, split: dict[str, int] | None) -> str:
    """A row for each number of rollouts a candidate; the cheapest is marked."""
    hardest = sizes.designs[sizes.hardest]
    lines = [["evaluator", "between sd", *(f"sd at {one.rollouts}" for one in hardest),
              *(f"failures at {one.rollouts}" for one in hardest)]]  # fmt: skip
    for name, found in sizes.designs.items():
        sds = [f"{one.sd:.3f}" for one in found]
        counts = [str(one.failures_holm) for one in found]
        lines.append([name, f"{basis.spreads[name].between ** 0.5:.3f}", *sds, *counts])
    rows = [["rollouts a candidate", "failures, one test", f"failures, {asked.tests} tests",
             "rollouts in all", "detectable", ""]]  # fmt: skip
    for one in hardest:
        mark = "cheapest" if one == sizes.cheapest else ""
        rows.append([str(one.rollouts), str(one.failures), str(one.failures_holm),
                     f"{one.total:,}", f"{one.detectable:.3f}", mark])  # fmt: skip
    costs = basis.costs
    parts = [
        f"to detect a loss of {asked.loss:g} with power {asked.power:g} at one-sided alpha "
        f"{asked.alpha:g}, Holm's worst case over {asked.tests} tests",
        *basis.remarks,
        table(lines) if len(sizes.designs) > 1 else "",
        f"sizes for {sizes.hardest}, whose losses need most" if len(sizes.designs) > 1 else "",
        table(rows),
        f"a failure costs {costs.arms:.1f} candidates (originals included) times the rollouts, "
        f"{costs.evaluating:.1f} rollouts of evaluators, {costs.collecting:.1f} collected runs",
    ]
    if sizes.cheapest.failures_holm < FEW:
        parts.append(
            f"fewer than {FEW} failures: the formulas are too optimistic there, take {FEW} or more"
        )
    if split is not None:
        parts.append(table([["executor", "rollouts"], *([n, f"{c:,}"] for n, c in split.items())]))
        parts.append("by executor: every pool at that size, screening and fresh rollouts included")
    return "\n".join(filter(None, parts))
