"""Write the report, and the page of failures beside it."""

from pathlib import Path

from repairstudy.cli.script import job
from repairstudy.report import load_frames
from repairstudy.report.explorer import write_explorer
from repairstudy.report.page import write_report
from repairstudy.report.published import read_published


def main(database, figures, published, out_report, out_explorer):
    frames = load_frames(database)
    write_explorer(frames, out_explorer)
    write_report(frames, figures, read_published(published), out_report, Path(out_explorer).name)


if __name__ == "__main__":
    with job(snakemake.log[0], "report"):
        main(
            database=snakemake.input.database,
            figures=snakemake.input.figures,
            published=snakemake.input.published,
            out_report=snakemake.output.report,
            out_explorer=snakemake.output.explorer,
        )
