"""Ask the judge to rank the candidates of each position from text alone."""

import asyncio

import polars as pl

from repairstudy.cli.inputs import CollectedRuns
from repairstudy.cli.script import job
from repairstudy.config import parse_study
from repairstudy.config.build import engine_of, environment_of, template_of
from repairstudy.evaluators.judge import SCHEMA, Judge, judge
from repairstudy.records import TABLES
from repairstudy.store import read_table


def cases_of(study, runs, candidates):
    """The situations to be judged, each with its candidates' actions by id."""
    whole = study.evaluators.judge.positions == "all"
    positions = runs.positions if whole else runs.primary()
    repairs = candidates.filter(~pl.col("is_original"))
    by_position = repairs.partition_by("failure_id", "t", as_dict=True)
    return [
        (situation, dict(by_position[key].select("candidate_id", "action").iter_rows()))
        for situation in runs.situations(environment_of(study), positions)
        if (key := (situation.failure_id, situation.t)) in by_position
    ]


async def judgements_of(study, cases, server_log):
    section = study.evaluators.judge
    engine = engine_of(study, section.model, server_log)
    try:
        template = template_of(section.prompt, study.models[section.model])
        who = Judge(engine, template, section.max_tokens, section.temperature, section.stop)
        return await judge(who, cases, study.seed)
    finally:
        await engine.close()


def main(config, files, candidates_file, out_judgements, server_log, progress):
    study = parse_study(config, "configuration")
    judgements = pl.DataFrame(schema=SCHEMA)
    if study.evaluators.judge is not None:
        candidates = read_table(candidates_file, TABLES["candidates"])
        cases = cases_of(study, CollectedRuns.read(files), candidates)
        judgements = asyncio.run(judgements_of(study, cases, server_log))
        unparsed = judgements.filter(~pl.col("parsed")).n_unique(["failure_id", "t"])
        progress.write(f"{len(cases)} rankings asked, {unparsed} answers name no candidate\n")
    judgements.write_parquet(out_judgements)


if __name__ == "__main__":
    with job(snakemake.log[0], "judge", gpus=snakemake.resources.gpu) as out:
        main(
            config=snakemake.params.config,
            files=snakemake.input,
            candidates_file=snakemake.input.candidates,
            out_judgements=snakemake.output.judgements,
            server_log=snakemake.log[0] + ".server",
            progress=out,
        )
