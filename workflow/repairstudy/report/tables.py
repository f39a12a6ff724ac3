"""The tables of a study as files that any program opens, with every digit."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from repairstudy.records import TABLES
from repairstudy.report.frames import Frames, statistics
from repairstudy.store import replacing, write_table

# What a reader of the paper wants; the whole data are in the database.
PUBLISHED = (
    "results", "values", "selections", "scores", "failures", "positions", "candidates",
    "executors", "exact_values", "costs", "infrastructure", "audit", "preregistration",
    "provenance", "failure_labels",
)  # fmt: skip
SEPARATOR = ";"  # between the items of a list in CSV


def write_tables(frames: Frames, folder: str | Path) -> list[Path]:
    """Write NAME.csv and NAME.parquet of every published table, and `losses` as one wide table.

    Lists are joined by semicolons in CSV, times are ISO 8601 in UTC.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for name in PUBLISHED:
        if name in frames:
            write_table(frames[name], folder / f"{name}.parquet", TABLES[name])
            paths += [folder / f"{name}.parquet", _write_csv(frames[name], folder / f"{name}.csv")]
    paths.append(_write_csv(loss_table(frames), folder / "losses.csv"))
    return paths


def loss_table(frames: Frames) -> pl.DataFrame:
    """One row an evaluator and pool, both scopes: net gain, loss, test and equivalent budget."""
    key = ["pool", "scope", "evaluator"]
    parts = [
        statistics(frames, analysis).with_columns(scope=pl.lit(scope))
        for analysis, scope in (("losses", "position"), ("failure_scope", "failure"))
    ]
    rows = pl.concat(parts)
    loss = rows.filter(pl.col("estimand") == "loss").select(
        *key, "n_failures", "n_rollouts", "confirmatory", "p_value", "p_holm", "reject", "note",
        "rollouts_query", loss="estimate", loss_low="ci_low", loss_high="ci_high",
    )  # fmt: skip
    gain = rows.filter(pl.col("estimand") == "net_gain").select(
        *key, net_gain="estimate", net_gain_low="ci_low", net_gain_high="ci_high"
    )
    worth = statistics(frames, "equivalent_budget", "equivalent_budget").select(
        "pool", "evaluator", scope=pl.lit("position"), equivalent_budget="estimate",
        equivalent_low="ci_low", equivalent_high="ci_high",
    )  # fmt: skip
    joined = gain.join(loss, on=key, how="full", coalesce=True).join(worth, on=key, how="left")
    return joined.sort(key).select(
        *key, "net_gain", "net_gain_low", "net_gain_high", "loss", "loss_low", "loss_high",
        "p_value", "p_holm", "reject", "confirmatory", "equivalent_budget", "equivalent_low",
        "equivalent_high", "n_failures", "n_rollouts", "note", "rollouts_query",
    )  # fmt: skip


def _write_csv(frame: pl.DataFrame, path: Path) -> Path:
    flat = [
        pl.col(name).list.join(SEPARATOR)
        for name, dtype in frame.schema.items()
        if isinstance(dtype, pl.List)
    ]
    with replacing(path) as temporary:
        frame.with_columns(flat).write_csv(temporary, datetime_format="%Y-%m-%dT%H:%M:%S%.6fZ")
    return path
