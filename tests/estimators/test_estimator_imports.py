"""Importing the estimators is quick and needs numpy and scipy alone."""

from __future__ import annotations

import json
import subprocess
import sys

PROBE = """
import json, sys, time
before = set(sys.modules)
started = time.process_time()
import repairstudy.estimators as estimators
seconds = time.process_time() - started
{use}
packages = {{name.split(".")[0] for name in set(sys.modules) - before}} - sys.stdlib_module_names
print(json.dumps([seconds, sorted(packages), sorted(sys.modules)]))
"""
USE = "estimators.t_interval([0.1, 0.2], [0, 1]); estimators.p_t([0.1, 0.2], [0, 1])"


def probe(use: str = "") -> tuple[float, list[str], list[str]]:
    code = [sys.executable, "-c", PROBE.format(use=use)]
    shown = subprocess.run(code, check=True, capture_output=True, text=True).stdout
    seconds, packages, modules = json.loads(shown)
    return seconds, packages, modules


def test_import_takes_under_half_a_second() -> None:
    assert min(probe()[0] for _ in range(3)) < 0.5


def test_only_numpy_is_loaded_at_first_and_scipy_special_in_use() -> None:
    packages = {name for name in probe()[1] if "cy" not in name}  # Cython's runtime
    assert packages == {"numpy", "repairstudy"}
    _, packages_in_use, modules = probe(USE)
    assert "scipy.special" in modules
    assert not {"scipy.stats", "scipy.optimize", "scipy.linalg"} & set(modules)
    assert not {"polars", "pandas", "statsmodels", "matplotlib", "duckdb"} & set(packages_in_use)


def test_nothing_else_of_the_library_is_loaded() -> None:
    modules = [name for name in probe()[2] if name.startswith("repairstudy")]
    assert all(
        name == "repairstudy" or name.startswith("repairstudy.estimators") for name in modules
    )
