"""The study in a minute: its numbers are those of the tables, its words those of the verdicts."""

import re

import polars as pl

from repairstudy.records import TABLES
from repairstudy.report.controls import controls_tally
from repairstudy.report.study import study_of
from repairstudy.report.summary import summary, words
from repairstudy.report.verdicts import tally, verdicts


def texts(frames):
    return {point.heading: point.texts for point in summary(frames)}


def test_it_asks_answers_and_says_why_to_believe_it(frames):
    assert list(texts(frames)) == [
        "Question", "Answer", "What choosing is worth", "Can it be believed?", "Made from",
    ]  # fmt: skip
    assert "smollm2 and policy-strong" in texts(frames)["Question"][0]
    assert texts(frames)["Answer"][0] == tally(verdicts(frames))


def test_the_answer_counts_what_was_rejected_and_names_the_largest(frames):
    rows = frames["results"].filter(
        (pl.col("analysis") == "losses") & (pl.col("estimand") == "loss")
        & (pl.col("pool") == "smollm2") & pl.col("confirmatory")
        & pl.col("evaluator").is_in(["greedy", "solvability", "planner", "judge"])
    )  # fmt: skip
    lost = rows.filter("reject").sort("estimate", descending=True)
    [text] = [text for text in texts(frames)["Answer"] if text.startswith("In smollm2 ")]
    assert f"{lost.height} of {rows.height} evaluators with another target are shown to " in text
    assert f"{lost['estimate'][0]:.3f} ({lost['ci_low'][0]:.3f} to " in text


def test_what_choosing_is_worth_are_the_net_gains(frames):
    rows = frames["results"].filter(analysis="losses", estimand="net_gain", pool="smollm2")
    gains = dict(rows.select("evaluator", "estimate").rows())
    [text] = [t for t in texts(frames)["What choosing is worth"] if t.startswith("In smollm2 ")]
    shown = [float(number) for number in re.findall(r"0\.\d\d", text)]
    assert shown == [round(gains[name], 2) for name in ("random", "own_1", "matched")]


def test_controls_and_audit_are_named_whether_they_hold_or_not(frames):
    positive, negative, audit = texts(frames)["Can it be believed?"]
    assert positive.startswith("3 of 4 pools pass the positive control")
    assert negative == controls_tally(frames)
    assert "1 of 2 checks FAIL" in audit


def test_an_uninformative_pool_gives_no_answer(frames):
    note = pl.when(pl.col("analysis") == "positive_control").then(pl.lit("uninformative"))
    rows = frames["results"].with_columns(note=note.otherwise("note"))
    answers = texts({**frames, "results": rows})["Answer"]
    assert all("no evidence" in text for text in answers)
    assert not any("shown to lose" in text for text in answers)


def test_a_study_without_anything_says_so():
    empty = {name: TABLES[name].empty() for name in TABLES}
    said = texts(empty)
    assert said["Answer"] == ("No result of this study is confirmatory: all are exploratory.",)
    assert said["Can it be believed?"] == (
        "No positive control was computed.", "No negative control was run.", "No audit was made.",
    )  # fmt: skip
    assert "no plan was frozen" in said["Made from"][0]


def test_it_takes_less_than_a_minute_to_read(frames):
    """At 250 words a minute, numbers counted as words; four pools are what the default has."""
    said = " ".join(text for point in summary(frames) for text in point.texts)
    assert len(said.split()) < 300


def test_every_term_is_explained_once(frames):
    terms = [term for term, _ in words(study_of(frames))]
    assert {"rollout", "evaluator", "selection loss", "confirmatory"} <= set(terms)
    assert len(set(terms)) == len(terms)
