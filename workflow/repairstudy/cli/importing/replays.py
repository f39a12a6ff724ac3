"""A study as what imported runs must be, and runs replayed in its environment."""

from __future__ import annotations

import re
from collections.abc import Iterable

from repairstudy.config import StudyConfig
from repairstudy.errors import ConfigError
from repairstudy.executors import Protocol, make_protocol
from repairstudy.imported.replaying import Comparison, Study

WORDS = "window-1/1"  # how a rule that acts would be read, had it written


def patterns(texts: Iterable[str]) -> tuple[re.Pattern[str], ...]:
    """Regular expressions of `--ignore`.

    Raises:
        ConfigError: one is none.
    """
    found = []
    for text in texts:
        try:
            found.append(re.compile(text, re.DOTALL))
        except re.error as error:
            raise ConfigError(f"--ignore: '{text}' is no regular expression ({error})") from None
    return tuple(found)


def study_of(
    config: StudyConfig, executor: str, comparison: Comparison = "equal",
    ignored: tuple[re.Pattern[str], ...] = (), protocol: str | None = None,
) -> Study:  # fmt: skip
    """What a run must be to be one of an executor of the study.

    Args:
        protocol: by which the agent's words are read; None: the executor's own.
    """
    section = config.executors[executor]
    return Study(
        budget=config.environment.budget,
        invalid_limit=section.invalid_limit,
        parse=_protocol(protocol or section.protocol).parse,
        comparison=comparison,
        ignored=ignored,
    )


def _protocol(name: str) -> Protocol:
    return make_protocol(WORDS if name == "scripted" else name)
