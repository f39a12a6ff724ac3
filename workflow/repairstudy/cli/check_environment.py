"""``repairstudy check-environment NAME``: whether an installed environment keeps its protocol."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from repairstudy.errors import ConfigError, StudyError

if TYPE_CHECKING:
    from repairstudy.audit import Finding

VERDICTS = {True: "holds", False: "FAILED", None: "-"}


def check_environment(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Of the installed environment.")],
    options: Annotated[
        str, typer.Option(metavar="JSON", help="Its options, as in a configuration.")
    ] = "{}",
    tasks: Annotated[int, typer.Option(metavar="N", help="Tasks that are looked at.")] = 4,
    as_json: Annotated[
        bool, typer.Option("--json", help="One JSON document instead of lines.")
    ] = False,
) -> None:
    """Check that an installed environment can be trusted.

    NAME is that of an entry point of the group repairstudy.environments. Episodes of seeded tasks
    are played, replayed, restored, scored and compared, in other instances and another process;
    the audit of the reward is made too. Prints a line a check, then the verdict; the exit status
    is 0 if no check failed.
    """
    import json
    from dataclasses import replace
    from functools import partial

    from repairstudy import conformance
    from repairstudy.cli.terminal import waiting
    from repairstudy.conformance.kit import SAMPLE
    from repairstudy.environments import make_environment

    chosen = _options(options)
    if tasks < 1:
        raise ConfigError(f"--tasks: {tasks}; accepted: 1 or more")
    make = partial(make_environment, name, chosen)
    try:
        make()
    except StudyError:
        raise
    except Exception as error:  # its own fault is a finding, with all others
        print(f"{name}: {type(error).__name__}: {error}", file=sys.stderr)
    with waiting(f"checking {name} on {tasks} tasks"):
        findings = conformance.check_environment(make, replace(SAMPLE, tasks=tasks))
    failed = [finding.check for finding in findings if finding.passed is False]
    print(json.dumps(document(name, chosen, findings)) if as_json else text(name, findings))
    if failed:
        raise conformance.NotConforming(
            f"environment '{name}' does not conform: {'; '.join(failed)}"
        )


def _options(given: str) -> dict[str, Any]:
    import yaml

    try:
        options = yaml.safe_load(given)  # JSON is YAML
    except yaml.YAMLError as error:
        raise ConfigError(
            f"--options: {given!r} is no JSON ({' '.join(str(error).split())})"
        ) from error
    if not isinstance(options, dict):
        raise ConfigError(
            f"--options: {given!r}; accepted: a JSON object of option names and values"
        )
    return options


def document(name: str, options: dict[str, Any], findings: Sequence[Finding]) -> dict[str, Any]:
    from dataclasses import asdict

    from repairstudy.conformance import conforms

    return {
        "environment": name,
        "options": options,
        "conforms": conforms(findings),
        "checks": [asdict(finding) for finding in findings],
    }


def text(name: str, findings: Sequence[Finding]) -> str:
    """A line a check and the verdict."""
    from repairstudy.conformance import conforms

    wide = max(len(finding.check) for finding in findings)
    lines = [f"{VERDICTS[f.passed]:6}  {f.check:{wide}}  {f.detail}" for f in findings]
    counts = {passed: sum(f.passed is passed for f in findings) for passed in VERDICTS}
    verdict = "conforms" if conforms(findings) else "does not conform"
    counted = f"{counts[True]} checks hold, {counts[False]} failed, {counts[None]} not applicable"
    return "\n".join([*lines, f"{name} {verdict}: {counted}"])
