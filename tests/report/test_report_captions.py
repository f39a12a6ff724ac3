"""Captions: four parts, every number from the data, grammar right for none, one and many."""

import re

import polars as pl
import pytest
from docutils.core import publish_parts
from hypothesis import given, settings
from hypothesis import strategies as st

from repairstudy.report.captions import Caption, losers
from repairstudy.report.figures import FIGURES
from repairstudy.report.study import study_of
from repairstudy.report.summary import summary

HEADINGS = ["What it shows", "How to read it", "Made from", "Confirmatory or exploratory"]
POOLS = ["smollm2", "smollm2-screened", "policy-strong", "policy-strong-screened"]
# "1 rollouts", "one evaluators", "1 of 3 pools lose", "2 evaluator", "none of 3 rules lose".
WRONG = re.compile(
    r"\b(1|one) (own |other |exact |pre-specified |negative |target )?"
    r"(rollouts|evaluators|pools|values|losses|controls|parts|choices|positions|failures)\b"
    r"|\b(1|none) of \d+ [a-z -]+?(?<!to) (lose|lie|pass|are|hold)\b"
    r"|\b([2-9]|\d\d+) of \d+ [a-z -]+? (loses|lies|passes|is|holds)\b"
    r"|\b([2-9]|\d\d+) (rollout|evaluator|pool|loss|position|failure|executor)\b"
    r"|\b(nan|None|inf)\b"
)


@pytest.mark.parametrize("name", FIGURES)
def test_a_caption_has_all_four_parts(frames, name):
    caption = FIGURES[name].caption(frames)
    assert [heading for heading, _ in caption.parts] == HEADINGS
    for _, text in caption.parts:
        assert text.endswith(".")
        assert "  " not in text
        assert ".." not in text
    assert not WRONG.search(str(caption))


def assert_well_put(text):
    assert not WRONG.search(text), text
    assert not re.search(r"\s[.,;:]|\(\s|\s\)|;\.", text), text


@pytest.mark.parametrize(
    "text", ["1 own rollouts", "none of 3 pools lose", "2 of 3 pools loses", "12 evaluator", "nan"]
)
def test_what_the_grammar_tests_look_for(text):
    assert WRONG.search(text)


@given(st.sets(st.sampled_from(POOLS), min_size=1), st.integers(0, 2**16), st.floats(-0.3, 0.3))
@settings(max_examples=25)
def test_captions_are_right_for_any_part_of_a_study(frames, kept, seed, shift):
    """Any pools, any evaluators, intervals anywhere: no wrong plural, no number that is none."""
    rows = frames["results"]
    names = rows["evaluator"].unique().sort()
    few = 1 + seed % 12
    known = names.sample(few, seed=seed).to_list()
    moved = [pl.col(name) + shift for name in ("estimate", "ci_low", "ci_high")]
    its = pl.col("pool").is_in(sorted(kept)) & pl.col("evaluator").is_in([*known, "matched"])
    part = {
        **frames,
        "results": rows.filter(its).with_columns(moved),
        "failures": frames["failures"].filter(pl.col("pool").is_in(sorted(kept))),
    }
    for spec in FIGURES.values():
        if spec.available(part):
            assert_well_put(str(spec.caption(part)))
    for point in summary(part):
        for text in point.texts:
            assert_well_put(text)


@pytest.mark.parametrize("pool", ["smollm2", "policy-strong"])
def test_losers_are_counted_from_the_intervals(frames, pool):
    rows = frames["results"].filter(
        (pl.col("analysis") == "losses") & (pl.col("estimand") == "loss") & (pl.col("pool") == pool)
    )
    counted = rows.filter(~pl.col("evaluator").is_in(["matched", "random", "own_5"]))
    lose = counted.filter(pl.col("ci_low") > 0).height
    text = losers(rows, study_of(frames).pool(pool), without="own_5")
    assert text.startswith(f"In {pool} {lose} of {counted.height} evaluators lose; ")
    largest = counted.sort("estimate", descending=True).row(0, named=True)
    shown = f"{largest['estimate']:.3f} ({largest['ci_low']:.3f} to {largest['ci_high']:.3f})"
    assert f"the largest loss is {shown}, by " in text


