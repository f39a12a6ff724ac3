"""Which single token stands for a choice, as the server's own tokenizer says."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from repairstudy.engines.http import JsonClient
from repairstudy.engines.once import Once
from repairstudy.engines.trouble import Malformed
from repairstudy.errors import ConfigError

# What stands before a choice and could merge with it into other tokens: the end of a word and the
# white space after it. Many prompts end alike, so few questions are asked.
_TAIL = re.compile(r"\S{0,2}\s{0,8}\Z")


class ChoiceTokens:
    """Token ids of choices, asked of the server once each and kept."""

    def __init__(self, client: JsonClient, model: str) -> None:
        self._client = client
        self._model = model
        self._tokens: Once[str, list[int]] = Once(self._tokenize)
        self._single: Once[str, int] = Once(self._only_token)
        self._after: Once[tuple[str, str], int] = Once(self._check)

    async def ids(self, prompt: str, choices: Sequence[str]) -> list[int]:
        """The token of each choice after this prompt.

        Raises:
            ConfigError: a choice is not one token there, or the tokenizer does not know it.
        """
        found = _TAIL.search(prompt)
        tail = found.group() if found else ""
        return await self._after.all([(tail, choice) for choice in choices])

    async def _check(self, pair: tuple[str, str]) -> int:
        tail, choice = pair
        token = await self._single.get(choice)
        before = await self._tokens.get(tail) if tail else []
        if await self._tokenize(tail + choice) != [*before, token]:
            raise ConfigError(
                f"choice {choice!r} is no token of its own after {tail!r} in model '{self._model}'"
            )
        return token

    async def _only_token(self, choice: str) -> int:
        tokens = await self._tokens.get(choice)
        if len(tokens) != 1:
            raise ConfigError(
                f"choice {choice!r} is {len(tokens)} tokens of model '{self._model}', not one; "
                "use decoding.mode: text"
            )
        text = await self._client.post(
            f"{self._client.endpoint.root}/detokenize",
            {"model": self._model, "tokens": tokens},
            _text,
        )
        if text.strip() != choice.strip():
            raise ConfigError(
                f"choice {choice!r}: the tokenizer of model '{self._model}' reads it as {text!r}"
            )
        return tokens[0]

    async def _tokenize(self, text: str) -> list[int]:
        body = {"model": self._model, "prompt": text, "add_special_tokens": False}
        return await self._client.post(f"{self._client.endpoint.root}/tokenize", body, _tokens)


def _tokens(answer: Mapping[str, Any]) -> list[int]:
    tokens = answer.get("tokens")
    if not isinstance(tokens, list):
        raise Malformed("the server's tokenizer answered without 'tokens'")
    return tokens


def _text(answer: Mapping[str, Any]) -> str:
    text = answer.get("prompt")
    if not isinstance(text, str):
        raise Malformed("the server's tokenizer answered without 'prompt'")
    return text
