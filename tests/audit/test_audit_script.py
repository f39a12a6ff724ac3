"""The script behind the rules: what a study's database and a user's folder get."""

from __future__ import annotations

import io
from functools import partial

import polars as pl
from workflow_scripts import load_script

from repairstudy.audit import Finding, audit_the_audit
from repairstudy.audit.defects import errors, verdicts
from repairstudy.records import TABLES
from repairstudy.store import read_table

ENVIRONMENT = {
    "name": "gridworld",
    "budget": 12,
    "options": {"layouts": 4, "width": 4, "height": 3, "walls": 1, "pits": 1, "max_distance": 4},
}


def script():
    return load_script("audit_environment")


def test_a_studys_table_keeps_the_data_contract(tmp_path):
    said = io.StringIO()
    script().main(ENVIRONMENT, 2, 0, 1, tmp_path / "audit.parquet", None, None, said)
    table = read_table(tmp_path / "audit.parquet", TABLES["audit"])
    assert set(table["environment"]) == {"gridworld"}
    assert table["passed"].all()
    assert len(said.getvalue().splitlines()) == table.height


def test_an_environment_that_breaks_its_audit_is_a_finding_and_no_lost_study(monkeypatch):
    module = script()

    def broken(make, sample):
        raise RuntimeError("the engine is gone")

    monkeypatch.setattr(module, "audit_the_audit", broken)
    findings, _ = module.audited(ENVIRONMENT, 2, 2, 1)
    assert findings[-1].passed is False
    assert "the engine is gone" in findings[-1].detail


def test_nothing_is_planted_in_scoring_that_failed_its_audit(monkeypatch):
    module = script()
    bad = Finding("does nothing: rejected", False, "accepted")
    monkeypatch.setattr(module, "audit_environment", lambda make, sample: [bad])
    findings, planted = module.audited(ENVIRONMENT, 2, 2, 1)
    assert [finding.passed for finding in findings] == [False, None]
    assert not planted


def test_two_runs_write_the_same(tmp_path):
    for name in ("one", "two"):
        script().main(ENVIRONMENT, 2, 0, 1, tmp_path / f"{name}.parquet", None, None, io.StringIO())
    assert (tmp_path / "one.parquet").read_bytes() == (tmp_path / "two.parquet").read_bytes()


def test_with_planted_defects_there_is_a_row_for_each_class_and_a_page(tmp_path, monkeypatch):
    module, few = script(), (errors.TimeoutsAreFailures, verdicts.AlwaysSolved)
    monkeypatch.setattr(module, "audit_the_audit", partial(audit_the_audit, defects=few))
    files = [tmp_path / name for name in ("checks.csv", "planted.csv", "audit.md")]
    module.main(ENVIRONMENT, 2, 2, 1, *files, io.StringIO())
    checks = pl.read_csv(files[0]).filter(pl.col("check").str.starts_with("planted: "))
    assert checks.height == 7
    assert checks["passed"].sum() == 2  # the other classes have nothing planted here
    assert pl.read_csv(files[1])["defect"].to_list() == ["timeouts are failures", "always solved"]
    assert files[2].read_text(encoding="utf-8").startswith("# Audit of gridworld\n")
