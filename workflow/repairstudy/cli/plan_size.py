"""``repairstudy plan-size``: failures and rollouts that a study needs to detect a loss."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def plan_size(
    loss: Annotated[float, typer.Option(metavar="X", help="True mean loss to detect.")],
    pilot: Annotated[
        Path | None, typer.Option(metavar="DATABASE", help="study.duckdb of a finished study.")
    ] = None,
    pool: Annotated[
        str | None, typer.Option(metavar="NAME", help="Of the pilot; needed if it has several.")
    ] = None,
    evaluator: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="Of the pilot; default: those that its plan tests. Repeatable."
        ),
    ] = None,
    sd: Annotated[
        float | None, typer.Option(metavar="S", help="Assumed sd of the losses of failures.")
    ] = None,
    at: Annotated[
        int, typer.Option(metavar="N", help="Rollouts a candidate that --sd belongs to.")
    ] = 10,
    noise_share: Annotated[
        float,
        typer.Option(
            metavar="F", help="Assumed share of the variance that is noise of N rollouts."
        ),
    ] = 0.5,
    tests: Annotated[
        int | None,
        typer.Option(metavar="M", help="Tests of the family; default: the evaluators, or 1."),
    ] = None,
    alpha: Annotated[
        float, typer.Option(metavar="A", help="One-sided level of the family.")
    ] = 0.05,
    power: Annotated[
        float, typer.Option(metavar="P", help="Probability to detect the loss.")
    ] = 0.8,
    rollouts: Annotated[
        str, typer.Option(metavar="N,N", help="Rollouts a candidate.")
    ] = "6,8,10,15,20",
    matched: Annotated[
        int, typer.Option(metavar="N", help="Rollouts that select; those of --rollouts are more.")
    ] = 5,
    candidates: Annotated[
        float, typer.Option(metavar="N", help="Assumed beside the original.")
    ] = 6,
    positions: Annotated[float, typer.Option(metavar="N", help="Assumed positions a failure.")] = 1,
    evaluator_rollouts: Annotated[
        float, typer.Option(metavar="N", help="Assumed, of other executors, a candidate.")
    ] = 0,
    failing: Annotated[
        float, typer.Option(metavar="F", help="Assumed share of runs that fail.")
    ] = 0.5,
    config: Annotated[
        Path | None,
        typer.Option(
            metavar="CONFIG", help="Split the rollouts of the cheapest study by executor."
        ),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="One JSON document instead of tables.")
    ] = False,
) -> None:
    """Size a study so that it detects a loss.

    From a pilot (--pilot study.duckdb), which tells how losses spread and what a failure costs, or
    from assumptions (--sd). Prints a row for each number of rollouts a candidate; the cheapest is
    marked.
    """
    import json

    from repairstudy.cli.sizing import basis, shown
    from repairstudy.cli.sizing.sizes import asked, by_executor, rollouts_of, sizes_of
    from repairstudy.cli.studies import read_study
    from repairstudy.cli.terminal import waiting

    numbers = rollouts_of(rollouts, matched)
    if pilot is not None:
        with waiting(f"reading {pilot}"):
            found = basis.from_pilot(pilot, pool, evaluator or (), numbers)
    else:
        found = basis.from_assumptions(
            basis.Assumed(sd, at, noise_share, candidates, positions, evaluator_rollouts, failing)
        )
    wanted = asked(loss, alpha, power, len(found.spreads) if tests is None else tests)
    sizes = sizes_of(found, wanted, numbers)
    split = None if config is None else by_executor(read_study(config), sizes.cheapest, found)
    if as_json:
        print(json.dumps(shown.document(wanted, found, sizes, split)))
    else:
        print(shown.text(wanted, found, sizes, split))
