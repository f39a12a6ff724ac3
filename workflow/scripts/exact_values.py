"""Exact values of every candidate under every memoryless executor, by dynamic programming."""

from pathlib import Path

import polars as pl

from repairstudy.candidates.situation import situations
from repairstudy.cli.inputs import CollectedRuns
from repairstudy.cli.script import job
from repairstudy.config import parse_study
from repairstudy.config.build import environment_of, executor_names, executor_of
from repairstudy.environments.exact import (
    Enumerable,
    action_values,
    enumerate_states,
    state_values,
)
from repairstudy.executors.decoding import action_probabilities
from repairstudy.records import TABLES
from repairstudy.records.tables import EXACT_VALUES, POLICIES
from repairstudy.store import read_table, write_table


def policy_of(table, decoding):
    """The policy that samples from a POLICIES table with some decoding."""
    logprobs = {
        key[0]: tuple(rows["logprob"])
        for key, rows in table.sort("place").partition_by("observation", as_dict=True).items()
    }
    return lambda observation, admissible: action_probabilities(logprobs[observation], decoding)


def values_by_executor(study, environment, space, policies):
    """State values of every executor whose distributions are stored, decoding variants too."""
    found = {}
    for name in executor_names(study):
        table = policies.get(name.partition("@")[0])
        if table is not None and not table.is_empty():
            policy = policy_of(table, executor_of(study, name).decoding)
            found[name] = state_values(space, policy, study.environment.budget, study.metric)
    return found


def main(config, files, candidates_file, policy_files, out_exact):
    study = parse_study(config, "configuration")
    environment = environment_of(study)
    policies = {Path(path).stem: read_table(path, POLICIES) for path in policy_files}
    rows = []
    if isinstance(environment, Enumerable):
        runs = CollectedRuns.read(files)
        candidates = read_table(candidates_file, TABLES["candidates"])
        by_position = candidates.partition_by("failure_id", "t", as_dict=True)
        space = enumerate_states(environment, map(environment.initial, environment.tasks()))
        values = values_by_executor(study, environment, space, policies)
        for situation in situations(
            environment, runs.positions, runs.failed, runs.trajectories, runs.steps
        ):
            here = by_position[situation.failure_id, situation.t]
            for name, table in values.items():
                exact = action_values(
                    space, table, environment.state(), situation.slack, here["action"]
                )
                for candidate_id, action in here.select("candidate_id", "action").iter_rows():
                    rows.append(
                        (situation.failure_id, situation.t, candidate_id, name, exact[action])
                    )
    frame = pl.DataFrame(rows, schema=EXACT_VALUES.schema, orient="row")
    write_table(frame, out_exact, EXACT_VALUES)


if __name__ == "__main__":
    with job(snakemake.log[0], "exact values"):
        main(
            config=snakemake.params.config,
            files=snakemake.input,
            candidates_file=snakemake.input.candidates,
            policy_files=snakemake.input.policies,
            out_exact=snakemake.output.exact,
        )
