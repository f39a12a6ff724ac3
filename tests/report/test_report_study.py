"""What a study is about, as read from its tables."""

import polars as pl
import pytest

from repairstudy.errors import DataError
from repairstudy.records import TABLES
from repairstudy.report import load_frames
from repairstudy.report.frames import statistics, table_of
from repairstudy.report.study import executor_names, study_of
from repairstudy.store import build_database


def test_pools_are_ordered_by_the_plan_and_unscreened_first(frames):
    assert [pool.name for pool in study_of(frames).pools] == [
        "smollm2", "smollm2-screened", "policy-strong", "policy-strong-screened",
    ]  # fmt: skip


def test_a_pool_knows_who_failed_and_whether_it_says_anything(frames):
    pool = study_of(frames).pool("policy-strong-screened")
    assert (pool.deployed, pool.screened, pool.n_failures) == ("policy-strong", True, 4)
    assert pool.informative is False
    assert study_of(frames).pool("smollm2").informative is True


def test_without_a_configuration_the_trajectories_say_who_failed(frames):
    bare = {name: frame for name, frame in frames.items() if name != "provenance"}
    assert study_of(bare).pool("smollm2-screened").deployed == "smollm2"


def test_a_study_without_plan_or_records_still_has_a_head(frames):
    study = study_of({"results": frames["results"]})
    assert study.plan_hash is None
    assert (study.metric, study.level, study.threshold) == ("success", 0.95, 0.1)


def test_executors_are_listed_without_their_variants(frames):
    assert executor_names(frames) == [
        "smollm2", "policy-strong", "policy-weak", "smollm2-transcript",
    ]  # fmt: skip


def test_frames_come_back_from_the_database_as_they_went_in(frames, tmp_path):
    build_database(tmp_path / "study.duckdb", frames)
    loaded = load_frames(tmp_path / "study.duckdb")
    for name, frame in frames.items():
        assert loaded[name].equals(frame.sort(TABLES[name].key)), name
    assert loaded["proposals"].is_empty()


def test_a_missing_database_is_named(tmp_path):
    with pytest.raises(DataError, match=r"nothing\.duckdb: there is no such database"):
        load_frames(tmp_path / "nothing.duckdb")


def test_absent_tables_are_empty_and_statistics_are_picked(frames):
    assert table_of({}, "costs").schema == TABLES["costs"].schema
    gaps = statistics(frames, "positive_control", "control_gap", pool="smollm2")
    assert gaps.select("pool", "estimand").rows() == [("smollm2", "control_gap")]
    assert statistics(frames, "losses").filter(pl.col("analysis") != "losses").is_empty()
