"""Label the failures by what their recorded steps show."""

import polars as pl

from repairstudy.cli.script import job
from repairstudy.descriptions import describe
from repairstudy.records import TABLES
from repairstudy.store import read_table, write_table

READ = ("failures", "trajectories", "steps", "positions", "candidates")


def main(files, reachability_file, out_labels):
    frames = {name: read_table(files[name], TABLES[name]) for name in READ}
    reachability = pl.read_parquet(reachability_file) if reachability_file else None
    write_table(describe(frames, reachability), out_labels, TABLES["failure_labels"])


if __name__ == "__main__":
    with job(snakemake.log[0], "descriptions"):
        main(
            files=snakemake.input,
            reachability_file=snakemake.input.get("reachability"),
            out_labels=snakemake.output.labels,
        )
