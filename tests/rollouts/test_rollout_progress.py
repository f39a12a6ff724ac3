"""A bar for who watches a terminal, lines for everybody else."""

import io

import pytest
from rollout_toys import row

from repairstudy.rollouts import Tally, progress_on

SHOWS_CURSOR = "\x1b[?25h"


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture(autouse=True)
def a_terminal_that_can_redraw(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "160")


def half_way():
    tally = Tally(4)
    tally.add(row())
    tally.add(row())
    return tally


def test_a_terminal_gets_a_bar_and_keeps_a_line():
    stream = Terminal()
    with progress_on(stream, "round 1", cached=7, calls=lambda: 1234) as progress:
        progress._last -= 1.0  # a tick is due
        progress.tick(half_way())
        drawn = stream.getvalue()
        progress.close(half_way())
    assert "2/4" in drawn
    assert "rollouts/s" in drawn
    assert "7 cached" in drawn
    assert "1,234 model calls" in drawn
    assert "round 1: 2 of 4 rollouts in 0 s" in stream.getvalue()
    assert SHOWS_CURSOR in stream.getvalue()


def test_an_error_gives_the_cursor_back():
    stream = Terminal()
    with pytest.raises(ZeroDivisionError), progress_on(stream):
        raise ZeroDivisionError
    assert SHOWS_CURSOR in stream.getvalue()


def test_a_log_gets_lines_without_colours():
    stream = io.StringIO()
    asked = iter([5, 6])
    with progress_on(stream, "round 1", calls=lambda: next(asked)) as progress:
        progress._last -= 10.0
        progress.tick(half_way())
        progress.close(half_way())
    ticked, closed = stream.getvalue().splitlines()
    assert ticked.startswith("round 1: 2 of 4 rollouts (50%), ")
    assert ticked.endswith(" left, 5 model calls")
    assert closed.startswith("round 1: 2 of 4 rollouts in 0 s")
    assert closed.endswith(" tokens, 6 model calls")
    assert "\x1b" not in stream.getvalue()
