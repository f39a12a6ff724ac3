"""Faults of a small model in a process beside the job (`kind: transformers`)."""

import sys
from pathlib import Path

import pytest
from fault_runs import REPLICATES, finished, undisturbed_records
from rollout_toys import actor, run, wanted

from repairstudy.engines import local
from repairstudy.engines.factory import open_engine
from repairstudy.errors import EngineError
from repairstudy.rollouts import Limits, RolloutCache


@pytest.fixture(scope="module")
def chosen(tmp_path_factory):
    """The records of a run in which nothing happens, its actions chosen among the admissible."""
    return undisturbed_records(tmp_path_factory.mktemp("chosen"), mode="choice")


@pytest.fixture
def act(tmp_path, monkeypatch):
    """Runs rollouts with a model whose processes go wrong as planned; cache and process starts."""
    monkeypatch.setattr(
        local, "scorer_program", lambda: str(Path(__file__).with_name("fault_scorer.py"))
    )

    def acting(*plan, **settings):
        (tmp_path / "plan").write_text("\n".join(plan))
        engine = open_engine(
            "transformers", path=str(tmp_path), python=sys.executable, log=tmp_path / "log",
            **{"silence": 30.0} | settings,
        )  # fmt: skip
        cache, actor_ = RolloutCache(tmp_path / "cache"), actor(engine, mode="choice")
        limits = Limits(max_in_flight=8, retries=0, give_up_after=5)
        tally = run(wanted(REPLICATES, actor_), cache, actor_, limits=limits)
        assert tally.errors == 0
        return cache, (tmp_path / "starts").read_text().count("started")

    return acting


def same(chosen, act, fault, **settings):
    cache, starts = act(f"{fault} 20", f"{fault} 30", **settings)
    assert starts == 3, "nothing went wrong"
    assert finished(cache).equals(chosen)
    assert cache.read()["attempt"].max() == 0, "questions are asked again, not rollouts run again"


def test_a_local_model_with_a_segmentation_fault(chosen, act):
    same(chosen, act, "SIGSEGV")


def test_a_local_model_that_is_killed_for_its_memory(chosen, act):
    same(chosen, act, "SIGKILL")


def test_a_local_model_that_hangs(chosen, act):
    same(chosen, act, "hang", silence=0.5)


def test_a_local_model_that_answers_nonsense(chosen, act):
    same(chosen, act, "garble")


def test_a_local_model_that_ends_within_an_answer(chosen, act):
    same(chosen, act, "half")


def test_a_local_model_that_does_not_load_again_at_once(chosen, act):
    cache, starts = act("SIGKILL 20", "unloadable 0")
    assert starts == 3
    assert finished(cache).equals(chosen)


def test_a_local_model_that_dies_again_and_again_is_one_error(chosen, act, tmp_path):
    message = r"(?s)the model server failed 3 times; the last: .*ended by SIGSEGV"
    with pytest.raises(EngineError, match=message):
        act("SIGSEGV 20", "SIGSEGV 3", "SIGSEGV 3", restarts=2)
    kept = finished(RolloutCache(tmp_path / "cache"))
    (tmp_path / "starts").unlink()
    cache, _ = act()  # what had finished is kept, and the same run goes on from there
    assert finished(cache).equals(chosen)
    assert kept.height < chosen.height
