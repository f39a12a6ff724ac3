"""Write the rollouts of all stages as one table, and the executors that ran them."""

import json
from pathlib import Path

import numpy as np
import polars as pl

from repairstudy.analysis.infrastructure import infrastructure_of
from repairstudy.cli.script import job
from repairstudy.config import parse_study
from repairstudy.config.build import executor_names, executor_of
from repairstudy.records import TABLES, canonical_json
from repairstudy.records.tables import EXECUTORS, INFRASTRUCTURE, POLICIES, ROLLOUTS
from repairstudy.rollouts import RolloutCache
from repairstudy.store import read_table, write_table


def mean_validity(policy):
    """Mean unconstrained probability of the admissible actions over distinct prompts."""
    if policy is None or policy.is_empty():
        return None
    mass = policy.group_by("observation").agg(pl.col("logprob").exp().sum())
    return float(np.minimum(mass["logprob"].sort().to_numpy(), 1.0).mean())


def times_of(cached):
    """When the first and the last rollout of the study ended."""
    ended = cached["finished"]
    return {"started": ended.min().isoformat(), "finished": ended.max().isoformat()}


def main(
    config, stage_files, candidates_file, policy_files, cache, out_rollouts, out_executors,
    out_infrastructure, out_times,
):  # fmt: skip
    study = parse_study(config, "configuration")
    rollouts = pl.concat(read_table(path, ROLLOUTS) for path in stage_files)
    policies = {Path(path).stem: read_table(path, POLICIES) for path in policy_files}
    rows = []
    for name, role in executor_names(study).items():
        executor = executor_of(study, name)
        rows.append(
            {
                "executor_id": executor.executor_id,
                "name": name,
                "role": role,
                "model": executor.model.name,
                "identity": canonical_json(executor.identity()),
                "validity": mean_validity(policies.get(name)),
            }
        )
    executors = pl.DataFrame(rows, schema=EXECUTORS.schema)
    known = RolloutCache(cache).index(rollouts["executor_id"].unique())
    cached = known.join(rollouts.select("rollout_key"), on="rollout_key", how="semi")
    Path(out_times).write_text(json.dumps(times_of(cached)) + "\n", encoding="utf-8")
    candidates = read_table(candidates_file, TABLES["candidates"])
    errors = infrastructure_of(rollouts, cached, candidates, executors)
    write_table(rollouts, out_rollouts, ROLLOUTS)
    write_table(executors, out_executors, EXECUTORS)
    write_table(errors, out_infrastructure, INFRASTRUCTURE)


if __name__ == "__main__":
    with job(snakemake.log[0], "rollouts"):
        main(
            config=snakemake.params.config,
            stage_files=snakemake.input.stages,
            candidates_file=snakemake.input.candidates,
            policy_files=snakemake.input.policies,
            cache=snakemake.params.cache + "/rollouts",
            out_rollouts=snakemake.output.rollouts,
            out_executors=snakemake.output.executors,
            out_infrastructure=snakemake.output.infrastructure,
            out_times=snakemake.output.times,
        )
