"""JSON messages over a socket, each after its length: nothing received is ever executed."""

from __future__ import annotations

import json
import socket
import struct
import time
from typing import Any

_LENGTH = struct.Struct(">I")


def send(channel: socket.socket, message: Any) -> None:
    """Send one message.

    Raises:
        OSError: the other end has gone.
    """
    body = json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
    channel.sendall(_LENGTH.pack(len(body)) + body)


def receive(channel: socket.socket, seconds: float | None = None) -> Any:
    """The next message; None for `seconds` waits for ever.

    Raises:
        TimeoutError: it was not complete within `seconds`.
        EOFError: the other end has gone.
    """
    deadline = None if seconds is None else time.monotonic() + seconds
    (length,) = _LENGTH.unpack(_exactly(channel, _LENGTH.size, deadline))
    return json.loads(_exactly(channel, length, deadline))


def _exactly(channel: socket.socket, size: int, deadline: float | None) -> bytes:
    parts = bytearray()
    while len(parts) < size:
        if deadline is not None:
            left = deadline - time.monotonic()
            if left <= 0:
                raise TimeoutError
            channel.settimeout(left)
        try:
            part = channel.recv(min(size - len(parts), 1 << 20))
        except ConnectionError:
            part = b""
        if not part:
            raise EOFError
        parts += part
    channel.settimeout(None)
    return bytes(parts)
