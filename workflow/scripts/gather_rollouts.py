"""Gather the rollouts of one stage's work lists from the cache, or say what is missing."""

import polars as pl

from repairstudy.cli.script import job
from repairstudy.records.tables import ROLLOUTS, WORKLIST
from repairstudy.rollouts import RolloutCache, gather
from repairstudy.rollouts.gather import WANTED
from repairstudy.store import read_table, write_table


def main(worklist_files, cache_folder, out_rollouts):
    wanted = pl.concat(read_table(path, WORKLIST, WANTED) for path in worklist_files)
    write_table(gather(wanted, RolloutCache(cache_folder)), out_rollouts, ROLLOUTS)


if __name__ == "__main__":
    with job(snakemake.log[0], f"gather {snakemake.wildcards.stage}"):
        main(
            worklist_files=snakemake.input.worklists,
            cache_folder=snakemake.params.cache + "/rollouts",
            out_rollouts=snakemake.output.rollouts,
        )