@pytest.mark.parametrize(
    ("estimates", "said"),
    [
        ([], ""),
        ([0.2], "In smollm2 the one evaluator loses: 0.200 (0.150 to 0.250) (greedy replay)."),
        ([0.01], "In smollm2 the one evaluator does not lose: 0.010 (−0.040 to 0.060) (greedy"),
        ([-0.2, -0.1], "In smollm2 none of 2 evaluators loses; the largest loss is −0.100 ("),
        ([0.2, 0.1], "In smollm2 both evaluators lose; the largest loss is 0.200 ("),
        ([0.2, 0.0, 0.0], "In smollm2 1 of 3 evaluators loses; the largest loss is 0.200 ("),
    ],
)
def test_losers_of_none_one_and_many(frames, estimates, said):
    names = ["greedy", "planner", "judge"][: len(estimates)]
    rows = frames["results"].head(0)
    rows = pl.DataFrame(
        {
            "pool": ["smollm2"] * len(estimates),
            "evaluator": names,
            "estimate": estimates,
            "ci_low": [value - 0.05 for value in estimates],
            "ci_high": [value + 0.05 for value in estimates],
        },
        schema={name: rows.schema[name] for name in
                ("pool", "evaluator", "estimate", "ci_low", "ci_high")},
    )  # fmt: skip
    assert losers(rows, study_of(frames).pool("smollm2")).startswith(said)


def test_an_uninformative_pool_is_called_so(frames):
    caption = FIGURES["losses"].caption(frames)
    assert "In policy-strong-screened (uninformative) " in caption.shows
    assert "failed in policy-strong-screened, shaded: losses there are no evid" in caption.firmness


def test_the_controls_shown_are_those_that_the_caption_counts(frames):
    """Every negative control has its row: a new one may not be counted and left out."""
    planted = frames["results"].filter(analysis="negative_control", evaluator="shuffled")
    exact = planted.with_columns(evaluator=pl.lit("exact_values"), estimand=pl.lit("mean_error"))
    more = {**frames, "results": pl.concat([frames["results"], exact])}
    figure = FIGURES["positive_control"].draw(more)
    panel = figure.axes[0]
    labels = [label.get_text() for label in panel.get_yticklabels()]
    assert "rollouts minus exact values" in labels
    rows = more["results"].filter(pl.col("analysis") == "negative_control")
    marks = [line for axes in figure.axes for line in axes.lines if line.get_marker() == "o"]
    assert len(marks) == rows.drop_nulls("estimate").height + len(study_of(more).pools)


def test_pairs_of_executors_are_the_same_in_either_order(frames):
    labels = pl.col("analysis") == "location_labels"
    turned = pl.col("evaluator").str.split("|").list.reverse().list.join("|")
    pool = pl.col("pool") == "smollm2"
    rows = frames["results"].with_columns(
        pl.when(labels & pool).then(turned).otherwise("evaluator").alias("evaluator")
    )
    drawn = FIGURES["location_labels"].draw({**frames, "results": rows})
    assert len(drawn.axes[0].get_yticklabels()) == 3


def test_a_foreign_name_is_no_markup_in_snakemakes_report():
    hostile = "*a* `b`_ |c| <script> :ref:`d` .. include:: /etc/passwd\n\n.. raw:: html\n\n* x"
    told = Caption(hostile, hostile, "n", "f").rst("T*")
    html = publish_parts(told, writer="html")["body"]
    assert "system-message" not in html
    assert "root:" not in html
    assert not re.search(r"<(script|li|a|em|cite|tt)\b", html)
    assert html.count(".. include:: /etc/passwd") == 2
