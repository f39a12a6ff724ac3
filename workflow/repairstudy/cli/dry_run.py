"""What a study would still take: below the jobs of ``snakemake -n``, and before a run begins."""

from __future__ import annotations

import atexit
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from repairstudy.config import StudyConfig
from repairstudy.errors import DataError, StudyError

if TYPE_CHECKING:
    from repairstudy.cli.predicted.assumptions import Assumptions
    from repairstudy.cli.predicted.costs import Cost

_SWITCH = re.compile(r"--dry-?run|-[A-Za-z]*n[A-Za-z]*")  # -np, too


def is_dry_run(words: Sequence[str]) -> bool:
    """Whether Snakemake was called so; its executor, which knows, is chosen after parsing."""
    return any(map(_SWITCH.fullmatch, words))


def announce(study: StudyConfig) -> None:
    """Print the cost when the process ends: below Snakemake's list, where a person looks."""
    atexit.register(lambda: print(summary(study), file=sys.stderr))


def tell_who_watches(study: StudyConfig, stream: TextIO) -> None:
    """Say on a terminal what is left; a log or a pipe need not know."""
    if stream.isatty():
        try:
            stream.write(f"{summary(study)}\n")
        except Exception as error:  # a prediction must not keep a study from running
            stream.write(f"What study {study.study} would take cannot be told: {error!r}\n")


def summary(study: StudyConfig) -> str:
    """Two or three lines; what cannot be predicted is said, and is no error."""
    from repairstudy.cli.predicted import asked
    from repairstudy.cli.predicted.assumptions import Assumptions
    from repairstudy.cli.predicted.costs import predict
    from repairstudy.cli.predicted.sizes import given, measure
    from repairstudy.cli.predicted.study_files import with_plans

    assumed, absent = Assumptions(), ""
    try:
        try:
            sizes = measure(study, assumed)
        except DataError as error:
            sizes, absent = given(study, 1.0), f"before the data are there: {error.path}"
            if study.candidates.all_admissible:
                return f"What study {study.study} would take cannot be told {absent}"
        shape = asked.shape(study, assumed, sizes.admissible, None, None)
        costs = with_plans(study, predict(study, sizes, shape, assumed))
        return _text(study, costs, assumed, absent)
    except StudyError as error:
        return f"What study {study.study} would take cannot be told: {error}"


def _text(study: StudyConfig, costs: Sequence[Cost], assumed: Assumptions, absent: str) -> str:
    from repairstudy.cli.predicted.costs import hours_in_all, hours_of, left_in_all

    counts = left_in_all(costs)
    if not round(counts["rollouts"]):
        return f"Left of study {study.study}: no rollouts and no model calls"
    lines = [
        f"Left of study {study.study}: {_how_sure(study)} {counts['rollouts']:,.0f} rollouts, "
        f"proposals and rankings, {counts['calls']:,.0f} model calls"
    ]
    if absent:
        lines.append(f"  tokens and hours cannot be told {absent}")
    else:
        without, with_gpus = hours_in_all(hours_of(study, costs, {}, assumed).values())
        lines.append(
            f"  {counts['tokens_in']:,.0f} prompt and {counts['tokens_out']:,.0f} generated "
            f"tokens; {without:.1f} hours of jobs without a GPU, {with_gpus:.1f} GPU hours"
        )
    return "\n".join([*lines, "  each part, and what is assumed: repairstudy cost CONFIG"])


def _how_sure(study: StudyConfig) -> str:
    """What the cache holds is not counted, but of an executor yet unknown it cannot be found."""
    from repairstudy.config.build import executor_of

    if not any(Path(study.cache, "rollouts").glob("*")):
        return "about"
    try:
        for name in study.executors:
            executor_of(study, name)
    except StudyError:
        return "at most"
    return "about"
