"""The shipped ALFWorld policy LMs and their lessons, as files: no torch, no engine needed."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from alfworld_worlds import official

from repairstudy.environments.alfworld.scene import read_scene
from repairstudy.executors.protocols import AgentView, make_protocol

ROOT = Path(__file__).parents[3]
KINDS = ("weak", "strong", "other")
TEMPLATE = (ROOT / "resources/prompts/alfworld/policy.txt").read_text(encoding="utf-8")
TRAINING_SPLIT = "train"


def read(kind: str, name: str) -> Any:
    folder = ROOT / "resources/models" / f"alfworld-{kind}"
    return json.loads((folder / name).read_text(encoding="utf-8"))


def lessons_script() -> ModuleType:
    path = ROOT / "workflow/scripts/alfworld_lessons.py"
    spec = importlib.util.spec_from_file_location("alfworld_lessons", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # its dataclasses look there
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("kind", KINDS)
def test_checkpoints_are_small_and_can_be_served_on_a_cpu(kind: str) -> None:
    folder = ROOT / "resources/models" / f"alfworld-{kind}"
    assert (folder / "model.safetensors").stat().st_size <= 1_500_000
    config = read(kind, "config.json")
    assert config["architectures"] == ["LlamaForCausalLM"]
    assert config["head_dim"] == 32  # 16 is refused by vLLM on a CPU
    assert config["max_position_embeddings"] >= 512
    assert (folder / "chat_template.jinja").exists()


@pytest.mark.parametrize("kind", KINDS)
def test_checkpoints_were_trained_on_the_shipped_prompt(kind: str) -> None:
    assert read(kind, "training.json")["lessons"]["prompt"] == TEMPLATE


def test_the_families_differ_in_what_they_were_taught() -> None:
    weak, strong, other = (read(kind, "training.json") for kind in KINDS)
    assert weak["lessons_sha256"] == strong["lessons_sha256"] != other["lessons_sha256"]
    assert weak["stopped_after"] < strong["stopped_after"]
    assert strong["lessons"]["protocol"] != other["lessons"]["protocol"]


@pytest.mark.parametrize("kind", KINDS)
def test_the_words_of_actions_are_tokens(kind: str) -> None:
    tokenizer = read(kind, "tokenizer.json")
    assert tokenizer["model"]["type"] == "WordLevel"
    assert tokenizer["pre_tokenizer"]["type"] == "WhitespaceSplit"
    verbs = "go to take from move close open use heat clean cool with slice examine look inventory"
    numbers = map(str, range(1, 61))
    assert {*verbs.split(), *numbers, ">", "task", "actions"} <= set(tokenizer["model"]["vocab"])


@pytest.mark.skipif(official() is None, reason="the official games are not there")
@pytest.mark.parametrize("kind", KINDS)
def test_every_thing_of_held_out_games_is_a_token(kind: str) -> None:
    folder = official()
    assert folder is not None
    games = sorted(folder.rglob("game.tw-pddl"))
    held_out = [game for game in games if TRAINING_SPLIT not in game.parts][::20]
    words = set(read(kind, "tokenizer.json")["model"]["vocab"])
    for game in held_out:
        scene = read_scene(game)
        assert {*scene.object_types.values(), *scene.receptacle_types.values()} <= words


@pytest.mark.parametrize("protocol", ["window-2/1", "window-3/1"])
@pytest.mark.parametrize("steps", [0, 1, 2, 3, 5])
def test_lessons_have_the_very_prompts_that_executors_get(protocol: str, steps: int) -> None:
    script = lessons_script()
    view = AgentView(
        instruction="put a mug in shelf.",
        observations=tuple(f"You see {number} things." for number in range(steps + 1)),
        actions=tuple(f"go to shelf {number}" for number in range(steps)),
        admissible=("go to shelf 1", "look"),
    )
    lesson = script.Lesson(view, ((view.instruction, "look"), ("put a pan in sink.", "look")))
    row = script.as_prompts(lesson, protocol, TEMPLATE)
    after, answer = row["tasks"][0]
    assert row["before"] + after == make_protocol(protocol).prompt(TEMPLATE, view)
    assert answer in make_protocol(protocol).options(view)
    assert row["tasks"][1][0] == "put a pan in sink.\n>"

