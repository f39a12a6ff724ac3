"""``repairstudy pick FAILURES --study CONFIG``: which repair of each failed run, and what it gains.

FAILURES holds a JSON object a line: failure_id, task_id, actions (of the failed run), t (the step
to repair, from 0), candidates (actions, or {"t": step, "action": ...}; without them the admissible
actions). Selection rollouts of the deployed executor choose a candidate. Fresh rollouts of it and
of the original action, which chose nothing, give its net gain with an interval. "replace": the
interval lies above 0. "keep the original": it lies below --margin. "not enough evidence": neither.
The naive claim is the best selection mean minus the original's, from the same rollouts. All
rollouts go to the study's cache: a stopped command goes on where it was.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
from pathlib import Path

from repairstudy.analysis.picking import METHODS, Campaign
from repairstudy.cli.cost import read_study
from repairstudy.cli.picking.choosing import Drawer, Picked, Settings, pick
from repairstudy.cli.picking.failures import read_failures
from repairstudy.cli.picking.problems import problems_of
from repairstudy.cli.picking.rollouts import OwnRollouts
from repairstudy.cli.picking.shown import document, text
from repairstudy.config import StudyConfig
from repairstudy.config.build import actor_of, engine_of, environment_of, executor_of, limits_of
from repairstudy.errors import ConfigError
from repairstudy.rollouts import RolloutCache

HELP = "choose a repair of each of your failed runs by few rollouts, and say what it gains"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("failures", help="JSONL file of failed runs")
    parser.add_argument("--study", required=True, metavar="CONFIG", help="configuration of a study")
    whose = parser.add_mutually_exclusive_group()
    whose.add_argument("--pool", metavar="NAME", help="take the executor that this pool deploys")
    whose.add_argument("--executor", metavar="NAME", help="the executor that will act")
    parser.add_argument(
        "--method",
        choices=METHODS,
        default=METHODS[0],
        help="how selection rollouts are spent (docs/adaptive.md); successive-rejects and uniform "
        f"spend the whole budget (default {METHODS[0]})",
    )
    parser.add_argument(
        "--budget",
        type=int,
        default=10,
        metavar="N",
        help="most selection rollouts, times the candidates and the original (10)",
    )
    parser.add_argument(
        "--cost",
        type=float,
        default=0.03,
        metavar="X",
        help="stop selecting when choosing now is expected to forgo at most this (0.03)",
    )
    parser.add_argument(
        "--confirm",
        type=int,
        default=10,
        metavar="N",
        help="fresh rollouts of the chosen action, and as many of the original (10)",
    )
    parser.add_argument(
        "--margin",
        type=float,
        default=0.0,
        metavar="X",
        help="a net gain below this is not worth it (0)",
    )
    parser.add_argument("--level", type=float, default=0.95, help="of the intervals (0.95)")
    parser.add_argument(
        "--most",
        type=int,
        default=10,
        metavar="N",
        help="random admissible actions at most, where no candidates are named (10)",
    )
    parser.add_argument(
        "--json", metavar="OUT", help="write everything as JSON; '-': to stdout, without the table"
    )


def run(arguments: argparse.Namespace) -> None:
    """Choose, write the document, print the table.

    Raises:
        StudyError: an option, a line or the configuration is not usable; the engine failed.
    """
    study = read_study(arguments.study)
    settings = settings_of(arguments, study)
    name = executor_name(study, arguments.pool, arguments.executor)
    lines = read_failures(arguments.failures)
    out = _writable(arguments.json)
    environment = environment_of(study)
    budget = study.environment.budget
    problems = problems_of(environment, lines, budget, arguments.most, study.seed)
    executor = executor_of(study, name)
    drawer = Drawer(executor.executor_id, environment, budget, settings.metric)

    async def choose() -> tuple[list[Picked], int]:
        engine = engine_of(study, study.executors[name].model, server_log(study))
        try:
            rollouts = OwnRollouts(
                actor_of(study, executor, engine),
                lambda: environment_of(study),
                RolloutCache(f"{study.cache}/rollouts"),
                limits_of(study),
                sys.stderr,
            )
            found = await pick(problems, settings, drawer, rollouts)
            needed = len(rollouts.asked)
            sys.stderr.write(f"{needed:,} rollouts, {rollouts.ran:,} of them run now\n")
            return found, needed
        finally:
            await engine.close()

    found, distinct = asyncio.run(choose())
    about = {"study": study.study, "executor": name, "executor_id": executor.executor_id}
    whole = json.dumps(document(found, settings, about, distinct), indent=1, ensure_ascii=False)
    if out is not None:
        out.write_text(whole + "\n", encoding="utf-8")
    print(whole if arguments.json == "-" else text(found, settings, about))


def settings_of(arguments: argparse.Namespace, study: StudyConfig) -> Settings:
    """The checked numbers.

    Raises:
        ConfigError: one is outside its range.
    """
    for option in ("budget", "confirm", "most"):
        if getattr(arguments, option) < 1:
            raise ConfigError(f"--{option}: {getattr(arguments, option)} is below 1")
    if not 0.0 < arguments.level < 1.0:
        raise ConfigError(f"--level: {arguments.level} is not between 0 and 1")
    for option in ("cost", "margin"):
        if not 0.0 <= getattr(arguments, option) < 1.0:
            raise ConfigError(f"--{option}: {getattr(arguments, option)} is not from 0 to 1")
    return Settings(
        campaign=Campaign(arguments.method, arguments.budget, arguments.cost),
        confirm=arguments.confirm,
        level=arguments.level,
        margin=arguments.margin,
        metric=study.metric,
        seed=study.seed,
    )


def executor_name(study: StudyConfig, pool: str | None, executor: str | None) -> str:
    """The executor that will act.

    Raises:
        ConfigError: no such pool or executor, or neither is given and several are deployed.
    """
    if pool is not None:
        if pool not in study.pools:
            raise ConfigError(f"--pool: no pool '{pool}' (known: {', '.join(study.pools)})")
        return study.pools[pool].deployed
    if executor is not None:
        if executor not in study.executors:
            known = ", ".join(study.executors)
            raise ConfigError(f"--executor: no executor '{executor}' (known: {known})")
        return executor
    if len(study.deployed) > 1:
        raise ConfigError(
            f"give --pool or --executor: the study deploys {', '.join(study.deployed)}"
        )
    return study.deployed[0]


def server_log(study: StudyConfig) -> Path:
    """Where a model server of our own writes, if one starts."""
    folder = Path(study.results) / study.study / "logs"
    folder.mkdir(parents=True, exist_ok=True)
    return folder / "pick.log.server"


def _writable(path: str | None) -> Path | None:
    """Found out before rollouts are spent."""
    if path is None or path == "-":
        return None
    out = Path(path)
    if out.is_dir() or not os.access(out if out.exists() else out.parent, os.W_OK):
        raise ConfigError(f"--json {path}: cannot be written")
    return out


if __name__ == "__main__":
    from repairstudy.cli.main import main

    sys.exit(main(["pick", *sys.argv[1:]]))
