"""What speaks against a study stands at the top of its report, whatever kind it is of."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from repairstudy.records import TABLES
from repairstudy.report.captions import frozen_line
from repairstudy.report.controls import controls_tally
from repairstudy.report.figures import FIGURES
from repairstudy.report.frames import Frames
from repairstudy.report.page import render_report
from repairstudy.report.published import read_published
from repairstudy.report.study import study_of
from repairstudy.report.warnings import (
    failed_controls,
    infrastructure_warnings,
    missing_rollouts,
    plan_warnings,
    warnings_of,
)

PUBLISHED = read_published(Path(__file__).parents[2] / "resources" / "published.yaml")
SEEDS = "executor:smollm2@other_seeds"


def with_note(frames: Frames, evaluator: str, note: str) -> Frames:
    its = (pl.col("analysis") == "negative_control") & (pl.col("evaluator") == evaluator)
    rows = frames["results"].with_columns(
        note=pl.when(its).then(pl.lit(note)).otherwise(pl.col("note"))
    )
    return {**frames, "results": rows}


def registered(frames: Frames, **columns: object) -> Frames:
    texts = {name: pl.lit(json.dumps(value)) for name, value in columns.items()}
    return {**frames, "preregistration": frames["preregistration"].with_columns(**texts)}


def top_of(frames: Frames) -> str:
    """The page up to its verdicts."""
    html = render_report(frames, {}, PUBLISHED)
    return html[: html.index('id="verdicts"')]


@pytest.mark.parametrize(
    ("control", "words"),
    [
        (SEEDS, "judged by its own rollouts with other seeds"),
        ("shuffled", "selection among shuffled outcomes gains"),
        ("original", "the original action gains over itself"),
    ],
)
def test_a_failed_negative_control_is_said_at_the_top(
    frames: Frames, control: str, words: str
) -> None:
    failing = with_note(frames, control, "FAILED: must be 0 and is not")
    assert words in top_of(failing)
    assert words not in top_of(frames)
    assert "FAILED" in controls_tally(failing)
    assert "hold" in controls_tally(frames)


def test_a_control_whose_interval_alone_excludes_zero_has_not_failed(frames: Frames) -> None:
    noted = with_note(frames, SEEDS, "holds; its interval alone excludes 0, one of 12 controls")
    assert failed_controls(noted) == []


def test_negative_controls_that_were_not_run_are_named_with_the_reason(frames: Frames) -> None:
    rows = frames["results"].filter(pl.col("evaluator") != SEEDS)
    said = controls_tally({**frames, "results": rows})
    assert "Not run: " in said
    assert "the deployed executor with other seeds in smollm2" in said
    assert "rollouts.control" in said


def test_a_failed_audit_is_said_before_all_else(frames: Frames) -> None:
    assert warnings_of(frames)[0].title == "Failed audit"
    assert "failed its audit" in top_of(frames)
    passed = frames["audit"].with_columns(passed=pl.lit(True))
    assert "failed its audit" not in top_of({**frames, "audit": passed})


def test_a_late_plan_and_a_stated_one_differ(frames: Frames) -> None:
    late = {
        "at": "2026-11-29T18:00:00+00:00",
        "reason": "the plan was frozen after rollouts existed",
        "commit": "c",
        "diff": "",
        "plan_hash": "h",
    }
    [text] = plan_warnings(registered(frames, amendments=[late]))
    assert text.endswith("so that no result is confirmatory.")
    plan = json.loads(frames["preregistration"]["plan"][0]) | {"outcomes_unseen": True}
    [text] = plan_warnings(registered(frames, amendments=[late], plan=plan))
    assert text.endswith("its authors state that they had not seen them.")


def test_amendments_and_what_the_records_say_are_warnings(frames: Frames) -> None:
    [text] = plan_warnings(frames)
    assert "changed after rollouts existed (2026-11-29 18:00 UTC" in text
    says = [{"about": "big", "says": "executor big is not what it was"}]
    found = plan_warnings(registered(frames, amendments=[], remarks=says))
    assert found == ["Executor big is not what it was."]
    assert "executor big is not what it was" in top_of(registered(frames, remarks=says)).lower()


def test_without_amendments_the_plan_is_no_warning(frames: Frames) -> None:
    assert plan_warnings(registered(frames, amendments=[])) == []
    bare = {**frames, "preregistration": TABLES["preregistration"].empty()}
    assert plan_warnings(bare) == ["No plan was frozen: every result is exploratory."]


def test_pools_with_too_few_failures_and_lost_rollouts_are_named(frames: Frames) -> None:
    assert "Pool smollm2 has 8 of 60 failures." in missing_rollouts(frames)
    lost = frames["rollouts"].with_columns(
        status=pl.when(pl.int_range(pl.len()) == 0)
        .then(pl.lit("infrastructure_error"))
        .otherwise("status")
    )
    assert missing_rollouts({**frames, "rollouts": lost})[0] == "1 rollout never finished."


def test_an_arm_is_a_warning_when_more_than_one_in_a_hundred_were_interrupted(
    frames: Frames,
) -> None:
    assert infrastructure_warnings(frames) == []
    often = frames["infrastructure"].with_columns(retried=pl.lit(11, pl.Int64))
    [text] = infrastructure_warnings({**frames, "infrastructure": often})
    assert text.startswith("11 of 1\u202f000 rollouts of smollm2 (label, candidates) were interr")


def test_a_study_with_nothing_against_it_has_no_warnings(frames: Frames) -> None:
    clean = registered(frames, amendments=[])
    rows = clean["results"].with_columns(
        note=pl.col("note").str.replace("uninformative", "informative")
    )
    config = json.loads(clean["provenance"]["config"][0]) | {"pools": {}}
    clean |= {
        "results": rows,
        "audit": clean["audit"].with_columns(passed=pl.lit(True)),
        "provenance": clean["provenance"].with_columns(config=pl.lit(json.dumps(config))),
    }
    assert warnings_of(clean) == []
    assert "Read this first" not in top_of(clean)


def test_every_caption_names_the_frozen_plan_its_time_and_its_commit(frames: Frames) -> None:
    line = frozen_line(study_of(frames))
    plan = f"Plan {frames['preregistration']['plan_hash'][0][:12]}"
    assert line == f"{plan}, frozen 2026-11-29 12:00:00 UTC, commit {'a' * 12}, amended."
    for spec in FIGURES.values():
        if spec.available(frames):
            assert str(spec.caption(frames)).endswith(line)


def test_the_page_shows_registration_settings_machines_and_hashes(frames: Frames) -> None:
    html = render_report(frames, {}, PUBLISHED)
    assert frames["preregistration"]["registration"][0] in html
    assert "Made Up 3000" in html
    assert "verify-results" in html
    build = TABLES["build"].empty()
    assert render_report({**frames, "build": build}, {}, PUBLISHED).count("Made Up 3000") == 1


def test_each_number_of_a_table_opens_to_its_query(frames: Frames) -> None:
    html = render_report(frames, {}, PUBLISHED)
    assert html.count("FROM pool_rollouts WHERE pool = &#39;smollm2&#39;") > 100
