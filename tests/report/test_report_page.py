"""The report: verdicts first, everything escaped, nothing fetched."""

import json
import re
from collections import Counter
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import polars as pl
import pytest

from repairstudy.records import TABLES
from repairstudy.report.figures import FIGURES
from repairstudy.report.grids import ESTIMANDS
from repairstudy.report.numbers import interval, probability
from repairstudy.report.page import render_report, write_report
from repairstudy.report.published import read_published
from repairstudy.report.text import readable
from repairstudy.report.verdicts import tally, verdicts

ROOT = Path(__file__).parents[2]
PUBLISHED = read_published(ROOT / "resources" / "published.yaml")
DRAWING = '<svg width="9pt" xmlns="http://www.w3.org/2000/svg"><g id="a"/><use href="#a"/></svg>'
HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>\x00\u202egnp{{ 7*7 }}"
VOID = {"meta", "br", "img", "link", "input", "hr", "use", "path", "rect"}


class Outline(HTMLParser):
    """Elements that are opened and closed in order, with ids, headings and references."""

    def __init__(self, html):
        super().__init__()
        self.open, self.ids, self.tags, self.links, self.attributes = [], [], [], [], []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [name for name, _ in attrs]
        self.ids += [value for name, value in attrs if name == "id"]
        self.links += [value for name, value in attrs if name in ("href", "src", "xlink:href")]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.open.pop() == tag


@pytest.fixture(scope="module")
def html(frames):
    return render_report(frames, dict.fromkeys(FIGURES, DRAWING), PUBLISHED, "explorer.html")


@pytest.fixture(scope="module")
def outline(html):
    return Outline(html)


def test_the_page_is_well_formed_and_its_ids_are_unique(outline):
    assert not outline.open
    assert [name for name, count in Counter(outline.ids).items() if count > 1] == []


def test_nothing_is_fetched_and_nothing_runs(html, outline):
    assert "http://" not in html.replace("http://www.w3.org", "")
    assert "https://" not in html
    assert not {"script", "iframe", "link", "object", "img"} & set(outline.tags)
    assert not [name for name in outline.attributes if name.startswith("on")]
    assert {link for link in outline.links if not link.startswith("#")} == {"explorer.html"}
    assert "@import" not in html
    assert "url(" not in html


def test_every_link_inside_the_page_leads_somewhere(outline):
    assert {link[1:] for link in outline.links if link.startswith("#")} <= set(outline.ids)


def test_verdicts_come_before_everything_else(html):
    places = [html.index(f'id="{name}"') for name in ("verdicts", "plan", "losses", "published")]
    assert places == sorted(places)


def test_every_figure_has_a_text_for_those_who_cannot_see_it(html, frames):
    for spec in FIGURES.values():
        [[drawing, says]] = re.findall(
            rf'<svg role="img" aria-labelledby="{spec.name}-title" '
            rf'aria-describedby="{spec.name}-desc"(.*?)<desc id="{spec.name}-desc">(.*?)</desc>',
            html,
        )
        assert f'<title id="{spec.name}-title">{spec.title}</title>' in drawing
        assert unescape(says) == readable(spec.caption(frames).shows)


def test_a_verdict_names_estimate_interval_p_and_failures(frames):
    [smollm2] = [item for item in verdicts(frames) if item.pool.name == "smollm2"]
    [greedy] = [item for item in smollm2.hypotheses if item.evaluator == "greedy replay"]
    row = frames["results"].row(
        by_predicate=(pl.col("pool") == "smollm2")
        & (pl.col("analysis") == "losses")
        & (pl.col("evaluator") == "greedy")
        & (pl.col("estimand") == "loss"),
        named=True,
    )
    assert greedy.loss == f"{row['estimate']:.3f}".replace("-", "−")
    assert greedy.interval == interval(row["ci_low"], row["ci_high"], 3)
    assert greedy.p_holm == probability(row["p_holm"])
    assert greedy.verdict == ("confirmed" if row["reject"] else "not shown")


def changed(frames, **values):
    """The study with its greedy loss in smollm2 changed."""
    its = (
        (pl.col("pool") == "smollm2")
        & (pl.col("analysis") == "losses")
        & (pl.col("evaluator") == "greedy")
        & (pl.col("estimand") == "loss")
    )
    schema = TABLES["results"].schema
    rows = frames["results"].with_columns(
        pl.when(its).then(pl.lit(value, schema[name])).otherwise(pl.col(name)).alias(name)
        for name, value in values.items()
    )
    return {**frames, "results": rows}


def greedy_verdict(frames):
    [pool] = [item for item in verdicts(frames) if item.pool.name == "smollm2"]
    return next(item for item in pool.hypotheses if item.evaluator == "greedy replay")


