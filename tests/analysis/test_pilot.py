"""A finished study as the pilot of the next."""

from __future__ import annotations

import polars as pl
import pytest
from analysis_worlds import World, a_plan, wins

from repairstudy.analysis import build_pool, select
from repairstudy.analysis.pilot import only_pool, pilot_of
from repairstudy.errors import DataError


def pilot_world(failures=12):
    """Two candidates with chances near .7 and .3; `judge` prefers the worse one everywhere."""
    world = World()
    for i in range(failures):
        world.failure(f"f{i}")
        world.position(f"f{i}", 0, {"a": wins(6 + i % 3), "b": wins(2 + i % 3)}, wins(0))
        world.roll("big", "evaluate", f"f{i}", 0, {"a": wins(3, 4), "b": wins(1, 4)})
        world.score("judge", f"f{i}", 0, {"a": 0.0, "b": 1.0})
    return world.frames()


def found(frames, plan=None, **options):
    pool = build_pool(frames, "pool")
    plan = plan or a_plan()
    return pilot_of(pool, select(pool).values, frames["trajectories"], plan, **options)


def test_costs_are_those_of_the_pilot():
    pilot = found(pilot_world())
    assert (pilot.rollouts, pilot.candidates, pilot.positions) == (10, 2.0, 1.0)
    assert pilot.costs.arms == 3.0
    assert pilot.costs.evaluating == 8.0
    assert pilot.costs.collecting == 1.0


def test_failures_alike_have_a_spread_of_noise_alone():
    """Losses differ by little between these failures, and a single candidate's mean by .14."""
    spread = found(pilot_world(), evaluators=["judge"], rollouts=[20]).spreads["judge"]
    assert spread.between < spread.noise[10]
    assert spread.noise[20] < spread.noise[10] < 0.1
    assert spread.sd(20) < spread.sd(10)


def test_the_plan_says_which_evaluators_matter():
    family = {"name": "x", "pool": "pool", "evaluators": ["own_1", "judge"]}
    assert list(found(pilot_world(), a_plan(families=[family])).spreads) == ["own_1", "judge"]
    assert "executor:big" in found(pilot_world()).spreads


def test_a_rule_whose_draws_are_not_known_has_no_noise():
    spread = found(pilot_world(), evaluators=["flip_1"], rollouts=[20]).spreads["flip_1"]
    assert spread.noise == {10: 0.0, 20: 0.0}
    assert spread.sd(10) == spread.sd(20)


def test_the_same_pilot_gives_the_same_numbers():
    assert found(pilot_world(), evaluators=["judge"]) == found(pilot_world(), evaluators=["judge"])


def test_rewards_are_drawn_at_their_own_number_of_rollouts():
    frames = pilot_world(3)
    halved = frames["rollouts"].with_columns(reward=pl.col("reward") * 0.5)
    pool = build_pool({**frames, "rollouts": halved}, "pool", "reward")
    plan = a_plan(metric="reward")
    pilot = pilot_of(pool, select(pool).values, frames["trajectories"], plan, ["judge"], [20])
    assert list(pilot.spreads["judge"].noise) == [10]
    assert pilot.spreads["judge"].noise[10] > 0.0


def test_what_a_pilot_lacks_is_named():
    with pytest.raises(DataError, match="no evaluator greedy"):
        found(pilot_world(), evaluators=["greedy"])
    with pytest.raises(DataError, match="one cluster"):
        found(pilot_world(1), evaluators=["judge"])
    pool = build_pool(pilot_world(), "pool")
    with pytest.raises(DataError, match="several pools"):
        only_pool({"a": pool, "b": pool}, None)
    with pytest.raises(DataError, match="no pool c"):
        only_pool({"a": pool}, "c")
    assert only_pool({"a": pool}, None) is pool
