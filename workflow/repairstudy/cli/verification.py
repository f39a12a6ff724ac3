"""Whether the tables of a database are what they follow from.

`repairstudy verify` needs the database alone: it compares each table with the hash that
`provenance` holds, and recomputes scores, selections, values, results and costs from the rollouts
in it. `snakemake verify-results` goes further and starts from the rollout cache.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TextIO

import polars as pl

from repairstudy.analysis import Rules, analyse, build_pools, select_all
from repairstudy.analysis.costs import costs_of
from repairstudy.analysis.pool import is_scored_by_rollouts
from repairstudy.analysis.registration_file import from_row
from repairstudy.analysis.scores import rollout_scores
from repairstudy.errors import DataError
from repairstudy.records import TABLES
from repairstudy.report import load_frames
from repairstudy.store.compare import Difference, difference
from repairstudy.store.contents import content_hashes

SAME, DIFFERS, GIVEN = "recomputed, the same", "DIFFERS", "as recorded"


def recomputed(frames: Mapping[str, pl.DataFrame]) -> dict[str, pl.DataFrame]:
    """The tables that follow from the rollouts, candidates and scores of a study, made anew."""
    [row] = frames["preregistration"].to_dicts()
    registration = from_row(row, frames["provenance"]["started"][0])
    names = [
        name for name in frames["scores"]["evaluator"].unique() if not is_scored_by_rollouts(name)
    ]
    given = frames["scores"].filter(pl.col("evaluator").is_in(names))
    pools = build_pools({**frames, "scores": given}, registration.plan.metric)
    chosen = select_all(pools, Rules.of(registration.plan))
    return {
        "scores": pl.concat([given, rollout_scores(pools)]),
        "selections": chosen.selections,
        "values": chosen.values,
        "results": analyse(
            pools,
            chosen.values,
            registration,
            exact_values=frames["exact_values"],
            executors=frames["executors"],
            failure_labels=frames.get("failure_labels"),
            llm_labels=frames.get("llm_labels"),
        ),
        "costs": costs_of(frames["rollouts"]),
    }


def differences(
    stored: Mapping[str, pl.DataFrame], computed: Mapping[str, pl.DataFrame]
) -> dict[str, Difference]:
    """By name, every table that was computed against what is stored."""
    return {
        name: difference(stored.get(name, TABLES[name].empty()), computed[name], TABLES[name])
        for name in TABLES
        if name in computed
    }


def hash_problems(frames: Mapping[str, pl.DataFrame]) -> dict[str, str]:
    """By table, what is wrong with its content hash."""
    recorded = json.loads(frames["provenance"]["tables"][0])
    found = content_hashes(frames)
    return {
        name: f"its content has the hash {found.get(name, 'none')[:16]}, provenance says "
        f"{recorded.get(name, 'none')[:16]}"
        for name in sorted({*recorded, *found})
        if recorded.get(name) != found.get(name)
    }


def report(
    stored: Mapping[str, pl.DataFrame],
    found: Mapping[str, Difference],
    given: Iterable[str],
    hashes: Mapping[str, str],
    out: TextIO,
) -> None:
    """One line a table, and below it what differs.

    Args:
        given: tables that were not recomputed.

    Raises:
        DataError: names the tables that differ.
    """
    wrong = set()
    for name in (*found, *given):
        lines = [*(found[name].lines if name in found else ())]
        lines += [hashes[name]] if name in hashes else []
        verdict = DIFFERS if lines else SAME if name in found else GIVEN
        rows = stored[name].height if name in stored else 0
        out.write(f"{name}: {rows:,} rows, {verdict}\n")
        for line in lines:
            out.write(f"  {name}: {line}\n")
            wrong.add(name)
    if wrong:
        raise DataError(
            "study.duckdb",
            f"{len(wrong)} tables are not what they follow from: {', '.join(sorted(wrong))}.",
            "Find out who changed them, or build the database again.",
        )


def compared(
    database: str | Path,
) -> tuple[dict[str, pl.DataFrame], dict[str, Difference], list[str], dict[str, str]]:
    """A database alone, as `report` takes it: its tables, differences, the others, hashes.

    Raises:
        DataError: it is not the database of a study.
    """
    frames = dict(load_frames(database))
    found = differences(frames, recomputed(frames))
    given = [name for name in frames if name not in found and name != "build"]
    return frames, found, given, hash_problems(frames)
