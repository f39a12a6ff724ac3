"""Write the tables of the study as CSV and Parquet, and those of the report as LaTeX and CSV."""

from pathlib import Path

from repairstudy.cli.script import job
from repairstudy.report import load_frames
from repairstudy.report.paper import write_paper_tables
from repairstudy.report.published import read_published
from repairstudy.report.tables import write_tables


def main(database, published, out, log):
    frames = load_frames(database)
    paths = write_tables(frames, out)
    paths += write_paper_tables(frames, Path(out) / "paper", read_published(published))
    log.write(f"{len(paths)} files\n")


if __name__ == "__main__":
    with job(snakemake.log[0], "tables") as log:
        main(
            database=snakemake.input.database,
            published=snakemake.input.published,
            out=snakemake.output.tables,
            log=log,
        )
