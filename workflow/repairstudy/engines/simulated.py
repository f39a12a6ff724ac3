"""Planted executors: gridworld policies whose action probabilities are known exactly.

They need no model, and show whether a study finds what was put in.
"""

from __future__ import annotations

import asyncio
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from repairstudy.checked import meant
from repairstudy.engines.base import ChoiceScores, Completion, Request
from repairstudy.errors import ConfigError
from repairstudy.executors import Decoding
from repairstudy.executors.decoding import action_probabilities, draw
from repairstudy.records import seed_of

ACTIONS = ("up", "down", "left", "right")
_OBSERVATION = re.compile(
    r"Around you: up (\w+), down (\w+), left (\w+), right (\w+)\. The goal is ([^.]*)\."
)


@dataclass(frozen=True, slots=True)
class PlantedPolicy:
    """A policy over a gridworld observation: P(a) = exp(s_a) / sum_b exp(s_b) with

        s_a = v_a / tau + bias_a,

    where v_a is 1 for a move toward the goal, -1 for one away from it, `-blocked` for one against
    a wall; `caution` is subtracted for a step into a pit, unless the policy is blind to pits.

    Attributes:
        tau: temperature; the smaller, the more it takes the best move.
        pit_blind: whether pits look to it like free cells.
        caution: what a pit costs, in steps.
        blocked: what moving against a wall costs, in steps.
        bias: added to an action's score.
        validity: probability that the next token is an action at all.
        latency_s: seconds that an answer takes; `latency_spread`: relative, uniform, seeded.
    """

    tau: float = 1.0
    pit_blind: bool = False
    caution: float = 4.0
    blocked: float = 2.0
    bias: Mapping[str, float] = field(default_factory=dict)
    validity: float = 1.0
    latency_s: float = 0.0
    latency_spread: float = 0.0

    def __post_init__(self) -> None:
        _require("tau", self.tau, self.tau > 0, "above 0")
        _require("validity", self.validity, 0 < self.validity <= 1, "above 0, at most 1")
        _require("latency_s", self.latency_s, self.latency_s >= 0, "0 or more")
        spread = self.latency_spread
        _require("latency_spread", spread, 0 <= spread <= 1, "from 0 to 1")
        _require("bias", self.bias, set(self.bias) <= set(ACTIONS), f"keys {', '.join(ACTIONS)}")

    def probabilities(self, prompt: str) -> dict[str, float]:
        """Probability of each action at the last observation of a prompt, before any decoding.

        Raises:
            ConfigError: there is no gridworld observation in it.
        """
        contents, toward = last_observation(prompt)
        scores = {action: self._score(action, contents[action], toward) for action in ACTIONS}
        weights = {action: math.exp(s - max(scores.values())) for action, s in scores.items()}
        return {action: weight / sum(weights.values()) for action, weight in weights.items()}

    def _score(self, action: str, content: str, toward: frozenset[str]) -> float:
        steps = 1.0 if action in toward else -1.0
        if content == "wall":
            steps = -self.blocked
        elif content == "pit" and not self.pit_blind:
            steps -= self.caution
        return steps / self.tau + self.bias.get(action, 0.0)


def last_observation(prompt: str) -> tuple[dict[str, str], frozenset[str]]:
    """What the last gridworld observation in a text says.

    Returns:
        The contents of the cell in each direction, and the directions toward the goal.

    Raises:
        ConfigError: there is none.
    """
    found = list(_OBSERVATION.finditer(prompt))
    if not found:
        raise ConfigError(
            "kind 'simulated' knows gridworld observations only, and the prompt has none"
        )
    *contents, goal = found[-1].groups()
    toward = frozenset(word for word in re.findall(r"\w+", goal) if word in ACTIONS)
    return dict(zip(ACTIONS, contents, strict=True)), toward


class SimulatedEngine:
    """An `Engine` that speaks for a planted policy; it draws as a real engine would."""

    def __init__(self, policy: PlantedPolicy) -> None:
        self.policy = policy

    async def score(self, prompt: str, choices: Sequence[str]) -> ChoiceScores:
        await self._wait("score", prompt)
        return self._scores(prompt, choices)

    async def complete(self, request: Request) -> Completion:
        """One of the choices, or without choices one of all four moves, as ' up'."""
        await self._wait("complete", request.prompt, request.seed)
        choices = request.choices or tuple(f" {action}" for action in ACTIONS)
        scores = self._scores(request.prompt, choices)
        decoding = Decoding(request.temperature, request.top_p, request.top_k)
        index = draw(action_probabilities(scores.logprobs, decoding), request.seed)
        return Completion(choices[index], "stop", scores.tokens_in, 1)

    async def close(self) -> None:
        pass

    def _scores(self, prompt: str, choices: Sequence[str]) -> ChoiceScores:
        known = self.policy.probabilities(prompt)
        for choice in choices:
            if choice.strip() not in known:
                raise ConfigError(f"choice {choice!r}: kind 'simulated' moves {', '.join(ACTIONS)}")
        logprobs = (math.log(self.policy.validity * known[choice.strip()]) for choice in choices)
        return ChoiceScores(tuple(logprobs), tokens_in=len(prompt.split()))

    async def _wait(self, *what: object) -> None:
        """The latency model: seconds * (1 - spread .. 1 + spread)."""
        if self.policy.latency_s == 0:
            return
        share = 2 * seed_of("latency", *what) / 2**63 - 1
        await asyncio.sleep(self.policy.latency_s * (1 + self.policy.latency_spread * share))


def planted_policy(parameters: Mapping[str, Any]) -> PlantedPolicy:
    """The policy with these parameters.

    Raises:
        ConfigError: an unknown parameter or a wrong value.
    """
    accepted = [item.name for item in fields(PlantedPolicy)]
    for name in parameters:
        if name not in accepted:
            raise ConfigError(
                f"parameters.{name}: unknown{meant(name, accepted)} "
                f"(accepted: {', '.join(accepted)})"
            )
    try:
        return PlantedPolicy(**parameters)
    except TypeError as error:
        raise ConfigError(f"parameters: wrong type of value ({error})") from error


def _require(name: str, value: object, holds: bool, accepted: str) -> None:
    if not holds:
        raise ConfigError(f"parameters.{name}: {value!r} (accepted: {accepted})")
