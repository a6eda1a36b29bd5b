"""`python -m cyclescope sweep PLAN --out FILE --address ADDRESS`, as `cyclescope sweep --address` calls it."""

from __future__ import annotations

import argparse
import sys
import time

from . import _native
from ._sweep import sweep

INTERRUPTED = 130
"""The exit code after Ctrl-C, as the command has it."""

EVERY = 30.0
"""Seconds between two lines of progress."""


class Progress:
    """A line on standard error now and then."""

    def __init__(self) -> None:
        self.latest = time.monotonic()

    def __call__(self, there: int, of: int) -> None:
        """Say how far it is, if a line is due."""
        if time.monotonic() - self.latest >= EVERY:
            self.latest = time.monotonic()
            print(f"{there} of {of} chunks are there", file=sys.stderr)


def main(arguments: list[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    parser = argparse.ArgumentParser(prog="python -m cyclescope", description="Sweeps on Ray.")
    parser.add_argument("--version", action="version", version=f"cyclescope {_native.__version__}")
    command = parser.add_subparsers(dest="command", required=True).add_parser("sweep", help="run a sweep")
    command.add_argument("plan", metavar="PLAN", help="the plan")
    command.add_argument("--out", metavar="FILE", required=True, help="the file for the results, Parquet")
    command.add_argument("--address", metavar="ADDRESS", help="the Ray cluster; without it, threads of this machine")
    command.add_argument("--keep-parts", action="store_true", help="keep the parts when the file is whole")
    given = parser.parse_args(arguments)
    try:
        sweep(given.plan, given.out, address=given.address, keep_parts=given.keep_parts, progress=Progress())
    except _native.Error as error:
        print(f"error: {error}", file=sys.stderr)
        for note in getattr(error, "__notes__", []):
            print(f"help: {note}", file=sys.stderr)
        return int(getattr(error, "exit_code", 70))
    except KeyboardInterrupt:
        print(f"interrupted: finished chunks are kept in {given.out}.parts; the same command goes on", file=sys.stderr)
        return INTERRUPTED
    return 0


if __name__ == "__main__":
    sys.exit(main())
