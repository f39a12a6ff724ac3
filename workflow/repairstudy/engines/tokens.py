"""Which single token stands for a choice, as the server's own tokenizer says."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from repairstudy.engines.http import JsonClient
from repairstudy.errors import ConfigError, EngineError

_TAIL = 8  # characters before a choice that could merge with it into other tokens


class ChoiceTokens:
    """Token ids of choices, asked of the server once each and kept."""

    def __init__(self, client: JsonClient, model: str) -> None:
        self._client = client
        self._model = model
        self._ids: dict[str, int] = {}
        self._checked: set[tuple[str, str]] = set()
        self._asking = asyncio.Lock()

    async def ids(self, prompt: str, choices: Sequence[str]) -> list[int]:
        """The token of each choice after this prompt.

        Raises:
            ConfigError: a choice is not one token there, or the tokenizer does not know it.
        """
        tail = prompt[-_TAIL:]
        if any((tail, choice) not in self._checked for choice in choices):
            async with self._asking:
                for choice in choices:
                    await self._check(tail, choice)
        return [self._ids[choice] for choice in choices]

    async def _check(self, tail: str, choice: str) -> None:
        if (tail, choice) in self._checked:
            return
        if choice not in self._ids:
            self._ids[choice] = await self._only_token(choice)
        joined = await self._tokenize(tail + choice)
        if joined != [*await self._tokenize(tail), self._ids[choice]]:
            raise ConfigError(
                f"choice {choice!r} is no token of its own after {tail!r} in model '{self._model}'"
            )
        self._checked.add((tail, choice))

    async def _only_token(self, choice: str) -> int:
        tokens = await self._tokenize(choice)
        if len(tokens) != 1:
            raise ConfigError(
                f"choice {choice!r} is {len(tokens)} tokens of model '{self._model}', not one; "
                "use decoding.mode: text"
            )
        answer = await self._client.post(
            f"{self._client.endpoint.root}/detokenize", {"model": self._model, "tokens": tokens}
        )
        if str(answer.get("prompt")).strip() != choice.strip():
            raise ConfigError(
                f"choice {choice!r}: the tokenizer of model '{self._model}' reads it as "
                f"{answer.get('prompt')!r}"
            )
        return tokens[0]

    async def _tokenize(self, text: str) -> list[int]:
        body = {"model": self._model, "prompt": text, "add_special_tokens": False}
        answer = await self._client.post(f"{self._client.endpoint.root}/tokenize", body)
        tokens = answer.get("tokens")
        if not isinstance(tokens, list):
            raise EngineError(f"{self._client.endpoint.root}/tokenize: answer lacks 'tokens'")
        return tokens
