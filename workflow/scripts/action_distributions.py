"""Ask a memoryless executor once for its next action at every distinct prompt of all tasks.

Rollouts sample from these distributions, and exact values follow from them. Where the
environment cannot be enumerated or the protocol has a history, the table is empty and rollouts
ask the engine as they go.
"""

import asyncio

import polars as pl

from repairstudy.cli.script import job
from repairstudy.config import parse_study
from repairstudy.config.build import engine_of, environment_of, executor_of
from repairstudy.environments.exact import Enumerable, distinct_situations
from repairstudy.executors import AgentView, make_protocol
from repairstudy.records.tables import POLICIES
from repairstudy.store import write_table


async def ask_all(engine, executor, protocol, environment, situations):
    """POLICIES rows: the unconstrained log-probability of each admissible action."""
    instruction = environment.instruction()
    rows = []

    async def ask(observation, admissible):
        view = AgentView(instruction, (observation,), (), admissible)
        options = protocol.options(view)
        scores = await engine.score(protocol.prompt(executor.template, view), tuple(options))
        scored = zip(options.values(), scores.logprobs, strict=True)
        for place, (action, logprob) in enumerate(scored):
            rows.append((observation, action, place, logprob))

    try:
        await asyncio.gather(*(ask(*situation) for situation in situations))
    finally:
        await engine.close()
    return pl.DataFrame(rows, schema=POLICIES.schema, orient="row")


def main(config, name, out_policy, server_log, progress):
    study = parse_study(config, "configuration")
    environment, executor = environment_of(study), executor_of(study, name)
    protocol = make_protocol(executor.protocol)
    policy = POLICIES.empty()
    if isinstance(environment, Enumerable) and protocol.memoryless:
        environment.reset(environment.tasks()[0])
        situations = distinct_situations(environment, environment.tasks())
        engine = engine_of(study, study.executors[name].model, server_log)
        progress.write(f"{len(situations)} distinct prompts\n")
        policy = asyncio.run(ask_all(engine, executor, protocol, environment, situations))
    write_table(policy, out_policy, POLICIES)


if __name__ == "__main__":
    with job(
        snakemake.log[0],
        f"distributions {snakemake.wildcards.executor}",
        gpus=snakemake.resources.gpu,
    ) as out:
        main(
            config=snakemake.params.config,
            name=snakemake.wildcards.executor,
            out_policy=snakemake.output.policy,
            server_log=snakemake.log[0] + ".server",
            progress=out,
        )
