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


def test_only_numpy_and_scipy_are_loaded_even_in_use() -> None:
    _, packages, modules = probe(USE)
    assert set(packages) <= {"numpy", "scipy", "repairstudy", "cython_runtime", "_cython_3_2_4"} | {
        name for name in packages if name.startswith("_cython")
    }
    assert "scipy.special" in modules
    assert not {"scipy.stats", "scipy.optimize", "polars", "pandas"} & set(modules)


def test_nothing_else_of_the_library_is_loaded() -> None:
    modules = [name for name in probe()[2] if name.startswith("repairstudy")]
    assert all(
        name == "repairstudy" or name.startswith("repairstudy.estimators") for name in modules
    )
