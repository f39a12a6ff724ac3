"""Tables `provenance` and `build`: where a study's numbers come from, and who made this file.

`provenance` follows from the results and the records of the runs alone, so that a study built twice
from one cache says the same. What differs from build to build (time, machine, command) is in
`build`, which no page, figure or file shows.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from platform import python_version
from typing import Any

import polars as pl

from repairstudy.analysis.registration import Registration
from repairstudy.analysis.witness import Run, Witness
from repairstudy.cli.machine import command, machine, versions
from repairstudy.cli.script import git_commit
from repairstudy.records import canonical_json
from repairstudy.records.tables import BUILD, PROVENANCE
from repairstudy.store.contents import content_hashes

PACKAGES = (
    "repairstudy", "duckdb", "numpy", "pandas", "polars", "pyarrow", "scipy", "matplotlib",
    "seaborn", "snakemake", "statsmodels", "pydantic", "jinja2", "httpx", "textworld", "alfworld",
)  # fmt: skip


def provenance_of(
    config: Mapping[str, Any],
    frames: Mapping[str, pl.DataFrame],
    registration: Registration,
    witness: Witness,
    times_file: str | Path | None,
) -> pl.DataFrame:
    """The one row of table `provenance`.

    Args:
        frames: every other table of the database.
        times_file: JSON with the ends of the first and last rollout; None if they are not known.
    """
    times = _times(times_file)
    row = {
        "study": config["study"],
        "config": canonical_json(dict(config)),
        "versions": canonical_json(versions(PACKAGES) | {"python": python_version()}),
        "models": canonical_json(_models(frames["executors"])),
        "data": canonical_json(_data(registration, witness.runs)),
        "machines": canonical_json(_machines(witness.runs)),
        "commands": canonical_json(sorted({run["command"] for run in witness.runs})),
        "tables": canonical_json(content_hashes(frames)),
        "started": times.get("started"),
        "finished": times.get("finished"),
    }
    return pl.DataFrame([row], schema=PROVENANCE.schema)


def first_rollout(times_file: str | Path | None) -> datetime | None:
    """When the first rollout of a study ended, as `merge_rollouts` wrote it down."""
    return _times(times_file).get("started")


def build_of(study: str) -> pl.DataFrame:
    """The one row of table `build`: this machine, now."""
    row = {
        "study": study,
        "built_at": datetime.now(UTC).replace(microsecond=0),
        "machine": canonical_json(machine()),
        "command": command(),
        "commit": git_commit(),
    }
    return pl.DataFrame([row], schema=BUILD.schema)


def _times(times_file: str | Path | None) -> dict[str, datetime]:
    if not times_file:
        return {}
    content = json.loads(Path(times_file).read_text(encoding="utf-8"))
    return {name: datetime.fromisoformat(text) for name, text in content.items()}


def _models(executors: pl.DataFrame) -> dict[str, Any]:
    """The identity of each model by its name, as the executors that use it give it."""
    found = {}
    for name, identity in executors.sort("name").select("model", "identity").iter_rows():
        found[name] = json.loads(identity).get("model", {})
    return found


def _data(registration: Registration, runs: tuple[Run, ...]) -> dict[str, list[str]]:
    """By path, the hashes that it had when rollouts ran; normally one."""
    found: dict[str, set[str]] = {}
    for run in runs:
        for path, content in run["data"].items():
            found.setdefault(path, set()).add(content)
    outcomes = registration.current_settings.get("shared", {}).get("outcomes")
    if outcomes:
        found["outcomes"] = {outcomes}
    imported = registration.current_settings.get("shared", {}).get("collection", {}).get("runs", {})
    for name, content in imported.items():
        found.setdefault(f"imported runs of {name}", set()).add(content)
    return {path: sorted(contents) for path, contents in sorted(found.items())}


def _machines(runs: tuple[Run, ...]) -> list[dict[str, Any]]:
    """Each machine that ran rollouts, with the models it ran and what was installed there."""
    models: dict[str, set[str]] = {}
    for run in runs:
        key = canonical_json({**run["machine"], "versions": run["versions"]})
        models.setdefault(key, set()).add(run["model"])
    return [json.loads(key) | {"models": sorted(models[key])} for key in sorted(models)]
