"""How far a run of rollouts has come, for a person who waits for it."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TextIO

from repairstudy.records.tables import STATUSES
from repairstudy.rollouts.checks import ERROR

if TYPE_CHECKING:
    from rich.progress import Progress as Bars

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
    """Writes a line to a stream every `every_s` seconds, and one at the end.

    Args:
        calls: how often the model has been asked; of stored answers it is not.
    """

    def __init__(
        self,
        stream: TextIO | None,
        every_s: float = 10.0,
        title: str = "",
        calls: Callable[[], int] = lambda: 0,
    ) -> None:
        self.every_s = every_s
        self._calls = calls
        self._stream = stream
        self._title = f"{title}: " if title else ""
        self._last = time.monotonic()
        # Cached executors finish in seconds, others take minutes: only the recent rate foretells.
        self._recent: deque[tuple[float, int]] = deque([(self._last, 0)], maxlen=RECENT_TICKS)

    def tick(self, tally: Tally) -> None:
        """Show how far it is, if that is due."""
        now = time.monotonic()
        if now - self._last >= self.every_s:
            self._last = now
            self._recent.append((now, tally.done))
            since, done = self._recent[0]
            self._show(tally, (tally.done - done) / (now - since))

    def close(self, tally: Tally) -> None:
        """Write the summary."""
        counts = ", ".join(f"{n:,} {name}" for name, n in tally.statuses.items() if n)
        self._write(
            f"{tally.done:,} of {tally.total:,} rollouts in {_duration(tally.seconds)}"
            f" ({counts or 'none'}); {tally.steps:,} steps, "
            f"{tally.tokens_in:,} + {tally.tokens_out:,} tokens{self._asked()}"
        )

    def _show(self, tally: Tally, rate: float) -> None:
        self._write(tally.line(rate) + self._asked())

    def _asked(self) -> str:
        return f", {calls:,} model calls" if (calls := self._calls()) else ""

    def _write(self, text: str) -> None:
        if self._stream is not None:
            self._stream.write(f"{self._title}{text}\n")
            self._stream.flush()


class ProgressBar(Progress):
    """Draws a bar on a terminal while rollouts run, and writes a line at the end.

    Args:
        cached: rollouts of the same round that the cache had.
    """

    def __init__(
        self, bars: Bars, stream: TextIO, title: str, cached: int, calls: Callable[[], int]
    ) -> None:
        super().__init__(stream, every_s=0.25, title=title, calls=calls)
        self._bars = bars
        self._cached = f"{cached:,} cached" if cached else ""
        self._task = bars.add_task(title, total=None, told="")

    def _show(self, tally: Tally, rate: float) -> None:
        told = [f"{rate:,.0f} rollouts/s"]
        if rate:
            told.append(f"{_duration((tally.total - tally.done) / rate)} left")
        told += [f"{tally.steps:,} steps", f"{tally.tokens_in + tally.tokens_out:,} tokens"]
        told += [self._cached] if self._cached else []
        told += [f"{tally.errors} infrastructure errors"] if tally.errors else []
        self._bars.update(
            self._task,
            completed=tally.done,
            total=tally.total,
            told=", ".join(told) + self._asked(),
        )
        self._bars.refresh()

    def close(self, tally: Tally) -> None:
        self._bars.remove_task(self._task)
        self._bars.refresh()
        super().close(tally)


@contextmanager
def progress_on(
    stream: TextIO, title: str = "", cached: int = 0, calls: Callable[[], int] = lambda: 0
) -> Iterator[Progress]:
    """A bar where a person watches a terminal; plain lines in a log, in a pipe, in CI.

    A job of a workflow shares its terminal with other jobs: it writes lines (`Progress`).
    """
    if not stream.isatty():
        yield Progress(stream, title=title, calls=calls)
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
    from rich.progress import Progress as Bars

    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=20),
        MofNCompleteColumn(),
        TextColumn("{task.fields[told]}"),
    )
    with Bars(*columns, console=Console(file=stream), auto_refresh=False, transient=True) as bars:
        yield ProgressBar(bars, stream, title, cached, calls)


def _duration(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {seconds:.0f} s"
