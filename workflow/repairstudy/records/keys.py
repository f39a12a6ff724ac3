"""Content-derived identities and the seeds that follow from them.

Nothing in a study draws from a global generator: every random choice takes a seed that is a
function of what the choice is for, so it depends neither on scheduling nor on resumption.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

import numpy as np

# One encoder for all: json.dumps would build a new one for every seed of every step.
_ENCODER = json.JSONEncoder(
    sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
)
ID_LENGTH = 32  # hexadecimal digits: 128 bits, no accidental collision in any study


def canonical_json(value: Any) -> str:
    """The one JSON text of a value: sorted keys, no spaces, Unicode as is.

    Raises:
        ValueError: NaN or infinity, which JSON has no text for.
        TypeError: a value that is not JSON (sets, objects, non-string keys).
    """
    _require_string_keys(value)
    return _ENCODER.encode(value)


def digest(value: Any, length: int = ID_LENGTH) -> str:
    """The identity of a JSON value: the first `length` hex digits of its SHA-256."""
    return hashlib.sha256(canonical_json(value).encode("utf-8")).hexdigest()[:length]


def seed_of(*parts: Any) -> int:
    """A seed in [0, 2**63) that is a function of the parts alone."""
    return int(digest(list(parts), length=16), 16) >> 1


def generator(*parts: Any) -> np.random.Generator:
    """A NumPy generator whose stream is a function of the parts alone."""
    return np.random.Generator(np.random.PCG64(seed_of(*parts)))


def _require_string_keys(value: Any) -> None:
    """json.dumps would turn 1 and "1" into the same key."""
    if isinstance(value, dict):
        for key, item in value.items():
            if not isinstance(key, str):
                raise TypeError(f"key {key!r} of a canonical JSON object is not text")
            _require_string_keys(item)
    elif isinstance(value, list | tuple):
        for item in value:
            _require_string_keys(item)
