"""An LLM judge: a model that ranks the candidates of a position from text alone."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from repairstudy.candidates.situation import Situation
from repairstudy.engines import Engine, Request
from repairstudy.executors.protocols.answers import without_thoughts
from repairstudy.records import generator, seed_of
from repairstudy.records.text import fill

SCHEMA = {
    "failure_id": pl.String(),
    "t": pl.Int64(),
    "candidate_id": pl.String(),
    "action": pl.String(),
    "score": pl.Float64(),
    "text": pl.String(),
    "parsed": pl.Boolean(),
}


@dataclass(frozen=True, slots=True)
class Judge:
    """A judging model; `temperature` 0 is greedy, `stop` ends an answer."""

    engine: Engine
    template: str
    max_tokens: int
    temperature: float
    stop: tuple[str, ...] = ("\n",)


async def judge(
    judge: Judge,
    cases: Sequence[tuple[Situation, Mapping[str, str]]],
    seed: int,
) -> pl.DataFrame:
    """Rank the candidates of each case.

    Candidates are listed in an order drawn by seed, so that no source has a fixed place.

    Args:
        cases: situations, each with its candidates' actions by candidate id.

    Returns:
        One row a candidate: score = number of candidates ranked below it (higher is better);
        null for all candidates of a case whose answer names none of them (`parsed` False).
    """
    answers = await asyncio.gather(*(_ask(judge, *case, seed) for case in cases))
    rows: list[dict[str, object]] = []
    for (situation, candidates), text in zip(cases, answers, strict=True):
        ranking = parse_ranking(text, list(candidates.values()))
        for candidate_id, action in candidates.items():
            below = len(candidates) - 1 - ranking.index(action) if action in ranking else 0
            rows.append(
                {
                    "failure_id": situation.failure_id,
                    "t": situation.t,
                    "candidate_id": candidate_id,
                    "action": action,
                    "score": float(below) if ranking else None,
                    "text": text,
                    "parsed": bool(ranking),
                }
            )
    return pl.DataFrame(rows, schema=SCHEMA)


async def _ask(
    judge: Judge, situation: Situation, candidates: Mapping[str, str], study_seed: int
) -> str:
    key = (study_seed, "judge", situation.failure_id, situation.t)
    shown = generator(*key).permutation(sorted(candidates.values()))
    slots = situation.slots() | {
        "candidates": ", ".join(map(str, shown)),
        "candidate_lines": "\n".join(map(str, shown)),
    }
    completion = await judge.engine.complete(
        Request(
            prompt=fill(judge.template, slots),
            temperature=judge.temperature,
            top_p=1.0,
            top_k=0,
            max_tokens=judge.max_tokens,
            seed=seed_of(*key),
            stop=judge.stop,
        )
    )
    return completion.text


def parse_ranking(text: str, actions: Sequence[str]) -> list[str]:
    """The actions in the order in which an answer first names them.

    A reasoning model's thoughts are dropped first. Where one action is part of another, the
    longer one is meant.
    """
    answer = without_thoughts(text)
    longest_first = sorted(actions, key=len, reverse=True)
    if not longest_first:
        return []
    pattern = "|".join(rf"(?<!\w){re.escape(action)}(?!\w)" for action in longest_first)
    by_lower = {action.lower(): action for action in actions}
    named = [by_lower[found.lower()] for found in re.findall(pattern, answer, re.IGNORECASE)]
    return list(dict.fromkeys(named))
