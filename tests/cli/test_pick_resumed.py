"""`repairstudy pick` again, after an end, a dead engine or a kill: nothing is asked twice."""

import signal
import subprocess
import sys

import polars as pl
import pytest
from pick_runs import FAILED, ROOT, cached, configured, lines, picked

from repairstudy.cli.main import main
from repairstudy.cli.picking import running
from repairstudy.engines.simulated import SimulatedEngine, planted_policy
from repairstudy.errors import EngineError


@pytest.fixture(autouse=True)
def in_root(monkeypatch):
    monkeypatch.chdir(ROOT)


def test_a_second_run_asks_for_no_new_rollout_and_says_the_same(tmp_path, capsys):
    failures = lines(tmp_path / "failures.jsonl", FAILED)
    path, study = configured(tmp_path)
    first = picked(failures, path)
    rows = cached(study)
    assert rows.height == first["summary"]["distinct_rollouts"]
    table = capsys.readouterr().out
    assert picked(failures, path) == first
    again = capsys.readouterr()
    assert again.out == table
    assert again.err == f"{rows.height:,} rollouts, 0 of them run now\n"
    assert cached(study).equals(rows)
    # More confirmation adds to the draws that are there, and selection stays as it was.
    more = picked(failures, path, "--confirm", 20)
    assert cached(study).height == rows.height + 10 * 2 * len(FAILED)
    assert [one["action"] for one in more["failures"]] == [
        one["action"] for one in first["failures"]
    ]


class Dying:
    """An engine that answers so many requests and then no more."""

    def __init__(self, engine, answers):
        self._engine, self._left = engine, answers

    async def score(self, prompt, choices):
        self._left -= 1
        if self._left < 0:
            raise EngineError("the server is gone")
        return await self._engine.score(prompt, choices)

    async def close(self):
        await self._engine.close()


@pytest.mark.parametrize("answers", [0, 7, 150])
def test_a_dead_engine_loses_nothing_and_the_same_command_goes_on(
    tmp_path, monkeypatch, capsys, answers
):
    folders = [tmp_path / name for name in ("whole", "broken")]
    for folder in folders:
        folder.mkdir()
        lines(folder / "failures.jsonl", FAILED)
    whole, _ = configured(folders[0])
    expected = picked(folders[0] / "failures.jsonl", whole)
    path, study = configured(folders[1])

    def dying(config, model, log):
        return Dying(SimulatedEngine(planted_policy(config.models[model].parameters)), answers)

    with monkeypatch.context() as patch:
        patch.setattr(running, "engine_of", dying)
        capsys.readouterr()
        assert main(["pick", str(folders[1] / "failures.jsonl"), "--study", str(path)]) == 1
    told = capsys.readouterr().err.strip().splitlines()[-1]
    assert told.startswith("error: ")
    assert "the server is gone" in told
    assert told.endswith("What had finished is in the cache; the same command goes on from there.")
    before = cached(study)
    finished = before.filter(pl.col("status") != "infrastructure_error")
    assert 0 < finished.height < expected["summary"]["distinct_rollouts"]  # a pit ends some at once
    assert picked(folders[1] / "failures.jsonl", path) == expected
    after = cached(study)
    assert after.height == expected["summary"]["distinct_rollouts"]
    assert after.join(finished, on=finished.columns, how="semi", nulls_equal=True).height == (
        finished.height  # not one of them was run again
    )


KILLED = """
import os, signal, sys
from repairstudy.cli.main import main
from repairstudy.cli.picking import running
from repairstudy.engines.simulated import SimulatedEngine, planted_policy

class Fatal(SimulatedEngine):
    left = 120

    async def score(self, prompt, choices):
        Fatal.left -= 1
        if Fatal.left < 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return await super().score(prompt, choices)

running.engine_of = lambda study, model, log: Fatal(planted_policy(study.models[model].parameters))
main(["pick", *sys.argv[1:]])
"""


def test_a_killed_command_goes_on_where_it_was(tmp_path):
    """SIGKILL in the middle of a round: those before are in the cache."""
    failures = lines(tmp_path / "failures.jsonl", FAILED)
    path, study = configured(tmp_path)
    words = [sys.executable, "-c", KILLED, str(failures), "--study", str(path)]
    killed = subprocess.run(words, capture_output=True, check=False)
    assert killed.returncode == -signal.SIGKILL, killed.stderr.decode()
    before = cached(study)
    document = picked(failures, path)
    after = cached(study)
    assert 11 <= before.height < after.height == document["summary"]["distinct_rollouts"]
    assert after.join(before, on="rollout_key", how="semi").equals(before)
