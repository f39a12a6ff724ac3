"""The record of a job that runs rollouts: what, under which plan, with what, where."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from repairstudy.analysis.registration import Registration
from repairstudy.cli.machine import command, machine, versions
from repairstudy.config import StudyConfig
from repairstudy.config.frozen import sha256
from repairstudy.environments import Environment

# Packages that decide what a rollout is, here and beside the model.
PACKAGES = (
    "repairstudy", "numpy", "httpx", "textworld", "alfworld", "fast-downward-textworld",
)  # fmt: skip
MODEL_PACKAGES = ("vllm", "torch", "transformers", "tokenizers")
DATA_FILES = {"games": "manifest.json", "data": "prepared.json"}  # by option of the environment


def run_record(
    study: StudyConfig,
    registration: Registration,
    model: str,
    stage: str,
    executors: Mapping[str, str],
    environment: Environment,
) -> dict[str, Any]:
    """A document for `witness.record_run`.

    Args:
        executors: ids by name of the executors whose rollouts the job runs.
    """
    section = study.models[model]
    local = section.kind in ("vllm", "transformers")
    return {
        "study": study.study,
        "registration": registration.identity,
        "plan_hash": registration.plan.plan_hash,
        "model": model,
        "stage": stage,
        "executors": dict(sorted(executors.items())),
        "environment": {"name": environment.name, "version": environment.version},
        "data": data_hashes(study),
        "machine": machine(),
        "versions": versions(PACKAGES)
        | (versions(MODEL_PACKAGES, section.python) if local else {}),
        "command": command(),
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def data_hashes(study: StudyConfig) -> dict[str, str]:
    """SHA-256 by path of the prompts, of what lists the environment's data, of imported runs."""
    prompts = [section.prompt for section in study.executors.values() if section.prompt]
    prompts += [section.prompt for section in study.candidates.proposers.values()]
    prompts += [study.evaluators.judge.prompt] if study.evaluators.judge else []
    prompts += [study.labeller.prompt] if study.labeller else []
    lists = [
        str(Path(str(study.environment.options[option])) / name)
        for option, name in DATA_FILES.items()
        if option in study.environment.options
    ]
    lists += study.collection.runs.values()
    return {path: sha256(path) for path in sorted({*prompts, *lists})}
