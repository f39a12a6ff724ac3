"""Which requests share a prefix, so that one server may answer them all."""

from __future__ import annotations

from contextvars import ContextVar

# Set by whoever runs an episode; every request made within it inherits the value. Not an argument:
# nothing between the scheduler and the servers has any use for it.
GROUP: ContextVar[str] = ContextVar("GROUP", default="")
