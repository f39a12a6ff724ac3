"""List fresh rollouts of both executors where they prefer different candidates.

The rollouts that found a disagreement are never used to confirm it.
"""

import polars as pl

from repairstudy.cli.script import job
from repairstudy.cli.work import StudyWork
from repairstudy.config import parse_study
from repairstudy.config.build import executor_of
from repairstudy.evaluators.work import disagreements
from repairstudy.records import TABLES
from repairstudy.store import read_table


def mean_outcomes(work, rollouts, executor_name, role):
    """Mean outcome of each candidate (originals left out) under one executor."""
    executor_id = executor_of(work.study, executor_name).executor_id
    repairs = work.candidates.filter(~pl.col("is_original")).select("candidate_id")
    return (
        rollouts.filter((pl.col("executor_id") == executor_id) & (pl.col("role") == role))
        .join(repairs, on="candidate_id", how="semi")
        .group_by("failure_id", "t", "candidate_id")
        .agg(pl.col(work.study.metric).cast(pl.Float64).mean())
    )


def add_disagreements(work, rollouts, positions, deployed, other):
    """Fresh rollouts of both executors on both candidates of each disagreement."""
    keys = ["failure_id", "t", "candidate_id"]
    both = mean_outcomes(work, rollouts, deployed, "label").join(
        mean_outcomes(work, rollouts, other, "evaluate"), on=keys, suffix="_other"
    )
    both = both.join(positions, on=["failure_id", "t"], how="semi")
    metric, means = work.study.metric, {}
    for row in both.iter_rows(named=True):
        by_candidate = means.setdefault((row["failure_id"], row["t"]), {})
        by_candidate[row["candidate_id"]] = (row[metric], row[f"{metric}_other"])
    for found in disagreements(means):
        here = positions.filter(failure_id=found.failure_id, t=found.t)
        chosen = pl.DataFrame({"candidate_id": [found.deployed_choice, found.other_choice]})
        for name in (deployed, other):
            work.add(name, here, "fresh", work.study.rollouts.fresh, keep=chosen)


def main(config, files, models, outputs):
    work = StudyWork.read(parse_study(config, "configuration"), files)
    failures = read_table(files["failures"], TABLES["failures"])
    rollouts = read_table(files["rollouts"], TABLES["rollouts"])
    for name, pool in work.study.pools.items():
        positions = work.runs.primary(work.runs.of(failures.filter(pool=name)["failure_id"]))
        for other, section in work.study.evaluators.executors.items():
            # Only evaluators at full strength: with fewer rollouts a preference is mostly noise.
            if other != pool.deployed and section.equal_budget is not None:
                add_disagreements(work, rollouts, positions, pool.deployed, other)
    work.write(models, outputs)


if __name__ == "__main__":
    with job(snakemake.log[0], "plan fresh rollouts"):
        main(
            config=snakemake.params.config,
            files=snakemake.input,
            models=snakemake.params.models,
            outputs=snakemake.output.worklists,
        )
