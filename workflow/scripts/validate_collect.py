"""Put the parts of the validation into one table."""

import polars as pl

from repairstudy.cli.script import job
from repairstudy.records import TABLES
from repairstudy.store import read_table, write_table

TABLE = TABLES["validation"]


def main(parts, out):
    write_table(pl.concat(read_table(path, TABLE) for path in parts).sort(TABLE.key), out, TABLE)


if __name__ == "__main__":
    with job(snakemake.log[0], "validation"):
        main(parts=snakemake.input.parts, out=snakemake.output.validation)
