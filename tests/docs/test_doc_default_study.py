"""The numbers that README and docs/default-study.md quote are those of the default study.

Where no default study was run (`make study`), there is nothing to compare with. Another database:
REPAIRSTUDY_DEFAULT_STUDY=FILE.
"""

import os
from pathlib import Path

import duckdb
import pytest
from documented import ROOT

DATABASE = Path(
    os.environ.get("REPAIRSTUDY_DEFAULT_STUDY", ROOT / "results/gridworld/study.duckdb")
)
pytestmark = pytest.mark.skipif(not DATABASE.exists(), reason="no default study was run here")
PAGE = (ROOT / "docs/default-study.md").read_text("utf-8")
README = (ROOT / "README.md").read_text("utf-8")
WORDS = {
    "policy-strong, 5 rollouts": "executor:policy-strong@5",
    "policy-strong, 20 rollouts": "executor:policy-strong",
    "a pit-avoiding policy, 5 rollouts": "executor:policy-strong@5",
    "the same, 20 rollouts": "executor:policy-strong",
    "smollm2, 5 rollouts": "executor:smollm2@5",
    "smollm2, 20 rollouts": "executor:smollm2",
    "solvability oracle": "solvability",
    "greedy replay": "greedy",
    "one own rollout": "own_1",
    "llm judge": "judge",
}


def rows(text):
    """The table below "| deployed": pool, evaluator, and the cells of numbers."""
    for line in text.split("\n| deployed |")[1].split("\n\n")[0].splitlines()[2:]:
        deployed, who, *cells = [cell.strip() for cell in line.strip("|").split("|")]
        pool = "smollm2" if deployed.lower() == "smollm2" else "policy-strong"
        yield pool, WORDS[who.lower()], cells


def short(number):
    """Three decimals, as the tables have them: .053, -.014, 1."""
    text = f"{number:.3f}".replace("0.", ".", 1)
    return {"1.000": "1"}.get(text, text)


@pytest.fixture(scope="module")
def study():
    with duckdb.connect(DATABASE, read_only=True) as connection:
        yield connection


def ask(study, query, params=None):
    """All rows, by a cursor of their own: a connection has one unfinished query at most."""
    return study.cursor().sql(query, params=params).fetchall()


def one(study, columns, pool, evaluator, estimand):
    analysis = "losses" if estimand == "loss" else "exact"
    found = ask(
        study,
        f"""SELECT {columns} FROM results
        WHERE pool = ? AND evaluator = ? AND estimand = ? AND analysis = ?""",
        [pool, evaluator, estimand, analysis],
    )
    return found[0] if found else None


def expected(study, pool, evaluator):
    """Loss with its interval, Holm's p, and the loss with unlimited rollouts ("" if not asked)."""
    loss, low, high, p = one(study, "estimate, ci_low, ci_high, p_holm", pool, evaluator, "loss")
    exact = one(study, "estimate", pool, evaluator, "true_target_loss") or one(
        study, "estimate", pool, evaluator, "exact_loss"
    )
    unlimited = "" if evaluator.startswith("own_") else short(exact[0])
    return f"{short(loss)} ({short(low)} to {short(high)})", short(p), unlimited


@pytest.mark.parametrize(("name", "text"), [("page", PAGE), ("README", README)])
def test_each_row_is_what_the_database_says(name, text, study):
    for pool, evaluator, cells in rows(text):
        loss, p, unlimited = expected(study, pool, evaluator)
        assert cells == ([loss, p, unlimited] if name == "page" else [loss, unlimited])


def test_the_counts_are_what_the_database_says(study):
    tests = "FROM results WHERE analysis = 'losses' AND estimand = 'loss' AND confirmatory"
    [(planned, confirmed)] = ask(study, f"SELECT count(*), sum(reject::INT) {tests}")
    [(distinct,)] = ask(study, "SELECT count(DISTINCT rollout_key) FROM rollouts")
    text = " ".join(PAGE.split())
    assert f"{distinct:,} distinct rollouts, {planned} pre-specified tests, {confirmed} of" in text
    assert f"Of {planned} planned tests {confirmed} were confirmed" in " ".join(README.split())
