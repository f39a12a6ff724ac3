"""A million rollouts of simulated models through the whole workflow, from collecting to the report.

Every rollout is run by the scheduler, some of them against a model that answers as slowly as a GPU
under load. Takes about half an hour on two cores, so it runs only when it is asked for:
``make bench NAME=scale`` (or one of its figures). ``SCALE=0.1`` makes the study a tenth of that;
``SCALE_FOLDER=FOLDER`` keeps it there, and a bench that was stopped goes on from it.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars as pl
from tests.benchmarks import large_studies
from tests.benchmarks.bench_cache import dictionary_loop
from tests.benchmarks.bench_scheduler import plain_loop
from tests.benchmarks.bench_statistics import BASELINE_SHARE, plain_database, published_values
from tests.benchmarks.large_studies import Used, snakemake, used, workspace
from tests.benchmarks.memory_watch import memory_at, watched

from repairstudy.analysis import POOL_COLUMNS, build_pool
from repairstudy.config import StudyConfig, parse_study
from repairstudy.config.build import actor_of, engine_of, environment_of, executor_of
from repairstudy.records import TABLES
from repairstudy.records.tables import WORKLIST
from repairstudy.rollouts import RolloutCache, RolloutSpec, missing
from repairstudy.rollouts.shards import list_shards
from repairstudy.store import read_parts, read_table

ONLY_BY_NAME = True
MEMORY_MB = 4_000
# Figure -> logs of the jobs that it adds up; seconds of CPU that they may take, if that is said.
STAGES: dict[str, tuple[tuple[str, ...], float | None]] = {
    "scale_collect_cpu_s": (("action_distributions/*.log", "collect/*.log"), None),
    "scale_candidates_cpu_s": (("sample_positions.log", "propose/*.log", "merge_c*.log"), None),
    "scale_plan_cpu_s": (("plan_screening.log", "plan_rollouts.log", "plan_fresh.log"), None),
    "scale_rollouts_cpu_s": (("run_rollouts/*.log",), None),
    "scale_gather_cpu_s": (("gather_rollouts.*.log", "merge_rollouts.log"), None),
    "scale_exact_values_cpu_s": (("exact_values.log",), None),
    "scale_statistics_cpu_s": (
        ("select_repairs.log", "compute_statistics.log", "write_tables.log"), 30.0
    ),
    "scale_database_cpu_s": (("build_database.log",), 20.0),
    "scale_figures_cpu_s": (("draw_figures.log", "write_tables.log"), 60.0),
    "scale_report_cpu_s": (("write_report.log", "run_notebook/*.log"), None),
}  # fmt: skip
SEQUENTIAL = 20  # runs that the plain loop runs, one after the other


@contextmanager
def kept_folder() -> Iterator[Path]:
    """The folder that SCALE_FOLDER names, or one that is thrown away."""
    if "SCALE_FOLDER" in os.environ:
        yield Path(os.environ["SCALE_FOLDER"]).resolve()
        return
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


def run() -> list[dict[str, Any]]:
    """The figures `scale_...`."""
    lines = [dag()]
    with kept_folder() as folder:
        study = large_studies.million_rollouts(float(os.environ.get("SCALE", "1")))
        workspace(folder, study)
        results = folder / "results/tiny"
        with watched("run_rollouts", results / "logs/run_rollouts", folder / "memory.jsonl"):
            whole = snakemake(folder)
        again = snakemake(folder)
        # Paths of the configuration are relative to the folder.
        os.chdir(folder)
        config = parse_study(study, "study")
        assert isinstance(config, StudyConfig)
        baselines = {
            "scale_statistics_cpu_s": published_splits(results),
            "scale_database_cpu_s": unchecked_table(results),
        }
        rollouts, shared = distinct(results)
        lines += stage_figures(results / "logs", rollouts, baselines)
        lines += [lookup(results, config), *memory(folder, results), waiting(results, config)]
        lines.append(
            {
                "figure": "scale_study_s",
                "value": round(whole.wall_s, 1),
                "unit": f"s ({whole.cpu_s:.0f} s of CPU), all stages, {rollouts:,} distinct "
                f"rollouts ({shared:,} more rows share them); less if the bench went on from an "
                "earlier one",
                "baseline": f"the same again, all done: {again.wall_s:.1f} s",
                "ratio": round(whole.wall_s / again.wall_s, 1),
            }
        )
    return lines


def dag() -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        workspace(folder, large_studies.many_jobs())
        told = snakemake(folder, "--dry-run", "--quiet", "rules")
        found = re.search(r"^total\s+(\d+)", (folder / "snakemake.log").read_text(), re.MULTILINE)
        jobs = int(found[1]) if found else 0
        many = snakemake(folder, "--rulegraph")
        workspace(folder / "small", large_studies.miniature())
        few = snakemake(folder / "small", "--rulegraph")
    return {
        "figure": "scale_dag_cpu_s",
        "value": round(many.cpu_s, 1),
        "unit": f"s of CPU, graph of {jobs:,} jobs ({told.cpu_s:.1f} s for a dry run, which also "
        "says what the study will cost): "
        f"{large_studies.MANY_JOBS['models']} models, {large_studies.MANY_JOBS['pools']} pools",
        "baseline": f"the miniature study: {few.cpu_s:.1f} s",
        "ratio": round(many.cpu_s / few.cpu_s, 2),
    }


def distinct(results: Path) -> tuple[int, int]:
    """Distinct rollouts of the study, and rows beyond one for each."""
    keys = pl.scan_parquet(results / "rollouts.parquet").select(
        pl.col("rollout_key").n_unique(), rows=pl.len()
    )
    different, rows = keys.collect().row(0)
    return different, rows - different


def stage_figures(logs: Path, rollouts: int, baselines: dict[str, str]) -> list[dict[str, Any]]:
    lines = []
    for name, (patterns, limit) in STAGES.items():
        took: Used = used(logs, *patterns)
        memory = f"memory of {MEMORY_MB:,} MB"
        target = f"{limit:.0f} s and {memory}" if limit else memory
        ratio = MEMORY_MB / took.peak_mb if limit is None else limit / took.cpu_s
        lines.append(
            {
                "figure": name,
                "value": round(took.cpu_s, 1),
                "unit": f"s of CPU in {took.jobs} jobs ({took.wall_s:.0f} s of wall clock), "
                f"{rollouts:,} rollouts; at most {took.peak_mb:,.0f} MB",
                "baseline": f"{baselines[name]}; target {target}" if name in baselines else target,
                "ratio": round(ratio, 2),
            }
        )
    return lines


def published_splits(results: Path) -> str:
    names = ("executors", "trajectories", "failures", "positions", "candidates", "scores")
    frames = {name: read_table(results / f"{name}.parquet", TABLES[name]) for name in names}
    frames["rollouts"] = read_table(results / "rollouts.parquet", TABLES["rollouts"], POOL_COLUMNS)
    pool = build_pool(frames, "blind")
    start = time.process_time()
    published_values(pool)
    seconds = (time.process_time() - start) * BASELINE_SHARE
    return (
        f"the values of six evaluators alone by 50 random splits in a loop (one position in "
        f"{BASELINE_SHARE}, scaled): {seconds:.0f} s"
    )


def unchecked_table(results: Path) -> str:
    with tempfile.TemporaryDirectory() as name:
        start = time.process_time()
        plain_database(Path(name) / "plain.duckdb", results / "rollouts.parquet")
        seconds = time.process_time() - start
    return f"CREATE TABLE of the rollouts alone, unchecked and unsorted: {seconds:.1f} s"


def worklists(results: Path) -> list[Path]:
    return sorted((results / "work").glob("*/*.parquet"))


def lookup(results: Path, study: StudyConfig) -> dict[str, Any]:
    """What the cache lacks of all that the study wants: nothing."""
    lists = [path for path in worklists(results) if path.stem in study.models]
    wanted = pl.concat(read_table(path, WORKLIST, ("executor", "executor_id")) for path in lists)
    cache = RolloutCache(f"{study.cache}/rollouts")
    start = time.process_time()
    assert missing(wanted, cache).is_empty()
    ours = time.process_time() - start
    start = time.process_time()
    for (executor_id,), rows in wanted.group_by("executor_id"):
        assert dictionary_loop(cache.folder, rows, str(executor_id)) == 0
    theirs = time.process_time() - start
    shards = [path for name in cache.executor_ids() for path in list_shards(cache.folder / name)]
    size = sum(path.stat().st_size for path in shards)
    return {
        "figure": "scale_lookup_cpu_s",
        "value": round(ours, 2),
        "unit": f"s of CPU for {wanted.height:,} keys, {len(shards)} shards of {size >> 20} MB",
        "baseline": f"reading all rows into a dictionary and asking it by key: {theirs:.1f} s",
        "ratio": round(theirs / ours, 1),
    }


def memory(folder: Path, results: Path) -> list[dict[str, Any]]:
    """What the largest job of rollouts held when it had done a tenth, and at its end.

    Nothing where it was over within seconds.
    """
    largest = max((results / "work/main").glob("*.json"), key=_rollouts_of)
    job = f"main.{largest.stem}"
    shares = (0.1, 0.25, 0.5, 0.75, 1.0)
    seen = memory_at(folder / "memory.jsonl", job, shares)
    if not seen:
        return []
    early, late = seen[0], seen[-1]
    told = ", ".join(f"{mb} at {done:,}" for done, mb in seen)
    return [
        {
            "figure": "scale_rollouts_memory_mb",
            "value": late[1],
            "unit": f"MB held by the job {job}; by rollouts done: {told}",
            "baseline": f"what it held after {early[0]:,} rollouts: {early[1]} MB",
            "ratio": round(late[1] / early[1], 2),
        }
    ]


def _rollouts_of(summary: Path) -> int:
    number: int = json.loads(summary.read_text("utf-8"))["rollouts"]
    return number


def waiting(results: Path, study: StudyConfig) -> dict[str, Any]:
    """Steps a second of the model that keeps us waiting, over those of a plain loop."""
    log = (results / "logs/run_rollouts/main.waiting.log").read_text("utf-8")
    last = re.findall(r"of ([\d,]+) rollouts in (?:(\d+) h )?(?:(\d+) min ?)?(?:(\d+) s)? .*; "
                      r"([\d,]+) steps", log)[-1]  # fmt: skip
    hours, minutes, seconds = (int(word or 0) for word in last[1:4])
    took, steps = hours * 3600 + minutes * 60 + seconds, int(last[4].replace(",", ""))
    asked, alone = asyncio.run(_one_by_one(results / "work/main/waiting.parquet", study))
    return {
        "figure": "scale_waiting_ratio",
        "value": round(steps / took / (asked / alone), 1),
        "unit": f"steps a second over those of a plain loop ({steps / took:,.0f}; {last[0]} "
        f"rollouts, answers in {large_studies.gpu_latency_s() * 1e3:.0f} ms, "
        f"{large_studies.IN_FLIGHT} in flight, from the first step to the last)",
        "baseline": f"{SEQUENTIAL} runs of the same tasks one after the other, same engine: "
        f"{asked / alone:.1f} steps a second",
        "ratio": round(steps / took / (asked / alone), 1),
    }


async def _one_by_one(worklist: Path, study: StudyConfig) -> tuple[int, float]:
    """Steps, and seconds that they took."""
    environment, budget = environment_of(study), study.environment.budget
    engine = engine_of(study, "waiting", os.devnull)
    actor = actor_of(study, executor_of(study, "waiting"), engine)
    rows = next(read_parts(worklist, WORKLIST)).head(SEQUENTIAL)
    specs = [
        RolloutSpec.from_row(row, environment, budget, "list") for row in rows.iter_rows(named=True)
    ]
    start = time.perf_counter()
    steps = await plain_loop(environment, actor, specs)
    return steps, time.perf_counter() - start


if __name__ == "__main__":
    for line in run():
        print(json.dumps(line), flush=True)
