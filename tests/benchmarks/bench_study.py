"""How long the default study takes from nothing, and its figures from the gathered rollouts.

Needs both environments and the SmolLM2 checkpoint; takes about ten minutes on two cores.
"""

import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
LINKED = (
    "Snakefile", "workflow", "resources", "notebooks", "profiles", "config", ".venv-vllm",
)  # fmt: skip


def seconds(folder: Path, *arguments: str) -> float:
    program = Path(sys.executable).with_name("snakemake")
    start = time.perf_counter()
    subprocess.run([program, *arguments, "--quiet", "all"], cwd=folder, check=True)
    return time.perf_counter() - start


def run() -> list[dict[str, Any]]:
    """The figures `default_study_s` and `figures_s`."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for item in LINKED:
            (folder / item).symlink_to(ROOT / item)
        whole = seconds(folder)
        shutil.rmtree(folder / "results/gridworld/figures")
        shutil.rmtree(folder / "results/gridworld/tables")
        figures = seconds(folder, "figures")
    return [
        {
            "figure": "default_study_s",
            "value": round(whole, 1),
            "unit": "s, whole study without any cache, checkpoint at hand",
            "baseline": "the limit of 720 s",
            "ratio": round(720 / whole, 2),
        },
        {
            "figure": "figures_s",
            "value": round(figures, 1),
            "unit": "s, all figures and tables from gathered rollouts",
            "baseline": f"the whole study: {whole:.1f} s",
            "ratio": round(whole / figures, 1),
        },
    ]


if __name__ == "__main__":
    for line in run():
        print(json.dumps(line))
