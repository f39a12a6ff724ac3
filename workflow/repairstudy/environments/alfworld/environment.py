"""ALFWorld's text games as an environment: played by workers, remembered here."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from repairstudy.environments.alfworld.games import Game, read_game
from repairstudy.environments.alfworld.options import parse_options
from repairstudy.environments.alfworld.position import Position, from_list
from repairstudy.environments.alfworld.process import REAL_ENGINE
from repairstudy.environments.alfworld.shared import Start, shared
from repairstudy.environments.alfworld.versions import PROVEN
from repairstudy.environments.base import Outcome, Step
from repairstudy.errors import DataError
from repairstudy.records import digest

RULES = "1"  # raise it whenever what is shown, accepted or scored changes
BANNER = "-= "
REPLY_SECONDS = 10.0  # what an answer may take beyond the planner's own limit


@dataclass(frozen=True, slots=True)
class Episode:
    """A state of a game and one way to it from the start: all that a worker needs to stand there.

    Attributes:
        path: the admissible actions done so far; others change nothing.
    """

    task_id: str
    path: tuple[str, ...]
    position: Position


class Alfworld:
    """Official or generated ALFWorld games; an `Environment`.

    Keyword options with their defaults and meaning: `Options`. Games are deterministic, so seeds
    are of no account. Instances share their workers and a memo of transitions, and may be used by
    different threads, one thread an instance at a time. Calls wait for a worker where the memo
    does not know the answer.

    Raises:
        ConfigError: an option that is unknown or impossible; the message names it and the range.
        DataError: no games where the options say.
    """

    name = "alfworld"
    blocking = True

    def __init__(self, **options: Any) -> None:
        self.options = parse_options(options)
        self._shared = shared(self.options)
        parts: list[Any] = [PROVEN, self._shared.sums]
        if self.options.engine != REAL_ENGINE:
            parts.append(self.options.engine)
        self.version = f"{RULES}-{digest(parts, length=12)}"
        self._episode: Episode | None = None

    def tasks(self) -> Sequence[str]:
        """Paths of the games' folders, sorted."""
        return tuple(self._shared.games)

    def cluster(self, task_id: str) -> str:
        """The scene: games of a room share its furniture."""
        return f"scene-{self.game(task_id).scene}"

    def game(self, task_id: str) -> Game:
        """The game of a task.

        Raises:
            DataError: there is no such task.
        """
        game = self._shared.games.get(task_id)
        if game is None:
            raise DataError(
                self.options.games,
                f"no task '{task_id}' among the {len(self._shared.games)} chosen games.",
                "Is it left out by environment.options (splits, task_types, limit)?",
            )
        return game

    def reset(self, task_id: str, seed: int = 0) -> str:
        """Start an episode.

        Raises:
            DataError: there is no such task, or its file is broken.
            WorkerLost: workers died of it.
        """
        self._episode = Episode(task_id, (), self._start(task_id).position)
        return self._episode.position.observation

    def instruction(self) -> str:
        return self._start(self._current().task_id).task

    def admissible_actions(self) -> tuple[str, ...]:
        position = self._current().position
        return () if position.won else position.admissible

    def knows(self, action: str) -> bool:
        """Whether the step can be told from memory, without waiting for a worker."""
        episode = self._current()
        key = (episode.task_id, episode.position.signature, action)
        return episode.position.won or key in self._shared.transitions

    def step(self, action: str) -> Step:
        """Do it.

        Raises:
            WorkerLost: workers died of it.
        """
        episode = self._current()
        if episode.position.won:
            return Step(episode.position.observation, True, False)
        key = (episode.task_id, episode.position.signature, action)
        position = self._shared.transitions.get(key, lambda: self._ask_step(episode, action))
        path = (*episode.path, action) if position.valid else episode.path
        self._episode = Episode(episode.task_id, path, position)
        return Step(position.observation, position.won, position.valid)

    def outcome(self) -> Outcome:
        won = self._current().position.won
        return Outcome(won, float(won))

    def signature(self) -> str:
        """Differs between games even where only their goals do."""
        episode = self._current()
        return digest([self._shared.sums[episode.task_id], episode.position.signature])

    def describe(self) -> str:
        """All there is, hidden things included."""
        reply = self._ask("describe", self._current(), self.options.step_timeout_s)
        return str(reply["text"])

    def snapshot(self) -> Episode:
        return self._current()

    def restore(self, snapshot: Any) -> None:
        """Go back; the worker that is asked next checks the state it stands at.

        Raises:
            DataError: the snapshot is of a game that is not among the chosen.
        """
        self.game(snapshot.task_id)
        self._episode = snapshot

    def plan(self) -> tuple[str, ...] | None:
        """A plan of least cost in ALFWorld's own terms; it knows where hidden things are.

        Raises:
            WorkerLost: workers died of it, or it took too long.
        """
        episode = self._current()
        if episode.position.won:
            return ()
        key = (episode.task_id, episode.position.signature)
        return self._shared.plans.get(key, lambda: self._ask_plan(episode))

    def solvable(self, budget: int) -> bool:
        """Whether the plan's length is within the budget: nothing here is ever irreversible."""
        plan = self.plan()
        return plan is not None and len(plan) <= budget

    def counts(self) -> dict[str, int]:
        """What the process's instances with these options have asked for so far."""
        memo, plans = self._shared.transitions.counts(), self._shared.plans.counts()
        workers = self._shared.pool.counts()
        return {
            "memo_hits": memo.hits,
            "memo_misses": memo.misses,
            "memo_held": memo.held,
            "plan_hits": plans.hits,
            "plan_misses": plans.misses,
            "workers_started": workers.started,
            "workers_lost": workers.lost,
            "workers_recycled": workers.recycled,
        }

    def _start(self, task_id: str) -> Start:
        game = self.game(task_id)
        return self._shared.starts.get(task_id, lambda: self._open(game))

    def _open(self, game: Game) -> Start:
        read_game(game.path)  # its complaint is clearer than the engine's
        reply = self._shared.pool.ask(
            {"do": "open", "game": _absolute(game)}, self.options.step_timeout_s
        )
        observation, *rest = reply["position"]
        return Start(reply["task"], from_list([_without_banner(observation), *rest]))

    def _ask_step(self, episode: Episode, action: str) -> Position:
        reply = self._ask("step", episode, self.options.step_timeout_s, action=action)
        return from_list(reply["position"])

    def _ask_plan(self, episode: Episode) -> tuple[str, ...] | None:
        limit = self.options.plan_timeout_s
        plan = self._ask("plan", episode, limit + REPLY_SECONDS, seconds=limit)["plan"]
        return None if plan is None else tuple(plan)

    def _ask(self, do: str, episode: Episode, wait: float, **more: Any) -> dict[str, Any]:
        request = {
            "do": do,
            "game": _absolute(self.game(episode.task_id)),
            "signature": episode.position.signature,
            "path": episode.path,
            **more,
        }
        return self._shared.pool.ask(request, wait)

    def _current(self) -> Episode:
        if self._episode is None:
            raise RuntimeError("reset or restore the environment before using it")
        return self._episode


def _absolute(game: Game) -> str:
    return os.path.abspath(game.path)  # noqa: PTH100 (Path.resolve would follow links)


def _without_banner(observation: str) -> str:
    """The first observation without the greeting of the game engine."""
    first, _, rest = observation.partition("\n\n")
    return rest if first.strip().startswith(BANNER) and rest else observation
