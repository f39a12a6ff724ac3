"""Merge all proposals of each position into distinct candidates; score them by reachability."""

import polars as pl

from repairstudy.candidates.merge import merge_proposals
from repairstudy.candidates.propose import all_admissible, planner_proposal, random_proposals
from repairstudy.candidates.situation import situations
from repairstudy.cli.inputs import CollectedRuns
from repairstudy.cli.script import job
from repairstudy.config import parse_study
from repairstudy.config.build import environment_of
from repairstudy.evaluators.reachability import SCHEMA, reachability_scores
from repairstudy.records import TABLES
from repairstudy.store import read_table, write_table


def own_proposals(study, environment, situation):
    """The proposals that need no language model, at the situation the environment stands in."""
    section = study.candidates
    found = [random_proposals(situation, section.random, study.seed)]
    if section.privileged:
        found.append(planner_proposal(environment, situation))
    if section.all_admissible:
        found.append(all_admissible(situation))
    return pl.concat(found)


def main(config, files, proposal_files, out_proposals, out_candidates, out_reachability, progress):
    study = parse_study(config, "configuration")
    runs, environment = CollectedRuns.read(files), environment_of(study)
    written = [read_table(path, TABLES["proposals"]) for path in proposal_files]
    proposed = pl.concat([TABLES["proposals"].empty(), *written])
    evaluators = [name for name in ("solvability", "planner") if getattr(study.evaluators, name)]
    proposals, candidates, scores = [], [], [pl.DataFrame(schema=SCHEMA)]
    for situation in situations(
        environment, runs.positions, runs.failed, runs.trajectories, runs.steps
    ):
        here = proposed.filter(failure_id=situation.failure_id, t=situation.t)
        here = pl.concat([here, own_proposals(study, environment, situation)])
        position = pl.DataFrame(
            {
                "failure_id": [situation.failure_id],
                "t": [situation.t],
                "original": [situation.original],
            }
        )
        merged = merge_proposals(position, here)
        arms = merged.select("candidate_id", "action").iter_rows()
        proposals.append(here)
        candidates.append(merged)
        scores.append(reachability_scores(environment, situation, arms, evaluators))
    table = pl.concat(candidates)
    progress.write(
        f"{table.filter(~pl.col('is_original')).height} candidates at {len(candidates)} positions\n"
    )
    write_table(pl.concat(proposals), out_proposals, TABLES["proposals"])
    write_table(table, out_candidates, TABLES["candidates"])
    pl.concat(scores).write_parquet(out_reachability)


if __name__ == "__main__":
    with job(snakemake.log[0], "candidates") as out:
        main(
            config=snakemake.params.config,
            files=snakemake.input,
            proposal_files=snakemake.input.proposals,
            out_proposals=snakemake.output.proposals,
            out_candidates=snakemake.output.candidates,
            out_reachability=snakemake.output.reachability,
            progress=out,
        )
