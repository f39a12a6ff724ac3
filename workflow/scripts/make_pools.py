"""Choose the failures of each pool: the first in collection order, or the first that pass."""

import polars as pl

from repairstudy.candidates.positions import make_pool, passes_screen
from repairstudy.cli.script import job
from repairstudy.config import parse_study
from repairstudy.records import TABLES
from repairstudy.store import read_table, write_table


def screening_outcomes(study, rollouts, candidates, screened, pool):
    """The screening rollouts of one pool's failures, with the outcome that is measured."""
    arms = candidates.select("failure_id", "t", "candidate_id", "is_original")
    return (
        rollouts.filter((pl.col("role") == "screen") & (pl.col("replicate") < pool.screen.rollouts))
        .join(screened.select("failure_id"), on="failure_id", how="semi")
        .join(arms, on=["failure_id", "t", "candidate_id"], validate="m:1")
        .with_columns(outcome=pl.col(study.metric).cast(pl.Float64))
    )


def main(config, failed_file, candidates_file, rollouts_file, out_failures, progress):
    study = parse_study(config, "configuration")
    failed = read_table(failed_file, TABLES["collected_failures"])
    candidates = read_table(candidates_file, TABLES["candidates"])
    rollouts = read_table(rollouts_file, TABLES["rollouts"])
    pools = []
    for name, pool in study.pools.items():
        failures, passed = failed.filter(deployed=pool.deployed).sort("rank"), None
        if pool.screen is not None:
            failures = failures.head(pool.screen.among)
            outcomes = screening_outcomes(study, rollouts, candidates, failures, pool)
            passed = passes_screen(outcomes, pool.screen.minimal_gain)
            progress.write(f"{name}: {len(passed)} of {failures.height} failures pass the screen\n")
        pools.append(make_pool(failures, name, pool.size, passed))
    write_table(pl.concat(pools), out_failures, TABLES["failures"])


if __name__ == "__main__":
    with job(snakemake.log[0], "pools") as out:
        main(
            config=snakemake.params.config,
            failed_file=snakemake.input.failed,
            candidates_file=snakemake.input.candidates,
            rollouts_file=snakemake.input.rollouts,
            out_failures=snakemake.output.failures,
            progress=out,
        )
