"""The lessons that the shipped WebShop policy LMs were trained on."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from types import ModuleType

import pytest
from webshop_shops import DATA, NO_DATA, invented_folder, real_folder
from workflow_scripts import load_script

from repairstudy.environments.webshop import Webshop
from repairstudy.environments.webshop.selection import part_of_product
from repairstudy.executors.webshop_policy import WebshopDescriptors, vocabulary

ROOT = Path(__file__).parents[3]
PROMPT = ROOT / "resources/prompts/webshop/policy.txt"
needs_data = pytest.mark.skipif(not (DATA / "agenttraj_413.jsonl").exists(), reason=NO_DATA)


@pytest.fixture(scope="module")
def script() -> ModuleType:
    return load_script("webshop_lessons")


def test_lessons_are_the_protocols_own_words(script: ModuleType, tmp_path: Path) -> None:
    """A policy is trained on byte for byte what it is asked later."""
    shop = Webshop(data=invented_folder(), split="train")
    lessons = list(script.oracle_lessons(shop, seed=5, episodes=20))
    count = script.write_lessons(tmp_path / "l.json", iter(lessons), "oracle", PROMPT)
    written = json.loads((tmp_path / "l.json").read_text(encoding="utf-8"))
    assert count == len(lessons) == len(written["lessons"]) > 50
    assert written["vocabulary"] == [*vocabulary(), "act:"]
    protocol, template = WebshopDescriptors(), PROMPT.read_text(encoding="utf-8")
    for lesson, row in zip(lessons, written["lessons"], strict=True):
        assert row["prompt"] == protocol.prompt(template, lesson.view)
        assert f" {row['choice']}" in protocol.options(lesson.view)
        assert set(row["prompt"].split()) <= set(written["vocabulary"])
        assert part_of_product(lesson.asin) == "train"


@needs_data
def test_experts_teach_on_training_products_what_their_checkpoint_was_made_of(
    script: ModuleType, tmp_path: Path
) -> None:
    """So a change of the pages or of the encoding that the checkpoints do not know is noticed."""
    shop = Webshop(data=real_folder(), split="train", max_goals_per_product=4)
    lessons = list(script.expert_lessons(shop, DATA / "agenttraj_413.jsonl"))
    assert {part_of_product(lesson.asin) for lesson in lessons} == {"train"}
    path = tmp_path / "experts.json"
    count = script.write_lessons(path, iter(lessons), "experts", PROMPT)
    made = json.loads((ROOT / "resources/models/webshop-expert/training.json").read_text())
    assert made["lessons"] == count
    assert made["lessons_sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()
