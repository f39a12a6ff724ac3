"""Attempts to make results confirmatory that are not: each ends as an amendment or as a refusal.

They are made on copies of a finished miniature study, by the scripts of the rules themselves.
"""

import contextlib
import copy
import io
import json
import os
import shutil
from datetime import UTC, datetime, timedelta

import polars as pl
import pytest
import yaml
from workflow_scripts import load_script

from repairstudy.analysis import read_registration, register, write_registration
from repairstudy.analysis.plan import Plan
from repairstudy.analysis.witness import read_witness
from repairstudy.config import parse_study
from repairstudy.config.frozen import frozen_settings
from repairstudy.errors import DataError, PlanError

pytestmark = pytest.mark.workflow

RECORDS = "results/cache/records/tiny"
FROZEN = "results/tiny/preregistration.json"


class Study:
    """A copy of the finished study: its tables, its frozen plan, its records."""

    def __init__(self, tiny, folder):
        self.folder = folder
        for path in (*tiny.path("results/tiny").glob("*.parquet"),
                     *tiny.path("results/tiny").glob("*.json")):  # fmt: skip
            target = folder / "results/tiny" / path.name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, target)
        shutil.copytree(tiny.path(RECORDS), folder / RECORDS)
        shutil.copytree(tiny.path("config"), folder / "config")
        (folder / "results/tiny/work").mkdir()  # what `run_rollouts` leaves
        (folder / "resources").symlink_to(tiny.path("resources"))
        self.config = yaml.safe_load((folder / "config/studies/tiny.yaml").read_text())
        self.plan = yaml.safe_load((folder / "config/plans/tiny.yaml").read_text())

    @property
    def settings(self):
        return frozen_settings(parse_study(self.config, "tiny"))

    def freeze(self, now=None):
        """Rule `freeze_plan`, after whatever was done to the files."""
        (self.folder / "config/plans/tiny.yaml").write_text(yaml.safe_dump(self.plan))
        script = load_script("freeze_plan")
        if now is not None:
            script.datetime = type("Clock", (datetime,), {"now": classmethod(lambda *_: now)})
        with self.here():
            script.main(
                plan_file="config/plans/tiny.yaml",
                study="tiny",
                settings=self.settings,
                traces_of_rollouts=["results/tiny/work"],
                outcomes_exist=False,
                witness_folder=RECORDS,
                frozen_file=FROZEN,
                progress=io.StringIO(),
            )
        return self.registration

    def statistics(self):
        """Rule `compute_statistics`; the losses that the first plan names."""
        tables = {path.stem: path for path in (self.folder / "results/tiny").glob("*.parquet")}
        with self.here():
            load_script("compute_statistics").main(
                files=tables,
                plan_file=FROZEN,
                settings=self.settings,
                witness_folder=RECORDS,
                times_file="results/tiny/times.json",
                out_results="results/tiny/again.parquet",
            )
        return pl.read_parquet(self.folder / "results/tiny/again.parquet")

    def run_rollouts(self):
        """What `run_rollouts` does before it runs any."""
        worklist = pl.DataFrame({"executor": ["blind"], "executor_id": ["x"]})
        study = parse_study(self.config, "tiny")
        with self.here():
            load_script("run_rollouts").record(study, "blind", "main", worklist, FROZEN, RECORDS)

    @contextlib.contextmanager
    def here(self):
        with contextlib.chdir(self.folder):
            yield

    @property
    def registration(self):
        return read_registration(self.folder / FROZEN)

    def forge(self, **plan):
        """The frozen file as if another plan had been frozen at the same moment, hashes and all."""
        first = self.registration
        content = first.plan.as_json() | plan
        other = register(
            Plan.model_validate_json(json.dumps(content)), at=first.frozen_at, commit=first.commit,
            rollouts_exist=False, settings=first.settings,
        )  # fmt: skip
        write_registration(other, self.folder / FROZEN)


@pytest.fixture
def study(tiny, tmp_path):
    return Study(tiny, tmp_path)


def planned(results):
    """The losses of the pool that the plan tests, by evaluator."""
    rows = results.filter(pool="blind", analysis="losses", estimand="loss").to_dicts()
    return {row["evaluator"]: row for row in rows}


NAMED = ("greedy", "solvability", "planner", "executor:careful")


def test_without_any_attempt_the_planned_tests_are_confirmatory(study):
    before = (study.folder / FROZEN).read_bytes()
    study.freeze()
    assert (study.folder / FROZEN).read_bytes() == before
    rows = planned(study.statistics())
    assert {name for name, row in rows.items() if row["confirmatory"]} == set(NAMED)


def test_another_alpha_is_an_amendment_and_decides_nothing(study):
    before = study.statistics()
    study.plan["alpha"] = 0.5
    registration = study.freeze()
    [amendment] = registration.amendments
    assert abs(amendment.at - datetime.now(UTC)) < timedelta(minutes=1)
    assert {"-alpha: 0.05", "+alpha: 0.5"} <= set(amendment.diff.splitlines())
    assert study.statistics().equals(before)


