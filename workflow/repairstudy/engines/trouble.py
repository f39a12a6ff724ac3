"""What may go wrong with a model server, by what the one who asked can do about it.

`RequestRefused` and `WrongModel` (in `errors`) end a request at once; what is here does not.
"""

from __future__ import annotations

from repairstudy.errors import EngineError


class Passing(EngineError):
    """Trouble that may be over at the next try.

    Attributes:
        wait_s: seconds that the server asks to be left alone; 0 if it does not ask.
        away: the server cannot be reached or does not answer, so nobody should be sent there
            for a while. Otherwise it answered, and only this request has to be put again.
        busy: the server says that it has too much to do.
    """

    def __init__(
        self, message: str, *, wait_s: float = 0.0, away: bool = False, busy: bool = False
    ) -> None:
        super().__init__(message)
        self.wait_s, self.away, self.busy = wait_s, away, busy


class Malformed(Passing):
    """The server answered, but not with what its interface promises."""


class Gone(EngineError):
    """A server that will not answer again, and has been restarted often enough."""
