"""Immutable Parquet files that any number of jobs add to one folder, and that tell their damage.

A shard is called ``[<order>-]<hash of its bytes>-<unique>.parquet``. The hash lets a reader notice
any damage, which Parquet itself does not. The unique part means that no name is ever used twice, so
whoever deletes a shard that it has merged can never delete another's work.
"""

from __future__ import annotations

import hashlib
import io
import os
import re
import time
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path

import polars as pl
from polars.exceptions import PanicException, PolarsError

from repairstudy.errors import DataError

STALE_S = 3600.0  # age at which a temporary file can no longer be a write in progress
# A hash with a unique part behind or, in shards of an earlier version, before it.
_NAME = re.compile(
    r"(?:\d{20}-)?(?:([0-9a-f]{16})-[0-9a-f]{12}|[0-9a-f]{8}-([0-9a-f]{16}))\.parquet"
)
_PLAIN = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")
_OTHER_VERSION = "It was written by another version; move it away, or run that version."


def write_shard(folder: Path, rows: pl.DataFrame, order: str = "") -> Path:
    """Write rows so that a reader sees all of them or nothing, also after a power cut.

    Args:
        order: begins the name; `list_shards` sorts by it.

    Raises:
        OSError: the disk is full or not writable; nothing but a temporary file is left.
    """
    folder.mkdir(parents=True, exist_ok=True)
    content = io.BytesIO()
    rows.write_parquet(content, compression="zstd")
    data = content.getvalue()
    name = f"{order}{_hash(data)}-{uuid.uuid4().hex[:12]}.parquet"
    temporary = folder / f".{name}.tmp"
    try:
        with temporary.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(folder / name)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise
    _sync_folder(folder)
    return folder / name


def read_shard(
    path: Path,
    schema: Mapping[str, pl.DataType],
    remedy: str,
    columns: Sequence[str] | None = None,
    added: Sequence[str] = (),
) -> pl.DataFrame:
    """The rows of a shard, or some of its columns.

    Args:
        schema: the columns that it must have, in any order.
        remedy: what to do about a damaged one, for the message.
        added: those of `schema` that shards of an earlier version lack; there they are null.

    Raises:
        DataError: it is damaged, or its columns are others.
        FileNotFoundError: it has been merged into another shard meanwhile.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise
    except OSError as error:
        raise DataError(path, f"cannot be read ({error.strerror}).", remedy) from error
    named = _NAME.fullmatch(path.name)
    if named and _hash(data) not in named.groups():
        raise DataError(path, "truncated or damaged: its bytes do not match its name.", remedy)
    try:
        found = dict(pl.read_parquet_schema(io.BytesIO(data)))
        lacking = [name for name in added if name not in found]
        _check_columns(path, found | {name: schema[name] for name in lacking}, schema)
        kept = list(columns) if columns else list(schema)
        rows = pl.read_parquet(
            io.BytesIO(data), columns=[name for name in kept if name not in lacking]
        )
        nulls = {name: pl.lit(None, schema[name]) for name in lacking if name in kept}
        return rows.with_columns(**nulls) if nulls else rows
    except (PolarsError, PanicException, OSError) as error:
        raise DataError(path, f"not a readable Parquet file ({error}).", remedy) from error


def list_shards(folder: Path) -> list[Path]:
    """The shards of a folder, sorted; temporary files are none.

    While another job compacts, one pass over a folder may show neither a merged shard nor those
    it replaces. So the pass is repeated until nothing that it showed has gone.
    """
    before = _scan(folder)
    while True:
        now = _scan(folder)
        if before <= now:
            return [folder / name for name in sorted(now)]
        before = now


def remove_stale(folder: Path, older_than_s: float = STALE_S) -> int:
    """Delete temporary files that a killed job left behind; how many there were.

    What cannot be deleted stays: it is in nobody's way.
    """
    removed = 0
    for path in folder.glob(".*.parquet.tmp"):
        try:
            if time.time() - path.stat().st_mtime > older_than_s:
                path.unlink()
                removed += 1
        except OSError:
            continue
    return removed


def plain_name(name: str, source: str | Path) -> str:
    """The name, if it can only name something within a folder.

    Raises:
        DataError: it could lead out of it.
    """
    if not _PLAIN.fullmatch(name):
        raise DataError(source, f"{name!r} is no name of a folder here.", "Where did it come from?")
    return name


def _check_columns(
    path: Path, found: Mapping[str, pl.DataType], expected: Mapping[str, pl.DataType]
) -> None:
    for column, dtype in expected.items():
        if column not in found:
            raise DataError(path, f"column '{column}' is missing.", _OTHER_VERSION)
        if found[column] != dtype:
            problem = f"column '{column}' is {found[column]}, expected {dtype}."
            raise DataError(path, problem, _OTHER_VERSION)
    for column in found:
        if column not in expected:
            raise DataError(path, f"column '{column}' is unknown.", _OTHER_VERSION)


def _scan(folder: Path) -> set[str]:
    if not folder.is_dir():
        return set()
    return {
        entry.name
        for entry in os.scandir(folder)
        if entry.name.endswith(".parquet") and not entry.name.startswith(".")
    }


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]


def _sync_folder(folder: Path) -> None:
    """Make the new name itself durable."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
