"""What gives a rollout its key, and what does not."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rollout_toys import BUDGET, Corridor, spec

from repairstudy.errors import DataError
from repairstudy.records import digest, seed_of
from repairstudy.records.tables import ROLES, WORKLIST
from repairstudy.rollouts import RolloutSpec, work_list

TEXT = st.text(max_size=8)
SPECS = st.builds(
    RolloutSpec,
    executor_id=TEXT,
    environment=TEXT,
    environment_version=TEXT,
    task_id=TEXT,
    prefix=st.lists(TEXT, max_size=3).map(tuple),
    forced=st.none() | TEXT,
    budget=st.integers(4, 60),
    role=st.sampled_from(ROLES),
    replicate=st.integers(0, 30),
)


def test_key_is_the_digest_of_exactly_the_documented_parts():
    parts = {
        "executor_id": "e", "environment": "corridor", "environment_version": "1",
        "task_id": "middle", "prefix": ["left", "right"], "forced": "wait", "budget": 10,
        "role": "label", "replicate": 3,
    }  # fmt: skip
    made = spec(executor_id="e", replicate=3)
    assert made.key == digest(parts) == "0511942e22ed1bf2f80e692ad035732a"
    assert made.seed == seed_of("rollout", made.key)
    assert made.step_seed(4) == seed_of(made.seed, 4)


@given(first=SPECS, second=SPECS)
def test_keys_are_equal_exactly_when_all_key_parts_are(first, second):
    assert (first.key == second.key) == (first == second)
    assert (first.seed == second.seed) == (first == second)


@given(base=SPECS, other=SPECS, name=st.sampled_from(
    ["executor_id", "environment", "environment_version", "task_id", "prefix", "forced",
     "budget", "role", "replicate"]
))  # fmt: skip
def test_every_key_part_counts_alone(base, other, name):
    changed = replace(base, **{name: getattr(other, name)})
    assert (changed.key == base.key) == (getattr(other, name) == getattr(base, name))


@given(base=SPECS, signature=TEXT, observation=TEXT, label=TEXT)
def test_expectations_and_label_are_no_part_of_the_key(base, signature, observation, label):
    same = replace(base, signature=signature, observation=observation, label=label)
    assert same.key == base.key
    assert same == base


def test_actions_do_not_run_together_in_the_key():
    assert spec(prefix=("ab", "c")).key != spec(prefix=("a", "bc")).key
    assert spec(prefix=("a",), forced="b").key != spec(prefix=("a", "b"), forced=None).key
    assert spec(forced=None).key != spec(forced="").key


def test_a_row_of_a_work_list_gives_the_spec_back():
    made = spec(replicate=7)
    rows = work_list([made.to_row("toy", "f0", 2, "c1")])
    assert dict(rows.schema) == WORKLIST.schema
    back = RolloutSpec.from_row(rows.row(0, named=True), Corridor(), BUDGET, "list.parquet")
    assert back == made
    assert (back.signature, back.observation) == ("s3", "cell 3")
    assert back.label == "failure f0, step 2, candidate c1"


def test_a_row_without_failure_is_called_by_its_task():
    row = spec(prefix=(), forced=None, role="collect", replicate=4).to_row("toy")
    back = RolloutSpec.from_row(row, Corridor(), BUDGET, "list.parquet")
    assert back.label == "task middle, collect run 4"


def test_a_work_list_of_another_budget_or_version_is_refused():
    row = spec().to_row("toy", "f0", 2, "c1")
    with pytest.raises(DataError, match=r"list\.parquet: rollout_key: .* make the work list again"):
        RolloutSpec.from_row(row, Corridor(), BUDGET + 1, "list.parquet")
    newer = Corridor()
    newer.version = "2"
    with pytest.raises(DataError, match="rollout_key"):
        RolloutSpec.from_row(row, newer, BUDGET, "list.parquet")


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("role", "labels", "role: 'labels' is none of collect, label"),
        ("replicate", -1, "replicate: -1 is negative"),
        ("prefix", ["wait"] * BUDGET, "budget: 10 leaves no action after a prefix of 10"),
    ],
)
def test_impossible_rows_are_refused_by_name(field, value, message):
    row = {**spec().to_row("toy", "f0", 2, "c1"), field: value}
    with pytest.raises(DataError, match=message) as caught:
        RolloutSpec.from_row(row, Corridor(), BUDGET, "list.parquet")
    assert caught.value.path == "list.parquet"
