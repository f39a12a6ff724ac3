"""``repairstudy pick FAILURES --study CONFIG``: which repair of each failed run, and its gain."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

# Those of analysis.picking.METHODS, which takes long to import.
Method = Literal["perfect-information", "top-two", "kl-lucb", "successive-rejects", "uniform"]


def pick(
    failures: Annotated[
        Path, typer.Argument(metavar="FAILURES", help="JSONL file of failed runs.")
    ],
    study: Annotated[Path, typer.Option(metavar="CONFIG", help="Configuration of a study.")],
    pool: Annotated[
        str | None, typer.Option(metavar="NAME", help="Take the executor that this pool deploys.")
    ] = None,
    executor: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The executor that will act (instead of --pool)."),
    ] = None,
    method: Annotated[
        Method,
        typer.Option(
            help="How selection rollouts are spent (docs/adaptive.md); successive-rejects and "
            "uniform spend the whole budget."
        ),
    ] = "perfect-information",
    budget: Annotated[
        int,
        typer.Option(
            metavar="N", help="Most selection rollouts, times the candidates and the original."
        ),
    ] = 10,
    cost: Annotated[
        float,
        typer.Option(
            metavar="X", help="Stop selecting when choosing now is expected to forgo at most this."
        ),
    ] = 0.03,
    confirm: Annotated[
        int,
        typer.Option(
            metavar="N", help="Fresh rollouts of the chosen action, and as many of the original."
        ),
    ] = 10,
    margin: Annotated[
        float, typer.Option(metavar="X", help="A net gain below this is not worth it.")
    ] = 0.0,
    level: Annotated[float, typer.Option(metavar="X", help="Of the intervals.")] = 0.95,
    most: Annotated[
        int,
        typer.Option(
            metavar="N", help="Random admissible actions at most, where no candidates are named."
        ),
    ] = 10,
    json: Annotated[
        str | None,
        typer.Option(
            metavar="OUT", help="Write everything as JSON; '-': to stdout, without the table."
        ),
    ] = None,
) -> None:
    """Choose a repair of each of your failed runs.

    FAILURES holds a JSON object a line: failure_id, task_id, actions (of the failed run), t (the
    step to repair, from 0), candidates (actions, or {"t": step, "action": ...}; without them the
    admissible actions).

    Selection rollouts of the deployed executor choose a candidate. Fresh rollouts of it and of the
    original action, which chose nothing, give its net gain with an interval. "replace": the
    interval lies above 0. "keep the original": it lies below --margin. "not enough evidence":
    neither. The naive claim is the best selection mean minus the original's, from the same
    rollouts.

    All rollouts go to the study's cache: a stopped command goes on where it was.
    """
    if pool is not None and executor is not None:
        raise typer.BadParameter("give --pool or --executor, not both")
    import sys
    from json import dumps

    from repairstudy.cli.picking import asked, running
    from repairstudy.cli.picking.failures import read_failures
    from repairstudy.cli.picking.problems import problems_of
    from repairstudy.cli.studies import read_study
    from repairstudy.config.build import environment_of

    config = read_study(study)
    settings = asked.settings(config, method, budget, cost, confirm, level, margin)
    asked.at_least_one("--most", most)
    name = asked.executor_name(config, pool, executor)
    lines = read_failures(failures)
    out = asked.writable(json)
    environment = environment_of(config)
    problems = problems_of(environment, lines, config.environment.budget, most, config.seed)
    found, table = running.run(config, name, problems, environment, settings, sys.stderr)
    whole = dumps(found, indent=1, ensure_ascii=False)
    if out is not None:
        out.write_text(whole + "\n", encoding="utf-8")
    print(whole if json == "-" else table)
