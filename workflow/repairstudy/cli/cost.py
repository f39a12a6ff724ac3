"""``repairstudy cost CONFIG``: what a study will take, before it runs.

Counts follow from the configuration; where it does not tell (how many candidates differ, how long
runs are), from assumptions that are printed and can be given otherwise. What the study has planned
already is taken from its work lists, and what the cache holds is not counted again.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace
from math import isinf
from typing import Any

import polars as pl
import yaml

from repairstudy.cli.predicted.assumptions import Assumptions, positive
from repairstudy.cli.predicted.costs import Cost, Hours, Rate, hours_of, predict
from repairstudy.cli.predicted.counts import Shape, shape_of
from repairstudy.cli.predicted.sizes import Sizes, given, measure
from repairstudy.cli.predicted.study_files import QUANTITIES, used, with_plans
from repairstudy.config import StudyConfig, parse_study
from repairstudy.errors import ConfigError, DataError
from repairstudy.rollouts import RolloutCache

HELP = "predict rollouts, steps, model calls, tokens and hours of a study"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("config", help="configuration of the study")
    parser.add_argument(
        "--assume", action="append", default=[], metavar="NAME=NUMBER", help="see the output"
    )
    parser.add_argument(
        "--candidates", metavar="N", help="distinct candidates of a position beside the original"
    )
    parser.add_argument(
        "--positions",
        metavar="N",
        help="positions of a failure on average; short runs have fewer than were asked for",
    )
    parser.add_argument(
        "--prompt-tokens",
        metavar="N",
        help="of every prompt; without it some random episodes are played to measure them, which "
        "needs the environment's data",
    )
    parser.add_argument(
        "--throughput",
        action="append",
        default=[],
        metavar="MODEL=IN,OUT",
        help="prompt tokens and generated tokens a second of a model's server",
    )
    parser.add_argument(
        "--against",
        metavar="DATABASE",
        help="compare the prediction from the configuration alone with what a finished study used",
    )
    parser.add_argument("--json", action="store_true", help="one JSON document instead of tables")


def run(arguments: argparse.Namespace) -> None:
    """Print the prediction.

    Raises:
        StudyError: the configuration, an option or a file is not usable.
    """
    study = read_study(arguments.config)
    assumed = Assumptions().given(arguments.assume)
    rates = rates_of(study, arguments.throughput)
    sizes = sizes_of(study, assumed, arguments.prompt_tokens)
    shape = shape_of(study, assumed, sizes.admissible)
    if arguments.positions is not None:
        shape = replace(shape, positions=positive("--positions", arguments.positions))
    if arguments.candidates is not None:
        shape = replace(shape, arms=1 + positive("--candidates", arguments.candidates))
    if isinf(shape.arms):
        raise ConfigError("--candidates: needed, since every admissible action is a candidate")
    costs = predict(study, sizes, shape, assumed)
    if arguments.against:
        rows = compared(costs, used(arguments.against))
        print(json.dumps(rows) if arguments.json else comparison_text(rows))
        return
    costs = with_plans(study, costs, RolloutCache(f"{study.cache}/rollouts"))
    hours = hours_of(study, costs, rates, assumed)
    if arguments.json:
        print(json.dumps(document(costs, hours, shape, assumed)))
    else:
        print(prediction_text(study, costs, hours, shape, assumed))


def sizes_of(study: StudyConfig, assumed: Assumptions, prompt_tokens: str | None) -> Sizes:
    """Prompts measured along random episodes, or as given.

    Raises:
        StudyError: the environment's data are not in place.
    """
    if prompt_tokens is not None:
        return given(study, positive("--prompt-tokens", prompt_tokens))
    try:
        return measure(study, assumed)
    except DataError as error:
        raise ConfigError(f"{error}\nWithout the data: --prompt-tokens N") from error


def read_study(path: str) -> StudyConfig:
    """A study that runs rollouts.

    Raises:
        ConfigError: it cannot be read, or is a study of outcomes made elsewhere.
    """
    try:
        with open(path, encoding="utf-8") as file:  # noqa: PTH123
            content = yaml.safe_load(file)
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ConfigError(f"{path}: cannot be read ({error})") from error
    if not isinstance(content, dict):
        raise ConfigError(f"{path}: not a configuration (no keys)")
    study = parse_study(content, path)
    if not isinstance(study, StudyConfig):
        raise ConfigError(f"{path}: outcomes made elsewhere cost no rollouts")
    return study


def rates_of(study: StudyConfig, words: Iterable[str]) -> dict[str, Rate]:
    """Tokens a second by model, each given as "MODEL=IN,OUT".

    Raises:
        ConfigError: an unknown model, or no two numbers.
    """
    rates = {}
    for word in words:
        model, _, numbers = word.partition("=")
        if model not in study.models:
            raise ConfigError(
                f"--throughput: no model '{model}' (known: {', '.join(study.models)})"
            )
        parts = numbers.split(",")
        if len(parts) != 2:
            raise ConfigError(f"--throughput {model}: give IN,OUT in tokens a second")
        rates[model] = (
            positive(f"--throughput {model}", parts[0]),
            positive(f"--throughput {model}", parts[1]),
        )
    return rates


def compared(costs: Iterable[Cost], spent: pl.DataFrame) -> list[dict[str, Any]]:
    """Predicted beside used, an executor and role each, and a row for all.

    Raises:
        DataError: the database is of a study with other executors.
    """
    expected: dict[tuple[str, str], dict[str, float]] = {}
    for cost in costs:
        if cost.stage in ("screen", "main", "fresh"):
            sums = expected.setdefault((cost.who, cost.role), dict.fromkeys(QUANTITIES, 0.0))
            for name in QUANTITIES:
                sums[name] += getattr(cost, name)
    found = {(row["who"], row["role"]): row for row in spent.iter_rows(named=True)}
    if not set(found) & set(expected):
        raise DataError("--against", "no executor of the database is one of the configuration.")
    rows = []
    for who, role in sorted(set(expected) | set(found)):
        row: dict[str, Any] = {"executor": who, "role": role}
        for name in QUANTITIES:
            row[name] = _beside(
                expected.get((who, role), {}).get(name, 0.0), found.get((who, role), {}).get(name)
            )
        rows.append(row)
    total: dict[str, Any] = {"executor": "all", "role": ""}
    for name in QUANTITIES:
        total[name] = _beside(
            sum(row[name]["predicted"] for row in rows), sum(row[name]["used"] for row in rows)
        )
    return [*rows, total]


def _beside(predicted: float, spent: float | None) -> dict[str, float | None]:
    spent = spent or 0
    return {
        "predicted": round(predicted),
        "used": spent,
        "ratio": round(predicted / spent, 2) if spent else None,
    }


def comparison_text(rows: list[dict[str, Any]]) -> str:
    lines = [["executor", "role", *(f"{n} predicted / used = ratio" for n in QUANTITIES)]]
    for row in rows:
        cells = [
            f"{row[n]['predicted']:,} / {row[n]['used']:,} = {row[n]['ratio'] or '-'}"
            for n in QUANTITIES
        ]
        lines.append([row["executor"], row["role"], *cells])
    return table(lines)


def prediction_text(
    study: StudyConfig,
    costs: list[Cost],
    hours: Mapping[tuple[str, str], Hours | None],
    shape: Shape,
    assumed: Assumptions,
) -> str:
    columns = ("rollouts", "steps", "calls", "tokens_in", "tokens_out")
    lines = [["model", "stage", "who", "role", "rollouts", "cached", *columns[1:], "hours x GPUs"]]
    last = None
    for cost in costs:
        left, key = cost.left(), (cost.model, cost.stage)
        known = "" if cost.planned else "~"
        time = "" if key == last else _hours_text(hours[key])
        counts = [f"{known}{round(cost.rollouts):,}", f"{round(cost.cached):,}"]
        counts += [f"{round(getattr(left, name)):,}" for name in columns[1:]]
        lines.append([*key, cost.who, cost.role, *counts, time])
        last = key
    totals = {name: sum(getattr(c.left(), name) for c in costs) for name in columns}
    told = [one for one in hours.values() if one is not None]
    parts = [
        f"study {study.study}; ~: predicted, else as planned by the study itself; rollouts in all, "
        "then what of it is cached, then what is left to do",
        table(lines),
        f"left: {round(totals['rollouts']):,} rollouts, proposals and rankings; "
        f"{round(totals['steps']):,} steps, {round(totals['calls']):,} model calls, "
        f"{round(totals['tokens_in']):,} prompt tokens and {round(totals['tokens_out']):,} "
        "generated tokens (stored distributions included)",
        f"time: {sum(h.hours * h.gpus for h in told):.2f} GPU hours, "
        f"{sum(h.hours for h in told if not h.gpus):.2f} hours of jobs without a GPU",
        f"assumed: {shape.positions:g} positions a failure, {shape.arms - 1:.2f} candidates beside "
        "the original; "
        + ", ".join(f"{name}={value:g}" for name, value in asdict(assumed).items()),
    ]
    return "\n".join(parts)


def _hours_text(hours: Hours | None) -> str:
    if hours is None:
        return "elsewhere"
    return f"{hours.hours:.2f} x {hours.gpus}"


def document(
    costs: list[Cost],
    hours: Mapping[tuple[str, str], Hours | None],
    shape: Shape,
    assumed: Assumptions,
) -> dict[str, Any]:
    return {
        "costs": [asdict(cost) for cost in costs],
        "hours": [
            {"model": model, "stage": stage} | (asdict(one) if one else {"hours": None, "gpus": 0})
            for (model, stage), one in hours.items()
        ],
        "shape": asdict(shape),
        "assumed": asdict(assumed),
    }


def table(lines: list[list[str]]) -> str:
    """Columns side by side, the first two to the left, numbers to the right."""
    widths = [max(len(row[place]) for row in lines) for place in range(len(lines[0]))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if not cell[:1].isdigit() and cell[:1] != "~" else cell.rjust(width)
            for cell, width in zip(row, widths, strict=True)
        ).rstrip()
        for row in lines
    )


if __name__ == "__main__":
    from repairstudy.cli.main import main

    sys.exit(main(["cost", *sys.argv[1:]]))
