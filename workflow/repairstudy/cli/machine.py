"""What a machine is: processor, cores, memory, GPUs, and the command that it was given."""

from __future__ import annotations

import os
import platform
import shlex
import shutil
import subprocess
import sys
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

COMMAND = "REPAIRSTUDY_COMMAND"  # set by the Snakefile of the call that started all jobs
GIB = 2**30


def machine() -> dict[str, Any]:
    """This machine; what it does not tell is "unknown". No name of a host or user is in it."""
    return {
        "cpu": _cpu(),
        "cores": len(os.sched_getaffinity(0))
        if hasattr(os, "sched_getaffinity")
        else os.cpu_count(),
        "memory_gib": _memory_gib(),
        "gpus": _gpus(),
        "system": f"{platform.system()} {platform.machine()}",
    }


def command() -> str:
    """The command line that started the workflow, without the folders of its program."""
    return os.environ.get(COMMAND) or command_line(sys.argv)


def command_line(arguments: list[str]) -> str:
    return shlex.join([Path(arguments[0]).name, *arguments[1:]])


def versions(names: tuple[str, ...], python: str | Path | None = None) -> dict[str, str]:
    """Versions of installed distributions; those that are absent are left out.

    Args:
        python: interpreter of another environment than this one.
    """
    folders = None
    if python is not None:
        library = Path(python).parent.parent / "lib"
        folders = [str(path) for path in library.glob("python3*/site-packages")]
        if not folders:
            return {}
    found = distributions(path=folders) if folders else distributions()
    wanted = {name.lower() for name in names}
    return {
        name: item.version
        for item in found
        if (name := (item.metadata["Name"] or "").lower()) in wanted
    }


def _cpu() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or "unknown"
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or "unknown"


def _memory_gib() -> int | str:
    try:
        return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / GIB)
    except (ValueError, OSError, AttributeError):
        return "unknown"


def _gpus() -> list[str]:
    """Names and memory of the GPUs that nvidia-smi lists."""
    program = shutil.which("nvidia-smi")
    if program is None:
        return []
    asked = subprocess.run(
        [program, "--query-gpu=name,memory.total", "--format=csv,noheader"],
        capture_output=True, text=True, check=False, timeout=30,
    )  # fmt: skip
    return [line.strip() for line in asked.stdout.splitlines() if line.strip()]
