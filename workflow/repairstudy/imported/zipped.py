"""Entries of a zip archive, those in Zstandard included, which Python 3.11 cannot read."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path
from zipfile import BadZipFile, ZipFile, ZipInfo

import pyarrow as pa

from repairstudy.errors import DataError
from repairstudy.imported.documents import LARGEST

STORED, DEFLATED, ZSTANDARD = 0, 8, 93  # methods, APPNOTE 4.4.5
_HEADER = struct.Struct("<4s22xHH")  # of an entry: its signature, lengths of its name and extras


def is_archive(path: Path) -> bool:
    """Whether a file begins as a zip archive does."""
    with path.open("rb") as file:
        return file.read(2) == b"PK"


class Archive:
    """A zip archive, opened for reading.

    Raises:
        DataError: it cannot be read, or is no archive.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = path
        try:
            with ZipFile(path) as archive:
                # A writer may have replaced an entry by a later one of the same name.
                self._entries = {info.filename: info for info in archive.infolist()}
        except OSError as error:
            raise DataError(path, f"cannot be read ({error.strerror}).") from error
        except (BadZipFile, ValueError, NotImplementedError) as error:
            raise DataError(path, f"truncated, or no zip archive ({error}).") from None

    @property
    def names(self) -> list[str]:
        return list(self._entries)

    def read(self, name: str) -> bytes:
        """An entry.

        Raises:
            DataError: it is broken, too large, or compressed in a way that is not known here.
        """
        info = self._entries[name]
        if info.file_size > LARGEST or info.compress_size > LARGEST:
            raise DataError(
                self.path, f"{name}: {info.file_size >> 20} MiB; at most {LARGEST >> 20} are read."
            )
        if info.flag_bits & 1:
            raise DataError(self.path, f"{name}: encrypted.")
        try:
            found = _expanded(self._packed(info), info)
        except (OSError, zlib.error, struct.error, ValueError) as error:
            raise DataError(self.path, f"{name}: broken ({error}).") from None
        if len(found) != info.file_size or zlib.crc32(found) != info.CRC:
            raise DataError(self.path, f"{name}: broken (not what its checksum says).")
        return found

    def _packed(self, info: ZipInfo) -> bytes:
        with Path(self.path).open("rb") as file:
            file.seek(info.header_offset)
            signature, name, extra = _HEADER.unpack(file.read(_HEADER.size))
            if signature != b"PK\x03\x04":
                raise ValueError("no entry where the directory says")
            file.seek(name + extra, 1)
            return file.read(info.compress_size)


def _expanded(packed: bytes, info: ZipInfo) -> bytes:
    """No more than the entry claims to hold, whatever it was packed from."""
    if info.compress_type == STORED:
        return packed
    if info.compress_type == DEFLATED:
        return zlib.decompressobj(-zlib.MAX_WBITS).decompress(packed, info.file_size + 1)
    if info.compress_type == ZSTANDARD:
        with pa.CompressedInputStream(pa.BufferReader(packed), "zstd") as stream:
            return bytes(stream.read(info.file_size + 1))
    raise ValueError(f"compression method {info.compress_type} is not known here")
