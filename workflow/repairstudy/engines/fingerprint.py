"""What tells the model behind a server from another, as far as the server tells."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from repairstudy.errors import WrongModel
from repairstudy.records import digest

# Entries of a server's list of models that say what is served: not when, and not to whom.
CARD = ("id", "owned_by", "root", "parent", "max_model_len", "meta")
# How far the same model's probabilities of the first tokens may differ from one time to another
# (batches, GPUs); another model's differ by more.
SAME_MODEL = 0.1


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """What a server says of its model, and how that model behaves.

    Attributes:
        card: the entries of CARD that it gives.
        system: the `system_fingerprint` of its answers, if it gives one.
        answers_as: the name of the model in its answers, if it gives one.
        first: log-probabilities of the likeliest first tokens after a fixed prompt; empty if it
            gives none. No part of the hash: they differ a little from one time to another.
    """

    card: Mapping[str, Any]
    system: str | None
    answers_as: str | None
    first: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def of(cls, card: Mapping[str, Any], answer: Mapping[str, Any]) -> Fingerprint:
        """From the model's entry in the server's list and the answer to the probe."""
        said = {name: card[name] for name in CARD if card.get(name) is not None}
        return cls(said, _text(answer, "system_fingerprint"), _text(answer, "model"), _top(answer))

    @property
    def hash(self) -> str:
        """The part that is the same at every look; it enters the executor's identity."""
        return digest([dict(self.card), self.system, self.answers_as])

    def to_json(self) -> dict[str, Any]:
        """As it is recorded for a study."""
        return {
            "fingerprint": self.hash,
            "card": dict(self.card),
            "system_fingerprint": self.system,
            "answers_as": self.answers_as,
            "first_tokens": dict(self.first),
        }

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> Fingerprint:
        """As `to_json` wrote it.

        Raises:
            ValueError, KeyError, TypeError: it is no such record, or was edited.
        """
        found = cls(
            dict(content["card"]),
            content["system_fingerprint"],
            content["answers_as"],
            {str(token): float(value) for token, value in content["first_tokens"].items()},
        )
        if found.hash != content["fingerprint"]:
            raise ValueError(f"its hash is {found.hash}, recorded is {content['fingerprint']}")
        return found

    def difference(self, other: Fingerprint) -> str | None:
        """What speaks against `other` being the same model; None if nothing does."""
        for name in CARD:
            if self.card.get(name) != other.card.get(name):
                return f"{name} was {self.card.get(name)!r} and is {other.card.get(name)!r}"
        if self.system != other.system:
            return f"system_fingerprint was {self.system!r} and is {other.system!r}"
        if self.answers_as != other.answers_as:
            return f"answers came from {self.answers_as!r} and come from {other.answers_as!r}"
        for token in self.first.keys() & other.first.keys():
            before, after = math.exp(self.first[token]), math.exp(other.first[token])
            if abs(before - after) > SAME_MODEL:
                return f"probability of first token {token!r} was {before:.2f} and is {after:.2f}"
        for one, two in ((self.first, other.first), (other.first, self.first)):
            if two:  # a token that the other does not list is less likely than all it lists
                missing = [math.exp(v) for token, v in one.items() if token not in two]
                if max(missing, default=0.0) - math.exp(min(two.values())) > SAME_MODEL:
                    return "its likeliest first tokens are others"
        return None

    def contradicted_by(self, answer: Mapping[str, Any]) -> str | None:
        """What in an ordinary answer says that another model gave it."""
        for name, known in (("model", self.answers_as), ("system_fingerprint", self.system)):
            said = answer.get(name)
            if known is not None and said is not None and said != known:
                return f"{name} was {known!r} and is {said!r}"
        return None


def _text(answer: Mapping[str, Any], name: str) -> str | None:
    value = answer.get(name)
    return value if isinstance(value, str) and value else None


def _top(answer: Mapping[str, Any]) -> dict[str, float]:
    """The `top_logprobs` of the first token of a completion; empty if there are none."""
    try:
        listed = answer["choices"][0]["logprobs"]["top_logprobs"][0]
        return {str(token): max(float(value), -9999.0) for token, value in listed.items()}
    except (KeyError, IndexError, TypeError, AttributeError, ValueError):
        return {}


class Reference:
    """The model that one or several servers have to serve, from the first look on.

    Args:
        known: recorded earlier; None: whatever is met first.
        where: what recorded it, for the message.
        strict: False compares names alone, for providers who change what is behind a name.
    """

    def __init__(
        self, known: Fingerprint | None = None, where: str = "this job", strict: bool = True
    ) -> None:
        self.known = known
        self._where = where
        self._strict = strict

    def check(self, url: str, found: Fingerprint) -> None:
        """Raise WrongModel if a server at `url` serves another model."""
        if self.known is None:
            self.known = found
        self._judge(url, self._seen(self.known).difference(self._seen(found)))

    def check_answer(self, url: str, answer: Mapping[str, Any]) -> None:
        """Raise WrongModel if an ordinary answer says that another model gave it."""
        if self.known is not None:
            self._judge(url, self._seen(self.known).contradicted_by(answer))

    def seen(self) -> Fingerprint:
        """What is compared, and so what the executor's identity may rest on."""
        assert self.known is not None
        return self._seen(self.known)

    def _seen(self, whole: Fingerprint) -> Fingerprint:
        if self._strict:
            return whole
        return Fingerprint({"id": whole.card.get("id")}, None, whole.answers_as)

    def _judge(self, url: str, difference: str | None) -> None:
        if difference is not None:
            raise WrongModel(
                f"{url}: the server has another model than {self._where} recorded: {difference}. "
                "Rollouts of two models must not mix. Serve the recorded one again; to study the "
                "new one, delete the record: it gets rollouts of its own."
            )
