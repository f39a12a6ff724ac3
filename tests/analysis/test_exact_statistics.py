"""Exact values beside the estimates, where action probabilities are known."""

from __future__ import annotations

import numpy as np
from analysis_worlds import World, approx, estimate, results, row, wins

from repairstudy.estimators.exact import exact_external, exact_value

P = {"a": 0.9, "b": 0.2, "c": 0.5, "orig": 0.1}
Q = {"a": 0.3, "b": 0.8, "c": 0.3, "orig": 0.3}


def known_world() -> World:
    world = World()
    for i in range(4):
        world.failure(f"f{i}")
        world.position(f"f{i}", 0, {"a": wins(9), "b": wins(2), "c": wins(5)}, wins(1))
        other = {"a": wins(6, 20), "b": wins(16, 20), "c": wins(6, 20)}
        world.roll("big", "evaluate", f"f{i}", 0, other)
        world.roll("dark", "evaluate", f"f{i}", 0, other)
        world.score("judge", f"f{i}", 0, {"a": 0.0, "b": 1.0, "c": 1.0})
        world.exact("dep", f"f{i}", 0, P)
        world.exact("big", f"f{i}", 0, Q)
    return world


def test_exact_values_split_the_loss_into_target_and_noise() -> None:
    frame = results(known_world())
    p, q = ([table[c] for c in "abc"] for table in (P, Q))
    matched = exact_value(p, 5).value
    assert estimate(frame, "exact", "matched", "exact_net_gain") == approx(matched - 0.1)
    assert estimate(frame, "exact", "own_2", "exact_loss") == approx(
        matched - exact_value(p, 2).value
    )
    assert estimate(frame, "exact", "own_2", "true_target_loss") == approx(matched - 0.9)
    assert estimate(frame, "exact", "judge", "exact_loss") == approx(matched - 0.35)
    assert estimate(frame, "exact", "judge", "evaluator_noise") == approx(0.0)
    for name, r in (("executor:big", 20), ("executor:big@5", 5)):
        loss = matched - exact_external(p, q, r).value
        assert estimate(frame, "exact", name, "exact_loss") == approx(loss)
        assert estimate(frame, "exact", name, "true_target_loss") == approx(matched - 0.2)
        assert estimate(frame, "exact", name, "evaluator_noise") == approx(loss - (matched - 0.2))
    assert frame.filter(analysis="exact", evaluator="executor:dark").is_empty()


def test_the_exact_value_of_acceptance_by_hand() -> None:
    """flip_1 with two arms: one accepted alone, or both (half), or none (half)."""
    world = World()
    for i in range(3):
        world.failure(f"f{i}")
        world.position(f"f{i}", 0, {"a": wins(9), "b": wins(2)}, wins(1))
        world.exact("dep", f"f{i}", 0, {"a": 0.9, "b": 0.2, "orig": 0.1})
    frame = results(world)
    alone_a, alone_b = 0.9 * 0.8, 0.1 * 0.2
    expected = alone_a * 0.9 + alone_b * 0.2 + (1 - alone_a - alone_b) * 0.55
    assert estimate(frame, "exact", "flip_1", "exact_net_gain") == approx(expected - 0.1)
    estimands = frame.filter(analysis="exact", evaluator="flip_1")["estimand"].to_list()
    assert estimands == ["exact_loss", "exact_net_gain"]


def test_estimates_of_many_failures_come_close_to_the_exact_values() -> None:
    rng = np.random.default_rng(4)
    world = World()
    for i in range(150):
        name = f"f{i}"
        world.failure(name)
        p, q = rng.beta(0.6, 1.4, 5), rng.beta(0.6, 1.4, 4)
        q = (q + p[:4]) / 2
        arms = dict(zip("abcd", ((rng.random((4, 10)) < p[:4, None]) * 1.0).tolist(), strict=True))
        world.position(name, 0, arms, ((rng.random(10) < p[4]) * 1.0).tolist())
        draws = (rng.random((4, 20)) < q[:, None]) * 1.0
        world.roll("big", "evaluate", name, 0, dict(zip("abcd", draws.tolist(), strict=True)))
        world.exact("dep", name, 0, dict(zip([*"abcd", "orig"], p.tolist(), strict=True)))
        world.exact("big", name, 0, dict(zip("abcd", q.tolist(), strict=True)) | {"orig": 0.0})
    frame = results(world)
    names = frame.filter(analysis="exact", estimand="exact_loss")["evaluator"].to_list()
    assert {"executor:big", "executor:big@5", "own_1", "accept_2_of_3", "random"} <= set(names)
    for name in names:
        found = row(frame, "losses", name, "loss")
        se = (found["ci_high"] - found["ci_low"]) / 3.92  # type: ignore[operator]
        exact = estimate(frame, "exact", name, "exact_loss")
        # The exact loss is of the same failures, so that the standard error is generous.
        assert abs(estimate(frame, "losses", name, "loss") - exact) <= 3.5 * se, name
