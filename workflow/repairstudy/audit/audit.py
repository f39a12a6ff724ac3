"""The audit of an environment: every check, in an order that makes the first scoring count."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import NamedTuple

from repairstudy.audit import controls, invariants
from repairstudy.audit.findings import Finding, Problems, found
from repairstudy.audit.ground import Ground, Make, Sample
from repairstudy.errors import ConfigError

SECONDS = 300.0  # after which a check counts as hung
REQUIRED = (
    "name", "version", "blocking", "tasks", "cluster", "reset", "instruction",
    "admissible_actions", "step", "outcome", "signature", "describe", "snapshot", "restore",
)  # fmt: skip


class Check(NamedTuple):
    """A check's name as tables have it, how it is made, and what it looks at, in the plural."""

    name: str
    made: Callable[[Ground], Problems]
    things: str


COMPARABLE = Check("fresh instances are alike", invariants.comparable, "episodes")
# The planted exceptions come first: what is remembered after the first scoring is not run again.
CHECKS = (
    Check("exceptions in scoring come out", invariants.errors_come_out, "planted exceptions"),
    Check("state restored after an exception", invariants.state_restored_after_errors, "states"),
    Check("scoring preserves the state", invariants.state_preserved, "states"),
    Check("same answer when asked twice", invariants.same_when_asked_twice, "states"),
    Check("order of scoring is of no account", invariants.order_of_no_account, "answers"),
    Check("terminal state stays the agent's", invariants.end_stays_the_agents, "episodes"),
    Check("does nothing: rejected", controls.does_nothing, "episodes"),
    Check("falls short: rejected", controls.falls_short, "states"),
    Check("reference solution: accepted", controls.reference_solution, "solutions"),
    Check("permitted variants: accepted", controls.permitted_variants, "solutions"),
)


def audit_environment(
    make: Make, sample: Sample | None = None, seconds: float = SECONDS
) -> list[Finding]:
    """Every check of an environment.

    Args:
        make: gives a fresh instance at every call.
        seconds: for each check.

    Raises:
        ConfigError: the environment lacks a method that the audit needs, or has no tasks.
    """
    return list(findings_of(make, sample or Sample(), seconds))


def caught_by(make: Make, sample: Sample, seconds: float = SECONDS) -> str | None:
    """The first check that fails; None: all hold."""
    failed = (f for f in findings_of(make, sample, seconds, first=True) if f.passed is False)
    return next((finding.check for finding in failed), None)


def trusted(findings: Iterable[Finding]) -> bool:
    """Whether nothing failed. What could not be checked is not held against the environment."""
    return all(finding.passed is not False for finding in findings)


def findings_of(
    make: Make, sample: Sample, seconds: float, first: bool = False
) -> Iterator[Finding]:
    """The findings one by one. `first`: look no further than the first problem of a check."""
    _require(make())
    ground = Ground(make, sample)
    if not ground.tasks:
        raise ConfigError(f"environment '{ground.name}': it has no tasks to audit")
    alike = found(COMPARABLE.name, partial(COMPARABLE.made, ground), COMPARABLE.things, seconds)
    yield alike
    for check in CHECKS:
        if alike.passed is False:
            reason = "not applicable: states of two instances cannot be compared"
            yield Finding(check.name, None, reason)
            continue
        yield found(check.name, partial(check.made, ground), check.things, seconds, first)


def _require(environment: object) -> None:
    missing = [name for name in REQUIRED if not hasattr(environment, name)]
    if missing:
        name = getattr(environment, "name", type(environment).__name__)
        raise ConfigError(
            f"environment '{name}' lacks {', '.join(missing)}; docs/audit.md says what an "
            f"environment must offer to be audited"
        )
