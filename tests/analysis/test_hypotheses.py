"""What is confirmatory, what is corrected together, and what decides nothing."""

from __future__ import annotations

from functools import cache

import polars as pl
import pytest
from analysis_worlds import MOMENT, World, a_plan, frozen, wins

from repairstudy.analysis import PoolData, Registration, analyse, build_pool, register, select
from repairstudy.errors import PlanError

RESULT_ROW = ("evaluator", "confirmatory", "p_holm", "reject")


@cache
def pool(best: int = 9, failures: int = 24) -> PoolData:
    """Candidate `good` succeeds `best` times of 10, the others once; `judge` picks a bad one."""
    world = World()
    for i in range(failures):
        name = f"f{i:02}"
        world.failure(name)
        world.position(name, 0, {"good": wins(best - i % 2), "x": wins(1), "y": wins(1)}, wins(1))
        world.score("judge", name, 0, {"good": 0.0, "x": 1.0, "y": 0.0})
        world.score("planner", name, 0, {"good": 1.0, "x": 0.0, "y": 0.0})
        world.roll("big", "evaluate", name, 0, {"good": wins(2), "x": wins(i % 4), "y": wins(0)})
    return build_pool(world.frames(), "pool")


def results(registration: Registration, **world: int) -> pl.DataFrame:
    data = pool(**world)
    return analyse([data], select(data).values, registration)


def losses(frame: pl.DataFrame) -> dict[str, dict[str, object]]:
    rows = frame.filter(analysis="losses", estimand="loss").rows(named=True)
    return {row["evaluator"]: row for row in rows}


def family(*evaluators: str, **parts: str) -> dict[str, object]:
    return {"name": "one", "pool": "pool", "evaluators": list(evaluators), **parts}


def test_only_what_the_plan_names_is_confirmatory() -> None:
    frame = results(frozen(families=[family("judge", "executor:big")]))
    marked = frame.filter("confirmatory").select("analysis", "evaluator", "estimand").rows()
    assert sorted(marked) == [
        ("losses", "executor:big", "loss"),
        ("losses", "judge", "loss"),
        ("positive_control", "matched", "control_gap"),
    ]
    others = frame.filter(~pl.col("confirmatory"))
    assert others["p_holm"].null_count() == others["reject"].null_count() == others.height


def test_holm_counts_the_hypotheses_of_the_family_in_the_plan() -> None:
    names = ["judge", "executor:big", "planner", "own_4"]
    alone = {name: losses(results(frozen(families=[family(name)])))[name] for name in names}
    rows = losses(results(frozen(families=[family(*names)])))
    ordered = sorted(names, key=lambda name: alone[name]["p_holm"])
    running = 0.0
    for place, name in enumerate(ordered):
        p = alone[name]["p_value"]
        assert alone[name]["p_holm"] == p
        running = max(running, min(1.0, (len(names) - place) * p))
        assert rows[name]["p_holm"] == pytest.approx(running, abs=1e-12)
        assert rows[name]["reject"] == (running <= 0.05)


def test_families_are_corrected_apart() -> None:
    two = [family("judge"), family("executor:big") | {"name": "two"}]
    rows = losses(results(frozen(families=two)))
    assert rows["judge"]["p_holm"] == rows["judge"]["p_value"]
    assert rows["executor:big"]["p_holm"] == rows["executor:big"]["p_value"]


def test_a_planned_difference_is_found_and_none_is_not() -> None:
    rows = losses(results(frozen(families=[family("judge", "planner")])))
    assert rows["judge"]["reject"] is True
    assert rows["planner"]["reject"] is False  # the planner always picks the best


def test_the_other_direction_may_be_planned() -> None:
    up = losses(results(frozen(families=[family("judge")])))["judge"]
    down = losses(results(frozen(families=[family("judge", direction="less")])))["judge"]
    assert up["p_value"] < 0.001
    assert (down["p_value"], down["reject"]) == (1.0, False)


def test_an_uninformative_pool_decides_nothing_but_keeps_its_numbers() -> None:
    frame = results(frozen(families=[family("judge")]), best=2)
    control = frame.filter(analysis="positive_control", estimand="control_gap").row(0, named=True)
    assert control["estimate"] < 0.1
    assert control["note"] == "uninformative"
    row = losses(frame)["judge"]
    assert row["reject"] is None
    assert "uninformative pool" in row["note"]
    assert row["estimate"] is not None
    assert row["p_holm"] is not None


