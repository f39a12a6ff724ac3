"""One direction of imports, and light imports where users need them."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

LIBRARY = Path(__file__).parents[1] / "workflow/repairstudy"
# From the ground up; a package may import those before it and itself.
LAYERS = (
    "errors",
    "checked",
    "records",
    "estimators",
    "environments",
    "audit",
    "descriptions",
    "executors",
    "engines",
    "rollouts",
    "conformance",
    "candidates",
    "evaluators",
    "store",
    "imported",
    "analysis",
    "validation",
    "report",
    "config",
    "cli",
)
FILES = sorted(LIBRARY.rglob("*.py"))


def imported(path):
    """Our packages that a module imports, by the name of their layer."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert node.level == 0, f"{path}: relative import"
            names = [node.module]
        for name in names:
            parts = name.split(".")
            if parts[0] == "repairstudy" and len(parts) > 1:
                yield parts[1]


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(LIBRARY)))
def test_a_module_imports_only_from_layers_below(path):
    layer = path.relative_to(LIBRARY).parts[0].removesuffix(".py")
    if layer == "__init__":
        assert not set(imported(path))
        return
    above = LAYERS[LAYERS.index(layer) + 1 :]
    assert not set(imported(path)) & set(above)


def test_every_package_has_a_layer():
    found = {p.stem for p in LIBRARY.iterdir() if p.suffix == ".py" or (p / "__init__.py").exists()}
    assert found - {"__init__"} == set(LAYERS)


def modules_after(statement):
    code = f"import sys; {statement}; print(*sorted({{m.split('.')[0] for m in sys.modules}}))"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(shown.stdout.split())


def test_reading_a_configuration_loads_no_data_library():
    """Snakemake evaluates the Snakefile in every job: it must stay cheap."""
    heavy = {"polars", "pandas", "numpy", "matplotlib", "seaborn", "duckdb", "scipy", "pyarrow"}
    assert not modules_after("from repairstudy.config import parse_study") & heavy


def test_statistics_and_report_need_no_model_library():
    loaded = modules_after("import repairstudy.analysis, repairstudy.report")
    assert not loaded & {"torch", "vllm", "transformers", "httpx"}
