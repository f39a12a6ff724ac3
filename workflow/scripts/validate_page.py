"""Draw the figures of the validation and write its page."""

from repairstudy.cli.script import job
from repairstudy.records import TABLES
from repairstudy.report.validation.figures import draw_figures
from repairstudy.report.validation.page import write_page
from repairstudy.report.validation.summary import tally
from repairstudy.store import read_table


def main(validation, figures, page, log):
    rows = read_table(validation, TABLES["validation"])
    draw_figures(rows, figures)
    write_page(rows, figures, page)
    log.write(f"{tally(rows)}\n")


if __name__ == "__main__":
    with job(snakemake.log[0], "validation") as log:
        main(
            validation=snakemake.input.validation,
            figures=snakemake.output.figures,
            page=snakemake.output.page,
            log=log,
        )
