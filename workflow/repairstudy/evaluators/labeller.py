"""An LLM labeller: a model that reads a failed run and names failure types from a list.

It is apart from the detectors: it sees none of what they found, and they see nothing of it.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import polars as pl

from repairstudy.descriptions.label import TYPE, UNEXPLAINED
from repairstudy.descriptions.registry import symptoms_of
from repairstudy.descriptions.run import FailedRun
from repairstudy.engines import Engine, Request
from repairstudy.executors.protocols.answers import without_thoughts
from repairstudy.records import TABLES, seed_of
from repairstudy.records.text import fill

LLM_LABELS = TABLES["llm_labels"]
NONE = "None of the other labels fits."


@dataclass(frozen=True, slots=True)
class Labeller:
    """A labelling model; `temperature` 0 is greedy, `stop` ends an answer."""

    engine: Engine
    name: str
    template: str
    max_tokens: int
    temperature: float
    stop: tuple[str, ...] = ("\n",)


class Answer(NamedTuple):
    """Labels that an answer names, and how many of its parts name none."""

    labels: tuple[str, ...]
    ignored: int


class Labelled(NamedTuple):
    """LLM_LABELS rows, how many answers name no label, and how many parts of answers do not."""

    rows: pl.DataFrame
    unparsed: int
    ignored: int


async def label_runs(
    labeller: Labeller, runs: Sequence[tuple[str, FailedRun]], seed: int
) -> Labelled:
    """Ask for the labels of each run.

    Args:
        runs: failure ids, each with its run.

    Returns:
        A failure whose answer names no label of the list has no row: it is not guessed at.
    """
    texts = await asyncio.gather(*(_ask(labeller, *case, seed) for case in runs))
    answers = [
        parse_labels(text, list(meanings(run.environment)))
        for (_, run), text in zip(runs, texts, strict=True)
    ]
    rows = [
        (failure, labeller.name, TYPE, label)
        for (failure, _), answer in zip(runs, answers, strict=True)
        for label in answer.labels
    ]
    return Labelled(
        pl.DataFrame(rows, LLM_LABELS.schema, orient="row").sort(LLM_LABELS.key),
        sum(not answer.labels for answer in answers),
        sum(answer.ignored for answer in answers),
    )


def meanings(environment: str) -> dict[str, str]:
    """What a run of an environment can be labelled with: each label's meaning in a sentence."""
    known = {symptom.label: symptom.meaning for symptom in symptoms_of(environment)}
    return known | {UNEXPLAINED: NONE}


def parse_labels(text: str, labels: Sequence[str]) -> Answer:
    """The labels that an answer names, in the order of first naming.

    A reasoning model's thoughts are dropped first. A label counts only where it stands on its own,
    in any case, with spaces for underscores or not. `unexplained` beside another label says
    nothing and is left out. Ignored are the parts of the answer, between commas, semicolons and
    line ends, that hold words and no label.
    """
    answer = without_thoughts(text).lower()
    by_name = {label.lower(): label for label in labels}
    choices = "|".join(
        re.escape(label).replace("_", "[_ ]") for label in sorted(by_name, key=len, reverse=True)
    )
    pattern = re.compile(rf"(?<![\w-])(?:{choices})(?![\w-])")
    named: dict[str, None] = {}
    ignored = 0
    for part in re.split(r"[,;\n]", answer):
        found = [by_name[hit.replace(" ", "_")] for hit in pattern.findall(part)]
        ignored += not found and re.search(r"\w", part) is not None
        named |= dict.fromkeys(found)
    if len(named) > 1:
        named.pop(UNEXPLAINED, None)
    return Answer(tuple(named), ignored)


async def _ask(labeller: Labeller, failure: str, run: FailedRun, study_seed: int) -> str:
    steps = "\n".join(
        f"{t}. {seen}\n> {action}"
        for t, (seen, action) in enumerate(zip(run.observations, run.actions, strict=True))
    )
    labels = "\n".join(f"{label}: {said}" for label, said in meanings(run.environment).items())
    completion = await labeller.engine.complete(
        Request(
            prompt=fill(
                labeller.template,
                {"instruction": run.instruction, "steps": steps, "labels": labels},
            ),
            temperature=labeller.temperature,
            top_p=1.0,
            top_k=0,
            max_tokens=labeller.max_tokens,
            seed=seed_of(study_seed, "labeller", failure),
            stop=labeller.stop,
        )
    )
    return completion.text
