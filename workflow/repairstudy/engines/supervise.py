"""Runs a server that dies with its owner, whatever becomes of the owner.

    python supervise.py GRACE_SECONDS COMMAND...

The owner holds the other end of standard input. When that closes, because the owner is done or
because it was killed, the server and all its descendants get SIGTERM, then SIGKILL. A file of its
own, needing nothing but the standard library, so that it starts at once.

A parent-death signal alone would not do: it follows the thread that started the server, and the
server's own children (vLLM's engine and workers) would not get it.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import select
import signal
import subprocess
import sys
import time

PR_SET_PDEATHSIG = 1
POLL_S = 0.1


def die_with_parent() -> None:
    """In the server: SIGKILL even if the supervisor itself is killed (Linux only)."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def owner_has_gone() -> bool:
    """Wait a moment; True when standard input has ended."""
    ready, _, _ = select.select([sys.stdin], [], [], POLL_S)
    return bool(ready) and not os.read(sys.stdin.fileno(), 1)


def group_lives(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def end(server: subprocess.Popen[bytes], grace: float) -> None:
    """End the server's whole group: politely first."""
    until = time.monotonic() + grace
    for sent in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(server.pid, sent)
        while group_lives(server.pid) and (sent == signal.SIGKILL or time.monotonic() < until):
            server.poll()  # collects the dead leader, which would count as alive
            time.sleep(POLL_S)


def main(grace: float, command: list[str]) -> int:
    """The server's exit code, or 0 when it was ended for its owner."""
    stopped: list[int] = []
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda received, _: stopped.append(received))
    server = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        start_new_session=True,
        preexec_fn=die_with_parent,
    )
    while server.poll() is None:
        if owner_has_gone() or stopped:
            end(server, grace)
            return 0
    end(server, grace)  # what it left behind
    return server.returncode


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]), sys.argv[2:]))
