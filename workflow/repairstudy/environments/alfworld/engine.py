"""Plays ALFWorld's text games in this process: TextWorld's texts on Fast Downward's states.

Says and allows exactly what the original does, but keeps the states it has seen, so that going
back to one of them costs next to nothing. Not thread-safe.
"""

from __future__ import annotations

import hashlib
import json
from collections import OrderedDict
from pathlib import Path

from repairstudy.environments.alfworld.position import Position
from repairstudy.environments.alfworld.versions import check_versions
from repairstudy.errors import DataError, ReplayMismatch

# Before all else, so that a missing package is refused with words that help.
check_versions()

from repairstudy.environments.alfworld import caching, grammar  # noqa: E402
from repairstudy.environments.alfworld.description import describe  # noqa: E402
from repairstudy.environments.alfworld.game import Game, State  # noqa: E402
from repairstudy.environments.alfworld.library import load_library  # noqa: E402
from repairstudy.environments.alfworld.planner import Planner  # noqa: E402
from repairstudy.environments.alfworld.translation import translations_in  # noqa: E402

NOTHING = "Nothing happens."
_GAME_KEYS = ("pddl_domain", "grammar", "pddl_problem")


class Engine:
    """One game at a time, in one of its states.

    Args:
        translations: a folder that keeps translated games for later processes; None: memory only.
        states: how many states of the open game are kept, besides its start and the present one.

    Raises:
        ConfigError: TextWorld or Fast Downward is missing or has another version (on import).
    """

    def __init__(self, translations: Path | None = None, states: int = 2_000) -> None:
        caching.install()
        self._translations = translations_in(translations)
        self._library = load_library(translations)
        self._size = states
        self._content = ""
        self._game: Game | None = None

    def open(self, game: Path) -> Position:
        """Load a game and stand at its start; at once if it is the one already open.

        Raises:
            DataError: the file is not a game, or its texts would run code.
        """
        text = _read(game)
        content = hashlib.sha256(text.encode()).hexdigest()
        if self._game is None or content != self._content:
            self._game = None  # a failure below must not leave half a game open
            self._game = self._load(game, text)
            self._content = content
        return self._stand(self._start)

    def _load(self, path: Path, text: str) -> Game:
        try:
            source = json.loads(text)
            domain, texts, problem = (source[key] for key in _GAME_KEYS)
        except (ValueError, KeyError, TypeError) as error:
            remedy = f"A game is a JSON object with {', '.join(_GAME_KEYS)}."
            raise DataError(path, f"not an ALFWorld game: {error!r}.", remedy) from error
        translation = self._translations.get(domain, problem)
        try:
            game = Game(self._library, translation, domain, texts, problem)
        except (grammar.UnsafeText, ValueError) as error:
            raise DataError(path, f"its texts cannot be used: {error}.") from error
        self._planner = Planner(game, self._translations)
        self._start = game.start()
        self._known: OrderedDict[str, State] = OrderedDict()
        return game

    @property
    def _open(self) -> Game:
        if self._game is None:
            raise RuntimeError("no game is open")
        return self._game

    @property
    def task(self) -> str:
        """The task sentence of the open game, without "Your task is to:"."""
        return self._open.task

    @property
    def position(self) -> Position:
        """Where the game stands; the observation is the last action's."""
        return self._position

    def _stand(self, state: State, observation: str | None = None) -> Position:
        self._state = state
        self._position = Position(
            observation=state.observation if observation is None else observation,
            admissible=state.menu.admissible,
            signature=state.signature,
            won=state.won,
            valid=True,
        )
        return self._position

    def knows(self, signature: str) -> bool:
        """Whether a state can be gone back to: seen since the game was opened, and still kept."""
        return signature == self._start.signature or signature in self._known

    def go_to(self, signature: str) -> Position:
        """Go back to a state seen before, with the observation that first led to it.

        Raises:
            KeyError: the state is not known.
            ReplayMismatch: the planner's library does not hold the state any more.
        """
        if signature == self._start.signature:
            state = self._start
        else:
            state = self._known[signature]
            self._known.move_to_end(signature)
        if not self._open.holds(state):
            raise ReplayMismatch(f"the planner's library lost state {signature} of {self.task!r}")
        return self._stand(state)

    def step(self, action: str) -> Position:
        """Do it. An action that is not admissible changes nothing and is not valid.

        "help" is not admissible here.
        """
        state, command = self._state, action.strip()
        operator = state.menu.operators.get(command)
        if operator is None:
            self._position = Position(
                NOTHING, state.menu.admissible, state.signature, state.won, valid=False
            )
            return self._position
        game = self._open
        following = game.follow(state, operator)
        known = self._known.get(following.signature)
        if following.signature == self._start.signature:
            known = self._start
        observation = game.tell(following, operator)
        if known is None:
            known = game.complete(following, observation)
            self._known[known.signature] = known
            if len(self._known) > self._size:
                self._known.popitem(last=False)
        elif known.number != following.number:
            raise ReplayMismatch(f"one signature for two states of {self.task!r} after {command!r}")
        return self._stand(known, observation)

    def plan(self, seconds: float) -> tuple[str, ...] | None:
        """Commands from the present state to the goal, as cheap as any by the game's own costs.

        Args:
            seconds: how long the search may take.

        Returns:
            () when the goal is reached; None when no plan was found within the limits.
        """
        return self._planner.plan(self._state, seconds)

    def describe(self) -> str:
        """The present state for a person who may see all of it."""
        return describe(self._open, self._state)


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(path, f"cannot be read: {error}.") from error
