"""Sweeps: one measurement over many images, chips, settings, layouts, arrivals and seeds."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from . import _native

Plan: TypeAlias = Mapping[str, Any]
"""A plan as a mapping, with the keys of a plan in TOML."""


@dataclass(frozen=True)
class Results:
    """The whole results of a sweep: a Parquet file."""

    path: Path
    """The file."""

    def frame(self) -> _native.Frame:
        """All rows, for pandas, polars and others by the Arrow interface."""
        return _native.read_parquet(self.path)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The rows as a stream of the Arrow C interface."""
        return self.frame().__arrow_c_stream__(requested_schema)

    def summary(self) -> dict[str, Any]:
        """The results in a few rows, `groups`: of each image, chip, memory setting and clock the spread over all else.

        `gaps` are the functions that the firmware used and the model lacks, `assumed` the timings that figures rest on and that no
        manual states.
        """
        found: dict[str, Any] = json.loads(_native.summary(self.path))
        return found


def sweep(
    plan: Plan | str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    address: str | None = None,
    jobs: int | None = None,
    keep_parts: bool = False,
    progress: Callable[[int, int], object] | None = None,
) -> Results:
    """Run all points of `plan`, and join their results into the Parquet file `out`.

    `plan` is a mapping or the path of a TOML file. Without an `address` the points run on `jobs` threads of this machine; with one,
    on the Ray cluster there: `auto`, `HOST:PORT`, or `local` for one of this machine's own. The file is the same.

    Results are kept as they come, in `OUT.parts`. After Ctrl-C, a crash or a full disk the same call goes on where it ended.
    `progress` hears after each chunk how many of how many are there.
    """
    if isinstance(plan, (str, os.PathLike)):
        loaded = _native.Sweep.read(plan, jobs)
    else:
        loaded = _native.Sweep.from_json(json.dumps(plan), jobs)
    parts = loaded.parts(out)
    try:
        if address is None:
            parts.run(jobs, progress)
        else:
            from . import _ray

            _ray.run(loaded, parts, address, progress)
        parts.join(out)
        if not keep_parts:
            parts.remove()
    finally:
        parts.close()
    return Results(Path(out))
