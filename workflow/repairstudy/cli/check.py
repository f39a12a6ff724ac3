"""``repairstudy check CONFIG``: whether a study's files fit together, before anything runs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from repairstudy.config import StudyConfig


def check(
    config: Annotated[Path, typer.Argument(metavar="CONFIG", help="Configuration of a study.")],
) -> None:
    """Check a configuration, its plan and its files.

    Reads the configuration, its analysis plan and its prompts, makes its environment, and compares
    what the plan tests with what the study measures. No model is loaded and no server is asked.
    Each problem is a line that names the file and the key.
    """
    from repairstudy.analysis.testable import read_plan_of, require_testable
    from repairstudy.config import StudyConfig, parse_study, read_yaml
    from repairstudy.config.files import require_named
    from repairstudy.config.frozen import frozen_settings
    from repairstudy.errors import ConfigError

    study = parse_study(read_yaml(config), config)
    require_named(study, config)
    plan = read_plan_of(study.plan, study.study)
    require_testable(plan, frozen_settings(study), study.plan)
    tests = f"{len(plan.hypotheses())} hypotheses in {study.plan}"
    if not isinstance(study, StudyConfig):
        if not Path(study.outcomes).is_file():
            raise ConfigError(f"{config}: outcomes: there is no file '{study.outcomes}'")
        print(f"study {study.study}: outcomes in {study.outcomes}, {tests}")
        return
    try:
        absent = list(_not_there_yet(study))
    except ConfigError as error:
        raise ConfigError(f"{config}: {error}") from error
    for line in absent:
        print(f"not there yet: {line}")
    print(
        f"study {study.study}: {', '.join(study.deployed)} deployed, "
        f"{sum(pool.size for pool in study.pools.values())} failures in pools "
        f"{', '.join(study.pools)}, {tests}"
    )


def _not_there_yet(study: StudyConfig) -> Iterator[str]:
    """Weights and data, which the workflow may make or fetch; a line each.

    Raises:
        ConfigError: parameters of a model or options of the environment are not accepted.
    """
    from repairstudy.config.build import environment_of, policy_of
    from repairstudy.engines.simulated import planted_policy
    from repairstudy.errors import ConfigError, DataError

    for name, model in study.models.items():
        try:
            if model.kind == "simulated":
                planted_policy(model.parameters)
            elif model.kind == "scripted":
                policy_of(model)
        except ConfigError as error:
            raise ConfigError(f"models.{name}.{error}") from error
        weights = Path(model.path or "", "model.safetensors")
        is_folder = weights.is_absolute() or weights.parts[0] in ("resources", "..")
        if (is_folder or model.kind == "transformers") and not any(weights.parent.glob("*.safet*")):
            yield f"models.{name}.path: {weights}"
    try:
        environment_of(study)
    except DataError as error:
        yield f"environment: {error}"
