"""Any server with OpenAI's completion route; with vLLM's additions also scores of choices."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeVar

from repairstudy.engines.answers import (
    chosen_of,
    completion_of,
    logprobs_of,
    message_of,
    usage_of,
)
from repairstudy.engines.base import ChoiceScores, Completion, Request
from repairstudy.engines.endpoint import Endpoint
from repairstudy.engines.fingerprint import Fingerprint, Reference
from repairstudy.engines.http import JsonClient
from repairstudy.engines.load import Load
from repairstudy.engines.metrics import CacheGauge
from repairstudy.engines.tokens import ChoiceTokens
from repairstudy.engines.trouble import Malformed
from repairstudy.errors import ConfigError, RequestRefused, WrongModel

T = TypeVar("T")

# Asked to see that a server answers. A tokenizer may drop single letters and common words.
PROBE = "Hello 1"
SCORED_AT_ONCE = 20  # vLLM's default limit of log-probabilities a token
PROBED_TOKENS = 5  # the most that OpenAI's own route gives

# A server takes what a request leaves out from the model's own generation_config.json.
NEUTRAL = {
    "min_p": 0.0,
    "repetition_penalty": 1.0,
    "presence_penalty": 0.0,
    "frequency_penalty": 0.0,
}


class OpenAiEngine:
    """An `Engine` over HTTP to one server; every method tries once (`fleet` tries again).

    That the server has the expected model is checked before the first request, again whenever an
    answer came over a new connection (the server may have been replaced), and by every answer
    that names its model.

    Args:
        endpoint: the server.
        model: name that the server must list.
        key: bearer token, if the server wants one.
        additions: "vllm" if the server knows vLLM's parameters (scores, choices, top-k); "none";
            "auto": it does if it says it is vLLM.
        chat: a prompt is sent as a user's message to the chat route; scores are not to be had.
        reference: the model that it and its like have to serve; None: a server of our own, which
            nobody else can replace.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        model: str,
        *,
        key: str | None = None,
        additions: Literal["auto", "vllm", "none"] = "auto",
        chat: bool = False,
        reference: Reference | None = None,
    ) -> None:
        self.client = JsonClient(endpoint, key, self._check_model if reference else None)
        self._gauge = CacheGauge(endpoint, lambda: self.client.pressure.inside)
        self._url = endpoint.url
        self._model = model
        self._tokens = ChoiceTokens(self.client, model)
        self._additions = additions
        self._chat = chat
        self._reference = reference
        self._card: dict[str, Any] | None = None
        self._checking = asyncio.Lock()
        self._begun = self._passed = 0  # checks begun; the last one that was passed
        self._wrong: WrongModel | None = None

    async def complete(self, request: Request) -> Completion:
        await self._known_model()
        body = self._sampling(request)
        if self._chat:
            return await self._post_message(request.prompt, body, message_of)
        if not request.choices:
            return await self._post(body, completion_of)
        ids = await self._choice_ids(request.prompt, request.choices)
        body |= {"allowed_token_ids": ids, "return_token_ids": True, "max_tokens": 1}
        return await self._post(body, lambda answer: chosen_of(answer, ids, request.choices))

    async def score(self, prompt: str, choices: Sequence[str]) -> ChoiceScores:
        await self._known_model()
        ids = await self._choice_ids(prompt, choices)
        logprobs: list[float] = []
        tokens_in = 0
        for start in range(0, len(ids), SCORED_AT_ONCE):
            found, tokens_in = await self._score(prompt, ids[start : start + SCORED_AT_ONCE])
            logprobs += found
        return ChoiceScores(tuple(logprobs), tokens_in)

    async def fingerprint(self) -> Fingerprint:
        """What tells this server's model from another, as far as the server says."""
        return await self._look()

    def load(self) -> Load:
        """This process's requests at the server."""
        pressure = self.client.pressure
        room = self._gauge.room() if self._has_additions() else None
        return Load(int(pressure.limit), pressure.inside, pressure.queued, room)

    async def close(self) -> None:
        await self._gauge.close()
        await self.client.close()

    async def _score(self, prompt: str, ids: Sequence[int]) -> tuple[list[float], int]:
        return await self._post(
            self._scoring(prompt, ids),
            lambda answer: (logprobs_of(answer, ids, self._url), usage_of(answer)[0]),
        )

    async def _post(
        self, body: dict[str, Any], read: Callable[[dict[str, Any]], T], trusted: bool = False
    ) -> T:
        asked = {"model": self._model} | body
        url = f"{self._url}/completions"
        return await self.client.post(url, asked, self._vouched(read), trusted)

    async def _post_message(
        self,
        prompt: str,
        body: dict[str, Any],
        read: Callable[[dict[str, Any]], T],
        trusted: bool = False,
    ) -> T:
        message = {"role": "user", "content": prompt}
        rest = {name: value for name, value in body.items() if name != "prompt"}
        asked = {"model": self._model, "messages": [message]} | rest
        url = f"{self._url}/chat/completions"
        return await self.client.post(url, asked, self._vouched(read), trusted)

    def _vouched(self, read: Callable[[dict[str, Any]], T]) -> Callable[[dict[str, Any]], T]:
        """Read an answer only if it names no other model."""

        def reading(answer: dict[str, Any]) -> T:
            if self._reference is not None:
                try:
                    self._reference.check_answer(self._url, answer)
                except WrongModel as error:
                    self._wrong = error
                    raise
            return read(answer)

        return reading

    async def _known_model(self) -> None:
        if self._wrong is not None:
            raise self._wrong
        if self._card is None:
            await self._check_model()

    async def _check_model(self) -> None:
        """See that the server has the right model now.

        Raises:
            WrongModel: it has another; then also whenever it is asked again.
        """
        begun = self._begun
        async with self._checking:
            if self._wrong is not None:
                raise self._wrong
            if self._passed > begun:  # a check that began after we asked has been passed
                return
            self._begun += 1
            try:
                if self._reference is None:
                    self._card = await self._find_card()
                else:
                    self._reference.check(self._url, await self._look())
            except WrongModel as error:
                self._wrong = error
                raise
            self._passed = self._begun

    async def _look(self) -> Fingerprint:
        self._card = await self._find_card()
        body: dict[str, Any] = {"prompt": PROBE, "max_tokens": 1, "temperature": 0.0}
        if self._chat:
            answer = await self._post_message(PROBE, body, dict, trusted=True)
        else:
            try:
                with_scores = body | {"logprobs": PROBED_TOKENS}
                answer = await self._post(with_scores, dict, trusted=True)
            except RequestRefused:  # not every server gives them
                answer = await self._post(body, dict, trusted=True)
        return Fingerprint.of(self._card, answer)

    async def _find_card(self) -> dict[str, Any]:
        """The server's entry of the model."""
        listed = await self.client.get(f"{self._url}/models", _listed)
        cards = {str(card.get("id")): card for card in listed}
        if self._model not in cards:
            offered = ", ".join(f"'{name}'" for name in list(cards)[:10]) or "none"
            raise WrongModel(
                f"{self._url}: expected model '{self._model}', the server offers {offered}"
            )
        return cards[self._model]

    def _has_additions(self) -> bool:
        if self._additions == "auto":
            return self._card is not None and self._card.get("owned_by") == "vllm"
        return self._additions == "vllm"

    async def _choice_ids(self, prompt: str, choices: Sequence[str]) -> list[int]:
        if self._chat:
            raise ConfigError(f"{self._url}: chat routes score no choices; use decoding.mode: text")
        if not choices or len(set(choices)) != len(choices):
            raise ConfigError(f"choices {list(choices)!r}: must be different, and at least one")
        if not self._has_additions():
            raise ConfigError(
                f"{self._url}: decoding.mode 'choice' and the distribution cache need vLLM's "
                "additions to the OpenAI routes, which this server does not say it has; "
                "use decoding.mode: text"
            )
        return await self._tokens.ids(prompt, choices)

    def _sampling(self, request: Request) -> dict[str, Any]:
        body: dict[str, Any] = {
            "prompt": request.prompt,
            "max_tokens": request.max_tokens,
            "temperature": request.temperature,
            "top_p": request.top_p,
            "seed": request.seed,
        }
        if request.stop:
            body["stop"] = list(request.stop)
        if self._has_additions():
            return body | NEUTRAL | {"top_k": request.top_k}
        if request.top_k:
            raise ConfigError(f"decoding.top_k: {request.top_k} is not known to {self._url}")
        return body

    def _scoring(self, prompt: str, ids: Sequence[int]) -> dict[str, Any]:
        return NEUTRAL | {
            "prompt": prompt,
            "max_tokens": 1,
            "temperature": 0.0,
            "logprobs": len(ids),
            "logprob_token_ids": list(ids),
            "return_tokens_as_token_ids": True,
        }


def _listed(answer: dict[str, Any]) -> list[dict[str, Any]]:
    cards = answer.get("data")
    if not isinstance(cards, list) or not all(isinstance(card, dict) for card in cards):
        raise Malformed("the server's list of models lacks 'data'")
    return cards
