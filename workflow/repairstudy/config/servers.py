"""What a study recorded of the standing servers it uses, before its first rollout.

The record makes the server's fingerprint a part of the executor's identity without asking the
server again: work lists, statistics and figures need the file alone.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Protocol

from repairstudy.engines.fingerprint import Fingerprint
from repairstudy.errors import DataError


class HasResults(Protocol):
    """A study, by where it keeps what it finds."""

    @property
    def study(self) -> str: ...

    @property
    def results(self) -> str: ...


def record_path(config: HasResults, model: str) -> Path:
    """The file that the rule `identify_server` makes."""
    return Path(config.results) / config.study / "servers" / f"{model}.json"


def read_record(path: Path) -> Fingerprint:
    """A recorded fingerprint.

    Raises:
        DataError: there is none, or it was damaged or edited.
    """
    remedy = f"`snakemake {path}` asks the server; from then on it must stay the same model."
    try:
        return Fingerprint.from_json(json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        raise DataError(path, "nothing is recorded of this server yet.", remedy) from None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise DataError(path, f"the record is damaged ({error!r:.200}).", remedy) from error
