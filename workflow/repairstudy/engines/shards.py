"""Immutable Parquet shards of action distributions, written whole or not at all."""

from __future__ import annotations

import hashlib
import io
import os
import time
import uuid
from pathlib import Path

import polars as pl
from polars.exceptions import PanicException, PolarsError

from repairstudy.errors import DataError

SCHEMA: dict[str, pl.DataType] = {
    "key": pl.String(),
    "prompt": pl.String(),
    "choices": pl.List(pl.String()),
    "logprobs": pl.List(pl.Float64()),
    "tokens_in": pl.Int64(),
}
_REMEDY = "Delete the file and run again: only the distributions in it are asked anew."


def write_shard(folder: Path, rows: pl.DataFrame) -> Path:
    """Write rows so that a reader sees all of them or nothing, also after a power cut.

    The name begins with the time, so that readers agree on which shard came first, and ends with
    a hash of the bytes, which shows any damage.
    """
    folder.mkdir(parents=True, exist_ok=True)
    content = io.BytesIO()
    rows.write_parquet(content, compression="zstd")
    data = content.getvalue()
    path = folder / f"{time.time_ns():020d}-{uuid.uuid4().hex[:8]}-{_hash(data)}.parquet"
    temporary = path.with_name(f".{path.name}.tmp")
    try:
        with temporary.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise DataError(folder, f"cannot be written ({error.strerror}).", "Make room.") from error
    _sync(folder)
    return path


def list_shards(folder: Path) -> list[Path]:
    """The shards of a folder, oldest first; unfinished files are none."""
    return sorted(p for p in folder.glob("*.parquet") if not p.name.startswith("."))


def read_shard(path: Path, columns: list[str] | None = None) -> pl.DataFrame:
    """The rows of a shard, or some of its columns.

    Raises:
        DataError: it is truncated or damaged, or its columns are not those of SCHEMA.
    """
    data = path.read_bytes()
    if not path.stem.endswith(f"-{_hash(data)}"):
        raise DataError(path, "truncated or damaged: its bytes do not match its name.", _REMEDY)
    try:
        found = dict(pl.read_parquet_schema(io.BytesIO(data)))
        if found != SCHEMA:
            raise DataError(path, f"columns are {found}, expected {SCHEMA}.", _REMEDY)
        return pl.read_parquet(io.BytesIO(data), columns=columns)
    except (PolarsError, PanicException) as error:
        raise DataError(path, f"not a readable Parquet file ({error}).", _REMEDY) from error


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]


def _sync(folder: Path) -> None:
    """Make the new name itself durable."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
