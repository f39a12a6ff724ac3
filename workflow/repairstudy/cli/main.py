"""The command `repairstudy`: a sub-command for each module named here.

A module offers HELP (a sentence), `add_arguments(parser)` and `run(arguments)`, which raises a
StudyError for whatever the user can mend.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module

from repairstudy.errors import StudyError

COMMANDS = {
    "cost": "repairstudy.cli.cost",
    "plan-size": "repairstudy.cli.plan_size",
    "pick": "repairstudy.cli.pick",
    "check-environment": "repairstudy.cli.check_environment",
}


def main(words: Sequence[str] | None = None) -> int:
    """Run a sub-command; the exit status."""
    words = list(sys.argv[1:] if words is None else words)
    parser = argparse.ArgumentParser(prog="repairstudy", description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    chosen = words[0] if words and words[0] in COMMANDS else None
    for name, module_name in COMMANDS.items():
        module = import_module(module_name)
        command = commands.add_parser(name, help=module.HELP, description=module.__doc__)
        if name == chosen:
            module.add_arguments(command)
    arguments = parser.parse_args(words)
    try:
        import_module(COMMANDS[arguments.command]).run(arguments)
    except StudyError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
