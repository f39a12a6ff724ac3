"""What the catalogue of Snakemake workflows asks of one with standardized usage."""

import os
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
import yaml

ROOT = Path(__file__).parents[2]
CONFIGS = [ROOT / "config/config.yaml", *sorted((ROOT / "config/studies").glob("*.yaml"))]
USAGE = yaml.safe_load((ROOT / ".snakemake-workflow-catalog.yml").read_text("utf-8"))["usage"]


def test_the_usage_has_the_keys_that_are_read():
    assert set(USAGE) == {"mandatory-flags", "software-stack-deployment"}
    assert set(USAGE["mandatory-flags"]) == {"desc", "flags"}
    deployment = USAGE["software-stack-deployment"]
    assert set(deployment) == {"conda", "apptainer", "apptainer+conda", "report"}
    assert all(type(value) is bool for value in deployment.values())


def test_conda_is_claimed_because_every_rule_names_its_environment():
    rules = [
        part
        for file in (ROOT / "workflow/rules").glob("*.smk")
        for part in file.read_text("utf-8").split("\nrule ")[1:]
        if "script:" in part or "shell:" in part
    ]
    assert USAGE["software-stack-deployment"]["conda"]
    assert rules
    assert [part.partition(":")[0] for part in rules if "conda:" not in part] == []


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_the_schema_accepts_every_study(path):
    content = yaml.safe_load(path.read_text("utf-8"))
    kind = "outcomes" if "outcomes" in content else "config"
    schema = yaml.safe_load((ROOT / f"config/schemas/{kind}.schema.yaml").read_text("utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(content, schema)
    with pytest.raises(jsonschema.ValidationError, match="'sed' was unexpected"):
        jsonschema.validate(content | {"sed": 1}, schema)


def test_the_schema_needs_no_reference_to_be_followed():
    assert "$ref" not in (ROOT / "config/schemas/config.schema.yaml").read_text("utf-8")


def test_the_instructions_show_the_shortest_study_as_it_is():
    page = (ROOT / "config/README.md").read_text("utf-8")
    shown = page.split("```yaml\n")[1].split("```\n")[0]
    minimal = (ROOT / "config/studies/minimal.yaml").read_text("utf-8")
    assert shown == "".join(
        line for line in minimal.splitlines(keepends=True) if not line.startswith("#")
    )


def test_the_workflow_is_also_where_the_catalogue_looks(tmp_path):
    for name in ("Snakefile", "workflow", "resources", "notebooks", "profiles", "config"):
        (tmp_path / name).symlink_to(ROOT / name)
    program = Path(sys.executable).with_name("snakemake")
    listed = [
        subprocess.run(
            [program, "--list-rules", "--snakefile", file], cwd=tmp_path, check=True,
            env=os.environ | {"HOME": str(tmp_path)}, capture_output=True, text=True,
        ).stdout
        for file in ("Snakefile", "workflow/Snakefile")
    ]  # fmt: skip
    assert listed[0] == listed[1]
    assert "run_rollouts" in listed[0]
