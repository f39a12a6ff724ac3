"""Execute the notebook that tours the database."""

from repairstudy.cli.script import job
from repairstudy.report.notebook import execute_notebook

if __name__ == "__main__":
    with job(snakemake.log[0], "notebook"):
        execute_notebook(
            path=snakemake.input.notebook,
            database=snakemake.input.database,
            out=snakemake.output.notebook,
        )
