"""Predicted costs: counts to check by hand, hours, and errors that say what to do."""

from pathlib import Path

import pytest
import yaml

from repairstudy.cli.main import main
from repairstudy.cli.predicted.asked import rates
from repairstudy.cli.predicted.assumptions import Assumptions
from repairstudy.cli.predicted.costs import Cost, hours_of, predict
from repairstudy.cli.predicted.counts import Shape, failures_in_pools, shape_of, wanted_rollouts
from repairstudy.cli.predicted.sizes import Sizes, measure
from repairstudy.config import parse_study
from repairstudy.errors import ConfigError

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def in_root(monkeypatch):
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")


def study_of(name, **changed):
    content = yaml.safe_load(Path(f"config/studies/{name}.yaml").read_text("utf-8"))
    return parse_study(content | changed, name)


def counted(study, shape, assumed=None):
    found = {}
    for wanted in wanted_rollouts(study, shape, assumed or Assumptions()):
        key = (wanted.stage, wanted.executor, wanted.role)
        found[key] = found.get(key, 0) + wanted.rollouts
    return found


def test_the_tiny_study_counted_by_hand():
    """12 failures with 2 positions and 4 arms each: 96 arms; 12 primary positions."""
    assert counted(study_of("tiny"), Shape(positions=2, arms=4)) == {
        ("screen", "blind", "screen"): 12 * 4 * 5,
        ("main", "blind", "label"): 96 * 10,
        ("main", "blind", "control"): 96 * 5,
        ("main", "blind@greedy", "evaluate"): 96 * 2,
        ("main", "blind@0.3", "evaluate"): 96 * 10,
        ("main", "careful", "evaluate"): 96 * 20,
        ("fresh", "blind", "fresh"): 12 * 0.25 * 2 * 10,
        ("fresh", "careful", "fresh"): 12 * 0.25 * 2 * 10,
    }


def test_an_evaluator_of_primary_positions_alone_costs_a_third():
    study = study_of("alfworld_qwen")
    found = counted(study, Shape(positions=3, arms=5))
    assert found["main", "qwen14b", "evaluate"] == 60 * 3 * 5 * 20
    assert found["main", "qwen-flash", "evaluate"] == 60 * 5 * 20


@pytest.mark.parametrize(
    ("pools", "failures"),
    [
        ({"a": {"size": 60}}, 60),
        (
            {"a": {"size": 60}, "b": {"size": 20, "screen": {"among": 60}}},
            60,
        ),  # all within the first
        ({"b": {"size": 20, "screen": {"among": 60}}}, 20),
        ({"b": {"size": 40, "screen": {"among": 60}}}, 30),  # half of 60 pass
        # 40 of 80 pass, half of them beyond the first 40
        ({"a": {"size": 40}, "b": {"size": 50, "screen": {"among": 80}}}, 60),
    ],
)
def test_a_failure_of_two_pools_counts_once(pools, failures):
    sections = {name: {"deployed": "blind", **pool} for name, pool in pools.items()}
    study = study_of("tiny", pools=sections)
    assert failures_in_pools(study, "blind", Assumptions()) == failures


def test_candidates_are_at_most_what_is_admissible():
    study, assumed = study_of("tiny"), Assumptions(distinct=0.5)  # 2 x 2 + planner + random = 6
    assert shape_of(study, assumed, admissible=10.0) == Shape(2, 1 + 3)
    assert shape_of(study, assumed, admissible=3.0) == Shape(2, 1 + 2)
    every = study_of("tiny", candidates=study.candidates.model_dump() | {"all_admissible": True})
    assert shape_of(every, assumed, admissible=10.0) == Shape(2, 10)


def test_prompts_are_measured_with_the_study_s_own_templates():
    study = study_of("tiny")
    sizes = measure(study, Assumptions(), episodes=4)
    words = len(Path("resources/prompts/policy.txt").read_text().split())
    # The template is one slot and a word or two; a gridworld observation has at least 15 words.
    assert sizes.early["blind"] >= words + 14
    assert 2 <= sizes.admissible <= 4
    assert sizes.situations > 100
    assert sizes.judge > sizes.proposer["blind"]


