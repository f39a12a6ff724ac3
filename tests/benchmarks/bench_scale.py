"""A million rollouts of simulated models through the whole workflow, from collecting to the report.

Takes about a quarter of an hour on two cores, so it runs only when it is asked for:
``make bench NAME=scale`` (or one of its figures). SCALE=0.1 makes the study a tenth of that.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import polars as pl
import yaml

ROOT = Path(__file__).parents[2]
LINKED = ("Snakefile", "workflow", "resources", "notebooks", "profiles")
ONLY_BY_NAME = True
FAILURES, LAYOUTS, MEMORY_MB = 3_000, 1_500, 4_000
LARGE_STUDY = {"models": 12, "prompts": 4, "pools": 24}

# Figure -> logs of the jobs that it adds up, in the folder of logs; seconds of each job.
STAGES = {
    "scale_collect_s": ("action_distributions/*.log", "collect/*.log"),
    "scale_candidates_s": ("sample_positions.log", "propose/*.log", "merge_candidates.log"),
    "scale_plan_s": ("plan_screening.log", "plan_rollouts.log", "plan_fresh.log"),
    "scale_rollouts_s": ("run_rollouts/*.log",),
    "scale_gather_s": ("gather_rollouts.*.log", "merge_rollouts.log"),
    "scale_selection_s": ("exact_values.log", "select_repairs.log"),
    "scale_statistics_s": ("compute_statistics.log",),
    "scale_database_s": ("build_database.log",),
    "scale_figures_s": ("draw_figures.log", "write_tables.log"),
    "scale_report_s": ("write_report.log", "run_notebook.log"),
}
_DONE = re.compile(r"done in ([\d.]+) s, at most ([\d,]+) MB")


def configuration(share: float) -> dict[str, Any]:
    """The miniature study with more failures and more rollouts of its evaluator."""
    study: dict[str, Any] = yaml.safe_load((ROOT / "config/studies/tiny.yaml").read_text("utf-8"))
    failures = round(FAILURES * share)
    study["environment"]["options"]["layouts"] = round(LAYOUTS * share)
    study["pools"] = {"blind": {"deployed": "blind", "size": failures}}
    study["positions"]["per_failure"] = 3
    study["evaluators"]["executors"]["careful"]["rollouts"] = 80
    study["collection"] = {"max_episodes": 100 * failures}
    study["rollouts"]["max_in_flight"] = 256
    return study


def large_study() -> dict[str, Any]:
    """Many models, executors and pools: the jobs of a study grow with these alone."""
    study: dict[str, Any] = yaml.safe_load((ROOT / "config/studies/tiny.yaml").read_text("utf-8"))
    model, executor = study["models"]["blind"], study["executors"]["blind"]
    names = [f"model{number}" for number in range(LARGE_STUDY["models"])]
    study["models"] = dict.fromkeys(names, model)
    study["executors"] = {
        f"{name}-{prompt}": executor | {"model": name}
        for name in names
        for prompt in range(LARGE_STUDY["prompts"])
    }
    deployed = list(study["executors"])[: LARGE_STUDY["pools"]]
    study["pools"] = {name: {"deployed": name, "size": 12} for name in deployed}
    proposer = study["candidates"]["proposers"]["blind"]
    study["candidates"]["proposers"] = {name: proposer | {"model": name} for name in names}
    study["evaluators"]["executors"] = {name: {"rollouts": 20} for name in study["executors"]}
    study["evaluators"]["judge"]["model"] = names[0]
    return study


def workspace(folder: Path, study: dict[str, Any]) -> None:
    for name in LINKED:
        (folder / name).symlink_to(ROOT / name)
    (folder / "config").mkdir()
    (folder / "config/plans").symlink_to(ROOT / "config/plans")
    (folder / "config/study.yaml").write_text(yaml.safe_dump(study), "utf-8")


def snakemake(folder: Path, *arguments: str) -> float:
    """Seconds of a call; its output stays in snakemake.log."""
    program = Path(sys.executable).with_name("snakemake")
    command = [program, "--configfile", "config/study.yaml", "--cores", "2", *arguments]
    start = time.perf_counter()
    with (folder / "snakemake.log").open("w", encoding="utf-8") as log:
        done = subprocess.run(command, cwd=folder, stdout=log, stderr=log, check=False)
    if done.returncode:
        tail = (folder / "snakemake.log").read_text("utf-8")[-4000:]
        raise RuntimeError(f"snakemake ended with {done.returncode}:\n{tail}")
    return time.perf_counter() - start


def stage_figures(logs: Path, rollouts: int) -> list[dict[str, Any]]:
    lines = []
    for name, patterns in STAGES.items():
        found = [
            _DONE.findall(path.read_text("utf-8"))[-1]
            for pattern in patterns
            for path in sorted(logs.glob(pattern))
        ]
        seconds = sum(float(value) for value, _ in found)
        peak = max(int(value.replace(",", "")) for _, value in found)
        lines.append(
            {
                "figure": name,
                "value": round(seconds, 1),
                "unit": f"s in {len(found)} jobs, {rollouts:,} rollouts; at most {peak:,} MB",
                "baseline": f"memory of {MEMORY_MB:,} MB",
                "ratio": round(MEMORY_MB / peak, 2),
            }
        )
    return lines


def run() -> list[dict[str, Any]]:
    """The figures `scale_..._s`; ratio: the memory that a stage may take to what it took."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        workspace(folder, large_study())
        dag = snakemake(folder, "--dry-run", "--quiet", "rules")
        jobs = re.search(r"^total\s+(\d+)", (folder / "snakemake.log").read_text(), re.MULTILINE)
    share = float(os.environ.get("SCALE", "1"))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        workspace(folder, configuration(share))
        whole = snakemake(folder)
        results = folder / "results/tiny"
        keys = pl.scan_parquet(results / "rollouts.parquet").select(
            pl.col("rollout_key").n_unique()
        )
        rollouts = keys.collect().item()
        lines = stage_figures(results / "logs", rollouts)
        again = snakemake(folder)
    return [
        {
            "figure": "scale_dag_s",
            "value": round(dag, 1),
            "unit": f"s, dry run of {jobs.group(1) if jobs else '?'} jobs: "
            f"{LARGE_STUDY['models']} models, {LARGE_STUDY['pools']} pools",
            "baseline": "10 s",
            "ratio": round(10 / dag, 2),
        },
        *lines,
        {
            "figure": "scale_study_s",
            "value": round(whole, 1),
            "unit": f"s, {rollouts:,} distinct rollouts on two cores, all stages",
            "baseline": f"the same again, all done: {again:.1f} s",
            "ratio": round(whole / again, 1),
        },
    ]


if __name__ == "__main__":
    for line in run():
        print(json.dumps(line), flush=True)
