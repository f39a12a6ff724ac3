"""How far a run of rollouts has come, for a person who waits for it."""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass, field
from typing import Any, TextIO

from repairstudy.records.tables import STATUSES
from repairstudy.rollouts.checks import ERROR

RECENT_TICKS = 6


@dataclass
class Tally:
    """Counts of the rollouts that one run has done.

    `errors_in_a_row` counts the latest infrastructure errors, `last_error` is the latest's cause.
    """

    total: int
    started: float = field(default_factory=time.monotonic)
    done: int = 0
    steps: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    errors_in_a_row: int = 0
    last_error: str | None = None
    statuses: dict[str, int] = field(default_factory=lambda: dict.fromkeys(STATUSES, 0))

    def add(self, row: dict[str, Any]) -> None:
        """Count a CACHED_ROLLOUTS row."""
        self.done += 1
        self.statuses[row["status"]] += 1
        self.steps += row["steps"]
        self.tokens_in += row["tokens_in"]
        self.tokens_out += row["tokens_out"]
        if row["status"] == ERROR:
            self.errors_in_a_row += 1
            self.last_error = row["cause"]
        else:
            self.errors_in_a_row = 0

    @property
    def errors(self) -> int:
        return self.statuses[ERROR]

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.started

    def line(self, rate: float | None = None) -> str:
        """Rollouts done, rate and time left, in one line.

        Args:
            rate: rollouts a second by which the time left is told; None: the mean so far.
        """
        share = f" ({100 * self.done // self.total}%)" if self.total else ""
        rate = self.done / max(self.seconds, 1e-9) if rate is None else rate
        left = f", {_duration((self.total - self.done) / rate)} left" if rate else ""
        errors = f", {self.errors} infrastructure errors" if self.errors else ""
        return (
            f"{self.done:,} of {self.total:,} rollouts{share}, {rate:,.1f} a second{left}{errors}"
        )


class Progress:
    """Writes a line to a stream every `every_s` seconds, and one at the end."""

    def __init__(self, stream: TextIO | None, every_s: float = 10.0, title: str = "") -> None:
        self.every_s = every_s
        self._stream = stream
        self._title = f"{title}: " if title else ""
        self._last = time.monotonic()
        # Cached executors finish in seconds, others take minutes: only the recent rate foretells.
        self._recent: deque[tuple[float, int]] = deque([(self._last, 0)], maxlen=RECENT_TICKS)

    def tick(self, tally: Tally) -> None:
        """Write a line if one is due."""
        now = time.monotonic()
        if now - self._last >= self.every_s:
            self._last = now
            self._recent.append((now, tally.done))
            since, done = self._recent[0]
            self._write(tally.line((tally.done - done) / (now - since)))

    def close(self, tally: Tally) -> None:
        """Write the summary."""
        counts = ", ".join(f"{n:,} {name}" for name, n in tally.statuses.items() if n)
        self._write(
            f"{tally.done:,} of {tally.total:,} rollouts in {_duration(tally.seconds)}"
            f" ({counts or 'none'}); {tally.steps:,} steps, "
            f"{tally.tokens_in:,} + {tally.tokens_out:,} tokens"
        )

    def _write(self, text: str) -> None:
        if self._stream is not None:
            self._stream.write(f"{self._title}{text}\n")
            self._stream.flush()


def _duration(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {seconds:.0f} s"
