"""The settings that are frozen with the plan: what decides the meaning of its tests.

Left out is what cannot change an outcome or a test (folders, servers and their resources, numbers
of retries), and what only exploratory analyses use (`rollouts.control`, `rollouts.fresh`,
`labeller`). Weights and the environment's version are known when rollouts run; the records of the
runs hold them (`analysis/witness.py`).
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from repairstudy.config.study import OutcomesConfig, StudyConfig


def frozen_settings(study: StudyConfig | OutcomesConfig) -> dict[str, Any]:
    """Settings by what they govern: `shared`, `pools.NAME` and `evaluators.NAME`; JSON values."""
    if isinstance(study, OutcomesConfig):
        shared = {
            "seed": study.seed,
            "deployed": study.deployed,
            "outcomes": sha256(study.outcomes),
        }
        return {"shared": shared, "pools": {}, "evaluators": {}}
    return _plain(
        {
            "shared": {
                "seed": study.seed,
                "metric": study.metric,
                "environment": study.environment.model_dump(mode="json"),
                "collection": _collection(study),
                "positions": study.positions.model_dump(mode="json"),
                "candidates": _candidates(study),
                "label_rollouts": study.rollouts.label,
            },
            "pools": {
                name: pool.model_dump(mode="json") | {"executor": _executor(study, pool.deployed)}
                for name, pool in study.pools.items()
            },
            "evaluators": _evaluators(study),
        }
    )


def sha256(path: str | Path) -> str:
    """The SHA-256 of a file's bytes, or "missing"."""
    if not Path(path).is_file():
        return "missing"
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _collection(study: StudyConfig) -> dict[str, Any]:
    """Failures made elsewhere are what their files hold, wherever these lie."""
    section = study.collection.model_dump(mode="json")
    dropping = section.pop("drop_unusable")
    runs = {name: sha256(path) for name, path in section.pop("runs").items()}
    return section | ({"runs": runs, "drop_unusable": dropping} if runs else {})


def _evaluators(study: StudyConfig) -> dict[str, Any]:
    section = study.evaluators
    found: dict[str, Any] = {
        "greedy": {"rollouts": section.greedy},
        "temperature_0.3": {"rollouts": section.low_temperature},
        "solvability": {"used": section.solvability},
        "planner": {"used": section.planner},
    }
    for name, evaluator in section.executors.items():
        found[f"executor:{name}"] = evaluator.model_dump(mode="json") | {
            "executor": _executor(study, name)
        }
    if section.judge is not None:
        judge = section.judge
        found["judge"] = judge.model_dump(mode="json") | {
            "prompt": sha256(judge.prompt), "model": _model(study, judge.model)
        }  # fmt: skip
    return found


def _candidates(study: StudyConfig) -> dict[str, Any]:
    proposers = {
        name: proposer.model_dump(mode="json")
        | {"prompt": sha256(proposer.prompt), "model": _model(study, proposer.model)}
        for name, proposer in study.candidates.proposers.items()
    }
    return study.candidates.model_dump(mode="json") | {"proposers": proposers}


def _executor(study: StudyConfig, name: str) -> dict[str, Any]:
    executor = study.executors[name]
    prompt = sha256(executor.prompt) if executor.prompt else None
    return executor.model_dump(mode="json") | {
        "prompt": prompt, "model": _model(study, executor.model)
    }  # fmt: skip


def _model(study: StudyConfig, name: str) -> dict[str, Any]:
    """Who a model is, as far as the configuration says; not where it lies or who serves it."""
    model = study.models[name]
    known = model.model_dump(mode="json", include={"served_name", "revision", "chat", "parameters"})
    return {"name": name} | known


def _plain(content: dict[str, Any]) -> dict[str, Any]:
    """As a JSON file gives it back: lists for tuples, text keys."""
    plain: dict[str, Any] = json.loads(json.dumps(content))
    return plain
