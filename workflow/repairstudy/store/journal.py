"""A folder of small JSON documents that are only ever added, each named by the hash of its text."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from repairstudy.errors import DataError
from repairstudy.records import canonical_json
from repairstudy.store.files import replacing

LENGTH = 32


def add_document(folder: str | Path, content: Mapping[str, Any]) -> Path:
    """Write a document; the same content is the same file. Several jobs may write at once."""
    text = canonical_json(content)
    path = Path(folder) / f"{_name(text)}.json"
    if not path.is_file():
        with replacing(path) as temporary:
            temporary.write_text(text, encoding="utf-8")
    return path


def read_documents(folder: str | Path) -> list[dict[str, Any]]:
    """Every document of a folder, by name; none if there is no such folder.

    Raises:
        DataError: a document was edited or damaged: it does not have the hash of its name.
    """
    found = []
    for path in sorted(Path(folder).glob("*.json")):
        text = path.read_text(encoding="utf-8", errors="replace")
        if path.stem != _name(text):
            raise DataError(path, "the record was edited or damaged: its name is not its hash.",
                            "Restore it; records are never changed.")  # fmt: skip
        found.append(json.loads(text))
    return found


def _name(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8")).hexdigest()[:LENGTH]
