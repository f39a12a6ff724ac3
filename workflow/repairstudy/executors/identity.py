"""What makes an executor itself: change any part of it and it is another executor."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from math import inf
from typing import Any, Literal

from repairstudy.errors import ConfigError
from repairstudy.records import digest


@dataclass(frozen=True, slots=True)
class ModelIdentity:
    """A model: its name and revision, and the hash that tells its weights apart.

    `weights` is the hash of the checkpoint's files, or the fingerprint of a standing server as
    the study recorded it before its first rollout.
    """

    name: str
    revision: str
    weights: str


@dataclass(frozen=True, slots=True)
class Decoding:
    """How text is drawn from the model.

    `mode`: "choice" draws one token among the admissible actions; "text" draws free text, which
    the protocol parses. `temperature` 0 is greedy. `top_k` 0 means all.
    """

    temperature: float = 0.7
    top_p: float = 0.95
    top_k: int = 0
    max_tokens: int = 1
    mode: Literal["choice", "text"] = "choice"
    stop: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Make equal settings equal JSON (0 and 0.0), and refuse impossible ones."""
        object.__setattr__(self, "temperature", float(self.temperature))
        object.__setattr__(self, "top_p", float(self.top_p))
        object.__setattr__(self, "stop", tuple(self.stop))
        _require(0.0 <= self.temperature < inf, "temperature", self.temperature, "0 or more")
        _require(0.0 < self.top_p <= 1.0, "top_p", self.top_p, "above 0, at most 1")
        _require(self.top_k >= 0, "top_k", self.top_k, "0 or more")
        _require(self.max_tokens >= 1, "max_tokens", self.max_tokens, "1 or more")
        _require(self.mode in ("choice", "text"), "mode", self.mode, "choice, text")
        if self.mode == "choice":
            _require(self.max_tokens == 1, "max_tokens", self.max_tokens, "1 in mode choice")


def _require(holds: bool, key: str, value: object, accepted: str) -> None:
    if not holds:
        raise ConfigError(f"decoding.{key}: {value!r} (accepted: {accepted})")


@dataclass(frozen=True, slots=True)
class InvalidActions:
    """An invalid action costs a step and changes nothing; more than `limit` end the run."""

    limit: int = 5


@dataclass(frozen=True, slots=True)
class Executor:
    """An executor. `name` is only how the study calls it and no part of the identity.

    `protocol` names the prompt and history protocol with its version; `template` is the prompt
    text it fills in.
    """

    name: str
    model: ModelIdentity
    protocol: str
    template: str
    decoding: Decoding = field(default_factory=Decoding)
    invalid_actions: InvalidActions = field(default_factory=InvalidActions)

    def identity(self) -> dict[str, Any]:
        """The JSON object whose hash is the executor's id."""
        parts = asdict(self)
        del parts["name"]
        parts["decoding"]["stop"] = list(self.decoding.stop)
        return parts

    @property
    def executor_id(self) -> str:
        return digest(self.identity())

    def variant(self, name: str, **decoding: Any) -> Executor:
        """The same model and prompt with other decoding: another executor."""
        return replace(self, name=name, decoding=replace(self.decoding, **decoding))
