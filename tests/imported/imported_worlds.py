"""Runs in the miniature gridworld for tests of imports: what is done, what it shows, how logged."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import yaml

from repairstudy.cli.importing.replays import study_of
from repairstudy.config import parse_study
from repairstudy.config.build import environment_of
from repairstudy.imported.exported import logged
from repairstudy.imported.replaying import replay_run
from repairstudy.imported.run import Run
from repairstudy.imported.tasks import Tasks

ROOT = Path(__file__).parents[2]
TINY = ROOT / "config/studies/tiny.yaml"
LOGS = ROOT / "tests/data/logs"
# A fall into a pit, a detour that ends in one, and the way to the goal.
PIT = ("layout-009", ("right",))
LOST = ("layout-006", ("down", "left", "down"))
GOAL = ("layout-009", ("up", "right", "right"))


def content(**changed):
    return yaml.safe_load(TINY.read_text("utf-8")) | changed


def study(**changed):
    return parse_study(content(**changed), "tiny.yaml")


def written_study(folder, **changed):
    """A configuration file of the miniature study, with a cache of its own."""
    path = folder / "study.yaml"
    own = {"cache": f"{folder}/cache", "results": f"{folder}/results"}
    path.write_text(yaml.safe_dump(content(**own | changed)), encoding="utf-8")
    return path


def world():
    return environment_of(study())


def walk(task, actions, environment=None):
    """The n + 1 observations of n actions, and whether they solve the task."""
    environment = environment or world()
    shown = [environment.reset(task)]
    shown += [environment.step(action).observation for action in actions]
    return shown, environment.outcome().success


def run(name="a", task="layout-009", actions=("right",), **fields):
    return Run(failure_id=name, task_id=task, actions=list(actions), **fields)


@cache
def kept():
    """The miniature world, its tasks and its study, made once."""
    environment = world()
    return environment, Tasks(environment), study()


def replayed(one, **options):
    """A run of the format, or of a log, in the miniature world."""
    environment, tasks, config = kept()
    found = logged(one, "runs.jsonl, line 1", 1) if isinstance(one, Run) else one
    return replay_run(environment, tasks, found, study_of(config, "blind", **options))


def write_lines(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def chat(task, actions, words="{}", **fields):
    """A run as chat messages; the actions stand in `words`."""
    shown, _ = walk(task, actions)
    messages = [
        {"role": "system", "content": "Reach the goal."}, {"role": "user", "content": shown[0]},
    ]  # fmt: skip
    for action, after in zip(actions, shown[1:], strict=True):
        messages.append({"role": "assistant", "content": words.format(action)})
        messages.append({"role": "user", "content": after})
    return {"task_id": task, "messages": messages} | fields
