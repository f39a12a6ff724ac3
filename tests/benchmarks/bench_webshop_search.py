"""Search among 100,000 products: making the index, opening it, and asking it.

The original's numbers were measured on its unmodified code and Lucene, with a catalogue of as many
products made from the published ones; this catalogue is invented.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.benchmarks.bench_webshop import figure, prepare_shop, seconds

from repairstudy.environments.webshop.catalogue import Catalogue
from repairstudy.environments.webshop.index import index_folder, load_index
from repairstudy.records import generator

PRODUCTS, QUERIES = 100_000, 500
LOADING = """
import resource, sys, time
start = time.perf_counter()
from repairstudy.environments.webshop import Webshop
imported = time.perf_counter()
world = Webshop(data=sys.argv[1])
world.reset(world.tasks()[0])
world.step("search[red lamp]")
took = time.perf_counter() - imported
print(took, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


def run() -> list[dict[str, Any]]:
    """The figures `webshop_index_s`, `webshop_query_ms`, `webshop_load_s`, `webshop_worker_mb`."""
    with tempfile.TemporaryDirectory() as folder:
        return measure(Path(folder), prepare_shop(Path(folder), PRODUCTS))


def measure(folder: Path, build_s: float) -> list[dict[str, Any]]:
    index = load_index(index_folder(folder))
    catalogue = Catalogue.open(folder)
    rng = generator("webshop benchmark queries")
    places = rng.integers(0, len(catalogue), QUERIES).tolist()
    queries = [" ".join(catalogue.search_text(place).split()[:8]) for place in places]
    took = seconds(lambda: [index.search(query, 50) for query in queries])
    command = [sys.executable, "-c", LOADING, str(folder)]
    shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    load_s, memory = map(float, shown.split())
    lucene = "Lucene, published measurement on as many products"
    return [
        figure("webshop_index_s", round(build_s, 1), "s to build", f"{lucene}: 97 s", 97 / build_s),
        figure(
            "webshop_query_ms",
            round(1000 * took / QUERIES, 2),
            "ms a query of eight words, not remembered",
            f"{lucene}: 35 ms",
            35 / (1000 * took / QUERIES),
        ),
        figure(
            "webshop_load_s",
            round(load_s, 2),
            f"s until a worker has opened {PRODUCTS:,} products and searched them",
            "the original, published measurement: 31 s",
            31 / load_s,
        ),
        figure(
            "webshop_worker_mb",
            round(memory),
            "MB at most in such a worker, mapped files included",
            "the original, published measurement: 2,400 MB",
            2400 / memory,
        ),
    ]


if __name__ == "__main__":
    for line in run():
        print(json.dumps(line))
