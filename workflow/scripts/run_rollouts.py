"""Run the rollouts of one model that the cache lacks; all its executors share one server."""

import asyncio
import json
from pathlib import Path

from repairstudy.analysis import read_registration
from repairstudy.analysis.witness import read_witness, record_run, require_witnessed
from repairstudy.cli.runs import run_record
from repairstudy.cli.script import job
from repairstudy.config import parse_study
from repairstudy.config.build import actor_of, engine_of, environment_of, executor_of, limits_of
from repairstudy.errors import EngineError
from repairstudy.records.tables import WORKLIST
from repairstudy.rollouts import Progress, RolloutCache, missing, pending_of, run_rollouts
from repairstudy.store import read_parts, read_table


async def run_missing(study, model, rows, cache, source, server_log, progress):
    """Run the missing rows of the work list `source`; the engine starts only if there are any."""
    engine = engine_of(study, model, server_log)
    try:
        names = rows["executor"].unique().sort()
        actors = [actor_of(study, executor_of(study, name), engine) for name in names]
        return await run_rollouts(
            pending_of(
                lambda: read_parts(source, WORKLIST),
                rows.select("place", "attempt"),
                environment_of(study),
                study.environment.budget,
                source,
            ),
            {actor.executor_id: actor for actor in actors},
            lambda: environment_of(study),
            cache,
            limits_of(study),
            Progress(progress, calls=lambda: engine.calls),
        )
    finally:
        await engine.close()


def record(study, model, stage, rows, plan_file, witness_folder):
    """Record which rollouts are run under which plan; under another than recorded none are."""
    registration = read_registration(plan_file)
    require_witnessed(registration, read_witness(witness_folder))
    executors = dict(rows.select("executor", "executor_id").unique().iter_rows())
    environment = environment_of(study)
    record_run(
        run_record(study, registration, model, stage, executors, environment), witness_folder
    )


def main(
    config,
    model,
    stage,
    worklist_file,
    plan_file,
    witness_folder,
    out_summary,
    server_log,
    progress,
):
    study = parse_study(config, "configuration")
    cache = RolloutCache(f"{study.cache}/rollouts")
    # A work list is many times as large as its keys.
    wanted = read_table(worklist_file, WORKLIST, ("executor", "executor_id"))
    todo = missing(wanted.with_row_index("place"), cache)
    distinct = wanted["rollout_key"].n_unique()
    progress.write(f"{distinct:,} rollouts wanted, {distinct - todo.height:,} are cached\n")
    if not todo.is_empty():
        record(study, model, stage, todo, plan_file, witness_folder)
        tally = asyncio.run(
            run_missing(study, model, todo, cache, worklist_file, server_log, progress)
        )
        if tally.errors:
            raise EngineError(
                f"{tally.errors} rollouts of {model} ended in infrastructure errors; what "
                f"finished is cached. The last: {tally.last_error}. Start the same run again to "
                "retry only these."
            )
    summary = {"model": model, "rollouts": distinct}
    counts = None if todo.is_empty() else getattr(environment_of(study), "counts", None)
    if counts is not None:
        summary["environment"] = counts()  # what it remembered, and the workers it lost
        progress.write(f"environment: {json.dumps(summary['environment'])}\n")
    Path(out_summary).write_text(json.dumps(summary, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    label = f"rollouts {snakemake.wildcards.stage} {snakemake.wildcards.model}"
    with job(snakemake.log[0], label, gpus=snakemake.resources.gpu) as out:
        main(
            config=snakemake.params.config,
            model=snakemake.wildcards.model,
            stage=snakemake.wildcards.stage,
            worklist_file=snakemake.input.worklist,
            plan_file=snakemake.input.plan,
            witness_folder=snakemake.params.witness,
            out_summary=snakemake.output.summary,
            server_log=snakemake.log[0] + ".server",
            progress=out,
        )
