"""Worlds with Gymnasium's interface, told in words: restored by playing them again.

Nothing here needs the package gymnasium. A subclass opens the world and says what its answers mean.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Protocol

from repairstudy.environments.base import Outcome, Step
from repairstudy.environments.forms import admits
from repairstudy.errors import ReplayMismatch, StudyError
from repairstudy.records import digest


class Game(Protocol):
    """What is asked of a Gymnasium environment."""

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]: ...

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]: ...


@dataclass(frozen=True, slots=True)
class Turn:
    """What a game answered last.

    Attributes:
        reward: of the last action; 0 after a reset.
        total: rewards of the episode so far.
        terminated, truncated: as Gymnasium means them; both False after a reset.
    """

    observation: Any
    info: Mapping[str, Any]
    reward: float = 0.0
    total: float = 0.0
    terminated: bool = False
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class Episode:
    """A state: the way to it from the start, and everything that is asked about it.

    Attributes:
        path: the admissible actions done so far; others change nothing.
        state: a hash of the task and of what `state_of` says, or of the path.
    """

    task_id: str
    path: tuple[str, ...]
    text: str
    admissible: tuple[str, ...]
    instruction: str
    description: str
    outcome: Outcome
    done: bool
    state: str


class GymnasiumText:
    """A world with Gymnasium's interface as an `Environment`; to be subclassed.

    A subclass has a `name` and a `version` and says what is below "Yours to say". A snapshot is the
    actions so far: to go on from it, the game is reset with the same seed and they are done again.
    So a game must play the same way again, and it has a time limit of its own only if that is part
    of the world: the harness has a budget (`gymnasium.make(..., max_episode_steps=-1)`).

    A world whose moves are drawn by its seed draws the same in every rollout of a task: what
    rollouts then measure is that one draw.

    `plan` and `solvable` are not offered; `environments.searched.Searched` can add them.
    """

    name: str
    version: str
    blocking = False

    def __init__(self) -> None:
        self._episode: Episode | None = None
        self._game: tuple[str, Game] | None = None  # of which task
        self._stands: tuple[str, ...] | None = None  # path of the game; None: not known
        self._turn = Turn(None, {})

    # Yours to say.

    def tasks(self) -> Sequence[str]:
        """All task ids, in a fixed order."""
        raise NotImplementedError

    def open(self, task_id: str) -> Game:
        """The game of a task; it is reset before every use."""
        raise NotImplementedError

    def actions_of(self, game: Game, turn: Turn) -> Mapping[str, Any] | Sequence[str]:
        """What may be done now: actions by their names, or texts that are the actions.

        A text game lists its commands in `turn.info`, say; such a list may hold forms
        (`environments.forms`). Not asked after the episode's end.
        """
        raise NotImplementedError

    def instruction_of(self, game: Game, turn: Turn) -> str:
        """The task in words; asked right after a reset."""
        raise NotImplementedError

    def cluster(self, task_id: str) -> str:
        """What makes failures of two tasks dependent; every task is one by itself."""
        return task_id

    def reset_arguments(self, task_id: str) -> Mapping[str, Any]:
        """Arguments of the game's `reset`: `seed`, `options`."""
        return {"seed": 0}

    def text_of(self, game: Game, turn: Turn) -> str:
        """What the agent reads: the game's own observation, if that is a text.

        Raises:
            StudyError: it is not.
        """
        if not isinstance(turn.observation, str):
            raise StudyError(
                f"environment {self.name}: the observation {turn.observation!r:.80} is no text; "
                f"give {type(self).__name__} a method text_of(game, turn) that tells it in words"
            )
        return turn.observation

    def outcome_of(self, game: Game, turn: Turn) -> Outcome:
        """The score; success is an end with a reward above 0."""
        success = turn.terminated and turn.reward > 0
        return Outcome(success, float(success))

    def description_of(self, game: Game, turn: Turn) -> str:
        """The state for a human or a judge who may see all of it."""
        return self.text_of(game, turn)

    def state_of(self, game: Game, turn: Turn) -> Any:
        """All that decides what follows, as JSON values; None: no two ways lead to one state."""
        return None

    # The protocol.

    def reset(self, task_id: str, seed: int = 0) -> str:
        """Start an episode; the seed of the game is that of `reset_arguments`."""
        game = self._reset_game(task_id)
        instruction = self.instruction_of(game, self._turn)
        self._episode = self._seen(game, task_id, (), instruction)
        return self._episode.text

    def instruction(self) -> str:
        return self._current().instruction

    def admissible_actions(self) -> tuple[str, ...]:
        return self._current().admissible

    def step(self, action: str) -> Step:
        """Do it.

        Raises:
            ReplayMismatch: after `restore`, the game did not play the same way again.
        """
        episode = self._current()
        if not admits(episode.admissible, action):
            return Step(episode.text, episode.done, False)
        game = self._standing(episode)
        self._do(game, action)
        path = (*episode.path, action)
        self._episode = self._seen(game, episode.task_id, path, episode.instruction)
        return Step(self._episode.text, self._episode.done, True)

    def outcome(self) -> Outcome:
        return self._current().outcome

    def signature(self) -> str:
        return self._current().state

    def describe(self) -> str:
        return self._current().description

    def snapshot(self) -> Episode:
        return self._current()

    def restore(self, snapshot: Any) -> None:
        """Go back; the game itself follows when the next action is done."""
        self._episode = snapshot

    def _current(self) -> Episode:
        if self._episode is None:
            raise RuntimeError("reset or restore the environment before using it")
        return self._episode

    def _standing(self, episode: Episode) -> Game:
        """The game at the episode's state, played there if need be."""
        if self._game and self._game[0] == episode.task_id and self._stands == episode.path:
            return self._game[1]
        game = self._reset_game(episode.task_id)
        for action in episode.path:
            self._do(game, action)
        again = self._seen(game, episode.task_id, episode.path, episode.instruction)
        if again != episode:
            raise ReplayMismatch(
                f"environment {self.name}: task {episode.task_id} after {list(episode.path)} shows "
                f"{again.text!r:.200}, was {episode.text!r:.200}: the game does not play the same "
                f"way again (a seed that reset_arguments lacks, or a time limit?)"
            )
        return game

    def _reset_game(self, task_id: str) -> Game:
        self._stands = None  # should the game raise an error
        if self._game is None or self._game[0] != task_id:
            self.close()
            self._game = (task_id, self.open(task_id))
        game = self._game[1]
        observation, info = game.reset(**self.reset_arguments(task_id))
        self._turn, self._stands = Turn(observation, info), ()
        return game

    def _do(self, game: Game, action: str) -> None:
        path, self._stands = self._stands or (), None  # should the game raise an error
        offered = self.actions_of(game, self._turn)
        done = offered[action] if isinstance(offered, Mapping) else action
        observation, reward, terminated, truncated, info = game.step(done)
        total = self._turn.total + float(reward)
        ended = bool(terminated), bool(truncated)
        self._turn = Turn(observation, info, float(reward), total, *ended)
        self._stands = (*path, action)

    def _seen(self, game: Game, task_id: str, path: tuple[str, ...], instruction: str) -> Episode:
        turn = self._turn
        done = turn.terminated or turn.truncated
        state = self.state_of(game, turn)
        return Episode(
            task_id=task_id,
            path=path,
            text=self.text_of(game, turn),
            admissible=() if done else tuple(self.actions_of(game, turn)),
            instruction=instruction,
            description=self.description_of(game, turn),
            outcome=self.outcome_of(game, turn),
            done=done,
            state=digest([task_id, list(path) if state is None else {"state": state}]),
        )

    def close(self) -> None:
        """Close the game, if it can be closed; the next reset opens it again."""
        if self._game is not None:
            game, self._game, self._stands = self._game[1], None, None
            getattr(game, "close", lambda: None)()

    def __del__(self) -> None:
        with suppress(Exception):  # a game may be half gone when the interpreter ends
            self.close()
