"""Run the benchmarks, or those of one figure: ``python -m tests.benchmarks [FIGURE]``.

The beginning of a name stands for all figures that begin with it.
Each figure is one JSON line: figure, value, unit, the baseline it is compared with (measured in
the same process or session), and the ratio.
"""

import importlib
import json
import os
import sys
from pathlib import Path

HERE = Path(__file__).parent
# As in the jobs of the workflow, and before anything loads NumPy: its second thread mostly waits.
os.environ.setdefault("OMP_NUM_THREADS", "1")


def main(wanted: str | None) -> int:
    modules = {path.stem: path.read_text(encoding="utf-8") for path in HERE.glob("bench_*.py")}
    # A benchmark's source names its figures, so one figure can be run without all others.
    # One that takes too long for that is run by its name alone.
    chosen = [
        name
        for name, source in sorted(modules.items())
        if (names(source, wanted) if wanted else "\nONLY_BY_NAME = True" not in source)
    ]
    shown = 0
    for name in chosen:
        for line in importlib.import_module(f"tests.benchmarks.{name}").run():
            if wanted is None or line["figure"].startswith(wanted):
                print(json.dumps(line), flush=True)
                shown += 1
    if not shown:
        print(f"no benchmark measures '{wanted}'", file=sys.stderr)
    return 0 if shown else 2


def names(source: str, figure: str) -> bool:
    """Whether a source names a figure that begins so, as text or in a docstring."""
    return any(f"{mark}{figure}" in source for mark in '"`')


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else None))
