"""``repairstudy check-environment NAME``: whether an installed environment keeps its protocol.

NAME is that of an entry point of the group repairstudy.environments. Episodes of seeded tasks are
played, replayed, restored, scored and compared, in other instances and another process; the audit
of the reward is made too. Prints a line a check, then the verdict; the exit status is 0 if no check
failed.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, replace
from functools import partial
from typing import Any

import yaml

from repairstudy.audit import Finding
from repairstudy.conformance import NotConforming, check_environment, conforms
from repairstudy.conformance.kit import SAMPLE
from repairstudy.environments import make_environment
from repairstudy.errors import ConfigError, StudyError

HELP = "whether an installed environment keeps its protocol and can be trusted to score"
VERDICTS = {True: "holds", False: "FAILED", None: "-"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help="of the installed environment")
    parser.add_argument(
        "--options", default="{}", metavar="JSON", help="its options, as in a configuration"
    )
    parser.add_argument(
        "--tasks", default=SAMPLE.tasks, type=int, metavar="N", help=f"looked at ({SAMPLE.tasks})"
    )
    parser.add_argument("--json", action="store_true", help="one JSON document instead of lines")


def run(arguments: argparse.Namespace) -> None:
    """Print the findings.

    Raises:
        NotConforming: a check failed.
        ConfigError: no such environment, or options that it does not accept.
    """
    options = _options(arguments.options)
    if arguments.tasks < 1:
        raise ConfigError(f"--tasks: {arguments.tasks}; accepted: 1 or more")
    make = partial(make_environment, arguments.name, options)
    try:
        make()
    except StudyError:
        raise
    except Exception as error:  # its own fault is a finding, with all others
        print(f"{arguments.name}: {type(error).__name__}: {error}", file=sys.stderr)
    findings = check_environment(make, replace(SAMPLE, tasks=arguments.tasks))
    failed = [finding.check for finding in findings if finding.passed is False]
    if arguments.json:
        print(json.dumps(document(arguments.name, options, findings)))
    else:
        print(text(arguments.name, findings))
    if failed:
        raise NotConforming(f"environment '{arguments.name}' does not conform: {'; '.join(failed)}")


def _options(given: str) -> dict[str, Any]:
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
    return {
        "environment": name,
        "options": options,
        "conforms": conforms(findings),
        "checks": [asdict(finding) for finding in findings],
    }


def text(name: str, findings: Sequence[Finding]) -> str:
    """A line a check and the verdict."""
    wide = max(len(finding.check) for finding in findings)
    lines = [f"{VERDICTS[f.passed]:6}  {f.check:{wide}}  {f.detail}" for f in findings]
    counts = {passed: sum(f.passed is passed for f in findings) for passed in VERDICTS}
    verdict = "conforms" if conforms(findings) else "does not conform"
    counted = f"{counts[True]} checks hold, {counts[False]} failed, {counts[None]} not applicable"
    return "\n".join([*lines, f"{name} {verdict}: {counted}"])


if __name__ == "__main__":
    from repairstudy.cli.main import main

    sys.exit(main(["check-environment", *sys.argv[1:]]))
