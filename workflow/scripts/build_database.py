"""Build the study's one database from its tables; everything downstream only reads it."""

import json
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from platform import python_version

import polars as pl

from repairstudy.analysis.registration import read_registration, to_frame
from repairstudy.cli.script import job
from repairstudy.records import TABLES, canonical_json
from repairstudy.records.tables import COSTS, PROVENANCE
from repairstudy.store import build_database, read_table

PACKAGES = (
    "repairstudy", "duckdb", "numpy", "pandas", "polars", "scipy", "seaborn", "snakemake",
    "statsmodels",
)  # fmt: skip


def costs_of(rollouts):
    """What the rollouts of each executor and role took; a shared rollout counts once."""
    counted = (
        rollouts.unique("rollout_key")
        .group_by("executor_id", "role")
        .agg(
            pl.len().cast(pl.Int64).alias("rollouts"),
            *(pl.col(name).sum() for name in ("steps", "tokens_in", "tokens_out")),
        )
    )
    return counted.select(COSTS.names).sort("executor_id", "role")


def provenance_of(config, times_file):
    """One row: configuration, versions, and when the first and last rollout ended."""
    times = json.loads(Path(times_file).read_text()) if times_file else {}
    versions = {name: version(name) for name in PACKAGES} | {"python": python_version()}
    row = {
        "study": config["study"],
        "config": canonical_json(config),
        "versions": canonical_json(versions),
        "started": datetime.fromisoformat(times["started"]) if times else None,
        "finished": datetime.fromisoformat(times["finished"]) if times else None,
    }
    return pl.DataFrame([row], schema=PROVENANCE.schema)


def main(config, tables, times_file, plan_file, database):
    frames = {name: read_table(path, TABLES[name]) for name, path in tables.items()}
    frames["preregistration"] = to_frame(read_registration(plan_file))
    frames["provenance"] = provenance_of(config, times_file)
    frames["costs"] = costs_of(frames["rollouts"])
    build_database(database, frames)


if __name__ == "__main__":
    with job(snakemake.log[0], "database"):
        main(
            config=snakemake.params.config,
            tables={name: snakemake.input[name] for name in snakemake.params.tables},
            times_file=snakemake.input.get("times"),
            plan_file=snakemake.input.plan,
            database=snakemake.output.database,
        )
