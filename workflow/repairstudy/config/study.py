"""A study's configuration as a whole, and the checks across its sections."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from repairstudy.checked import Section, validate
from repairstudy.config import sections as s
from repairstudy.config.consistency import problems_of
from repairstudy.errors import ConfigError


class StudyConfig(Section):
    """A study: what fails, what repairs it, who judges, and how much is measured."""

    study: s.Name = Field(description="Name of the study; its results go to results/<study>.")
    seed: s.Count = Field(default=1, description="Seed of every draw that the study makes.")
    metric: Literal["success", "reward"] = Field(
        default="success", description="The outcome that net gain is measured in."
    )
    results: str = Field(default="results", description="Folder of all results.")
    cache: str = Field(default="results/cache", description="Folder of the rollout cache.")
    plan: str = Field(
        default="config/plans/exploratory.yaml",
        description="File of the analysis plan; the default tests nothing.",
    )
    environment: s.EnvironmentSection
    models: dict[s.Name, s.ModelSection]
    executors: dict[s.Name, s.ExecutorSection]
    pools: dict[s.Name, s.PoolSection]
    collection: s.CollectionSection = Field(default_factory=s.CollectionSection)
    positions: s.PositionsSection = Field(default_factory=s.PositionsSection)
    candidates: s.CandidatesSection = Field(default_factory=s.CandidatesSection)
    rollouts: s.RolloutsSection = Field(default_factory=s.RolloutsSection)
    evaluators: s.EvaluatorsSection = Field(default_factory=s.EvaluatorsSection)
    audit: s.AuditSection = Field(default_factory=s.AuditSection)
    labeller: s.LabellerSection | None = Field(
        default=None, description="Who else labels the failures; null: the detectors alone."
    )

    @property
    def deployed(self) -> tuple[str, ...]:
        """The deployed executors, in the order of the configuration, each once."""
        return tuple(dict.fromkeys(pool.deployed for pool in self.pools.values()))

    def pools_of(self, deployed: str) -> dict[str, s.PoolSection]:
        return {name: pool for name, pool in self.pools.items() if pool.deployed == deployed}

    def failures_wanted(self, deployed: str) -> int:
        """How many failures of an executor its pools need."""
        return max(
            max(pool.size, pool.screen.among) if pool.screen else pool.size
            for pool in self.pools_of(deployed).values()
        )


class OutcomesConfig(Section):
    """A study of outcomes made elsewhere: only selection, statistics, figures and report run."""

    study: s.Name = Field(description="Name of the study; its results go to results/<study>.")
    seed: s.Count = Field(default=1, description="Seed of every draw that the study makes.")
    results: str = Field(default="results", description="Folder of all results.")
    plan: str = Field(description="File of the analysis plan.")
    outcomes: str = Field(description="Parquet or CSV table of rollout outcomes.")
    deployed: str = Field(
        default="deployed", description="Which value of column `executor` is deployed."
    )


def parse_study(content: Mapping[str, Any], path: str | Path) -> StudyConfig | OutcomesConfig:
    """The checked configuration of either kind.

    Raises:
        ConfigError: names the file, the key, and what is accepted there.
    """
    if "outcomes" in content:
        return validate(OutcomesConfig, content, path)
    config = validate(StudyConfig, content, path)
    problems = problems_of(config)
    if problems:
        raise ConfigError("\n".join(f"{path}: {problem}" for problem in problems))
    return config
