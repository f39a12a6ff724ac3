"""Who would have chosen what, what is within reach, and where executors disagree."""

import polars as pl
import pytest
from explored import column, primary

from repairstudy.records import TABLES
from repairstudy.report.explorer import failures, render_explorer


@pytest.fixture(scope="module")
def views(frames):
    return failures(frames)


# ---- Who would have chosen what


def test_choices_are_probabilities_over_the_candidates(views):
    position = primary(views[0])
    matched = next(row for row in position.choices if row.name == "matched")
    assert len(matched.cells) == len(position.candidates) - 1
    shares = [float(text.removesuffix("%")) for text, _ in matched.cells if text != "–"]
    assert sum(shares) == pytest.approx(100, abs=2)


def test_a_choice_has_the_loss_of_the_tables_and_gives_up_what_exact_values_say(views, frames):
    view, position = views[0], primary(views[0])
    here = (pl.col("failure_id") == view.failure_id) & (pl.col("t") == position.t)
    values = frames["values"].filter(here & (pl.col("pool") == "smollm2"))
    exact = frames["exact_values"].filter(pl.col("executor") == "smollm2")
    offered = (
        frames["candidates"]
        .filter(here & ~pl.col("is_original"))
        .join(exact.select("candidate_id", "value"), on="candidate_id")
    )
    chosen = frames["selections"].filter(here & (pl.col("pool") == "smollm2"))
    for row in position.choices:
        [loss] = values.filter(pl.col("evaluator") == row.name)["loss"]
        assert row.loss == f"{loss:.2f}".replace("-0.00", "0.00").replace("-", "−")
        its = chosen.filter(pl.col("evaluator") == row.name)
        mine = its.select("candidate_id", "weight").join(offered, on="candidate_id")
        worth = (mine["weight"] * mine["value"]).sum()
        assert row.shortfall == pytest.approx(offered["value"].max() - worth)
        assert row.bad == (row.judged and row.shortfall >= 0.1)


def test_controls_and_references_are_not_judged(views):
    judged = {row.name for row in primary(views[0]).choices if row.judged}
    assert {"greedy", "own_1", "executor:policy-weak"} <= judged
    assert not judged & {"matched", "random"}


def test_the_gain_within_reach_is_exact_where_it_can_be(views, frames):
    view, position = views[0], primary(views[0])
    here = (pl.col("failure_id") == view.failure_id) & (pl.col("t") == position.t)
    values = frames["candidates"].filter(here).join(
        frames["exact_values"].filter(pl.col("executor") == "smollm2"), on="candidate_id"
    )  # fmt: skip
    best = values.filter(~pl.col("is_original"))["value"].max()
    [original] = values.filter("is_original")["value"]
    assert view.reach == (pytest.approx(best - original), True)


def test_without_exact_values_it_is_what_matched_selection_gains_on_held_out_rollouts(frames):
    unknown = {**frames, "exact_values": TABLES["exact_values"].empty()}
    view = failures(unknown)[0]
    [gain] = frames["values"].filter(
        (pl.col("failure_id") == view.failure_id) & (pl.col("t") == primary(view).t)
        & (pl.col("evaluator") == "matched") & (pl.col("pool") == "smollm2")
    )["value"]  # fmt: skip
    assert view.reach == (gain, False)
    assert all(row.cost == pytest.approx(float(row.loss.replace("−", "-")), abs=0.006)
               for row in primary(view).choices)  # fmt: skip
    assert "matched selection</span>" in render_explorer(unknown)


# ---- Disagreements


def disagreeing(frames):
    """The first failure: smollm2 always wins with candidate 1, policy-strong with candidate 2."""
    view = failures(frames)[0]
    position = primary(view)
    actions = [row.action for row in position.candidates[1:3]]
    rows = frames["candidates"].filter(
        (pl.col("failure_id") == view.failure_id) & (pl.col("t") == position.t)
    )
    first, second = (rows.filter(pl.col("action") == a)["candidate_id"][0] for a in actions)
    ids = dict(frames["executors"].select("name", "executor_id").iter_rows())
    here = pl.col("candidate_id").is_in(rows["candidate_id"].to_list())
    its = pl.when(pl.col("executor_id") == ids["smollm2"]).then(pl.lit(first)).otherwise(
        pl.lit(second)
    )  # fmt: skip
    rollouts = frames["rollouts"].with_columns(
        success=pl.when(here).then(pl.col("candidate_id") == its).otherwise("success")
    )
    return {**frames, "rollouts": rollouts}, first, second, ids


def test_executors_disagree_where_each_has_a_best_candidate_of_its_own(frames):
    told, _, _, _ = disagreeing(frames)
    view = failures(told)[0]
    assert "policy-strong" in primary(view).disagreeing
    assert view.disagreeing
    assert not view.settled


def test_fresh_rollouts_that_settle_it_are_set_apart_and_counted_nowhere_else(frames):
    told, first, second, ids = disagreeing(frames)
    fresh = told["rollouts"].filter(
        pl.col("candidate_id").is_in([first, second])
        & pl.col("executor_id").is_in([ids["smollm2"], ids["policy-strong"]])
        & (pl.col("replicate") < 4)
    ).with_columns(
        role=pl.lit("fresh"), success=pl.col("replicate") == 0,
        rollout_key=pl.format("fresh {}", "rollout_key"),
    )  # fmt: skip
    before = column(primary(failures(told)[0]), "smollm2")
    view = failures({**told, "rollouts": pl.concat([told["rollouts"], fresh])})[0]
    assert column(primary(view), "smollm2")["1"].text == before["1"].text
    [case] = primary(view).settled
    assert case.other == "policy-strong"
    assert [(number, own.text, other.text) for number, own, other in case.rows] == [
        ("1", "1/4", "1/4"), ("2", "1/4", "1/4"),
    ]  # fmt: skip
    assert {item.role for item in primary(view).rollouts} == {"label", "evaluate", "fresh"}
