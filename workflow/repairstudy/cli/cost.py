"""``repairstudy cost CONFIG``: what a study will take, before it runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def cost(
    config: Annotated[Path, typer.Argument(metavar="CONFIG", help="Configuration of the study.")],
    assume: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=NUMBER", help="One of the printed assumptions, otherwise. Repeatable."
        ),
    ] = None,
    candidates: Annotated[
        float | None,
        typer.Option(
            metavar="N", help="Distinct candidates of a position beside the original.",
        ),
    ] = None,
    positions: Annotated[
        float | None,
        typer.Option(
            metavar="N",
            help="Positions of a failure on average; short runs have fewer than were asked for.",
        ),
    ] = None,
    prompt_tokens: Annotated[
        float | None,
        typer.Option(
            metavar="N",
            help="Of every prompt. Without it some random episodes are played to measure them, "
            "which needs the environment's data.",
        ),
    ] = None,
    throughput: Annotated[
        list[str] | None,
        typer.Option(
            metavar="MODEL=IN,OUT",
            help="Prompt tokens and generated tokens a second of a model's server. Repeatable.",
        ),
    ] = None,
    against: Annotated[
        Path | None,
        typer.Option(
            metavar="DATABASE",
            help="Compare the prediction from the configuration alone with what a finished study "
            "used.",
        ),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="One JSON document instead of tables.")
    ] = False,
) -> None:  # fmt: skip
    """Predict what a study will take: calls, tokens, hours.

    Counts follow from the configuration; where it does not tell (how many candidates differ, how
    long runs are), from assumptions that are printed and can be given otherwise. What the study
    has planned already is taken from its work lists, and what the cache holds is not counted
    again.
    """
    import json

    from repairstudy.cli.predicted import asked, costs, shown, study_files
    from repairstudy.cli.predicted.assumptions import Assumptions
    from repairstudy.cli.studies import read_study
    from repairstudy.cli.terminal import waiting

    study = read_study(config)
    assumed = Assumptions().given(assume or ())
    rates = asked.rates(study, throughput or ())
    with waiting("measuring prompts along some random episodes"):
        sizes = asked.sizes(study, assumed, prompt_tokens)
    shape = asked.shape(study, assumed, sizes.admissible, positions, candidates)
    found = costs.predict(study, sizes, shape, assumed)
    if against is not None:
        rows = shown.compared(found, study_files.used(against))
        print(json.dumps(rows) if as_json else shown.comparison(rows))
        return
    found = study_files.with_plans(study, found)
    hours = costs.hours_of(study, found, rates, assumed)
    if as_json:
        print(json.dumps(shown.document(found, hours, shape, assumed)))
    else:
        print(shown.prediction(study, found, hours, shape, assumed))
