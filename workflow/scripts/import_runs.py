"""Failed runs that were made elsewhere, replayed and written as if they had been collected."""

from repairstudy.analysis import read_registration
from repairstudy.cli.importing.failures import imported_failures
from repairstudy.cli.script import job
from repairstudy.config import parse_study
from repairstudy.records import TABLES
from repairstudy.store import write_table


def main(config, name, plan_file, out_trajectories, out_steps, out_imported, progress):
    study = parse_study(config, "configuration")
    settings = read_registration(plan_file).current_settings
    collected, imported = imported_failures(study, name, settings, progress)
    write_table(collected.trajectories, out_trajectories, TABLES["trajectories"])
    write_table(collected.steps, out_steps, TABLES["steps"])
    write_table(imported, out_imported, TABLES["imported_runs"])


if __name__ == "__main__":
    with job(snakemake.log[0], f"import {snakemake.wildcards.executor}") as out:
        main(
            config=snakemake.params.config,
            name=snakemake.wildcards.executor,
            plan_file=snakemake.input.plan,
            out_trajectories=snakemake.output.trajectories,
            out_steps=snakemake.output.steps,
            out_imported=snakemake.output.imported,
            progress=out,
        )
