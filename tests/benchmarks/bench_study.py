"""How long the default study takes from nothing: `default_study_s`.

Needs both environments and the SmolLM2 checkpoint; takes about ten minutes on two cores.
"""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.benchmarks.bench_figures import LINKED, ROOT


def run() -> list[dict[str, Any]]:
    """The figure."""
    program = Path(sys.executable).with_name("snakemake")
    with tempfile.TemporaryDirectory() as name:
        for item in LINKED:
            (Path(name) / item).symlink_to(ROOT / item)
        start = time.perf_counter()
        subprocess.run([program, "--quiet", "all"], cwd=name, check=True)
        seconds = time.perf_counter() - start
    return [
        {
            "figure": "default_study_s",
            "value": round(seconds, 1),
            "unit": "s, whole study without any cache, checkpoint at hand",
            "baseline": "the limit of 720 s",
            "ratio": round(720 / seconds, 2),
        }
    ]


if __name__ == "__main__":
    for line in run():
        print(json.dumps(line))
