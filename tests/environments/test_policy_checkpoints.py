"""The shipped policy language models, read as files: no torch needed."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from workflow_scripts import load_script

from repairstudy.environments.exact import distinct_situations
from repairstudy.environments.gridworld import Gridworld

ROOT = Path(__file__).parents[2]
KINDS = ("weak", "strong")
LESSONS_SEED = 1001


def read(kind: str, name: str) -> Any:
    folder = ROOT / "resources/models" / f"policy-{kind}"
    return json.loads((folder / name).read_text(encoding="utf-8"))


@pytest.mark.parametrize("kind", KINDS)
def test_checkpoints_are_small_and_can_be_served_on_a_cpu(kind: str) -> None:
    folder = ROOT / "resources/models" / f"policy-{kind}"
    assert sum(file.stat().st_size for file in folder.iterdir()) < 2_000_000
    config = read(kind, "config.json")
    assert config["architectures"] == ["LlamaForCausalLM"]
    assert config["head_dim"] == 32  # 16 is refused by vLLM on a CPU
    assert read(kind, "training.json")["parameters"] < 300_000
    assert (folder / "chat_template.jinja").exists()


@pytest.mark.parametrize("kind", KINDS)
def test_every_word_that_a_policy_can_meet_is_a_token(kind: str) -> None:
    tokenizer = read(kind, "tokenizer.json")
    assert tokenizer["model"]["type"] == "WordLevel"
    assert tokenizer["pre_tokenizer"]["type"] == "WhitespaceSplit"
    words = set(tokenizer["model"]["vocab"])
    prompt = (ROOT / "resources/prompts/policy.txt").read_text(encoding="utf-8").removesuffix("\n")
    assert read(kind, "training.json")["prompt"] == prompt
    world = Gridworld()
    for observation, moves in distinct_situations(world, world.tasks()):
        assert set(prompt.replace("{observation}", observation).split()) | set(moves) <= words


@pytest.mark.parametrize("kind", KINDS)
def test_checkpoints_were_trained_on_the_lessons_that_the_workflow_writes(
    kind: str, tmp_path: Path
) -> None:
    script, path = load_script("write_planner_lessons"), tmp_path / "lessons.jsonl"
    count = script.write_lessons(path, kind, seed=LESSONS_SEED, layouts=500)
    training = read(kind, "training.json")
    assert training["lessons"] == count
    assert training["lessons_sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()
