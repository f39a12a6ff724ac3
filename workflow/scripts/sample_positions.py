"""Number the failures of each deployed executor and sample the steps to repair."""

import polars as pl

from repairstudy.candidates.positions import number_failures, sample_positions
from repairstudy.cli.script import job
from repairstudy.config import parse_study
from repairstudy.records import TABLES
from repairstudy.store import read_table, write_table


def main(
    config, trajectory_files, step_files, out_trajectories, out_steps, out_failed, out_positions,
    imported_files=(), out_imported=None,
):  # fmt: skip
    study = parse_study(config, "configuration")
    runs = [read_table(path, TABLES["trajectories"]) for path in trajectory_files]
    failed = pl.concat(
        number_failures(frame, deployed).head(study.failures_wanted(deployed))
        for deployed, frame in zip(study.deployed, runs, strict=True)
    )
    trajectories = pl.concat(runs)
    lengths = failed.join(trajectories.select("trajectory_id", "steps"), on="trajectory_id")
    positions = pl.concat(
        sample_positions(
            failure_id,
            steps,
            study.environment.budget,
            study.positions.slack,
            study.positions.per_failure,
            study.seed,
        )
        for failure_id, steps in lengths.select("failure_id", "steps").iter_rows()
    )
    steps = pl.concat(read_table(path, TABLES["steps"]) for path in step_files)
    write_table(trajectories, out_trajectories, TABLES["trajectories"])
    write_table(steps, out_steps, TABLES["steps"])
    write_table(failed, out_failed, TABLES["collected_failures"])
    write_table(positions, out_positions, TABLES["positions"])
    if imported_files:
        imported = pl.concat(read_table(path, TABLES["imported_runs"]) for path in imported_files)
        write_table(imported, out_imported, TABLES["imported_runs"])


if __name__ == "__main__":
    with job(snakemake.log[0], "positions"):
        main(
            config=snakemake.params.config,
            trajectory_files=snakemake.input.trajectories,
            step_files=snakemake.input.steps,
            out_trajectories=snakemake.output.trajectories,
            out_steps=snakemake.output.steps,
            out_failed=snakemake.output.failed,
            out_positions=snakemake.output.positions,
            imported_files=snakemake.input.imported,
            out_imported=snakemake.output.get("imported"),
        )
