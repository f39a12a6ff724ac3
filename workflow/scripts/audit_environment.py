"""Audit an environment's scoring; with planted defects, audit the audit in that environment."""

from dataclasses import asdict, fields
from pathlib import Path

import polars as pl

from repairstudy.audit import (
    Finding,
    Planted,
    Sample,
    audit_environment,
    audit_the_audit,
    page,
    summary,
    trusted,
)
from repairstudy.cli.script import job
from repairstudy.environments import make_environment
from repairstudy.errors import StudyError
from repairstudy.records.tables import AUDIT
from repairstudy.store import write_table

LONGEST = 15  # actions of a random walk
PLANTED_COLUMNS = tuple(field.name for field in fields(Planted))


def audited(environment, tasks, planted_tasks, seed):
    """All findings, those on planted defects after the others, and the planted defects.

    Whatever an environment does to its audit is a finding: a study goes on, and its report says it.
    """

    def make():
        return make_environment(environment["name"], environment["options"])

    findings, planted = [], []
    try:
        length = min(environment["budget"], LONGEST)
        if make().blocking:  # it waits for other processes, so that everything takes longer
            tasks = max(1, tasks // 2)
        findings = audit_environment(make, Sample(tasks=tasks, length=length, seed=seed))
        if planted_tasks and not trusted(findings):
            reason = "not applicable: defects are planted in sound scoring alone"
            findings.append(Finding("planted: all classes", None, reason))
        elif planted_tasks:
            sample = Sample(tasks=planted_tasks, walks=2, length=length, seed=seed)
            planted = list(audit_the_audit(make, sample))
            findings += summary(planted)
    except StudyError:
        raise
    except Exception as error:
        findings.append(Finding("the audit came to its end", False, repr(error)))
    return findings, planted


def main(environment, tasks, planted_tasks, seed, out_audit, out_planted, out_page, progress):
    name = environment["name"]
    findings, planted = audited(environment, tasks, planted_tasks, seed)
    for finding in findings:
        progress.write(f"{finding.check}: {finding.passed}, {finding.detail}\n")
    rows = [{"environment": name, **asdict(finding)} for finding in findings]
    frame = pl.DataFrame(rows, schema=AUDIT.schema)
    if Path(out_audit).suffix == ".parquet":
        write_table(frame, out_audit, AUDIT)
    else:
        frame.write_csv(out_audit)
    if out_planted:
        rows = [asdict(row) for row in planted]
        pl.DataFrame(rows, schema=PLANTED_COLUMNS, infer_schema_length=None).write_csv(out_planted)
        Path(out_page).write_text(page(name, findings, planted), encoding="utf-8")


if __name__ == "__main__":
    with job(snakemake.log[0], "audit") as out:
        main(
            environment=snakemake.params.environment,
            tasks=snakemake.params.tasks,
            planted_tasks=snakemake.params.planted_tasks,
            seed=snakemake.params.seed,
            out_audit=snakemake.output.audit,
            out_planted=snakemake.output.get("planted"),
            out_page=snakemake.output.get("page"),
            progress=out,
        )
