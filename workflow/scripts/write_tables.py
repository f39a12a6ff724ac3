"""Write the tables of the study as CSV and Parquet."""

from repairstudy.cli.script import job
from repairstudy.report import load_frames
from repairstudy.report.tables import write_tables


def main(database, out, log):
    paths = write_tables(load_frames(database), out)
    log.write(f"{len(paths)} files\n")


if __name__ == "__main__":
    with job(snakemake.log[0], "tables") as log:
        main(
            database=snakemake.input.database,
            out=snakemake.output.tables,
            log=log,
        )
