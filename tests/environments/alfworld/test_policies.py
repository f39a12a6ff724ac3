"""The shipped ALFWorld policy LMs and their lessons, as files: no torch, no engine needed."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from alfworld_worlds import official
from workflow_scripts import load_script

from repairstudy.environments.alfworld.scene import read_scene
from repairstudy.executors.protocols import AgentView, make_protocol

ROOT = Path(__file__).parents[3]
PYTHON = ROOT / ".venv-vllm/bin/python"
KINDS = ("weak", "strong", "other")
TEMPLATE = (ROOT / "resources/prompts/alfworld/policy.txt").read_text(encoding="utf-8")
TRAINING_SPLIT = "train"


def read(kind: str, name: str) -> Any:
    folder = ROOT / "resources/models" / f"alfworld-{kind}"
    return json.loads((folder / name).read_text(encoding="utf-8"))


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


def test_two_policies_had_the_same_teacher_and_the_third_another_one_in_the_end() -> None:
    weak, strong, other = (read(kind, "training.json") for kind in KINDS)
    assert weak["lessons_sha256"] == strong["lessons_sha256"] != other["lessons_sha256"]
    assert weak["stopped_after"] < weak["updates"]
    assert other["start"] == "alfworld-strong"
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
    script = load_script("alfworld_lessons")
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


SINGLE_TOKENS = """
import json, sys
from tokenizers import Tokenizer
tokenizer = Tokenizer.from_file(sys.argv[1])
encode = lambda text: tokenizer.encode(text, add_special_tokens=False).ids
prompt, answers = json.load(sys.stdin)
for answer in answers:
    spoken = prompt
    for word in answer.split():
        for before in (spoken, spoken[-8:]):  # servers are asked about the end of a prompt alone
            (token,) = encode(" " + word)
            assert encode(before + " " + word) == [*encode(before), token], (before, word)
            assert tokenizer.decode([token]) == word
        spoken += " " + word
print(len(encode(prompt)))
"""


@pytest.mark.engine
@pytest.mark.skipif(not PYTHON.exists(), reason="there is no .venv-vllm (make vllm)")
@pytest.mark.parametrize("kind", KINDS)
def test_each_word_of_an_action_is_one_token_after_the_prompt(kind: str) -> None:
    view = AgentView(
        instruction="put a clean soapbar in countertop.",
        observations=(
            "You are in the middle of a room. Looking quickly around you, you see a cabinet 1, and "
            "a sinkbasin 1.\n\nYour task is to: put a clean soapbar in countertop.",
            "You arrive at cabinet 1. The cabinet 1 is open. In it, you see a soapbar 12.",
        ),
        actions=("go to cabinet 1",),
        admissible=(
            "close cabinet 1",
            "go to sinkbasin 1",
            "look",
            "take soapbar 12 from cabinet 1",
        ),
    )
    protocol = make_protocol(read(kind, "training.json")["lessons"]["protocol"])
    asked = [protocol.prompt(TEMPLATE, view), list(protocol.options(view))]
    tokenizer = ROOT / "resources/models" / f"alfworld-{kind}" / "tokenizer.json"
    answer = subprocess.run(
        [PYTHON, "-c", SINGLE_TOKENS, tokenizer], input=json.dumps(asked), capture_output=True,
        text=True, check=False,
    )  # fmt: skip
    assert answer.returncode == 0, answer.stderr
    assert int(answer.stdout) < 40  # what says nothing is dropped
