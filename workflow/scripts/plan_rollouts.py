"""List the rollouts that label the candidates, and those that evaluators choose by."""

from repairstudy.cli.script import job
from repairstudy.cli.work import StudyWork
from repairstudy.config import parse_study
from repairstudy.config.build import GREEDY, LOW_TEMPERATURE
from repairstudy.records import TABLES
from repairstudy.store import read_table


def add_deployed(work, deployed, positions):
    """Labels, decoding variants, and the negative control with other seeds."""
    rollouts, evaluators = work.study.rollouts, work.study.evaluators
    work.add(deployed, positions, "label", rollouts.label)
    work.add(deployed, positions, "control", rollouts.control)
    work.add(f"{deployed}@{GREEDY}", positions, "evaluate", evaluators.greedy)
    work.add(f"{deployed}@{LOW_TEMPERATURE}", positions, "evaluate", evaluators.low_temperature)


def add_evaluators(work, pool_name, deployed, positions):
    """The other executors that evaluate this pool."""
    for name, section in work.study.evaluators.executors.items():
        if name == deployed or (section.pools is not None and pool_name not in section.pools):
            continue
        chosen = positions if section.positions == "all" else work.runs.primary(positions)
        work.add(name, chosen, "evaluate", section.rollouts)


def main(config, files, models, outputs):
    work = StudyWork.read(parse_study(config, "configuration"), files)
    failures = read_table(files["failures"], TABLES["failures"])
    for name, pool in work.study.pools.items():
        positions = work.runs.of(failures.filter(pool=name)["failure_id"])
        add_deployed(work, pool.deployed, positions)
        add_evaluators(work, name, pool.deployed, positions)
    work.write(models, outputs)


if __name__ == "__main__":
    with job(snakemake.log[0], "plan rollouts"):
        main(
            config=snakemake.params.config,
            files=snakemake.input,
            models=snakemake.params.models,
            outputs=snakemake.output.worklists,
        )