def test_what_is_not_shown_comes_with_what_remains_possible(frames):
    found = greedy_verdict(changed(frames, reject=False, estimate=0.02, ci_high=0.071))
    assert found.verdict == "not shown"
    assert "up to 0.071" in found.remark


def test_a_loss_below_zero_is_a_better_choice(frames):
    found = greedy_verdict(
        changed(frames, reject=False, estimate=-0.034, ci_low=-0.05, ci_high=-0.01)
    )
    assert found.loss == "−0.034"
    assert "better than matched selection" in found.remark


def test_a_note_that_all_hypotheses_of_a_pool_share_is_said_once(frames):
    its = (pl.col("pool") == "smollm2") & (pl.col("analysis") == "losses")
    note = pl.when(its).then(pl.lit("only 5 clusters")).otherwise(pl.col("note"))
    noted = {**frames, "results": frames["results"].with_columns(note=note.alias("note"))}
    [pool] = [item for item in verdicts(noted) if item.pool.name == "smollm2"]
    assert pool.notes == ("only 5 clusters",)
    assert {item.note for item in pool.hypotheses} == {""}
    [other] = [item for item in verdicts(changed(frames, note="x")) if item.pool.name == "smollm2"]
    assert other.notes == ()
    assert "x" in {item.note for item in other.hypotheses}


def test_a_loss_that_could_not_be_computed_says_so(frames):
    found = greedy_verdict(changed(frames, estimate=None, reject=None))
    assert found.verdict == "not computed"


def test_in_an_uninformative_pool_nothing_is_evidence(frames):
    gap = pl.col("analysis") == "positive_control"
    rows = frames["results"].with_columns(
        note=pl.when(gap).then(pl.lit("uninformative")).otherwise(pl.col("note"))
    )
    found = verdicts({**frames, "results": rows})
    assert {item.verdict for pool in found for item in pool.hypotheses} == {"no evidence"}
    assert all(pool.control.startswith("Uninformative") for pool in found)


def test_the_tally_counts_every_verdict(frames):
    found = verdicts(frames)
    number = sum(len(pool.hypotheses) for pool in found)
    text = tally(found)
    assert text.startswith(f"Of {number} pre-specified hypotheses: ")
    assert sum(map(int, re.findall(r"(\d+) (?:confirmed|not shown)", text))) == number
    assert text.endswith("Uninformative: policy-strong-screened.")


def test_without_a_plan_everything_is_exploratory(frames):
    rows = frames["results"].with_columns(confirmatory=pl.lit(False))
    bare = {**frames, "results": rows, "preregistration": TABLES["preregistration"].empty()}
    html = render_report(bare, {}, PUBLISHED)
    assert "No result of this study is confirmatory: all are exploratory." in html
    assert "No plan was frozen" in html


def test_the_plan_its_time_and_its_amendments_are_shown(html, frames):
    assert frames["preregistration"]["plan_hash"][0] in html
    assert "2026-11-29 12:00:00 UTC" in html
    assert "the plan changed after rollouts existed" in html
    assert "+alpha: 0.01" in html


def test_every_row_of_a_table_says_whether_it_is_confirmatory(html, frames):
    losses = frames["results"].filter(
        pl.col("analysis").is_in(["losses", "failure_scope"]) & (pl.col("estimand") == "loss")
    )
    body = html[html.index("<caption>All losses") :]
    body = body[: body.index("</table>")]
    assert body.count(">confirmatory<") == losses["confirmatory"].sum()
    assert body.count(">exploratory<") == (~losses["confirmatory"]).sum()


def test_published_numbers_are_labelled_as_another_setting(html):
    section = html[html.index('id="published"') :]
    assert "Another setting" in section
    for number in ("0.08 to 0.13 (success)", "0.25", "0.07 to 0.17", "0.63", "10 to 11"):
        assert number in section


def test_policy_models_are_called_policy_lms(html):
    assert "Policy LMs" in html
    assert not re.search(r"policy[- ]\w*[- ]?instruct", html, re.IGNORECASE)


def test_what_a_study_does_not_have_is_said(elsewhere):
    html = render_report(elsewhere, {}, PUBLISHED)
    assert not Outline(html).open
    assert "No ranking" not in html
    assert "Nothing is known about what the rollouts cost" in html


