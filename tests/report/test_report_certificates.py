"""What the report says of certificates."""

from __future__ import annotations

import polars as pl
import pytest

from repairstudy.records import TABLES
from repairstudy.report.certificates_section import certificates_lead
from repairstudy.report.sections import sections
from repairstudy.report.study import study_of


def with_certificates(frames, chosen, least=0.17):
    """The made-up study with a choice in each pool; upper bounds of .17 and .31."""
    rows = []
    for pool in study_of(frames).pools:
        for name, high in (("greedy", least), ("planner", 0.31)):
            rows.append((pool.name, name, "loss_bounds", 0.08, -0.02, high, None))
        rows.append((pool.name, chosen, "cheapest_certified", 0.0, None, None, "as told"))
    names = ("pool", "evaluator", "estimand", "estimate", "ci_low", "ci_high", "note")
    known = [
        dict.fromkeys(TABLES["results"].names)
        | dict(zip(names, row, strict=True))
        | {"analysis": "certificate", "confirmatory": False, "n_failures": 60, "n_rollouts": 9,
           "rollouts_query": "SELECT 1"}
        for row in rows
    ]  # fmt: skip
    added = pl.DataFrame(known, schema=TABLES["results"].schema)
    return {**frames, "results": pl.concat([frames["results"], added])}


def test_what_cannot_be_certified_is_said_in_plain_words(frames):
    lead = certificates_lead(with_certificates(frames, "matched"))
    pool = next(pool for pool in study_of(frames).pools if pool.informative)
    assert f"{pool.n_failures} failures cannot certify 0.10" in lead
    assert "cannot certify 0.10: the least upper bound is 0.17, of greedy replay." in lead
    near = certificates_lead(with_certificates(frames, "matched", least=0.09))
    assert "0.09, of greedy replay, which either does not survive testing them all" in near


def test_a_certified_evaluator_is_named(frames):
    lead = certificates_lead(with_certificates(frames, "planner"))
    assert "the cheapest evaluator with a certificate is planner (as told)" in lead


@pytest.mark.parametrize("chosen", ["matched", "planner"])
def test_an_uninformative_pool_certifies_nothing(frames, chosen):
    silent = [pool for pool in study_of(frames).pools if pool.informative is False]
    lead = certificates_lead(with_certificates(frames, chosen))
    assert silent
    for pool in silent:
        assert f"In {pool.name}, the positive control failed" in lead


def test_studies_without_certificates_have_no_section(frames):
    assert "certificates" not in {section.anchor for section in sections(frames)}
    shown = {section.anchor: section for section in sections(with_certificates(frames, "matched"))}
    assert len(shown["certificates"].grids[0].rows) == 3 * len(study_of(frames).pools)
