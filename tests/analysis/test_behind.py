"""Every number names its rollouts: the query lists as many as the row says, and gives the number.

Each study becomes a real database, and the queries of its results are run there.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import duckdb
import polars as pl
import pytest
from analysis_worlds import World, approx, frozen, sure_world, wins
from golden import golden_file
from hypothesis import given
from hypothesis import strategies as st

from repairstudy.analysis import analyse, build_pools, import_outcomes, select_all
from repairstudy.analysis.behind import NO_ROLLOUTS, Counter, among, either, equals, holds
from repairstudy.store import build_database, open_database
from repairstudy.store.duckdb import PUBLIC


def varied_world() -> World:
    """Two positions a failure, two proposing sources, controls, and originals of an evaluator."""
    world = sure_world(2)
    for name in ("g0", "g1", "g2"):
        world.failure(name, cluster="same task")
        sources = {"a": ["clever"], "b": ["random", "privileged"], "c": []}
        for t in (0, 3):
            labels = {"a": wins(7), "b": wins(4), "c": wins(2)}
            world.position(name, t, labels, wins(3), primary=t == 0, sources=sources)
            scored = {"a": wins(5, 20), "b": wins(15, 20), "c": wins(2, 20), "orig": wins(9, 20)}
            world.roll("big", "evaluate", name, t, scored)
        world.roll("dep", "control", name, 0, {"a": wins(3, 5), "b": wins(2, 5), "c": wins(0, 5)})
        world.roll("dep", "fresh", name, 0, {"a": wins(6, 8), "b": wins(4, 8), "c": wins(1, 8)})
        world.roll("big", "fresh", name, 0, {"a": wins(1, 8), "b": wins(6, 8)})
    world.rows["scores"].clear()
    for name in ("f0", "f1"):
        world.roll("big", "evaluate", name, 0, {"orig": wins(1, 20)})
        world.roll("dep", "control", name, 0, {"a": wins(5, 5), "b": wins(0, 5)})
        world.roll("dep", "fresh", name, 0, {"a": wins(8, 8), "b": wins(0, 8)})
        world.roll("big", "fresh", name, 0, {"a": wins(1, 8), "b": wins(6, 8)})
    return world


def shared_world() -> World:
    """Two failures of one task that share the rollouts of their first step."""
    world = sure_world(3)
    for row in world.rows["rollouts"]:
        if row["failure_id"] == "f1":
            row["rollout_key"] = row["rollout_key"].replace("/f1/", "/f0/")
    return world


def frames_of(which: str) -> dict[str, pl.DataFrame]:
    if which.startswith("outcomes"):
        frames = import_outcomes(golden_file(f"{which}.parquet"), "deployed")
    else:
        frames = {"varied": varied_world, "shared": shared_world}[which]().frames()
    metric = "reward" if which == "outcomes_real" else "success"
    pools = build_pools(frames, metric)
    values = select_all(pools).values
    results = analyse(pools, values, frozen(metric=metric))
    return {name: frames[name] for name in PUBLIC if name in frames} | {"results": results}


@pytest.fixture(scope="module", params=["varied", "shared", "outcomes_binary", "outcomes_real"])
def database(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[duckdb.DuckDBPyConnection]:
    path = tmp_path_factory.mktemp("behind") / "study.duckdb"
    build_database(path, frames_of(request.param))
    with open_database(path) as connection:
        yield connection


def results_of(database: duckdb.DuckDBPyConnection, **key: str) -> list[dict[str, object]]:
    return database.sql("SELECT * FROM results").pl().filter(**key).to_dicts()


def listed(database: duckdb.DuckDBPyConnection, row: dict[str, object]) -> pl.DataFrame:
    """The rollouts behind a row, once for each arm that they serve."""
    return database.sql(str(row["rollouts_query"])).pl().explode("arms").unnest("arms")


def test_every_row_of_results_lists_as_many_rollouts_as_it_says(
    database: duckdb.DuckDBPyConnection,
) -> None:
    rows = results_of(database)
    assert len(rows) > 50
    for row in rows:
        found = database.sql(str(row["rollouts_query"])).pl()
        assert found.height == row["n_rollouts"], row
        assert found["rollout_key"].n_unique() == found.height


def test_the_listed_rollouts_are_those_that_statistics_may_use(
    database: duckdb.DuckDBPyConnection,
) -> None:
    """Nothing of a screen or of a collection, and losses hold no rollout of an original."""
    for row in results_of(database, analysis="losses", estimand="loss"):
        found = listed(database, row)
        assert set(found["role"]) <= {"label", "evaluate"}
        assert not found["is_original"].any()


def per_failure(rollouts: pl.DataFrame, *keep: str) -> pl.DataFrame:
    """Mean outcome of each arm, then of each failure."""
    arms = rollouts.group_by("failure_id", "t", "candidate_id", *keep).agg(pl.col("reward").mean())
    return arms.group_by("failure_id", *keep).agg(pl.col("reward").mean())


def test_random_choice_is_the_mean_of_the_listed_labels(
    database: duckdb.DuckDBPyConnection,
) -> None:
    [row] = results_of(database, analysis="losses", evaluator="random", estimand="net_gain")
    means = per_failure(listed(database, row), "is_original")
    gain = means.filter(~pl.col("is_original"))["reward"].mean()
    gain -= means.filter("is_original")["reward"].mean()  # type: ignore[operator]
    assert row["estimate"] == approx(gain)  # type: ignore[arg-type]


def test_an_evaluators_value_follows_from_the_listed_rollouts(
    database: duckdb.DuckDBPyConnection,
) -> None:
    for row in results_of(database, analysis="losses", estimand="net_gain"):
        name = str(row["evaluator"])
        if not name.startswith("executor:") or "@" in name:
            continue
        found = listed(database, row)
        arm = ["failure_id", "t", "candidate_id"]
        labels = found.filter(role="label").group_by(*arm, "is_original").agg(
            pl.col("reward").mean()
        )  # fmt: skip
        scores = found.filter(role="evaluate").group_by(arm).agg(score=pl.col("reward").mean())
        best = scores.filter((pl.col("score").max().over("failure_id") - pl.col("score")) < 1e-12)
        chosen = best.join(labels, on=arm).group_by("failure_id").agg(pl.col("reward").mean())
        base = labels.filter("is_original")["reward"].mean()
        assert row["estimate"] == approx(chosen["reward"].mean() - base)  # type: ignore[operator]


@pytest.mark.parametrize("estimand", ["deployed_advantage", "evaluator_advantage"])
def test_advantages_are_means_of_the_listed_fresh_rollouts(estimand: str, tmp_path: Path) -> None:
    """dep prefers a, big prefers b, in all five failures; c was rolled out afresh for nobody."""
    build_database(tmp_path / "s.duckdb", frames_of("varied"))
    with open_database(tmp_path / "s.duckdb") as connection:
        [row] = results_of(connection, analysis="disagreement", estimand=estimand)
        found = listed(connection, row)
    assert row["n_rollouts"] == found.height == 5 * 4 * 8
    assert set(found["candidate_id"]) == {"a", "b"}
    who = "dep" if estimand == "deployed_advantage" else "big"
    means = found.filter(executor=who).group_by("candidate_id").agg(pl.col("reward").mean())
    value = dict(means.iter_rows())
    sign = 1 if who == "dep" else -1
    assert row["estimate"] == approx(sign * (value["a"] - value["b"]))


def test_a_source_is_ranked_by_the_rollouts_of_its_own_candidates(tmp_path: Path) -> None:
    build_database(tmp_path / "s.duckdb", frames_of("varied"))
    with open_database(tmp_path / "s.duckdb") as connection:
        for source, candidates in (("clever", {"a"}), ("random", {"b"})):
            for executor in ("dep", "big"):
                [row] = results_of(
                    connection, analysis="method_ranking", evaluator=f"{source}|{executor}"
                )
                found = listed(connection, row)
                repairs = found.filter(~pl.col("is_original"))
                assert set(found["executor"]) == {executor}
                assert set(repairs["candidate_id"]) == candidates
                gain = per_failure(repairs)["reward"].mean()
                gain -= per_failure(found.filter("is_original"))["reward"].mean()  # type: ignore[operator]
                assert row["estimate"] == approx(gain)  # type: ignore[arg-type]
        [row] = results_of(
            connection, analysis="candidate_set", evaluator="privileged", estimand="net_gain"
        )
        found = listed(connection, row)
        privileged = {(f"f{i}", "a") for i in range(2)} | {(f"g{i}", "b") for i in range(3)}
        repairs = found.filter(~pl.col("is_original"))
        assert set(repairs.select("failure_id", "candidate_id").iter_rows()) == privileged
        gain = per_failure(repairs)["reward"].mean()
        gain -= per_failure(found.filter("is_original"))["reward"].mean()  # type: ignore[operator]
        assert row["estimate"] == approx(gain)  # type: ignore[arg-type]


def test_agreement_on_locations_counts_failures_with_several_positions_alone(
    tmp_path: Path,
) -> None:
    build_database(tmp_path / "s.duckdb", frames_of("varied"))
    with open_database(tmp_path / "s.duckdb") as connection:
        for row in results_of(connection, analysis="location_labels"):
            found = listed(connection, row)
            assert set(found["failure_id"]) == {"g0", "g1", "g2"}
            assert set(found["role"]) == {"label", "evaluate"}


def test_shared_rollouts_count_once_and_say_whom_they_serve(tmp_path: Path) -> None:
    build_database(tmp_path / "s.duckdb", frames_of("shared"))
    with open_database(tmp_path / "s.duckdb") as connection:
        [row] = results_of(connection, analysis="losses", evaluator="random", estimand="loss")
        rollouts = connection.sql(str(row["rollouts_query"])).pl()
    assert row["n_rollouts"] == rollouts.height == 2 * 2 * 10  # three failures, two of them one
    assert sorted(rollouts["arms"].list.len().unique()) == [1, 2]


def test_a_pool_without_its_rollouts_has_the_columns_of_one_that_has_them() -> None:
    [pool] = build_pools(varied_world().frames())
    assert pool.rollouts.schema == NO_ROLLOUTS.schema


KEYS, ARMS, ROLES = st.sampled_from("abcde"), st.sampled_from("xyz"), st.sampled_from("12")


@given(
    rows=st.lists(st.tuples(KEYS, ARMS, ROLES), max_size=25, unique=True),
    arms=st.sets(ARMS),
    role=ROLES,
)
def test_shared_rollouts_count_once_whatever_the_condition(
    rows: list[tuple[str, str, str]], arms: set[str], role: str
) -> None:
    frame = pl.DataFrame(
        [
            (key, role, "big", "f", 0, arm, arm == "x", True, [], [], False)
            for key, arm, role in rows
        ],
        schema=NO_ROLLOUTS.schema,
        orient="row",
    )
    here = among(("f", 0, arm) for arm in arms)
    originals = holds("is_original")
    for condition, wanted in (
        (here, lambda arm, _: arm in arms),
        (equals("role", role), lambda _, one: one == role),
        (here & equals("role", role), lambda arm, one: arm in arms and one == role),
        (either([here, originals]), lambda arm, _: arm in arms or arm == "x"),
    ):
        keys = {key for key, arm, one in rows if wanted(arm, one)}
        assert Counter(frame)(condition) == len(keys)
