"""Read a table of outcomes made elsewhere, and let every evaluator choose on it."""

import polars as pl

from repairstudy.analysis import Rules, build_pools, import_outcomes, read_registration, select_all
from repairstudy.analysis.scores import rollout_scores
from repairstudy.cli.script import job
from repairstudy.config import parse_study
from repairstudy.records import TABLES
from repairstudy.store import write_table


def main(config, outcomes_file, plan_file, outputs):
    study = parse_study(config, "configuration")
    plan = read_registration(plan_file).plan
    frames = import_outcomes(outcomes_file, study.deployed, seed=study.seed)
    pools = build_pools(frames, plan.metric)
    chosen = select_all(pools, Rules.of(plan))
    frames["scores"] = pl.concat([frames["scores"], rollout_scores(pools)])
    frames |= {"selections": chosen.selections, "values": chosen.values}
    for name, path in outputs.items():
        write_table(frames.get(name, TABLES[name].empty()), path, TABLES[name])


if __name__ == "__main__":
    with job(snakemake.log[0], "outcomes"):
        main(
            config=snakemake.params.config,
            outcomes_file=snakemake.input.outcomes,
            plan_file=snakemake.input.plan,
            outputs=dict(snakemake.output.items()),
        )
