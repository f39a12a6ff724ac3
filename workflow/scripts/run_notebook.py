"""Execute a notebook on a study's database."""

from repairstudy.cli.script import job
from repairstudy.report.notebook import execute_notebook

if __name__ == "__main__":
    with job(snakemake.log[0], f"notebook {snakemake.wildcards.notebook}"):
        execute_notebook(
            path=snakemake.input.notebook,
            database=snakemake.input.database,
            out=snakemake.output.page,
        )
