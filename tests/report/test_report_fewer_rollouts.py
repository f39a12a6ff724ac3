"""The section on fewer rollouts: what its figures draw, and when it is there."""

import polars as pl
import pytest

from repairstudy.report.adaptive_section import has_fewer_rollouts, spending
from repairstudy.report.figures import FIGURES
from repairstudy.report.figures.rollouts_spent import CURVES
from repairstudy.report.names import evaluator
from repairstudy.report.sections import sections


def panel(frames, figure, pool="smollm2"):
    axes = FIGURES[figure].draw(frames).axes
    return next(one for one in axes if one.get_title(loc="left") == pool)


def test_every_rule_is_a_curve_of_value_over_rollouts(frames):
    table = spending(frames).filter(pool="smollm2")
    lines = {line.get_label(): line for line in panel(frames, "rollouts_spent").lines}
    assert set(lines) == {
        "uniform", "top two", "perfect information", "perfect information, stopping", "hybrid",
    }  # fmt: skip
    for (rule, stops), rows in table.group_by("rule", "stops"):
        line = lines[CURVES[str(rule)][0] + ", stopping" * bool(stops)]
        drawn = sorted(zip(line.get_xdata(), line.get_ydata(), strict=True))
        assert drawn == sorted(rows.select("spent", "estimate").rows())


def test_a_hybrid_has_spent_its_own_rollouts(frames):
    table = spending(frames).filter(pool="smollm2")
    for r in (0, 1, 5):
        hybrid, uniform = (
            table.filter(rule=rule, setting=float(r)).item(0, "spent")
            for rule in ("hybrid", "uniform")
        )
        assert hybrid == uniform == 6.0 * r


def test_hybrid_curves_are_the_rows_of_the_results(frames):
    lines = {line.get_label(): line for line in panel(frames, "hybrid_value").lines}
    rows = frames["results"].filter(analysis="hybrid", pool="smollm2", estimand="net_gain")
    drawn = {round(float(y), 9) for line in lines.values() for y in line.get_ydata()}
    assert len(lines) == 3
    assert drawn == {round(y, 9) for y in rows["estimate"]}


@pytest.mark.parametrize("figure", ["rollouts_spent", "hybrid_value"])
def test_captions_say_how_to_read_it_on_how_many_failures_and_that_it_is_exploratory(
    frames, figure
):
    caption = str(FIGURES[figure].caption(frames))
    assert "exploratory" in caption
    assert "smollm2 (8)" in caption
    assert "did not draw" in caption or "helped neither to choose" in caption


def test_the_section_is_there_only_with_something_to_show(frames):
    assert has_fewer_rollouts(frames)
    assert "fewer-rollouts" in [section.anchor for section in sections(frames)]
    kept = frames["results"].filter(~pl.col("analysis").is_in(["adaptive", "hybrid"]))
    without = {**frames, "results": kept}
    assert not has_fewer_rollouts(without)
    assert "fewer-rollouts" not in [section.anchor for section in sections(without)]


def test_rules_are_named_with_their_budget_or_cost():
    assert evaluator("top_two@3").label == "top two, 3 a candidate"
    assert evaluator("perfect_information@cost_0.02").label == "perfect information, cost 0.02"
    assert evaluator("executor:big@5").label == "big, 5 rollouts"
