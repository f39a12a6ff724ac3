"""List the screening rollouts: the deployed executor on every arm of a primary position."""

from repairstudy.cli.script import job
from repairstudy.cli.work import StudyWork
from repairstudy.config import parse_study


def main(config, files, models, outputs):
    work = StudyWork.read(parse_study(config, "configuration"), files)
    for pool in work.study.pools.values():
        if pool.screen is None:
            continue
        screened = work.runs.failed.filter(deployed=pool.deployed).sort("rank")
        positions = work.runs.primary(work.runs.of(screened.head(pool.screen.among)["failure_id"]))
        work.add(pool.deployed, positions, "screen", pool.screen.rollouts)
    work.write(models, outputs)


if __name__ == "__main__":
    with job(snakemake.log[0], "plan screening"):
        main(
            config=snakemake.params.config,
            files=snakemake.input,
            models=snakemake.params.models,
            outputs=snakemake.output.worklists,
        )
