"""What the options of ``repairstudy cost`` mean for one study."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from math import isinf

from repairstudy.cli.predicted.assumptions import Assumptions, positive
from repairstudy.cli.predicted.costs import Rate
from repairstudy.cli.predicted.counts import Shape, shape_of
from repairstudy.cli.predicted.sizes import Sizes, given, measure
from repairstudy.config import StudyConfig
from repairstudy.errors import ConfigError, DataError


def sizes(study: StudyConfig, assumed: Assumptions, prompt_tokens: float | None) -> Sizes:
    """Prompts measured along random episodes, or as given.

    Raises:
        StudyError: the environment's data are not in place.
    """
    if prompt_tokens is not None:
        return given(study, positive("--prompt-tokens", prompt_tokens))
    try:
        return measure(study, assumed)
    except DataError as error:
        raise ConfigError(f"{error}\nWithout the data: --prompt-tokens N") from error


def shape(
    study: StudyConfig,
    assumed: Assumptions,
    admissible: float,
    positions: float | None,
    candidates: float | None,
) -> Shape:
    """Positions and arms as predicted, or as given.

    Raises:
        ConfigError: all admissible actions are candidates, and nobody says how many these are.
    """
    found = shape_of(study, assumed, admissible)
    if positions is not None:
        found = replace(found, positions=positive("--positions", positions))
    if candidates is not None:
        found = replace(found, arms=1 + positive("--candidates", candidates))
    if isinf(found.arms):
        raise ConfigError("--candidates: needed, since every admissible action is a candidate")
    return found


def rates(study: StudyConfig, words: Iterable[str]) -> dict[str, Rate]:
    """Tokens a second by model, each given as "MODEL=IN,OUT".

    Raises:
        ConfigError: an unknown model, or no two numbers.
    """
    found = {}
    for word in words:
        model, _, numbers = word.partition("=")
        if model not in study.models:
            raise ConfigError(
                f"--throughput: no model '{model}' (known: {', '.join(study.models)})"
            )
        parts = numbers.split(",")
        if len(parts) != 2:
            raise ConfigError(f"--throughput {model}: give IN,OUT in tokens a second")
        found[model] = (
            positive(f"--throughput {model}", parts[0]),
            positive(f"--throughput {model}", parts[1]),
        )
    return found
