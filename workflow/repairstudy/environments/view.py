"""What scripted agents need of an episode: its texts, as any agent sees them."""

from __future__ import annotations

from typing import Protocol


class View(Protocol):
    """An episode so far; `observations` has one item more than `actions`."""

    @property
    def instruction(self) -> str: ...
    @property
    def observations(self) -> tuple[str, ...]: ...
    @property
    def actions(self) -> tuple[str, ...]: ...
    @property
    def admissible(self) -> tuple[str, ...]: ...
