"""The audit audited: defects planted around a sound environment, and which of them it catches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from repairstudy.audit.audit import caught_by
from repairstudy.audit.comparison import difference_of
from repairstudy.audit.defects import DEFECTS, FAMILIES, Wrapper, plant
from repairstudy.audit.findings import Finding
from repairstudy.audit.ground import Ground, Make, Sample

PLANTED = Sample(tasks=2, walks=2, length=10)


@dataclass(frozen=True, slots=True)
class Planted:
    """What became of a planted defect.

    Attributes:
        kind: its class.
        difference: where it behaves differently from the sound scorer, found by the comparison
            that shares nothing with the audit; None: nowhere.
        caught_by: the first check that failed; None: the audit passed it.
        reference: whether some task has a reference solution; without, the audit sees less.
    """

    environment: str
    kind: str
    defect: str
    description: str
    difference: str | None
    caught_by: str | None
    reference: bool = True

    @property
    def right(self) -> bool:
        """Whether the audit said of it what it should have."""
        return (self.difference is None) == (self.caught_by is None)


def audit_the_audit(
    make: Make, sample: Sample = PLANTED, defects: Sequence[type[Wrapper]] = DEFECTS
) -> Iterator[Planted]:
    """Plant each defect in the environment and audit it, on the tasks of the sample alone."""
    ground = Ground(make, sample)
    for defect in defects:
        tasks = ground.tasks
        yield Planted(
            environment=ground.name,
            kind=defect.kind,
            defect=_words(defect.__name__),
            description=" ".join((defect.__doc__ or "").split()),
            difference=difference_of(defect, make, tasks),
            caught_by=caught_by(plant(defect, make, tasks), sample),
            reference=bool(ground.references),
        )


def summary(planted: Iterable[Planted]) -> list[Finding]:
    """A finding for each class of defects: whether all that made a difference were caught."""
    rows = list(planted)
    return [
        _of_class(family.kind, [row for row in rows if row.kind == family.kind])
        for family in FAMILIES
    ]


def _of_class(kind: str, rows: Sequence[Planted]) -> Finding:
    check = f"planted: {kind}"
    different = [row for row in rows if row.difference is not None]
    caught = [row for row in different if row.caught_by is not None]
    alarms = [row for row in rows if row.difference is None and row.caught_by is not None]
    detail = (
        f"{len(rows)} planted, {len(different)} behave differently, {len(caught)} of these caught, "
        f"{len(alarms)} false alarms"
    )
    if not different and not alarms:
        return Finding(check, None, f"not applicable: {detail}")
    wrong = [row for row in rows if not row.right]
    if not wrong:
        return Finding(check, True, detail)
    detail = f"{detail}; wrong about: {', '.join(row.defect for row in wrong)}"
    if not alarms and not rows[0].reference:
        return Finding(check, None, f"not applicable without a reference solution: {detail}")
    return Finding(check, False, detail)


def _words(name: str) -> str:
    """``LeftAfterErrors`` -> ``left after errors``."""
    return "".join(f" {c.lower()}" if c.isupper() else c for c in name).strip()
