"""The arrays of each position of a pool, cut out of its tables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl

from repairstudy.analysis.pool import Array, PositionData

Key = tuple[str, int]


def positions_of(
    candidates: pl.DataFrame, rollouts: pl.DataFrame, scores: pl.DataFrame, deployed: str
) -> Iterator[PositionData]:
    """The positions in collection order of their failures and in order of their steps.

    Args:
        candidates: columns failure_id, t, candidate_id, is_original, sources, is_primary, rank.
        rollouts: columns role, executor, failure_id, t, candidate_id, is_original, replicate,
            outcome, won; complete, so that every block is a rectangle.
        scores: columns failure_id, t, candidate_id, evaluator, score; of no original.
    """
    blocks = _blocks(rollouts)
    scored = _score_arrays(scores)
    repair = ~pl.col("is_original")
    grouped = (
        candidates.sort("rank", "t", "candidate_id")
        .group_by("failure_id", "t", "is_primary", maintain_order=True)
        .agg(
            pl.col("candidate_id").filter(repair),
            pl.col("sources").filter(repair),
            original_id=pl.col("candidate_id").filter("is_original").first(),
        )
    )
    for row in grouped.iter_rows(named=True):
        key = (row["failure_id"], row["t"])
        arrays = blocks[key]
        evaluating = arrays.get("evaluate", {})
        label = arrays["label"][deployed]
        control = arrays.get("control", {}).get(deployed, {})
        yield PositionData(
            failure_id=key[0],
            t=key[1],
            is_primary=row["is_primary"],
            candidates=tuple(row["candidate_id"]),
            sources=tuple(tuple(found) for found in row["sources"]),
            original_id=row["original_id"],
            outcomes=label[False]["outcome"],
            original=label[True]["outcome"][0] if True in label else np.empty(0),
            successes=label[False]["won"],
            others={name: found[False]["outcome"] for name, found in evaluating.items()},
            others_original={
                name: found[True]["outcome"][0]
                for name, found in evaluating.items()
                if True in found
            },
            control=control[False]["outcome"] if False in control else None,
            fresh=arrays.get("fresh", {}),
            scores=scored.get(key, {}),
        )


def _blocks(rollouts: pl.DataFrame) -> dict[Key, dict[str, Any]]:
    """Arrays by position: role -> executor -> is_original -> column -> (K, n), K by candidate id.

    Fresh rollouts, which are not run on every candidate, are (executor, candidate) -> (n,).
    """
    group = ["failure_id", "t", "role", "executor", "is_original"]
    ordered = rollouts.sort(*group, "candidate_id", "replicate")
    columns = {name: ordered[name].to_numpy() for name in ("outcome", "won")}
    blocks: dict[Key, dict[str, Any]] = {}
    start = 0
    counted = ordered.group_by(group, maintain_order=True).agg(
        pl.len(), pl.col("candidate_id").n_unique().alias("candidates")
    )
    for failure, t, role, executor, original, length, number in counted.iter_rows():
        roles = blocks.setdefault((failure, t), {})
        if role != "fresh":
            arrays = {
                name: column[start : start + length].reshape(number, -1)
                for name, column in columns.items()
            }
            roles.setdefault(role, {}).setdefault(executor, {})[original] = arrays
        else:
            ids = ordered["candidate_id"][start : start + length].to_numpy()
            part = columns["outcome"][start : start + length]
            for candidate in dict.fromkeys(ids):
                roles.setdefault(role, {})[executor, candidate] = part[ids == candidate]
        start += length
    return blocks


def _score_arrays(scores: pl.DataFrame) -> dict[Key, dict[str, Array]]:
    found: dict[Key, dict[str, Array]] = {}
    grouped = (
        scores.sort("candidate_id")
        .group_by("failure_id", "t", "evaluator", maintain_order=True)
        .agg(pl.col("score").fill_null(float("nan")))
    )
    for failure, t, evaluator, values in grouped.iter_rows():
        found.setdefault((failure, t), {})[evaluator] = np.array(values, dtype=np.float64)
    return found
