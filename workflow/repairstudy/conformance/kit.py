"""Every check of an environment: its protocol, and the audit of its reward."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from repairstudy.audit import Finding, Make, Sample, trusted
from repairstudy.audit.audit import CHECKS as AUDIT_CHECKS
from repairstudy.audit.audit import COMPARABLE, SECONDS, Check, findings_of
from repairstudy.audit.findings import found
from repairstudy.audit.ground import Ground
from repairstudy.conformance import elsewhere, episodes, interface, planning, states
from repairstudy.errors import StudyError

SAMPLE = Sample(tasks=4, walks=3, length=12)
PARTS = "offers what the protocol asks for"
TASKS = "tasks are different and in a fixed order"
CLUSTERS = "each task has a cluster"
# What is compared with episodes that a fresh instance played.
PLAYED = (
    Check("texts and actions are of the right kind", episodes.kinds, "texts and states"),
    Check("the instruction stays", episodes.instruction_stays, "episodes"),
    Check("offered actions are valid", episodes.offered_actions_valid, "actions"),
    Check("other actions change nothing", episodes.others_change_nothing, "actions"),
    Check("an end offers no actions, and only an end", episodes.ends_without_actions, "states"),
    Check("outcomes are scores", episodes.outcomes_are_scores, "states"),
    Check("prefixes are replayed as in rollouts", states.prefixes_replayed, "prefixes"),
    Check("snapshots are exact", states.snapshots_exact, "restored states"),
    Check("signatures tell states apart", states.signatures_tell_apart, "states"),
    Check("listed states agree with playing", states.listed_states_agree, "states and actions"),
    Check("plans and solvability agree", planning.plans_agree, "states"),
    Check("another process sees the same", elsewhere.other_process, "things"),
    Check("threads see the same", elsewhere.threads_alike, "episodes"),
)
CHECKS = (
    PARTS, TASKS, CLUSTERS, COMPARABLE.name,
    *(check.name for check in PLAYED), *(check.name for check in AUDIT_CHECKS),
)  # fmt: skip


class NotConforming(StudyError):
    """The environment breaks its protocol, or its reward is not to be trusted."""


def check_environment(
    make: Make, sample: Sample = SAMPLE, seconds: float = SECONDS
) -> list[Finding]:
    """A finding for each of CHECKS, in their order: that in which they are best mended.

    Args:
        make: gives a fresh instance at every call. That of a module's class, or a
            `functools.partial` of it, can also be tried in another process.
        sample: how many tasks and walks are looked at.
        seconds: for each check.
    """
    return list(_findings(make, sample, seconds))


def conforms(findings: Sequence[Finding]) -> bool:
    """Whether nothing failed. What could not be checked is not held against the environment."""
    return trusted(findings)


def assert_conforms(make: Make, sample: Sample = SAMPLE, seconds: float = SECONDS) -> None:
    """For tests of an environment.

    Raises:
        AssertionError: some checks fail; a line for each.
    """
    failed = [f for f in check_environment(make, sample, seconds) if f.passed is False]
    assert not failed, "\n".join(f"{finding.check}: {finding.detail}" for finding in failed)


def _findings(make: Make, sample: Sample, seconds: float) -> Iterator[Finding]:
    before: list[tuple[str, Callable[[], interface.Problems], str]] = [
        (PARTS, partial(interface.parts, make), "parts"),
        (TASKS, partial(interface.tasks_in_order, make, sample), "tasks and lists"),
        (CLUSTERS, partial(interface.clusters_named, make, sample), "tasks"),
    ]
    passed = 0
    for name, problems, things in before:
        finding = found(name, problems, things, seconds)
        yield finding
        if finding.passed is False:
            break
        passed += 1
    if passed < len(before):
        yield from _left_out(CHECKS[passed + 1 :], f"first mend '{before[passed][0]}'")
        return
    # The audit plants exceptions into the first scoring of a state, so it goes first.
    alike, *audited = findings_of(make, sample, seconds)
    yield alike
    if alike.passed is False:
        reason = "states of two instances cannot be compared"
        yield from _left_out([check.name for check in PLAYED], reason)
    else:
        ground = Ground(make, sample)
        for check in PLAYED:
            yield found(check.name, partial(check.made, ground), check.things, seconds)
    yield from audited


def _left_out(names: Sequence[str], reason: str) -> Iterator[Finding]:
    return (Finding(name, None, f"not applicable: {reason}") for name in names)
