"""Where the numbers of a report come from: machines, models, data, commands, errors on the way."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import polars as pl
import yaml

from repairstudy.report.frames import Frames, table_of
from repairstudy.report.grids import Grid, frame_grid
from repairstudy.report.imported import left_out
from repairstudy.report.numbers import percent


@dataclass(frozen=True, slots=True)
class Registered:
    """What of a registration the page shows beside the plan itself."""

    hash: str
    settings: str


def registration_of(frames: Frames) -> Registered | None:
    rows = table_of(frames, "preregistration")
    if not rows.height:
        return None
    return Registered(rows["registration"][0], _as_yaml(json.loads(rows["settings"][0])))


def sources(frames: Frames) -> list[tuple[str, str]]:
    """Parts of table `provenance` as YAML, under their titles; those that say nothing are left out.

    Nothing here depends on when, where or by whom the page was made.
    """
    rows = table_of(frames, "provenance").to_dicts()
    if not rows:
        return []
    parts = {
        "Machines that ran rollouts": "machines",
        "Models, with the fingerprints of their weights": "models",
        "Hashes (SHA-256) of prompts and data": "data",
        "Commands that ran rollouts": "commands",
        "Hashes (SHA-256) of the tables": "tables",
    }
    told = [(title, json.loads(rows[0][name])) for title, name in parts.items()]
    told.append(("Imported runs that were left out", left_out(frames)))
    return [(title, _as_yaml(content)) for title, content in told if content]


def infrastructure_grid(frames: Frames) -> Grid:
    """Errors that are not the agent's, by executor, role, and original action or candidates."""
    rows = table_of(frames, "infrastructure").sort("executor", "role", "is_original")
    share = pl.col("retried") / pl.col("rollouts")
    columns = {
        "executor": "executor", "role": "role", "is_original": "of", "rollouts": "rollouts",
        "retried": "interrupted and run again", "share": "share", "errors": "errors in all",
    }  # fmt: skip
    formats = {
        "is_original": lambda original: "original action" if original else "candidates",
        "share": lambda value: percent(value),
    }
    return frame_grid(
        "Infrastructure errors", rows.with_columns(share=share), columns, formats, folded=True
    )


def _as_yaml(content: Any) -> str:
    return str(yaml.safe_dump(content, sort_keys=False, allow_unicode=True))
