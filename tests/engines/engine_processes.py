"""Looking at processes from outside."""

import time
from pathlib import Path


def stat_of(pid):
    """Fields of /proc/PID/stat after the name: state, parent, ...; None if there is none."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except (FileNotFoundError, ProcessLookupError):
        return None


def lives(pid):
    fields = stat_of(pid)
    return fields is not None and fields[0] != "Z"  # Z: dead, and not yet collected


def wait_until(condition, seconds=10.0):
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until, "waited in vain"
        time.sleep(0.02)


def descendants(pid):
    children = {}
    for folder in Path("/proc").glob("[0-9]*"):
        fields = stat_of(folder.name)
        if fields:
            children.setdefault(int(fields[1]), []).append(int(folder.name))
    found = list(children.get(pid, []))
    for child in found:  # grows while it is read
        found += children.get(child, [])
    return found


def pids_in(file):
    """Process ids that stub servers have written down, oldest first."""
    wait_until(lambda: file.exists() and file.read_text())
    return [int(pid) for pid in file.read_text().split()]
