"""The asynchronous interface of everything that turns prompts into text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from repairstudy.executors.identity import Decoding


@dataclass(frozen=True, slots=True)
class Request:
    """One completion request; every sampling parameter is explicit. `top_k` 0 means all."""

    prompt: str
    temperature: float
    top_p: float
    top_k: int
    max_tokens: int
    seed: int
    stop: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()


def free_text(prompt: str, decoding: Decoding, seed: int) -> Request:
    """The request for a text that is decoded so."""
    return Request(
        prompt=prompt,
        temperature=decoding.temperature,
        top_p=decoding.top_p,
        top_k=decoding.top_k,
        max_tokens=decoding.max_tokens,
        seed=seed,
        stop=decoding.stop,
    )


@dataclass(frozen=True, slots=True)
class Completion:
    """Generated text, why it ended ("stop" or "length"), and its cost in tokens.

    `text` is without a reasoning model's thoughts; `tokens_out` counts them, and
    `tokens_thought` says how many of them there were.
    """

    text: str
    finish_reason: str
    tokens_in: int
    tokens_out: int
    tokens_thought: int = 0


@dataclass(frozen=True, slots=True)
class ChoiceScores:
    """Unconstrained natural-log probabilities of single-token continuations, in their order."""

    logprobs: tuple[float, ...]
    tokens_in: int


class Engine(Protocol):
    """Turns prompts into text. Every method raises EngineError when the server fails."""

    async def complete(self, request: Request) -> Completion:
        """Continue the prompt. With `choices`, exactly one of them, each a single token."""
        ...

    async def score(self, prompt: str, choices: Sequence[str]) -> ChoiceScores:
        """Log-probabilities of the choices as the next token.

        Raises:
            ConfigError: a choice is not a single token of this model after this prompt.
        """
        ...

    async def close(self) -> None:
        """Free what the engine holds; a server that it started ends."""
        ...
