"""docs/own-environment.md as it stands: its package, its check, its study.

Needs the package gymnasium, which is a dependency of the project's tests alone. The whole study
takes a minute: it is run with REPAIRSTUDY_SLOW=1.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from importlib.util import find_spec
from pathlib import Path

import pytest

from repairstudy.audit import Sample
from repairstudy.conformance import CHECKS, check_environment
from repairstudy.environments.gymnasium_text import GymnasiumText

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/own-environment.md").read_text(encoding="utf-8")
MARK = r"(?:<!-- [^\n]* -->\n)?"  # says that this module tests the block
FILES = dict(re.findall(rf"`([\w.]+)`[^`\n]*:\n\n{MARK}```\w+\n(.*?)```", PAGE, re.DOTALL))
needs_gymnasium = pytest.mark.skipif(
    find_spec("gymnasium") is None, reason="the package gymnasium is not installed"
)
SLOW = bool(os.environ.get("REPAIRSTUDY_SLOW"))


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """A folder with the page's files and what an installation of them would add."""
    folder = tmp_path_factory.mktemp("lakes")
    for name, content in FILES.items():
        (folder / name).write_text(content, encoding="utf-8")
    project = tomllib.loads(FILES["pyproject.toml"])["project"]
    about = folder / f"frozen_lakes-{project['version']}.dist-info"
    about.mkdir()
    lines = ["Metadata-Version: 2.1", f"Name: {project['name']}", f"Version: {project['version']}"]
    (about / "METADATA").write_text("\n".join(lines) + "\n", encoding="utf-8")
    groups = [
        f"[{group}]\n" + "".join(f"{name} = {where}\n" for name, where in entries.items())
        for group, entries in project["entry-points"].items()
    ]
    (about / "entry_points.txt").write_text("\n".join(groups), encoding="utf-8")
    return folder


def with_package(folder):
    return os.environ | {"PYTHONPATH": os.pathsep.join([str(folder), *filter(None, sys.path)])}


def columns(text):
    """Verdicts and checks; what was seen depends on the version of gymnasium."""
    return [re.split(r" {2,}", line)[:2] for line in text.splitlines()[:-1]]


def test_the_page_has_every_file_of_its_example():
    assert set(FILES) == {"pyproject.toml", "frozen_lakes.py", "lakes.yaml", "lakes_plan.yaml"}
    table = PAGE.split("## What is checked")[1].split("## In your own tests")[0]
    named = re.findall(r"^\| ([^|]+?) \|", table, re.MULTILINE)[2:]
    assert named == list(CHECKS[: len(named)])


@needs_gymnasium
def test_the_check_of_the_page_says_what_the_page_shows(package):
    command = [sys.executable, "-m", "repairstudy.cli.main", "check-environment", "lakes"]
    done = subprocess.run(command, env=with_package(package), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    shown = re.search(r"```text\n(holds .*?)```", PAGE, re.DOTALL).group(1)
    assert columns(done.stdout) == columns(shown)
    assert done.stdout.splitlines()[-1].startswith("lakes conforms: ")


@needs_gymnasium
def test_taxi_offers_what_its_mask_allows():
    import gymnasium

    names = ("south", "north", "east", "west", "pick up", "drop off")
    latest = max(name for name in gymnasium.registry if name.startswith("Taxi-v"))

    class Taxi(GymnasiumText):
        name = "taxi"
        version = "1"

        def tasks(self):
            return ("3", "11")

        def open(self, task_id):
            return gymnasium.make(latest, max_episode_steps=-1)

        def reset_arguments(self, task_id):
            return {"seed": int(task_id)}

        def actions_of(self, game, turn):
            return {name: n for n, name in enumerate(names) if turn.info["action_mask"][n]}

        def instruction_of(self, game, turn):
            return "Bring the passenger to the destination."

        def text_of(self, game, turn):
            row, column, passenger, wanted = game.unwrapped.decode(turn.observation)
            return f"taxi at {row}, {column}; passenger at {passenger}; destination {wanted}"

    taxi = Taxi()
    taxi.reset("3")
    assert set(taxi.admissible_actions()) < set(names)
    findings = check_environment(lambda: Taxi(), Sample(tasks=2, walks=2, length=8))
    assert [finding for finding in findings if finding.passed is False] == []


@needs_gymnasium
@pytest.mark.skipif(not SLOW, reason="a minute: set REPAIRSTUDY_SLOW=1")
def test_the_study_of_the_page_runs(package, tmp_path):
    for name in ("Snakefile", "workflow", "resources", "notebooks", "profiles", "config"):
        (tmp_path / name).symlink_to(ROOT / name)
    for name in ("lakes.yaml", "lakes_plan.yaml"):
        (tmp_path / name).write_text(FILES[name], encoding="utf-8")
    snakemake = [Path(sys.executable).with_name("snakemake"), "--cores", "2", "--quiet", "rules"]
    done = subprocess.run(
        [*snakemake, "--configfile", "lakes.yaml"],
        cwd=tmp_path, env=with_package(package), capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-4000:]
    assert (tmp_path / "results/lakes/report.html").exists()
