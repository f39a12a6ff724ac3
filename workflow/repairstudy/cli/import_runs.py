"""``repairstudy import-runs FILE... --study CONFIG``: your own failed runs, replayed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

Form = Literal["auto", "jsonl", "openai", "inspect", "agenttraj", "export"]
Keep = Literal["failures", "replayed"]
Observations = Literal["equal", "contained", "unchecked"]


def import_runs(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Logs of runs.")],
    study: Annotated[
        Path,
        typer.Option(
            metavar="CONFIG", help="Configuration of a study: its environment and executor."
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(metavar="RUNS.JSONL", help="Where the runs go; without it, nowhere."),
    ] = None,
    form: Annotated[
        Form, typer.Option("--format", help="Of the files; auto: told by their content.")
    ] = "auto",
    executor: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Whose runs they are; needed where the study deploys several."
        ),
    ] = None,
    task_field: Annotated[
        str | None,
        typer.Option(
            metavar="KEY",
            help="Field of the log that names the task (keys joined by dots). Without it: task_id, "
            "or else the task whose instruction the run was shown.",
        ),
    ] = None,
    observations: Annotated[
        Observations,
        typer.Option(
            help="How the log's observations must agree with the replay: be equal, contain it, or "
            "not at all."
        ),
    ] = "equal",
    ignore: Annotated[
        list[str] | None,
        typer.Option(
            metavar="REGEX",
            help="Parts of texts that do not count when observations and instructions are "
            "compared. Repeatable.",
        ),
    ] = None,
    protocol: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Protocol by which the agent's words are read, if not by the executor's own.",
        ),
    ] = None,
    tool_argument: Annotated[
        str, typer.Option(metavar="NAME", help="Argument of a tool call that holds the action.")
    ] = "action",
    tool: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=TEMPLATE",
            help="What a call of a tool does, such as 'find=search[{query}]'. Repeatable.",
        ),
    ] = None,
    skip_tool: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="A tool whose calls are no actions. Repeatable."),
    ] = None,
    score: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Inspect AI: the score that says who succeeded, if there are some."
        ),
    ] = None,
    keep: Annotated[
        Keep, typer.Option(help="What is written: failures, or successes too.")
    ] = "failures",
    as_json: Annotated[
        bool, typer.Option("--json", help="A JSON object for each run instead of the table.")
    ] = False,
) -> None:
    """Replay runs of a log, and write down those that failed.

    Each run is done again in the study's environment, action by action, and compared with the log:
    its observations, which actions were admissible, its outcome. A run is left out if it succeeded,
    leads elsewhere than the log says, or cannot be read; the table says why. What is written is a
    file of runs for `repairstudy pick` and for `collection.runs` of a study (docs/own-failures.md).
    """
    import sys

    from repairstudy.cli.importing.importing import Asked, replayed_files
    from repairstudy.cli.importing.replays import patterns
    from repairstudy.cli.importing.shown import NO_FAULT, lines, summary
    from repairstudy.cli.studies import executor_named, read_study
    from repairstudy.imported.calls import Tools
    from repairstudy.imported.formats import Reading
    from repairstudy.imported.jsonl import write_runs

    config = read_study(study)
    asked = Asked(
        form=form,
        reading=Reading(Tools.of(tool_argument, tool or (), skip_tool or ()), score),
        executor=executor_named(config, executor),
        task_field=task_field,
        comparison=observations,
        ignored=patterns(ignore or ()),
        protocol=protocol,
    )
    replayed = replayed_files(config, files, asked, sys.stderr)
    wanted = NO_FAULT if keep == "replayed" else ("failure",)
    runs = [one.run for one in replayed if one.verdict in wanted and one.run is not None]
    if out is not None and runs:
        write_runs(runs, out)
    print(lines(replayed, wanted).rstrip("\n") if as_json else summary(replayed, wanted))
    if out is not None:
        said = f"{len(runs)} runs written to {out}" if runs else f"no run to write to {out}"
        print(said, file=sys.stderr)
