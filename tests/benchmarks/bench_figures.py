"""How long all figures and tables of the finished default study take: `figures_s`.

Needs a default study that is finished (``make study``), here or in the folder that FINISHED names;
it is copied, so nothing of it changes.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.benchmarks.large_studies import ROOT, cpu_of_children

LINKED = ("Snakefile", "workflow", "resources", "notebooks", "profiles", "config", ".venv-vllm")
STUDY = "gridworld"
LIMIT_S = 60
MADE_BY = {"draw_figures", "write_tables"}


def run() -> list[dict[str, Any]]:
    """The figure; none where there is no finished study."""
    finished = Path(os.environ.get("FINISHED", ROOT)) / "results"
    if not (finished / STUDY / "study.duckdb").is_file():
        print(
            f"figures_s: there is no finished default study in {finished}; run `make study`, or "
            "name the folder of one: FINISHED=FOLDER",
            file=sys.stderr,
        )
        return []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for item in LINKED:
            (folder / item).symlink_to(ROOT / item)
        shutil.copytree(finished / STUDY, folder / "results" / STUDY)
        # What witnesses the plan lies beside the rollouts, which figures do not read.
        shutil.copytree(finished / "cache/records", folder / "results/cache/records")
        for made in ("figures", "tables"):
            shutil.rmtree(folder / "results" / STUDY / made, ignore_errors=True)
        dry = snakemake(folder, "figures", "--dry-run", "--quiet", "reason")
        jobs = set(re.findall(r"^(\w+) +\d+$", dry, re.MULTILINE)) - {"total", "figures"}
        if not jobs <= MADE_BY:
            print(
                f"figures_s: the study in {finished} is older than what made it, so that "
                f"{', '.join(sorted(jobs - MADE_BY))} would run again; finish it first",
                file=sys.stderr,
            )
            return []
        start, cpu = time.perf_counter(), cpu_of_children()
        snakemake(folder, "figures", "--quiet", "all")
        seconds, cpu = time.perf_counter() - start, cpu_of_children() - cpu
        drawn = len(list((folder / "results" / STUDY / "figures").glob("*.svg")))
    return [
        {
            "figure": "figures_s",
            "value": round(seconds, 1),
            "unit": f"s ({cpu:.1f} s of CPU), {drawn} figures and all tables of the default study",
            "baseline": f"the limit of {LIMIT_S} s",
            "ratio": round(LIMIT_S / seconds, 2),
        }
    ]


def snakemake(folder: Path, *arguments: str) -> str:
    program = Path(sys.executable).with_name("snakemake")
    command = [program, "--cores", "1", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"snakemake ended with {done.returncode}:\n{done.stderr[-4000:]}")
    return done.stdout + done.stderr


if __name__ == "__main__":
    for line in run():
        print(json.dumps(line))
