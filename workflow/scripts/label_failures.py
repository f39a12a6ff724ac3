"""Ask the labeller what went wrong in each failure."""

import asyncio

from repairstudy.cli.script import job
from repairstudy.config import parse_study
from repairstudy.config.build import engine_of, template_of
from repairstudy.descriptions import failed_runs
from repairstudy.evaluators.labeller import Labeller, label_runs
from repairstudy.records import TABLES
from repairstudy.store import read_table, write_table

READ = ("failures", "trajectories", "steps", "positions", "candidates")


async def labelled(study, runs, server_log):
    section = study.labeller
    engine = engine_of(study, section.model, server_log)
    try:
        template = template_of(section.prompt, study.models[section.model])
        who = Labeller(
            engine, section.model, template, section.max_tokens, section.temperature, section.stop
        )
        return await label_runs(who, runs, study.seed)
    finally:
        await engine.close()


def main(config, files, out_labels, server_log, progress):
    study = parse_study(config, "configuration")
    runs = list(failed_runs({name: read_table(files[name], TABLES[name]) for name in READ}))
    found = asyncio.run(labelled(study, runs, server_log))
    progress.write(
        f"{len(runs)} failures asked about, {found.unparsed} answers name no label, "
        f"{found.ignored} parts of answers ignored\n"
    )
    write_table(found.rows, out_labels, TABLES["llm_labels"])


if __name__ == "__main__":
    with job(snakemake.log[0], "labeller", gpus=snakemake.resources.gpu) as out:
        main(
            config=snakemake.params.config,
            files=snakemake.input,
            out_labels=snakemake.output.labels,
            server_log=snakemake.log[0] + ".server",
            progress=out,
        )
