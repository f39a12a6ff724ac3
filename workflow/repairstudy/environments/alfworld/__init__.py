"""ALFWorld: household tasks in text, played by the real game engine in worker processes."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from repairstudy.environments.alfworld.environment import Alfworld

__all__ = ["Alfworld"]


def __getattr__(name: str) -> Any:
    """Import the environment when it is asked for: a worker needs none of its libraries."""
    if name != "Alfworld":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from repairstudy.environments.alfworld.environment import Alfworld

    return Alfworld