def test_an_added_hypothesis_is_exploratory(study):
    study.plan["families"][0]["evaluators"].append("judge")
    assert "+  - judge" in study.freeze().amendments[0].diff
    judge = planned(study.statistics())["judge"]
    assert not judge["confirmatory"]
    assert judge["p_holm"] is None
    assert "named by an amendment: exploratory" in judge["note"]


def test_a_dropped_hypothesis_stays_tested_and_keeps_its_family_as_large(study):
    before = study.statistics()
    study.plan["families"][0]["evaluators"] = ["greedy"]
    assert "-  - planner" in study.freeze().amendments[0].diff
    after = study.statistics()
    assert after.equals(before)
    assert planned(after)["planner"]["confirmatory"]


def test_another_metric_in_the_plan_is_not_used(study):
    before = study.statistics()
    study.plan["metric"] = "reward"
    assert "+metric: reward" in study.freeze().amendments[0].diff
    assert study.statistics().equals(before)


def grown_pool(config):
    config["pools"]["blind"]["size"] = 24


def other_metric(config):
    config["metric"] = "reward"


def more_labels(config):
    config["rollouts"]["label"] = 20


def fewer_positions(config):
    config["positions"]["per_failure"] = 1


def other_candidates(config):
    config["candidates"]["random"] = 3


def other_world(config):
    config["environment"]["options"]["pits"] = 5


def other_decoding(config):
    config["executors"]["blind"]["decoding"]["temperature"] = 1.0


def more_evaluator_rollouts(config):
    config["evaluators"]["executors"]["careful"]["rollouts"] = 40


def more_greedy_runs(config):
    config["evaluators"]["greedy"] = 3


def no_planner(config):
    config["evaluators"]["planner"] = False


CHANGES = {
    grown_pool: "pools.blind.size",
    other_metric: "shared.metric",
    more_labels: "shared.label_rollouts",
    fewer_positions: "shared.positions.per_failure",
    other_candidates: "shared.candidates.random",
    other_world: "shared.environment.options.pits",
    other_decoding: "pools.blind.executor.decoding.temperature",
    more_evaluator_rollouts: "evaluators.executor:careful.rollouts",
    more_greedy_runs: "evaluators.greedy.rollouts",
    no_planner: "evaluators.planner.used",
}


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_a_configuration_changed_after_a_look_is_an_amendment_and_never_confirmatory(study, change):
    """The plan file is left as it was."""
    change(study.config)
    with pytest.raises(PlanError, match=r"the configuration is not the registered one: .*" +
                       CHANGES[change]):  # fmt: skip
        study.statistics()  # without `freeze_plan`
    [amendment] = study.freeze().amendments
    assert amendment.reason == "the configuration changed after rollouts existed"
    assert amendment.diff
    rows = planned(study.statistics())
    assert not any(row["confirmatory"] or row["p_holm"] or row["reject"] for row in rows.values())
    assert all(f"{CHANGES[change]} changed after" in rows[name]["note"] for name in NAMED)


def test_going_back_to_what_was_registered_tests_it_again_and_stays_on_record(study):
    registered = copy.deepcopy(study.config)
    grown_pool(study.config)
    study.freeze()
    study.config = registered
    assert len(study.freeze().amendments) == 2
    assert planned(study.statistics())["greedy"]["confirmatory"]


def test_a_study_may_be_extended_by_an_evaluator_that_is_exploratory(study):
    blind = study.config["executors"]["blind"]
    study.config["executors"]["third"] = blind | {"invalid_limit": 1}
    study.config["evaluators"]["executors"]["third"] = {"rollouts": 5, "equal_budget": None}
    study.config["rollouts"]["fresh"] = 30
    study.freeze()
    rows = planned(study.statistics())
    assert {name for name, row in rows.items() if row["confirmatory"]} == set(NAMED)


def test_touching_the_frozen_file_changes_nothing(study):
    before = study.statistics()
    os.utime(study.folder / FROZEN)
    assert study.freeze().amendments == ()
    assert study.statistics().equals(before)


@pytest.mark.parametrize(
    ("old", "new"),
    [('"alpha": 0.05', '"alpha": 0.5'), ('"amendments": []', '"amendments": [ ]'),
     ('"label_rollouts": 10', '"label_rollouts": 20')],
)  # fmt: skip
def test_an_edited_frozen_file_is_refused(study, old, new):
    path = study.folder / FROZEN
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    if json.loads(text) == json.loads(path.read_text()):
        return  # layout is no content
    for step in (study.freeze, study.statistics, study.run_rollouts):
        with pytest.raises(PlanError, match="was edited"):
            step()


@pytest.mark.parametrize("with_records_of_runs", [True, False])
def test_plan_and_hashes_edited_together_contradict_the_records(study, with_records_of_runs):
    if not with_records_of_runs:
        shutil.rmtree(study.folder / RECORDS / "runs")
    study.forge(alpha=0.5)
    for step in (study.freeze, study.statistics, study.run_rollouts):
        with pytest.raises(PlanError, match="is not the one that was recorded"):
            step()


