"""Ask one language model for replacement actions at every position."""

import asyncio

from repairstudy.candidates.propose import propose
from repairstudy.cli.inputs import CollectedRuns
from repairstudy.cli.script import job
from repairstudy.config import parse_study
from repairstudy.config.build import engine_of, environment_of, proposer_of
from repairstudy.records import TABLES
from repairstudy.store import write_table


async def proposals_of(study, name, runs, log):
    engine = engine_of(study, study.candidates.proposers[name].model, log)
    try:
        proposer = proposer_of(study, name, engine)
        found = runs.situations(environment_of(study), runs.positions)
        return await propose(proposer, found, study.candidates.proposals, study.seed)
    finally:
        await engine.close()


def main(config, name, files, out_proposals, server_log, progress):
    study = parse_study(config, "configuration")
    proposals = asyncio.run(proposals_of(study, name, CollectedRuns.read(files), server_log))
    unparsed = proposals["action"].null_count()
    progress.write(f"{proposals.height} proposals, {unparsed} of them name no admissible action\n")
    write_table(proposals, out_proposals, TABLES["proposals"])


if __name__ == "__main__":
    with job(
        snakemake.log[0], f"propose {snakemake.wildcards.proposer}", gpus=snakemake.resources.gpu
    ) as out:
        main(
            config=snakemake.params.config,
            name=snakemake.wildcards.proposer,
            files=snakemake.input,
            out_proposals=snakemake.output.proposals,
            server_log=snakemake.log[0] + ".server",
            progress=out,
        )
