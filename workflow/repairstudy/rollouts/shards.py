"""One shard of the rollout cache: an immutable Parquet file that tells whether it is whole.

A shard is called ``<hash of its bytes>-<unique>.parquet``. The hash lets a reader notice any
damage, which Parquet itself does not. The unique part means that no name is ever used twice, so
a compaction that deletes a shard it has merged can never delete another's work.
"""

from __future__ import annotations

import hashlib
import io
import os
import re
import time
import uuid
from collections.abc import Sequence
from pathlib import Path

import polars as pl
from polars.exceptions import PanicException, PolarsError

from repairstudy.errors import DataError
from repairstudy.records.tables import CACHED_ROLLOUTS

_NAME = re.compile(r"([0-9a-f]{16})-[0-9a-f]{12}\.parquet")
_REMEDY = "Delete the file and start the run again: only the rollouts in it are run anew."


def write_shard(folder: Path, rows: pl.DataFrame) -> Path:
    """Write rows so that a reader sees all of them or nothing, also after a power cut.

    Raises:
        OSError: the disk is full or not writable; nothing but a temporary file is left.
    """
    folder.mkdir(parents=True, exist_ok=True)
    content = io.BytesIO()
    rows.write_parquet(content, compression="zstd")
    data = content.getvalue()
    name = f"{_hash(data)}-{uuid.uuid4().hex[:12]}.parquet"
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


def read_shard(path: Path, columns: Sequence[str] | None = None) -> pl.DataFrame:
    """The rows of a shard, or some of its columns.

    Raises:
        DataError: it is damaged, or its columns are not those of the contract.
        FileNotFoundError: it has been merged into another shard meanwhile.
    """
    data = path.read_bytes()
    named = _NAME.fullmatch(path.name)
    if named and named.group(1) != _hash(data):
        raise DataError(path, "truncated or damaged: its bytes do not match its name.", _REMEDY)
    try:
        check_columns(path, dict(pl.read_parquet_schema(io.BytesIO(data))))
        return pl.read_parquet(io.BytesIO(data), columns=list(columns) if columns else None)
    except (PolarsError, PanicException, OSError) as error:
        raise DataError(path, f"not a readable Parquet file ({error}).", _REMEDY) from error


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


def remove_stale(folder: Path, older_than_s: float) -> int:
    """Delete temporary files that a killed job left behind; how many there were."""
    removed = 0
    for path in folder.glob(".*.parquet.tmp"):
        try:
            if time.time() - path.stat().st_mtime > older_than_s:
                path.unlink()
                removed += 1
        except FileNotFoundError:
            continue
    return removed


def check_columns(path: Path, found: dict[str, pl.DataType]) -> None:
    """Compare a shard's columns with the contract's.

    Raises:
        DataError: names the first column that is missing, unknown, or of another type.
    """
    expected = CACHED_ROLLOUTS.schema
    remedy = "It was written by another version; move it away, or run that version."
    for column, dtype in expected.items():
        if column not in found:
            raise DataError(path, f"column '{column}' is missing.", remedy)
        if found[column] != dtype:
            raise DataError(
                path, f"column '{column}' is {found[column]}, expected {dtype}.", remedy
            )
    for column in found:
        if column not in expected:
            raise DataError(path, f"column '{column}' is unknown.", remedy)


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
