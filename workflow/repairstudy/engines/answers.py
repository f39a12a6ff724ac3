"""What the answers of OpenAI's routes mean; none of them is taken for more than it says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from repairstudy.engines.base import Completion
from repairstudy.engines.thoughts import share_of_tokens, split_thoughts
from repairstudy.engines.trouble import Malformed
from repairstudy.errors import ConfigError


def completion_of(answer: Mapping[str, Any]) -> Completion:
    """A completion's text, without thoughts.

    Raises:
        Malformed: it is no finished text.
    """
    choice = first_choice(answer)
    return _completion(answer, choice, choice.get("text"), "")


def message_of(answer: Mapping[str, Any]) -> Completion:
    """A chat answer, without thoughts, in whichever field the server puts them.

    Raises:
        Malformed: it is no finished text.
    """
    choice = first_choice(answer)
    message = choice.get("message")
    if not isinstance(message, dict):
        raise Malformed("the server's answer lacks 'message'")
    thoughts = message.get("reasoning_content") or message.get("reasoning") or ""
    content = message.get("content")
    # While it is still thinking when its tokens end, a model has said nothing.
    return _completion(answer, choice, "" if content is None else content, str(thoughts))


def chosen_of(answer: Mapping[str, Any], ids: Sequence[int], choices: Sequence[str]) -> Completion:
    """The choice whose token was drawn.

    Raises:
        Malformed: another token was.
    """
    drawn = (first_choice(answer).get("token_ids") or [None])[0]
    if drawn not in ids:
        raise Malformed("the server answered with a token outside the choices")
    return Completion(choices[list(ids).index(drawn)], "stop", *usage_of(answer))


def logprobs_of(answer: Mapping[str, Any], ids: Sequence[int], url: str) -> list[float]:
    """Log-probabilities of the tokens; vLLM writes -9999 for minus infinity.

    Raises:
        ConfigError: the server does not give those of the tokens that were asked for.
    """
    listed = (first_choice(answer).get("logprobs") or {}).get("top_logprobs") or [{}]
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


def usage_of(answer: Mapping[str, Any]) -> tuple[int, int]:
    """Tokens in and out, 0 where the server does not count."""
    usage = answer.get("usage") or {}
    return int(usage.get("prompt_tokens") or 0), int(usage.get("completion_tokens") or 0)


def first_choice(answer: Mapping[str, Any]) -> dict[str, Any]:
    """The only one that was asked for.

    Raises:
        Malformed: there is none.
    """
    items = answer.get("choices")
    if not isinstance(items, list) or not items or not isinstance(items[0], dict):
        raise Malformed("the server's answer lacks 'choices'")
    return items[0]


def _completion(
    answer: Mapping[str, Any], choice: Mapping[str, Any], text: object, thoughts: str
) -> Completion:
    reason = choice.get("finish_reason")
    if not isinstance(text, str) or reason not in ("stop", "length"):
        raise Malformed(f"the server's answer ended with '{reason}' instead of a text")
    usage = answer.get("usage")
    counted = usage.get("completion_tokens") if isinstance(usage, dict) else None
    if not text and not thoughts and counted == 0:  # a model that ends at once says so by a token
        raise Malformed("the server answered with nothing, not even the end of a text")
    said, thought = split_thoughts(text)
    tokens_in, tokens_out = usage_of(answer)
    return Completion(
        said, reason, tokens_in, tokens_out, _thought(answer, thoughts + thought, said)
    )


def _thought(answer: Mapping[str, Any], thoughts: str, said: str) -> int:
    """Tokens of the thoughts: as the server counts them, else by their share of the text."""
    details = (answer.get("usage") or {}).get("completion_tokens_details") or {}
    counted = details.get("reasoning_tokens")
    if isinstance(counted, int) and counted > 0:
        return counted
    return share_of_tokens(thoughts, said, usage_of(answer)[1])
