"""Published reference numbers beside a run's own."""

from pathlib import Path

import pytest

from repairstudy.errors import ConfigError
from repairstudy.report.published import compare, read_published

FILE = Path(__file__).parents[2] / "resources" / "published.yaml"


def compared(frames, start):
    return next(item for item in compare(frames, read_published(FILE)) if start in item.quantity)


def test_the_loss_of_greedy_replay_is_compared_in_unscreened_pools(frames):
    item = compared(frames, "greedy replay")
    assert item.published == ("0.08 to 0.13 (success)", "0.06 to 0.13 (reward)")
    assert [text.partition(":")[0] for text in item.ours] == [
        "for smollm2 by greedy replay", "for policy-strong by greedy replay",
    ]  # fmt: skip


def test_equal_budget_means_the_evaluators_with_few_rollouts(frames):
    item = compared(frames, "at equal budget")
    assert item.ours
    assert all(", 5 rollouts: " in text for text in item.ours)


def test_all_rollouts_leaves_out_equal_budgets_and_controls(frames):
    item = compared(frames, "cross-family")
    assert item.ours
    assert all(", all rollouts: " in text for text in item.ours)


def test_screened_numbers_say_where_a_pool_is_uninformative(frames):
    item = compared(frames, "for 7B, screened")
    weak = [text for text in item.ours if text.endswith("(uninformative pool)")]
    assert weak
    assert all("for policy-strong-screened" in text for text in weak)


def test_candidates_are_counted(frames):
    item = compared(frames, "distinct candidates")
    assert item.published == ("about 6", "10 to 11")
    assert [text.partition(":")[0] for text in item.ours] == ["policy-strong", "smollm2"]


def test_a_wrong_file_is_explained(tmp_path):
    path = tmp_path / "published.yaml"
    path.write_text(
        FILE.read_text(encoding="utf-8").replace("pools: unscreened", "pool: unscreened", 1)
    )
    with pytest.raises(ConfigError, match=r"published\.yaml: .*ours.*pool"):
        read_published(path)
