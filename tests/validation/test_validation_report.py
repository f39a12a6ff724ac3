"""The page, the figures and the section of a report: what misses its target is shown as missed."""

import re

import polars as pl
import pytest
from validation_data import STORED
from workflow_scripts import load_script

from repairstudy.records import TABLES
from repairstudy.report import load_frames
from repairstudy.report.style import FORMATS
from repairstudy.report.validation.advice import advice
from repairstudy.report.validation.figures import FIGURES, draw_figures
from repairstudy.report.validation.page import render_page
from repairstudy.report.validation.section import validation_section
from repairstudy.report.validation.summary import lines, summary_grid, tally
from repairstudy.store import build_database, read_table, write_table
from repairstudy.validation.measurement import (
    BIAS,
    COVERAGE,
    FAMILY_WISE_ERROR,
    POWER,
    Measurement,
    validation_frame,
)


def measured(check, method, quantity, value, target, **more):
    parts = {"population": "simulated", "mc_error": 0.001, "replicates": 2000} | more
    return Measurement(
        check=check, method=method, quantity=quantity, value=value, target=target, **parts
    )


def coverage(kind, side, failures, value, per_task=1, **more):
    return measured(
        "coverage", kind, f"control gap, {side}", value, COVERAGE, failures=failures,
        clusters=failures // per_task, **more,
    )  # fmt: skip


@pytest.fixture(scope="module")
def rows():
    found = [
        measured("bias", "cross-fit, exact", "value", m / 20_000, BIAS, own_rollouts=m)
        for m in range(10)
    ]
    found += [
        measured("bias", "equivalent budget of x@2", "value of so many own rollouts", 0.004, BIAS),
        measured("bias", "cross-fit, exact", "net gain across positions", 0.0, BIAS),
        measured("bias", "first of the tied", "value", 0.03, BIAS, contrast=True),
        measured("power", "p by inversion, alpha .05", "loss of x, formula asks for 0.8", 0.01,
                 POWER, expected=0.8, failures=60, clusters=60),
        measured("power", "Holm, p by inversion", "the true effect is found", 0.7, None),
    ]  # fmt: skip
    for per_task in (1, 3):
        for failures in (30, 60, 120):
            short = 0.91 if failures == 30 else 0.945
            found += [
                coverage("percentile", "two-sided", failures, short, per_task),
                coverage("percentile", "upper bound", failures, short - 0.02, per_task),
                coverage("percentile", "lower bound", failures, 0.95, per_task),
                coverage("bootstrap_t", "two-sided", failures, 0.951, per_task),
                coverage("bootstrap_t", "upper bound", failures, 0.949, per_task),
                coverage("t", "two-sided", failures, 0.98, per_task),
                measured("family-wise error", "Holm, p by inversion", "any false rejection",
                         0.09 if per_task == 3 and failures == 30 else 0.03, FAMILY_WISE_ERROR,
                         failures=failures, clusters=failures // per_task),
            ]  # fmt: skip
    return validation_frame(found)


def test_figures_that_belong_together_are_judged_by_the_farthest(rows):
    found = {line.what: line for line in lines(rows)}
    short = found["percentile, two-sided, 30 failures"]
    assert (short.verdict, short.farthest) == ("missed", "0.910 ± 0.001")
    assert found["percentile, two-sided, 60 failures"].verdict == "met"
    assert found["bootstrap-t, upper bound, 30 failures"].verdict == "met"
    assert found["Student's t, two-sided, 60 failures"].verdict == "missed"  # too wide
    assert found["estimators at one position, simulated"].figures == 10
    assert found["equivalent budget, simulated"].verdict == "missed"
    in_tasks = found["Holm, p by inversion, simulated, failures in tasks"]
    assert (in_tasks.verdict, in_tasks.figures) == ("missed", 3)
    assert found["first of the tied"].verdict == "caught in 1 of 1"


def test_the_tally_counts_no_wrong_way(rows):
    judged = rows.filter(~pl.col("contrast") & (pl.col("verdict") != "reported"))
    missed = judged.filter(verdict="missed").height
    assert tally(rows).startswith(f"Of {judged.height} figures with a target: ")
    assert f"{missed} missed" in tally(rows)


def test_the_advice_names_the_sizes_at_which_an_interval_is_off(rows):
    text = " ".join(advice(rows))
    assert "Percentile intervals of independent failures: two-sided off target at 30" in text
    assert "upper bound off target at 30, 60 and 120" in text
    assert "Bootstrap-t intervals of independent failures: two-sided on target throughout" in text
    assert "Which interval to trust: bootstrap-t" in text
    assert (
        "Too many false rejections: simulated, Holm, p by inversion: 0.090 at 30 (in 10 tasks)"
        in text
    )
    assert "Biased: equivalent budget of x@2" in text
    assert "of 1, all are caught; 1 of their 1 figures" in text


def test_the_page_hides_nothing(rows):
    page = render_page(rows, {})
    for row in rows.iter_rows(named=True):
        assert row["method"].replace("'", "&#39;") in page
    assert page.count(">missed</span>") == sum(line.verdict == "missed" for line in lines(rows))
    assert "<script" not in page
    assert not re.search(r"(src|href)=\"https?:", page)


def test_every_figure_is_drawn_in_every_format(rows, tmp_path):
    paths = draw_figures(rows, tmp_path)
    assert {path.name for path in paths} == {
        f"{figure.name}.{ending}" for figure in FIGURES for ending in FORMATS
    }
    for figure in FIGURES:
        assert len(str(figure.caption(rows))) > 100


def test_a_report_shows_the_verdicts_or_how_to_get_them(rows):
    absent = validation_section({})
    assert "snakemake validate --cores 2" in absent.missing
    assert not absent.grids
    present = validation_section({"validation": rows})
    meaning, verdicts = present.grids
    assert [text for [text] in meaning.rows] == advice(rows)
    assert verdicts.rows == summary_grid(rows).rows
    assert tally(rows) in present.lead


def test_the_scripts_measure_collect_and_write(tmp_path):
    part, table = tmp_path / "part.parquet", tmp_path / "validation.parquet"
    load_script("validate").main("errors_ties", STORED, 1e-9, part)
    load_script("validate_collect").main([part], table)
    found = read_table(table, TABLES["validation"])
    assert set(found["check"]) == {"family-wise error"}
    with (tmp_path / "log").open("w") as log:
        load_script("validate_page").main(table, tmp_path / "figures", tmp_path / "v.html", log)
    assert "ties everywhere" in (tmp_path / "v.html").read_text()
    assert (tmp_path / "figures/errors.pdf").exists()
    assert "figures with a target" in (tmp_path / "log").read_text()


def test_a_study_keeps_the_table(rows, tmp_path):
    write_table(rows, tmp_path / "validation.parquet", TABLES["validation"])
    build_database(tmp_path / "study.duckdb", {"validation": rows})
    assert load_frames(tmp_path / "study.duckdb")["validation"].equals(rows)