def test_an_amendment_cannot_be_taken_out_again(study):
    first = (study.folder / FROZEN).read_text()
    study.plan["alpha"] = 0.5
    study.freeze()
    (study.folder / FROZEN).write_text(first)
    assert len(study.freeze().amendments) == 1


def test_a_deleted_frozen_plan_is_put_back(study):
    before = (study.folder / FROZEN).read_bytes()
    (study.folder / FROZEN).unlink()
    study.freeze()
    assert (study.folder / FROZEN).read_bytes() == before
    (study.folder / FROZEN).unlink()
    study.plan["families"][0]["evaluators"].append("judge")
    assert len(study.freeze().amendments) == 1


def test_without_any_record_a_plan_is_late_as_long_as_there_are_traces(study):
    (study.folder / FROZEN).unlink()
    shutil.rmtree(study.folder / RECORDS)
    assert study.freeze().late
    assert not any(row["confirmatory"] for row in planned(study.statistics()).values())


def test_a_plan_that_is_younger_than_its_rollouts_is_late_without_any_trace(study):
    """Results and records thrown away, the cache kept: the rollouts say when they ran."""
    (study.folder / FROZEN).unlink()
    shutil.rmtree(study.folder / RECORDS)
    (study.folder / "results/tiny/work").rmdir()
    assert study.freeze().amendments == ()
    rows = planned(study.statistics())
    assert not any(row["confirmatory"] for row in rows.values())
    assert "the plan was frozen after the rollouts existed" in rows["greedy"]["note"]


def test_a_clock_that_was_set_back_is_refused(study):
    long_ago = datetime(2020, 1, 1, tzinfo=UTC)
    study.plan["alpha"] = 0.5
    with pytest.raises(PlanError, match=r"the clock says 2020-01-01 .* Set the clock right"):
        study.freeze(now=long_ago)
    (study.folder / FROZEN).unlink()
    with pytest.raises(PlanError, match="Set the clock right"):
        study.freeze(now=long_ago)


def test_a_record_that_was_edited_is_named(study):
    record = next((study.folder / RECORDS / "runs").iterdir())
    record.write_text(record.read_text().replace('"tiny"', '"tidy"'))
    with pytest.raises(DataError, match=f"{record.name}: the record was edited"):
        study.statistics()


def test_other_weights_after_the_first_rollouts_are_never_confirmatory(study):
    path = study.folder / "results/tiny/executors.parquet"
    executors = pl.read_parquet(path)
    other = pl.when(pl.col("name") == "careful").then(pl.lit("0" * 32)).otherwise("executor_id")
    executors.with_columns(executor_id=other).write_parquet(path)
    rollouts = study.folder / "results/tiny/rollouts.parquet"
    [old] = executors.filter(name="careful")["executor_id"]
    frame = pl.read_parquet(rollouts)
    frame.with_columns(pl.col("executor_id").replace({old: "0" * 32})).write_parquet(rollouts)
    rows = planned(study.statistics())
    assert not any(row["confirmatory"] for row in rows.values())
    assert "executor careful is not what it was" in rows["executor:careful"]["note"]


def test_every_run_of_rollouts_recorded_the_registration(tiny):
    witness = read_witness(tiny.path(RECORDS))
    identity = read_registration(tiny.path(FROZEN)).identity
    assert {run["registration"] for run in witness.runs} == {identity}
    assert {run["stage"] for run in witness.runs} == {"screen", "main", "fresh"}
    [hashed] = pl.read_parquet(tiny.path("results/tiny/tables/preregistration.parquet"))[
        "registration"
    ]
    assert hashed == identity


@pytest.mark.skipif(not os.environ.get("REPAIRSTUDY_SLOW"), reason="set REPAIRSTUDY_SLOW=1")
def test_through_the_workflow_a_changed_configuration_is_an_amendment(make_workspace, tiny):
    """More rollouts of an evaluator are run, and what they change is exploratory.

    Opt-in (REPAIRSTUDY_SLOW=1): half a minute of a processor.
    """
    workspace = make_workspace("extended")
    shutil.copytree(tiny.path("results"), workspace.path("results"))
    path = workspace.path("config/studies/tiny.yaml")
    config = yaml.safe_load(path.read_text())
    more_evaluator_rollouts(config)
    path.write_text(yaml.safe_dump(config))
    workspace.run("--forcerun", "freeze_plan", "--", "results/tiny/results.parquet")
    results = pl.read_parquet(workspace.path("results/tiny/results.parquet"))
    rows = planned(results)
    assert (
        rows["executor:careful"]["n_rollouts"]
        > planned(pl.read_parquet(tiny.path("results/tiny/results.parquet")))["executor:careful"][
            "n_rollouts"
        ]
    )
    assert not any(row["confirmatory"] for row in rows.values())
    runs = read_witness(workspace.path(RECORDS)).runs
    assert len({run["registration"] for run in runs}) == 1
