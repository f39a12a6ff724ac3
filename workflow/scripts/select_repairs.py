"""Let every evaluator choose at every position, and value its choice on held-out rollouts."""

import polars as pl

from repairstudy.analysis import POOL_COLUMNS, Rules, build_pools, read_registration, select_all
from repairstudy.analysis.scores import external_scores, rollout_scores
from repairstudy.cli.script import job
from repairstudy.records import TABLES
from repairstudy.store import read_table, write_table

READ = ("failures", "trajectories", "positions", "candidates", "rollouts", "executors")


def main(
    files, reachability_file, judgements_file, plan_file, out_scores, out_selections, out_values
):
    columns = {"rollouts": POOL_COLUMNS}
    frames = {name: read_table(files[name], TABLES[name], columns.get(name)) for name in READ}
    plan = read_registration(plan_file).plan
    frames["scores"] = external_scores(
        frames["failures"], pl.read_parquet(reachability_file), pl.read_parquet(judgements_file)
    )
    pools = build_pools(frames, plan.metric)
    chosen = select_all(pools, Rules.of(plan))
    scores = pl.concat([frames["scores"], rollout_scores(pools)])
    write_table(scores, out_scores, TABLES["scores"])
    write_table(chosen.selections, out_selections, TABLES["selections"])
    write_table(chosen.values, out_values, TABLES["values"])


if __name__ == "__main__":
    with job(snakemake.log[0], "select"):
        main(
            files=snakemake.input,
            reachability_file=snakemake.input.reachability,
            judgements_file=snakemake.input.judgements,
            plan_file=snakemake.input.plan,
            out_scores=snakemake.output.scores,
            out_selections=snakemake.output.selections,
            out_values=snakemake.output["values"],
        )
