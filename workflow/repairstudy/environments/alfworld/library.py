"""The planner's shared library, which holds the state of a game."""

from __future__ import annotations

import ctypes
import hashlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import fast_downward
from fast_downward import interface


def load_library(folder: Path | None) -> Any:
    """A copy of the library of this process's own, for one game at a time.

    The library is never closed again: closing two copies crashes the interpreter at its exit.

    Args:
        folder: keeps the library without its debugging symbols, 30 times smaller, for the next
            process; None: that is made anew.
    """
    with tempfile.TemporaryDirectory() as scratch:
        original = interface.DOWNWARD_LIB_PATH
        interface.DOWNWARD_LIB_PATH = str(_stripped(Path(original), folder or Path(scratch)))
        try:
            library = fast_downward.load_lib()
        finally:
            interface.DOWNWARD_LIB_PATH = original
    library.get_state_id.argtypes = []
    library.get_state_id.restype = ctypes.c_int
    library.set_state_id.argtypes = [ctypes.c_int]
    library.set_state_id.restype = None
    return library


def _stripped(original: Path, folder: Path) -> Path:
    """A copy that takes little room on the disk, where there is a tool to make one.

    Each loaded copy keeps its disk space, though its file is gone, until the process ends.
    """
    state = original.stat()
    mark = hashlib.sha256(f"{original} {state.st_size} {state.st_mtime_ns}".encode()).hexdigest()
    target = folder / f"libdownward-{mark[:16]}.so"
    strip = shutil.which("strip")
    if target.exists() or strip is None:
        return target if target.exists() else original
    folder.mkdir(parents=True, exist_ok=True)
    part = target.with_suffix(f".{os.getpid()}.part")
    done = subprocess.run([strip, "-o", part, original], check=False, capture_output=True)
    if done.returncode != 0:
        part.unlink(missing_ok=True)
        return original
    part.replace(target)  # other workers make the same file at the same time
    return target
