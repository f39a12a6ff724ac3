"""The engine of a model that is no language model: nobody answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from repairstudy.engines.base import Request
from repairstudy.errors import ConfigError


class NoEngine:
    """An `Engine` that may be held and not be asked."""

    async def complete(self, request: Request) -> NoReturn:
        raise ConfigError("a scripted model writes no text: it can neither propose nor judge")

    async def score(self, prompt: str, choices: Sequence[str]) -> NoReturn:
        raise ConfigError("a scripted model scores no text: it can neither propose nor judge")

    async def close(self) -> None:
        pass
