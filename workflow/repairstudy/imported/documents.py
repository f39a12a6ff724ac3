"""JSON documents out of files that nobody vouches for, each with the place it stands in."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from repairstudy.errors import DataError

LONGEST = 64 * 2**20  # bytes of a line
LARGEST = 512 * 2**20  # bytes of a document that is a file of its own


class Document(NamedTuple):
    """An object, or what is wrong with it; `where` names the file and the line or number."""

    where: str
    number: int
    content: dict[str, Any] | None
    problem: str | None = None


def read_lines(path: str | Path) -> Iterator[Document]:
    """The objects of a JSON Lines file; empty lines are passed over.

    A line may hold any character but a line feed. One longer than 64 MiB is not read.

    Raises:
        DataError: the file cannot be read.
    """
    try:
        with Path(path).open("rb") as file:
            number = 0
            while line := file.readline(LONGEST + 1):
                number += 1
                where = f"{path}, line {number}"
                if len(line) > LONGEST:
                    while line and not line.endswith(b"\n"):
                        line = file.readline(LONGEST)
                    yield Document(where, number, None, f"longer than {LONGEST >> 20} MiB")
                elif line.strip():
                    yield document(where, number, line)
    except OSError as error:
        raise DataError(path, f"cannot be read ({error.strerror}).") from error


def read_objects(path: str | Path) -> list[Document]:
    """The objects of a file that is one JSON document: a list of objects, or one object.

    Raises:
        DataError: the file cannot be read, is too large, or is no JSON.
    """
    content = parsed(read_bytes(path), path)
    if isinstance(content, dict):
        return [checked(str(path), 1, content)]
    if not isinstance(content, list):
        raise DataError(path, "holds neither an object nor a list of objects.")
    return [
        checked(f"{path}, number {number}", number, one)
        for number, one in enumerate(content, start=1)
    ]


def read_bytes(path: str | Path) -> bytes:
    """A whole file.

    Raises:
        DataError: it cannot be read, or is longer than a document may be.
    """
    try:
        size = Path(path).stat().st_size
        if size > LARGEST:
            raise DataError(path, f"{size >> 20} MiB; a document has at most {LARGEST >> 20} MiB.")
        return Path(path).read_bytes()
    except OSError as error:
        raise DataError(path, f"cannot be read ({error.strerror}).") from error


def parsed(text: bytes, path: str | Path, numbers: Callable[[str], Any] | None = None) -> Any:
    """JSON.

    Args:
        numbers: what NaN and infinities become; without it they are refused.

    Raises:
        DataError: it is none.
    """
    try:
        return _loaded(text, numbers or _no_number)
    except ValueError as error:
        raise DataError(path, f"not JSON ({error}).") from None


def document(where: str, number: int, text: bytes) -> Document:
    """The object that a text holds."""
    try:
        content = _loaded(text, _no_number)
    except ValueError as error:
        return Document(where, number, None, f"not JSON ({error})")
    return checked(where, number, content)


def checked(where: str, number: int, content: Any) -> Document:
    """Parsed JSON as a document."""
    if not isinstance(content, dict):
        return Document(where, number, None, "not an object")
    broken = broken_text(content)
    if broken is not None:
        return Document(where, number, None, f"{broken}: half of a surrogate pair, no text")
    return Document(where, number, content)


def _loaded(text: bytes, numbers: Callable[[str], Any]) -> Any:
    """ValueError where it is no JSON for any reason."""
    try:
        return json.loads(text.decode("utf-8-sig"), parse_constant=numbers, object_pairs_hook=_once)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _no_number(name: str) -> Any:
    raise ValueError(f"{name} is no number")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise ValueError(f"'{name:.60}' is given twice")
        found[name] = value
    return found


def broken_text(content: Any, path: str = "") -> str | None:
    """Where a text stands that no file could hold: JSON can escape half a character."""
    if isinstance(content, str):
        try:
            content.encode("utf-8")
        except UnicodeEncodeError:
            return path
        return None
    if isinstance(content, dict):
        items = [(str(name), value) for name, value in content.items()]
        if any(broken_text(name) is not None for name, _ in items):
            return path or "name of a field"
    elif isinstance(content, list):
        items = [(str(place), value) for place, value in enumerate(content)]
    else:
        return None
    for name, value in items:
        found = broken_text(value, f"{path}.{name}" if path else name)
        if found is not None:
            return found
    return None
