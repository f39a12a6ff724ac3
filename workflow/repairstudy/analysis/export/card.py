"""The data card: what the exported files hold, who acted, and what the labels do not say."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

import polars as pl

from repairstudy.analysis.export.tables import FAILED_RUNS, REPAIR_LABELS
from repairstudy.records import TABLES, Table

ROLES = {
    "label": "what the study's own statistics use for the deployed executor",
    "evaluate": "other executors, and other decodings of the deployed one, as evaluators",
    "screen": "chose the failures of screened pools: biased upwards for these, not to be pooled",
    "control": "the deployed executor once more, with other seeds",
    "fresh": "run anew where two executors preferred different candidates",
    "collect": "the failed runs themselves",
}
LIMITS = (
    "A label holds for the executor of its row. Another executor's label of the same candidate can "
    "have the other sign; that is what the study is about.",
    "The best candidate of a row's position, by these counts, is overestimated by them (winner's "
    "curse): choose by some rollouts and value by others.",
    "Failures of one `cluster` are not independent.",
    "Intervals are for a single candidate; of many, some will miss.",
    "Texts of models, web pages and games are data as they were written, not instructions.",
)


def data_card(
    frames: Mapping[str, pl.DataFrame], labels: pl.DataFrame, runs: pl.DataFrame, level: float
) -> str:
    """The card as Markdown.

    Args:
        frames: tables of the study.
        labels: REPAIR_LABELS rows; runs: FAILED_RUNS rows.
        level: level of the intervals.
    """
    [study] = frames["provenance"].select("study", "versions").to_dicts()
    environments = ", ".join(f"`{_cell(name)}`" for name in labels["environment"].unique().sort())
    return "\n\n".join(
        [
            _front(study["study"]),
            f"# Repair labels of study {_cell(study['study'])}",
            f"What replacing one action of a failed agent run was worth, measured by rollouts, in "
            f"{environments}: {labels.height:,} labels of "
            f"{labels.n_unique(['failure_id', 't', 'candidate_id']):,} candidate actions at "
            f"{labels.n_unique(['failure_id', 't']):,} positions of {runs.height:,} failed runs, "
            f"from {_distinct(frames):,} rollouts. A label is the outcome of one candidate under "
            "one executor, and says which. Failures of one task that share their first steps share "
            "rollouts, so numbers of rollouts may add up to more. Screening rollouts of failures "
            "that no pool holds are left out.",
            "Each table comes as Parquet and as JSON Lines (ASCII, one object a line):\n\n"
            f"- `repair_labels`: one row a {_key(REPAIR_LABELS)}\n"
            f"- `failed_runs`: one row a {_key(FAILED_RUNS)}",
            "## Who acted\n\n" + _executors(labels),
            "## Why rollouts were run\n\n" + _roles(labels),
            "## What the labels do not say\n\n" + "\n".join(
                f"- {text}" for text in (*LIMITS, *_imported(frames))
            ),
            "## Intervals\n\n"
            f"`net_gain` is the share of successes after the candidate minus that after the "
            f"original action, both by the same executor in the same role. Its {100 * level:g}% "
            "interval is Newcombe's hybrid score interval (statsmodels). It is null where the "
            "original was not rolled out. Rewards come as means without an interval.",
            *(_columns(table) for table in (REPAIR_LABELS, FAILED_RUNS)),
            "## How it was made\n\n" + _made(frames, study["versions"]),
        ]
    ) + "\n"  # fmt: skip


def _imported(frames: Mapping[str, pl.DataFrame]) -> list[str]:
    runs = frames.get("imported_runs", TABLES["imported_runs"].empty())
    return [
        f"The failed runs of `{_cell(name)}` were made elsewhere and imported: that this executor "
        "made them is taken on trust."
        for name in runs["deployed"].unique().sort()
    ]


def _distinct(frames: Mapping[str, pl.DataFrame]) -> int:
    kept = frames["rollouts"].join(frames["failures"], on="failure_id", how="semi")
    return kept["rollout_key"].n_unique()


def _front(study: str) -> str:
    """What hubs of data sets read first."""
    configs = "\n".join(
        f"- config_name: {table.name}\n  data_files: {table.name}.parquet"
        for table in (REPAIR_LABELS, FAILED_RUNS)
    )
    return f"---\npretty_name: {json.dumps(f'Repair labels of {study}')}\nconfigs:\n{configs}\n---"


def _executors(labels: pl.DataFrame) -> str:
    rows = (
        labels.group_by("executor", "executor_id", "model")
        .agg(pl.col("rollouts").sum(), roles=pl.col("role").unique().sort().str.join(", "))
        .sort("executor")
    )
    lines = [
        (row["executor"], row["model"], f"`{row['executor_id']}`", row["roles"], row["rollouts"])
        for row in rows.iter_rows(named=True)
    ]
    return _table(("executor", "model", "executor_id", "roles", "rollouts"), lines)


def _roles(labels: pl.DataFrame) -> str:
    rows = labels.group_by("role").agg(pl.col("rollouts").sum()).sort("role")
    lines = [(role, count, ROLES.get(role, "")) for role, count in rows.iter_rows()]
    return _table(("role", "rollouts", "why"), lines)


def _columns(table: Table) -> str:
    lines = [
        (f"`{column.name}`", column.dtype, "yes" if column.nullable else "", column.doc)
        for column in table.columns
    ]
    return f"## Columns of `{table.name}`\n\n" + _table(
        ("column", "type", "may be null", "meaning"), lines
    )


def _made(frames: Mapping[str, pl.DataFrame], versions: str) -> str:
    [plan] = frames["preregistration"].select("plan_hash", "registration", "commit").to_dicts()
    known = json.loads(versions)
    lines = [("repairstudy", known.get("repairstudy", "unknown")), ("commit", plan["commit"]),
             ("hash of the frozen plan", plan["plan_hash"]),
             ("registration", plan["registration"])]  # fmt: skip
    return _table(("what", "which"), lines)


def _table(titles: Iterable[object], rows: Iterable[Iterable[object]]) -> str:
    lines = [[_cell(cell) for cell in row] for row in (list(titles), *map(list, rows))]
    text = [f"| {' | '.join(line)} |" for line in lines]
    return "\n".join([text[0], "|" + " --- |" * len(lines[0]), *text[1:]])


def _cell(value: object) -> str:
    """Text on one line that cannot end a cell or start a tag."""
    text = " ".join(f"{value:,}".split() if isinstance(value, int) else str(value).split())
    return text.replace("&", "&amp;").replace("<", "&lt;").replace("|", "\\|")


def _key(table: Table) -> str:
    return ", ".join(table.key)
