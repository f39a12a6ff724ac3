"""Studies of simulated models that are large in one way, and how the workflow is run on them."""

from __future__ import annotations

import re
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from tests.benchmarks.latency_server import GPU

ROOT = Path(__file__).parents[2]
LINKED = ("Snakefile", "workflow", "resources", "notebooks", "profiles")
# A million rollouts: so many task layouts that few failures share one, and with it their rollouts.
FAILURES, LAYOUTS, LABEL, EVALUATE, WAITING = 3_000, 4_500, 10, 40, 2
IN_FLIGHT, TOKENS = 256, 2
MANY_JOBS = {"models": 200, "temperatures": 4, "pools": 400}
_DONE = re.compile(r"done in ([\d.]+) s, ([\d.]+) s of CPU, at most ([\d,]+) MB")


def million_rollouts(share: float) -> dict[str, Any]:
    """The miniature study with more failures and rollouts, and with a model that keeps us waiting.

    `waiting` answers as slowly as a server with the timing of a GPU under full load
    (`latency_server`), so that each of its steps is a call that takes its time.
    """
    study = miniature()
    failures = round(FAILURES * share)
    study["environment"]["options"]["layouts"] = round(LAYOUTS * share)
    study["pools"] = {"blind": {"deployed": "blind", "size": failures}}
    study["positions"]["per_failure"] = 3
    study["collection"] = {"max_episodes": 100 * failures}
    study["rollouts"] |= {"label": LABEL, "max_in_flight": IN_FLIGHT}
    latency = {"latency_s": round(gpu_latency_s(), 3), "latency_spread": 0.2}
    parameters = study["models"]["careful"]["parameters"] | latency
    study["models"]["waiting"] = {"kind": "simulated", "parameters": parameters}
    study["executors"]["waiting"] = study["executors"]["careful"] | {
        "model": "waiting",
        "decoding": {"mode": "text", "temperature": 0.7, "top_p": 0.95, "max_tokens": TOKENS},
    }
    study["evaluators"]["executors"] = {
        "careful": {"rollouts": EVALUATE},
        "waiting": {"rollouts": WAITING, "equal_budget": None},
    }
    return study


def gpu_latency_s() -> float:
    """Seconds that an answer takes while as many requests as allowed are under way."""
    prefill, step, per_request = GPU
    return prefill + TOKENS * (step + per_request * IN_FLIGHT)


def many_jobs() -> dict[str, Any]:
    """Many models, executors and pools: the jobs of a study grow with these alone."""
    study = miniature()
    model, executor = study["models"]["blind"], study["executors"]["blind"]
    names = [f"model{number}" for number in range(MANY_JOBS["models"])]
    study["models"] = dict.fromkeys(names, model)
    study["executors"] = {
        f"{name}-{number}": executor
        | {"model": name, "decoding": executor["decoding"] | {"temperature": 0.5 + 0.1 * number}}
        for name in names
        for number in range(MANY_JOBS["temperatures"])
    }
    deployed = list(study["executors"])[: MANY_JOBS["pools"]]
    study["pools"] = {name: {"deployed": name, "size": 12} for name in deployed}
    proposer = study["candidates"]["proposers"]["blind"]
    study["candidates"]["proposers"] = {name: proposer | {"model": name} for name in names}
    study["evaluators"]["executors"] = {name: {"rollouts": 20} for name in study["executors"]}
    study["evaluators"]["judge"]["model"] = names[0]
    return study


def miniature() -> dict[str, Any]:
    """The miniature study as it is."""
    study: dict[str, Any] = yaml.safe_load((ROOT / "config/studies/tiny.yaml").read_text("utf-8"))
    return study


def workspace(folder: Path, study: dict[str, Any]) -> None:
    """A folder in which the workflow runs the study; one that is there already is gone on with.

    Raises:
        ValueError: the folder is the workspace of another study.
    """
    text = yaml.safe_dump(study)
    config = folder / "config/study.yaml"
    if config.exists():
        if config.read_text("utf-8") != text:
            raise ValueError(f"{folder} holds another study: name another folder, or delete it.")
        return
    folder.mkdir(parents=True, exist_ok=True)
    for name in LINKED:
        (folder / name).symlink_to(ROOT / name)
    config.parent.mkdir()
    (config.parent / "plans").symlink_to(ROOT / "config/plans")
    config.write_text(text, "utf-8")


class Call(NamedTuple):
    """Seconds that a call took: of wall clock, and of CPU with all jobs that it started."""

    wall_s: float
    cpu_s: float


def snakemake(folder: Path, *arguments: str) -> Call:
    """What a call took; its output stays in snakemake.log."""
    program = Path(sys.executable).with_name("snakemake")
    command = [program, "--configfile", "config/study.yaml", "--cores", "2", *arguments]
    start, cpu = time.perf_counter(), cpu_of_children()
    with (folder / "snakemake.log").open("w", encoding="utf-8") as log:
        done = subprocess.run(command, cwd=folder, stdout=log, stderr=log, check=False)
    if done.returncode:
        tail = (folder / "snakemake.log").read_text("utf-8")[-4000:]
        raise RuntimeError(f"snakemake ended with {done.returncode}:\n{tail}")
    return Call(time.perf_counter() - start, cpu_of_children() - cpu)


def cpu_of_children() -> float:
    """Seconds of CPU of all processes that were started here and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class Used(NamedTuple):
    """What some jobs took: their number, seconds of CPU and of wall clock, most MB of one."""

    jobs: int
    cpu_s: float
    wall_s: float
    peak_mb: float


def used(logs: Path, *patterns: str) -> Used:
    """What the jobs took whose logs match, as the jobs themselves wrote down at their end."""
    found = [
        [float(number.replace(",", "")) for number in _DONE.findall(path.read_text("utf-8"))[-1]]
        for pattern in patterns
        for path in sorted(logs.glob(pattern))
    ]
    wall, cpu, peak = zip(*found, strict=True)
    return Used(len(found), sum(cpu), sum(wall), max(peak))