def test_the_gate_may_be_the_lower_bound() -> None:
    frame = results(frozen())
    gap, bound = (
        frame.filter(analysis="positive_control", estimand=name)["estimate"].item()
        for name in ("control_gap", "control_gap_lower_bound")
    )
    assert bound < gap
    between = (gap + bound) / 2
    for gate, verdict in (("point", "informative"), ("bound", "uninformative")):
        control = {"threshold": between, "gate": gate}
        shown = results(frozen(positive_control=control, families=[family("judge")]))
        row = shown.filter(analysis="positive_control", estimand="control_gap").row(0, named=True)
        assert row["note"] == verdict
        assert (losses(shown)["judge"]["reject"] is None) == (verdict == "uninformative")


@pytest.mark.parametrize(
    ("evaluators", "message"),
    [
        (("executor:huge",), r"executor:huge of pool pool .*no rollouts of executor huge"),
        (("executor:big@20",), "no at least 20 rollouts of executor big"),
        (("greedy",), "no rollouts of the deployed executor's variant @greedy"),
        (("temperature_0.3",), r"variant @0\.3"),
        (("solvability",), "no scores of solvability"),
    ],
)
def test_a_planned_evaluator_that_was_not_measured_is_an_error(
    evaluators: tuple[str, ...], message: str
) -> None:
    with pytest.raises(PlanError, match=message):
        results(frozen(families=[family("judge", *evaluators)]))


def test_a_planned_pool_that_was_not_measured_is_an_error() -> None:
    with pytest.raises(PlanError, match=r"no such pool \(it has pool\)"):
        results(frozen(families=[family("judge") | {"pool": "other"}]))


def test_an_amendment_is_shown_and_stays_exploratory() -> None:
    first = frozen(families=[family("judge")])
    amended = register(
        a_plan(families=[family("judge", "executor:big")], alpha=0.5),
        at=MOMENT,
        commit="c",
        rollouts_exist=True,
        previous=first,
    )
    rows = losses(results(amended))
    before = losses(results(first))
    assert rows["executor:big"]["confirmatory"] is False
    assert rows["executor:big"]["p_holm"] is None
    assert "amendment" in rows["executor:big"]["note"]
    assert rows["judge"] == before["judge"]


def test_a_late_plan_tests_nothing_unless_its_authors_vouch_for_it() -> None:
    planned = {"families": [family("judge", "executor:big")]}
    late = register(a_plan(**planned), at=MOMENT, commit="c", rollouts_exist=True)
    frame = results(late)
    row = losses(frame)["judge"]
    assert (row["confirmatory"], row["p_holm"], row["reject"]) == (False, None, None)
    assert "frozen after the rollouts existed" in row["note"]
    vouched = register(
        a_plan(**planned, outcomes_unseen=True), at=MOMENT, commit="c", rollouts_exist=True
    )
    row = losses(results(vouched))["judge"]
    assert (row["confirmatory"], row["reject"]) == (True, True)
    assert "as they state" in row["note"]


def test_fewer_rollouts_than_planned_are_an_error_and_more_a_remark() -> None:
    plan = {"families": [family("judge", "executor:big")]}
    with pytest.raises(PlanError, match=r"10 label rollouts of each candidate, .* says 20"):
        results(frozen(**plan, decisions={"label_rollouts": 20}))
    with pytest.raises(PlanError, match=r"10 rollouts of big on each candidate, .* says 20"):
        results(frozen(**plan, decisions={"evaluator_rollouts": 20}))
    frame = results(frozen(**plan, decisions={"label_rollouts": 8, "pool_size": 20}))
    note = losses(frame)["judge"]["note"]
    assert "10 label rollouts of each candidate, the plan says 8" in note
    assert "24 failures, the plan says 20" in note


def test_another_metric_than_planned_is_an_error() -> None:
    with pytest.raises(PlanError, match="measured in success, the frozen plan says reward"):
        results(frozen(metric="reward"))


def test_one_failure_gives_estimates_but_no_interval_and_no_verdict() -> None:
    row = losses(results(frozen(families=[family("judge")]), failures=1))["judge"]
    assert row["estimate"] is not None
    assert (row["ci_low"], row["p_value"], row["reject"]) == (None, None, False)
    assert "one cluster" in row["note"]


def test_few_clusters_are_remarked() -> None:
    row = losses(results(frozen(families=[family("judge")]), failures=6))["judge"]
    assert "only 6 clusters" in row["note"]
