"""An executor that acts: from what the agent sees to its next action."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol as TypingProtocol

import numpy as np

from repairstudy.engines import Engine, free_text
from repairstudy.errors import EngineError
from repairstudy.executors import AgentView, Decoding, Executor, Protocol
from repairstudy.executors.decoding import action_probabilities, draw
from repairstudy.executors.scripted import Policy
from repairstudy.executors.words import next_words
from repairstudy.records import generator, seed_of

# A memoryless executor meets a few thousand distributions in a study; each holds a few floats.
DISTRIBUTIONS_KEPT = 65_536


@dataclass(frozen=True, slots=True)
class Decision:
    """What an executor did: `action` is None when its text held no admissible action.

    `tokens_thought` of the generated tokens were a reasoning model's thoughts.
    """

    action: str | None
    text: str
    tokens_in: int
    tokens_out: int
    tokens_thought: int = 0


class Actor(TypingProtocol):
    """An executor, and the way it decides."""

    executor: Executor
    executor_id: str

    async def act(self, view: AgentView, seed: int) -> Decision:
        """The next action; a function of the view, the executor and the seed.

        Raises:
            EngineError: the engine failed; nothing of it is the agent's doing.
        """
        ...


class ModelActor:
    """An executor with the engine that speaks for it.

    In mode "choice" the engine gives the distribution over the words that lead to an admissible
    action, and the draw is made here, with the step's seed; in mode "text" the engine draws, with
    the same seed.
    """

    def __init__(self, executor: Executor, protocol: Protocol, engine: Engine) -> None:
        self.executor = executor
        self.executor_id = executor.executor_id
        self.engine = engine
        self._protocol = protocol

    async def act(self, view: AgentView, seed: int) -> Decision:
        """As `Actor.act`.

        Raises:
            ConfigError: a word of an admissible action is not a single token (mode "choice").
        """
        prompt = self._protocol.prompt(self.executor.template, view)
        if self.executor.decoding.mode == "choice":
            return await self._choose(prompt, self._protocol.options(view), seed)
        return await self._write(prompt, view.admissible, seed)

    async def _choose(self, prompt: str, options: dict[str, str], seed: int) -> Decision:
        texts, spoken, tokens_in, draws = tuple(options), "", 0, 0
        while len(texts) > 1:
            following = next_words(texts, spoken)
            word = next(iter(following))
            if len(following) > 1:
                words = tuple(following)
                scores = await self.engine.score(prompt + spoken, words)
                # The first draw is the step's own; a later one is a draw of its own.
                drawn = seed_of(seed, "word", draws) if draws else seed
                word = words[draw(_probabilities(scores.logprobs, self.executor.decoding), drawn)]
                tokens_in, draws = tokens_in + scores.tokens_in, draws + 1
            texts, spoken = following[word], spoken + word
        if not texts:
            raise EngineError("no admissible action can be chosen among")
        return Decision(options[texts[0]], texts[0], tokens_in, tokens_out=draws)

    async def _write(self, prompt: str, admissible: tuple[str, ...], seed: int) -> Decision:
        request = free_text(prompt, self.executor.decoding, seed)
        completion = await self.engine.complete(request)
        action = self._protocol.parse(completion.text, admissible)
        return Decision(
            action,
            completion.text,
            completion.tokens_in,
            completion.tokens_out,
            completion.tokens_thought,
        )


class ScriptedActor:
    """An executor without a language model: a rule that acts."""

    def __init__(self, executor: Executor, policy: Policy) -> None:
        self.executor = executor
        self.executor_id = executor.executor_id
        self._policy = policy

    async def act(self, view: AgentView, seed: int) -> Decision:
        action = self._policy.act(view, generator(seed))
        return Decision(action, action, tokens_in=0, tokens_out=0)


@lru_cache(maxsize=DISTRIBUTIONS_KEPT)
def _probabilities(logprobs: tuple[float, ...], decoding: Decoding) -> np.ndarray:
    return action_probabilities(logprobs, decoding)
