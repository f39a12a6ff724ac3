"""Whether a pool has the rollouts that its statistics need."""

from __future__ import annotations

import polars as pl

from repairstudy.errors import MissingRollouts

SHOWN = 20
CELL = ("failure_id", "t", "candidate_id")
REMEDY = (
    "To run them: snakemake --cores all --configfile FILE, the configuration of the study. "
    "It runs the missing rollouts alone."
)


def require_complete(rollouts: pl.DataFrame, candidates: pl.DataFrame, pool: str) -> None:
    """Check every role and executor of a pool.

    Labels are needed at every candidate of every position, and as many at each. An executor that
    evaluates does so at all positions or at the primary ones alone, as often at each candidate;
    on the original action it may run or not, but nowhere in between. Anything uneven means that
    rollouts are lacking, and to go on without them would select by what happened to finish.

    Args:
        rollouts: columns role, executor, failure_id, t, candidate_id, finished.
        candidates: columns failure_id, t, candidate_id, is_original, is_primary.

    Raises:
        MissingRollouts: names executor, failure, step and candidate of the first that are lacking.
    """
    labels = rollouts.filter(role="label")
    _require(labels, candidates.filter(~pl.col("is_original")), pool, needed=True)
    _require(labels, candidates.filter("is_original"), pool)
    for part in ("evaluate", "control"):
        for rows in rollouts.filter(role=part).partition_by("executor"):
            touched = rows.join(candidates, on=CELL)
            everywhere = bool((~touched["is_primary"]).any())
            wanted = candidates if everywhere else candidates.filter("is_primary")
            _require(rows, wanted.filter(~pl.col("is_original")), pool, needed=True)
            _require(rows, wanted.filter("is_original"), pool)
    for rows in rollouts.filter(role="fresh").partition_by("executor"):
        _require(rows, rows.select(CELL).unique(), pool)


def _require(rollouts: pl.DataFrame, wanted: pl.DataFrame, pool: str, needed: bool = False) -> None:
    """Each wanted cell has as many finished rollouts as the one that has most.

    `needed`: having none anywhere is not enough.
    """
    if wanted.is_empty():
        return
    found = wanted.join(
        rollouts.group_by(CELL).agg(pl.col("finished").sum().cast(pl.Int64), started=pl.len()),
        on=CELL,
        how="left",
    ).with_columns(pl.col("finished", "started").fill_null(0))
    most = int(found["started"].max() or 0)  # type: ignore[arg-type]
    if most == 0 and not needed:
        return
    short = found.filter(pl.col("finished") < max(most, 1)).sort(CELL)
    if short.is_empty():
        return
    executor = f"executor {rollouts['executor'][0]}" if rollouts.height else "deployed executor"
    role = rollouts["role"][0] if rollouts.height else "label"
    lacking = int((max(most, 1) - short["finished"]).sum())
    lines = [
        f"  {executor}, failure {failure}, step {t}, candidate {candidate}: {finished} of "
        f"{max(most, 1)}"
        for failure, t, candidate, finished in short.select(*CELL, "finished").head(SHOWN).rows()
    ]
    more = [f"  and {short.height - SHOWN} more"] if short.height > SHOWN else []
    head = f"pool {pool} lacks rollouts (role {role}), {lacking:,} in {short.height:,} places:"
    raise MissingRollouts("\n".join([head, *lines, *more, REMEDY]))
