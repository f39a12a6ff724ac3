"""Any server with OpenAI's completion route; with vLLM's additions also scores of choices."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, Literal

from repairstudy.engines.base import ChoiceScores, Completion, Request
from repairstudy.engines.http import Endpoint, JsonClient
from repairstudy.engines.tokens import ChoiceTokens
from repairstudy.errors import ConfigError, EngineError, WrongModel
from repairstudy.records import digest

# Asked to see that a server answers. A tokenizer may drop single letters and common words.
PROBE = "Hello 1"
SCORED_AT_ONCE = 20  # vLLM's default limit of log-probabilities a token

# A server takes what a request leaves out from the model's own generation_config.json.
NEUTRAL = {
    "min_p": 0.0,
    "repetition_penalty": 1.0,
    "presence_penalty": 0.0,
    "frequency_penalty": 0.0,
}


class OpenAiEngine:
    """An `Engine` over HTTP.

    Before the first request it is checked that the server offers the expected model.

    Args:
        endpoint: the server.
        model: name that the server must list.
        key: bearer token, if the server wants one.
        additions: "vllm" if the server knows vLLM's parameters (scores, choices, top-k); "none";
            "auto": it does if it says it is vLLM.
        chat: a prompt is sent as a user's message to the chat route; scores are not to be had.
        died: tells why the server can never answer again, or None.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        model: str,
        *,
        key: str | None = None,
        additions: Literal["auto", "vllm", "none"] = "auto",
        chat: bool = False,
        died: Callable[[], str | None] = lambda: None,
    ) -> None:
        self._client = JsonClient(endpoint, key, died)
        self._url = endpoint.url
        self._model = model
        self._tokens = ChoiceTokens(self._client, model)
        self._additions = additions
        self._chat = chat
        self._checking = asyncio.Lock()
        self._card: dict[str, Any] | None = None

    async def complete(self, request: Request) -> Completion:
        await self._check_model()
        body = self._sampling(request)
        if self._chat:
            return _message(await self._ask_chat(request.prompt, body))
        if not request.choices:
            return _completion(await self._ask(body))
        ids = await self._choice_ids(request.prompt, request.choices)
        body |= {"allowed_token_ids": ids, "return_token_ids": True, "max_tokens": 1}
        answer = await self._ask(body)
        chosen = _first(answer, "choices").get("token_ids") or [None]
        if chosen[0] not in ids:
            raise EngineError(f"{self._url}: answered with a token outside the choices")
        text = request.choices[ids.index(chosen[0])]
        return Completion(text, "stop", *_usage(answer))

    async def score(self, prompt: str, choices: Sequence[str]) -> ChoiceScores:
        await self._check_model()
        ids = await self._choice_ids(prompt, choices)
        logprobs: list[float] = []
        tokens_in = 0
        for start in range(0, len(ids), SCORED_AT_ONCE):
            part = ids[start : start + SCORED_AT_ONCE]
            answer = await self._ask(self._scoring(prompt, part))
            logprobs += _logprobs(answer, part, self._url)
            tokens_in = _usage(answer)[0]
        return ChoiceScores(tuple(logprobs), tokens_in)

    async def fingerprint(self) -> str:
        """What tells this server's model from another of the same name, as far as it says.

        A hash of the model's entry in the server's list (without times and permissions) and of
        the `system_fingerprint` of a first answer; it is the same after a restart.
        """
        card = await self._check_model()
        stable = {key: card.get(key) for key in ("id", "owned_by", "root", "max_model_len")}
        answer = await self._ask({"prompt": PROBE, "max_tokens": 1, "temperature": 0.0})
        return digest([stable, answer.get("system_fingerprint")])

    async def close(self) -> None:
        await self._client.close()

    async def _ask(self, body: dict[str, Any]) -> dict[str, Any]:
        return await self._client.post(f"{self._url}/completions", {"model": self._model} | body)

    async def _ask_chat(self, prompt: str, body: dict[str, Any]) -> dict[str, Any]:
        message = {"role": "user", "content": prompt}
        rest = {name: value for name, value in body.items() if name != "prompt"}
        asked = {"model": self._model, "messages": [message]} | rest
        return await self._client.post(f"{self._url}/chat/completions", asked)

    async def _check_model(self) -> dict[str, Any]:
        """The server's entry of the model; asked once.

        Raises:
            WrongModel: the server offers others.
        """
        async with self._checking:
            if self._card is None:
                listed = (await self._client.get(f"{self._url}/models")).get("data")
                cards = {str(card.get("id")): card for card in listed or []}
                if self._model not in cards:
                    offered = ", ".join(f"'{name}'" for name in list(cards)[:10]) or "none"
                    raise WrongModel(
                        f"{self._url}: expected model '{self._model}', the server offers {offered}"
                    )
                self._card = cards[self._model]
            return self._card

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


def _first(answer: dict[str, Any], field: str) -> dict[str, Any]:
    items = answer.get(field)
    if not isinstance(items, list) or not items or not isinstance(items[0], dict):
        raise EngineError(f"the server's answer lacks '{field}'")
    return items[0]


def _usage(answer: dict[str, Any]) -> tuple[int, int]:
    usage = answer.get("usage") or {}
    return int(usage.get("prompt_tokens") or 0), int(usage.get("completion_tokens") or 0)


def _completion(answer: dict[str, Any]) -> Completion:
    choice = _first(answer, "choices")
    reason = choice.get("finish_reason")
    if not isinstance(choice.get("text"), str) or reason not in ("stop", "length"):
        raise EngineError(f"the server's answer ended with '{reason}' instead of a text")
    return Completion(choice["text"], reason, *_usage(answer))


def _message(answer: dict[str, Any]) -> Completion:
    """A chat answer; what a reasoning model thought stands elsewhere in it and is left out."""
    choice = _first(answer, "choices")
    message, reason = choice.get("message") or {}, choice.get("finish_reason")
    content = message.get("content") or ""
    if not isinstance(content, str) or reason not in ("stop", "length"):
        raise EngineError(f"the server's answer ended with '{reason}' instead of a text")
    return Completion(content, reason, *_usage(answer))


def _logprobs(answer: dict[str, Any], ids: Sequence[int], url: str) -> list[float]:
    """Log-probabilities of the tokens; vLLM writes -9999 for minus infinity."""
    listed = (_first(answer, "choices").get("logprobs") or {}).get("top_logprobs") or [{}]
    found: list[float] = []
    for token in ids:
        value = (listed[0] or {}).get(f"token_id:{token}")
        if not isinstance(value, int | float):
            raise ConfigError(
                f"{url}: the server gives no log-probabilities of chosen tokens "
                "(logprob_token_ids); a newer vLLM does"
            )
        found.append(float(value) if value > -9999.0 else float("-inf"))
    return found
