"""Runs of `repairstudy pick` on the miniature study."""

import json
from pathlib import Path

import yaml

from repairstudy.cli.main import main
from repairstudy.config import parse_study
from repairstudy.rollouts import RolloutCache

ROOT = Path(__file__).parents[2]
TINY = "config/studies/tiny.yaml"
FAILED = [
    {"failure_id": "a", "task_id": "layout-006", "actions": ["down", "down"], "t": 0},
    {"failure_id": "b", "task_id": "layout-010", "actions": ["right", "right", "down", "down"],
     "t": 1},
    {"failure_id": "c", "task_id": "layout-009", "actions": ["right"], "t": 0,
     "candidates": ["up", "left"]},
]  # fmt: skip
GOOD = FAILED[0]


def configured(folder, **changed):
    """The tiny study with a cache of its own: the file and the study."""
    content = yaml.safe_load(Path(TINY).read_text("utf-8"))
    content |= {"cache": f"{folder}/cache", "results": f"{folder}/results"}
    content["rollouts"] = content["rollouts"] | {"retries": 0}
    content |= changed
    path = folder / "study.yaml"
    path.write_text(yaml.safe_dump(content), encoding="utf-8")
    return path, parse_study(content, str(path))


def lines(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def picked(failures, study, *options):
    """The document of a run of the command."""
    out = Path(study).parent / "picked.json"
    words = [str(failures), "--study", str(study), "--json", str(out), *map(str, options)]
    assert main(["pick", *words]) == 0
    return json.loads(out.read_text("utf-8"))


def cached(study):
    return RolloutCache(f"{study.cache}/rollouts").read()
