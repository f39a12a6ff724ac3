"""Collect the first failures of a deployed executor, in an order fixed by the study's seed."""

import asyncio

from repairstudy.cli.script import job
from repairstudy.config import parse_study
from repairstudy.config.build import actor_of, engine_of, environment_of, executor_of, limits_of
from repairstudy.records import TABLES
from repairstudy.rollouts import Collection, RolloutCache, collect_failures
from repairstudy.store import write_table

WINDOW = 128  # runs started together, most of them in vain at the end of a collection


async def collected_of(study, name, server_log, progress):
    executor = executor_of(study, name)
    engine = engine_of(study, study.executors[name].model, server_log)
    try:
        return await collect_failures(
            actor_of(study, executor, engine),
            lambda: environment_of(study),
            RolloutCache(f"{study.cache}/rollouts"),
            Collection(
                size=study.failures_wanted(name),
                budget=study.environment.budget,
                seed=study.seed,
                max_episodes=study.collection.max_episodes,
                max_per_cluster=study.collection.max_per_cluster,
                window=min(WINDOW, study.rollouts.max_in_flight),
            ),
            limits_of(study),
            progress,
        )
    finally:
        await engine.close()


def main(config, name, out_trajectories, out_steps, server_log, progress):
    study = parse_study(config, "configuration")
    collected = asyncio.run(collected_of(study, name, server_log, progress))
    write_table(collected.trajectories, out_trajectories, TABLES["trajectories"])
    write_table(collected.steps, out_steps, TABLES["steps"])


if __name__ == "__main__":
    with job(
        snakemake.log[0], f"collect {snakemake.wildcards.executor}", gpus=snakemake.resources.gpu
    ) as out:
        main(
            config=snakemake.params.config,
            name=snakemake.wildcards.executor,
            out_trajectories=snakemake.output.trajectories,
            out_steps=snakemake.output.steps,
            server_log=snakemake.log[0] + ".server",
            progress=out,
        )
