"""The processes of a Ray cluster on this machine, by /proc."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")
"""Of the kernel's account of processor time, in a second."""


def _stat(pid: int) -> list[str]:
    """Fields of /proc/PID/stat behind the name, of which the first is the state and the second the parent."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(") ", 1)[1].split()
    except (OSError, IndexError):
        return []


def descendants(of: int) -> Iterator[int]:
    """All processes that the process `of` has started, and those that they have."""
    parents = {int(name): _stat(int(name)) for name in os.listdir("/proc") if name.isdigit()}
    for pid in parents:
        ancestor = pid
        while ancestor in parents and parents[ancestor] and ancestor != of:
            ancestor = int(parents[ancestor][1])
        if ancestor == of and pid != of:
            yield pid


def seconds(of: int) -> float:
    """Processor seconds of the process `of` and all that it has started, those that have ended among them."""
    total = 0
    for pid in [of, *descendants(of)]:
        fields = _stat(pid)
        # utime, stime, and those of children that have been waited for.
        total += sum(int(field) for field in fields[11:15])
    return total / TICKS


def workers(of: int) -> list[int]:
    """The processes below `of` that run a chunk."""
    found = []
    for pid in descendants(of):
        try:
            line = Path(f"/proc/{pid}/cmdline").read_bytes()
        except OSError:
            continue
        if line.startswith(b"ray::_run_chunk"):
            found.append(pid)
    return found
