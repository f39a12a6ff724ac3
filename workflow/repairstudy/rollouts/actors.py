"""An executor that acts: from what the agent sees to its next action."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from repairstudy.engines import Engine, Request
from repairstudy.executors import AgentView, Decoding, Executor, Protocol
from repairstudy.executors.decoding import action_probabilities, draw

# A memoryless executor meets a few thousand distributions in a study; each holds a few floats.
DISTRIBUTIONS_KEPT = 65_536


@dataclass(frozen=True, slots=True)
class Decision:
    """What an executor did: `action` is None when its text held no admissible action."""

    action: str | None
    text: str
    tokens_in: int
    tokens_out: int


class Actor:
    """An executor with the engine that speaks for it.

    In mode "choice" the engine gives the distribution over the admissible actions and the draw
    is made here, with the step's seed; in mode "text" the engine draws, with the same seed.
    """

    def __init__(self, executor: Executor, protocol: Protocol, engine: Engine) -> None:
        self.executor = executor
        self.executor_id = executor.executor_id
        self._protocol = protocol
        self._engine = engine

    async def act(self, view: AgentView, seed: int) -> Decision:
        """The next action; a function of the view, the executor and the seed.

        Raises:
            EngineError: the engine failed; nothing of it is the agent's doing.
            ConfigError: an admissible action is not a single token (mode "choice").
        """
        prompt = self._protocol.prompt(self.executor.template, view)
        if self.executor.decoding.mode == "choice":
            return await self._choose(prompt, view.admissible, seed)
        return await self._write(prompt, view.admissible, seed)

    async def _choose(self, prompt: str, admissible: tuple[str, ...], seed: int) -> Decision:
        choices = [self._protocol.choice_text(action) for action in admissible]
        scores = await self._engine.score(prompt, choices)
        index = draw(_probabilities(scores.logprobs, self.executor.decoding), seed)
        return Decision(admissible[index], choices[index], scores.tokens_in, tokens_out=1)

    async def _write(self, prompt: str, admissible: tuple[str, ...], seed: int) -> Decision:
        decoding = self.executor.decoding
        completion = await self._engine.complete(
            Request(
                prompt=prompt,
                temperature=decoding.temperature,
                top_p=decoding.top_p,
                top_k=decoding.top_k,
                max_tokens=decoding.max_tokens,
                seed=seed,
                stop=decoding.stop,
            )
        )
        action = self._protocol.parse(completion.text, admissible)
        return Decision(action, completion.text, completion.tokens_in, completion.tokens_out)


@lru_cache(maxsize=DISTRIBUTIONS_KEPT)
def _probabilities(logprobs: tuple[float, ...], decoding: Decoding) -> np.ndarray:
    return action_probabilities(logprobs, decoding)