def test_hostile_text_is_shown_and_not_obeyed(frames):
    """Every text column of every table that the report reads, filled with an attack."""
    attacked = {
        **frames,
        "executors": frames["executors"].with_columns(
            pl.lit(HOSTILE).alias("name"), model=pl.lit(HOSTILE), identity=pl.lit(HOSTILE)
        ),
        "audit": frames["audit"].with_columns(detail=pl.lit(HOSTILE)),
        "results": frames["results"].with_columns(
            note=pl.when(pl.col("note").is_null()).then(pl.lit(HOSTILE)).otherwise("note"),
            pool=pl.col("pool").str.replace("smollm2", HOSTILE, literal=True),
            evaluator=pl.col("evaluator").str.replace("policy-weak", HOSTILE, literal=True),
        ),
        "failures": frames["failures"].with_columns(
            pool=pl.col("pool").str.replace("smollm2", HOSTILE, literal=True)
        ),
    }
    html = render_report(attacked, dict.fromkeys(FIGURES, DRAWING), PUBLISHED)
    outline = Outline(html)
    assert not {"script", "img"} & set(outline.tags)
    assert not [name for name in outline.attributes if name.startswith("on")]
    assert "&lt;script&gt;alert(1)" in html
    assert "{{ 7*7 }}" in html
    assert "\x00" not in html
    assert "\u202e" not in html
    assert "‹U+202E›" in html


def test_the_report_is_written_from_the_drawn_figures(frames, tmp_path):
    (tmp_path / "losses.svg").write_text(DRAWING, encoding="utf-8")
    write_report(frames, tmp_path, PUBLISHED, tmp_path / "report.html")
    html = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert 'id="losses-a"' in html
    assert 'id="figure-cost"' not in html
    assert "explorer" not in html


def test_every_statistic_is_explained(frames):
    assert set(frames["results"]["estimand"]) <= set(ESTIMANDS)


def configured(frames, **changes):
    """The study with a changed configuration."""
    config = json.loads(frames["provenance"]["config"][0]) | changes
    changed = frames["provenance"].with_columns(config=pl.lit(json.dumps(config)))
    return {**frames, "provenance": changed}


def test_an_environment_says_what_its_reader_must_know(frames):
    alfworld = configured(frames, environment={"name": "alfworld", "budget": 50})
    html = render_report(alfworld, {}, PUBLISHED)
    assert "The environment is <b>ALFWorld</b>" in html
    assert "Nothing in ALFWorld is irreversible" in html
    assert html.count('class="nearest"') == 1 + len(PUBLISHED.quantities)
    assert "Nothing in ALFWorld" not in render_report(frames, {}, PUBLISHED)


def test_a_foreign_environment_is_called_by_its_name(frames):
    html = render_report(configured(frames, environment={"name": "<my>world"}), {}, PUBLISHED)
    assert "The environment is <b>&lt;my&gt;world</b>" in html
    assert 'class="nearest"' not in html


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"environment": {"name": "webshop", "options": {"data": "x/synthetic"}}}, "Synthetic cat"),
        ({"models": {"m": {"kind": "simulated"}}}, "Simulated executors"),
        ({"models": {"m": {"kind": "scripted"}}}, "Scripted executors"),
        ({"models": {"m": {"path": "resources/models/webshop-weak"}}}, "Policy LMs"),
        ({"executors": {"e": {"protocol": "webshop-descriptor/1"}}}, "Observation encoded"),
        ({"outcomes": "outcomes.parquet"}, "Outcomes made elsewhere"),
    ],
)
def test_what_is_not_the_real_thing_is_said_at_the_top(frames, changes, said):
    html = render_report(configured(frames, **changes), {}, PUBLISHED)
    assert 0 < html.index(said) < html.index('id="verdicts"')
    assert said not in render_report(frames, {}, PUBLISHED)[: html.index('id="verdicts"')]


def test_an_invented_catalogue_shows_in_its_products(frames):
    invented = frames["trajectories"].with_columns(cluster=pl.lit("SYN0001"))
    assert "Synthetic catalogue" in render_report(
        {**frames, "trajectories": invented}, {}, PUBLISHED
    )


def test_a_study_of_rewards_speaks_of_rewards(frames):
    plan = json.loads(frames["preregistration"]["plan"][0]) | {"metric": "reward"}
    registered = frames["preregistration"].with_columns(plan=pl.lit(json.dumps(plan)))
    html = render_report({**frames, "preregistration": registered}, {}, PUBLISHED)
    assert "Values are differences in reward." in html
    assert "deployed executor&#39;s reward" in html
    assert "success probability" not in html


def test_without_exact_values_nothing_speaks_of_them(frames):
    kept = frames["results"].filter(pl.col("analysis") != "exact")
    html = render_report({**frames, "results": kept}, {}, PUBLISHED)
    assert "Estimates against exact values" not in html
    assert 'href="#exact"' not in html
