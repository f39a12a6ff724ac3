"""Reading the files of an environment's data, with errors that name the file."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from repairstudy.errors import DataError


def read_object(path: Path, remedy: str) -> dict[str, Any]:
    """The JSON object in a file.

    Args:
        remedy: what a reader of the error can do about it.

    Raises:
        DataError: the file cannot be read, is no JSON, or holds something else.
    """
    try:
        content = json.loads(path.read_bytes())
    except OSError as error:
        raise DataError(path, f"cannot be read ({error.strerror}).", remedy) from error
    except ValueError as error:
        raise DataError(path, f"is not valid JSON ({error}).", remedy) from error
    if not isinstance(content, dict):
        raise DataError(path, "holds no JSON object.", remedy)
    return content


def sha256_of(path: Path, remedy: str = "") -> str:
    """The SHA-256 of a file's bytes, in hexadecimal.

    Raises:
        DataError: the file cannot be read.
    """
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise DataError(path, f"cannot be read ({error.strerror}).", remedy) from error
