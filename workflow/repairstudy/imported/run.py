"""One run of an agent: a line of a file of runs."""

from __future__ import annotations

from typing import Any

from pydantic import Field, ValidationInfo, field_validator

from repairstudy.checked import Section


class Run(Section):
    """What one run did, in the environment's own words.

    With n actions there are n observations, one before each, or n + 1 with the last one after
    the end; null stands for one that was not recorded. `success` and `reward` are what the
    source claims. `t` and `candidates` say what is to be repaired (`repairstudy pick`); a study
    chooses its positions and candidates itself.
    """

    failure_id: str = Field(min_length=1, description="Name of the run, each once in a file.")
    task_id: str = Field(min_length=1, description="The environment's name of the task.")
    actions: list[str] = Field(min_length=1, description="What the run did.")
    observations: list[str | None] | None = Field(
        default=None, description="What it saw before each action, and perhaps after the last."
    )
    valid: list[bool] | None = Field(
        default=None, description="Whether each action was admissible where it was done."
    )
    texts: list[str | None] | None = Field(
        default=None, description="What the agent wrote at each step; kept, never used."
    )
    success: bool | None = Field(default=None, description="Whether it solved the task.")
    reward: float | None = Field(default=None, ge=0.0, le=1.0, description="Its reward.")
    source: dict[str, Any] | None = Field(
        default=None, description="Where it comes from, in any words; kept, never used."
    )
    t: int | None = Field(default=None, ge=0, description="Step to be repaired, from 0.")
    candidates: list[Any] | None = Field(
        default=None, min_length=1, description='Actions, or {"t": step, "action": action}.'
    )

    @field_validator("candidates")
    @classmethod
    def _readable(cls, found: list[Any] | None) -> list[Any] | None:
        for place, one in enumerate(found or ()):
            named = isinstance(one, dict) and set(one) == {"t", "action"}
            if isinstance(one, str) or (
                named and isinstance(one["action"], str) and type(one["t"]) is int
            ):
                continue
            raise ValueError(
                f'number {place} is neither an action nor {{"t": step, "action": ...}}'
            )
        return found

    @field_validator("observations", "valid", "texts")
    @classmethod
    def _as_many(cls, found: list[Any] | None, info: ValidationInfo) -> list[Any] | None:
        if found is None or "actions" not in info.data:
            return found
        n, known = len(info.data["actions"]), len(found)
        if known != n and (known != n + 1 or info.field_name != "observations"):
            raise ValueError(f"{known} for {n} actions")
        return found
