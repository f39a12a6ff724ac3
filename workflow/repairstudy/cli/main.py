"""The command `repairstudy`; each sub-command is a function of a module of its own.

Such a module imports nothing heavy before its function runs: help and shell completion answer at
once. Its function raises a StudyError for whatever the user can mend.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from repairstudy import __version__
from repairstudy.cli.check import check
from repairstudy.cli.check_environment import check_environment
from repairstudy.cli.cost import cost
from repairstudy.cli.import_runs import import_runs
from repairstudy.cli.pick import pick
from repairstudy.cli.plan_size import plan_size
from repairstudy.cli.verify import verify
from repairstudy.errors import StudyError

app = typer.Typer(
    name="repairstudy",
    no_args_is_help=True,
    rich_markup_mode=None,  # help as plain text: the same in a pipe and in a narrow terminal
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("check")(check)
app.command("cost")(cost)
app.command("plan-size")(plan_size)
app.command("pick")(pick)
app.command("import-runs")(import_runs)
app.command("verify")(verify)
app.command("check-environment")(check_environment)


def _version(asked: bool) -> None:
    if asked:
        print(f"repairstudy {__version__}")
        raise typer.Exit


@app.callback()
def about(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="And exit.")
    ] = False,
) -> None:
    """Which repair of a failed LLM-agent run helps the agent that will act?

    Studies themselves are run by Snakemake: `snakemake --configfile CONFIG`. These commands are
    for what comes before, after and beside one.
    """


def main(words: Sequence[str] | None = None) -> int:
    """Run a sub-command; the exit status: 1 after a StudyError, 2 after a wrong call."""
    try:
        app(args=None if words is None else list(words), prog_name="repairstudy")
    except StudyError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    return 0


if __name__ == "__main__":
    sys.exit(main())