def test_a_growing_transcript_costs_more_late_than_early():
    sizes = measure(study_of("tiny"), Assumptions(), episodes=2)
    transcript = yaml.safe_load(Path("config/studies/tiny.yaml").read_text("utf-8"))["executors"]
    transcript["blind"] |= {
        "protocol": "transcript/1", "prompt": "resources/prompts/transcript.txt",
    }  # fmt: skip
    grown = measure(study_of("tiny", executors=transcript), Assumptions(), episodes=12)
    assert grown.early["blind"] > sizes.early["blind"]
    assert grown.late["blind"] >= grown.early["blind"]


SIZES = Sizes(
    admissible=4.0,
    situations=0,
    early={"qwen7b": 100.0},
    late={"qwen7b": 200.0},
    proposer={},
    judge=0.0,
)


def cost(model, steps=1000.0, calls=900.0, tokens_in=72_000.0, tokens_out=7_200.0, cached=0.0):
    return Cost(model, "main", model, "label", 100.0, steps, calls, tokens_in, tokens_out, cached)


def test_hours_follow_from_tokens_and_rates():
    study = study_of("webshop_qwen")
    assumed = Assumptions(start_s=100.0, environment_steps_per_s=10.0)
    speeds = {"qwen7b": (1000.0, 100.0)}
    found = hours_of(study, [cost("qwen7b")], speeds, assumed)["qwen7b", "main"]
    # 100 s for the steps, 72 for the prompts, 72 for the answers, 100 for the start
    assert found.hours * 3600 == pytest.approx(344)
    assert found.gpus == 1
    half = hours_of(study, [cost("qwen7b", cached=50.0)], speeds, assumed)["qwen7b", "main"]
    assert half.hours * 3600 == pytest.approx(100 + 122)


def test_what_is_cached_starts_no_server_and_a_hosted_model_takes_no_hours():
    study = study_of("webshop_qwen")
    done = hours_of(study, [cost("qwen7b", cached=100.0)], {}, Assumptions())
    assert done["qwen7b", "main"].hours == 0
    assert hours_of(study, [cost("qwen-flash")], {}, Assumptions())["qwen-flash", "main"] is None


def test_stored_distributions_take_no_model_s_time():
    study, assumed = study_of("webshop_qwen"), Assumptions(environment_steps_per_s=100.0)
    found = hours_of(study, [cost("qwen7b", calls=0.0)], {}, assumed)["qwen7b", "main"]
    assert found.hours * 3600 == pytest.approx(10)


def test_a_memoryless_executor_asks_once_a_prompt():
    study = study_of("tiny")
    sizes = measure(study, Assumptions(), episodes=2)
    costs = list(predict(study, sizes, Shape(2, 4), Assumptions()))
    asked = {c.who: c.calls for c in costs if c.stage == "distributions"}
    assert asked == {"blind": sizes.situations, "careful": sizes.situations}
    assert not any(c.calls for c in costs if c.stage in ("collect", "screen", "main", "fresh"))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["config/nowhere.yaml"], "config/nowhere.yaml: cannot be read"),
        (["config/studies/outcomes.yaml"], "outcomes made elsewhere cost no rollouts"),
        (["config/studies/tiny.yaml", "--assume", "pace=1"], "assumption 'pace': unknown"),
        (
            ["config/studies/tiny.yaml", "--assume", "steps=-1"],
            "assumption steps: '-1' is no number",
        ),
        (["config/studies/tiny.yaml", "--candidates", "-2"], "--candidates: '-2' is no number"),
        (["config/studies/tiny.yaml", "--throughput", "gpt=1,2"], "no model 'gpt' (known: blind"),
        (["config/studies/tiny.yaml", "--throughput", "blind=1"], "give IN,OUT in tokens a second"),
    ],
)
def test_a_wrong_call_is_told_in_one_line(words, message, capsys):
    assert main(["cost", *words]) == 1
    told = capsys.readouterr().err
    assert told.startswith("error: ")
    assert message in told
    assert "Traceback" not in told


def test_rates_are_read():
    assert rates(study_of("tiny"), ["blind=1e4,500"]) == {"blind": (10_000.0, 500.0)}
    with pytest.raises(ConfigError):
        rates(study_of("tiny"), ["blind=0,1"])


def test_the_table_says_what_it_assumes(capsys):
    assert main(["cost", "config/studies/tiny.yaml", "--assume", "steps=0.25"]) == 0
    told = capsys.readouterr().out
    assert "study tiny" in told
    assert "steps=0.25" in told
    assert "blind@greedy" in told
