"""Large JSON files of products, read a piece at a time."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from repairstudy.errors import DataError

CHUNK = 1 << 22  # characters read at a time
LARGEST_ELEMENT = 1 << 26  # characters after which an element can only be broken
AGAIN = "Fetch the file again."


def elements(path: Path) -> Iterator[Any]:
    """The elements of the JSON array in a file, one at a time.

    A catalogue of a million products need not be read to its end for its first thousand.

    Raises:
        DataError: the file cannot be read, holds no array, or ends inside an element.
    """
    try:
        with path.open(encoding="utf-8") as file:
            yield from _decoded(path, iter(lambda: file.read(CHUNK), ""))
    except OSError as error:
        raise DataError(path, f"cannot be read ({error.strerror}).") from error
    except UnicodeDecodeError as error:
        raise DataError(path, f"is not UTF-8 text ({error.reason}).", AGAIN) from error


def _decoded(path: Path, chunks: Iterator[str]) -> Iterator[Any]:
    decode = json.JSONDecoder().raw_decode
    text = next(chunks, "").lstrip("\ufeff \t\r\n")
    if not text.startswith("["):
        raise DataError(path, "holds no JSON array of products.", AGAIN)
    start, number = 1, 0
    while True:
        start = _skip(text, start, " \t\r\n,")
        if text[start : start + 1] == "]":
            return
        try:
            element, start = decode(text, start)
        except ValueError as error:
            more = next(chunks, "")
            if not more or len(text) - start > LARGEST_ELEMENT:
                problem = f"element {number} is cut off or not valid JSON ({error})."
                raise DataError(path, problem, AGAIN) from error
            text, start = text[start:] + more, 0
            continue
        number += 1
        yield element


def _skip(text: str, start: int, characters: str) -> int:
    while start < len(text) and text[start] in characters:
        start += 1
    return start
