"""Chunks of a sweep on Ray.

A worker gets the whole sweep once, as one object of Ray's store, and keeps it for all its chunks. What it returns is a part of the
results, which this process keeps. Ray runs the chunks of a killed worker again; how many workers there are, and where, is its own.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from . import _native

TRIES = 5
"""How often a chunk begins whose worker is killed, before the sweep gives up."""

AHEAD = 2
"""Chunks that wait for each processor, so that none idles."""


_sweeps: dict[str, _native.Sweep] = {}
"""The sweep that this process works on, by its identity, if it is a worker."""


def _run_chunk(version: str, identity: str, packed: bytes, chunk: int) -> bytes:
    """Run a chunk in a worker."""
    if version != _native.__version__:
        raise _native.Error(
            f"a worker has cyclescope {_native.__version__}, and the sweep is of {version}; use one version everywhere"
        )
    loaded = _sweeps.get(identity)
    if loaded is None:
        _sweeps.clear()
        loaded = _sweeps.setdefault(identity, _native.Sweep.unpack(packed))
    return loaded.run_chunk(chunk)


def run(
    loaded: _native.Sweep,
    parts: _native.Parts,
    address: str,
    progress: Callable[[int, int], object] | None,
) -> None:
    """Run all chunks that `parts` lacks on the cluster at `address`."""
    try:
        import ray
    except ImportError as error:
        raise _native.Error("Ray is not installed; `pip install cyclescope[ray]` brings it") from error

    missing = parts.missing()
    if not missing:
        return
    begun = not ray.is_initialized()
    if begun:
        local = address == "local"
        ray.init(address=None if local else address, include_dashboard=False if local else None, logging_level=logging.WARNING)
    try:
        _chunks(ray, loaded, parts, missing, progress)
    finally:
        if begun:
            ray.shutdown()


def _chunks(
    ray: Any,
    loaded: _native.Sweep,
    parts: _native.Parts,
    missing: list[int],
    progress: Callable[[int, int], object] | None,
) -> None:
    remote = ray.remote(num_cpus=1, max_retries=TRIES - 1)(_run_chunk)
    packed = ray.put(loaded.pack())
    waiting = iter(missing)
    under_way: dict[Any, int] = {}

    def begin() -> None:
        # Processors come and go with the nodes of a cluster.
        most = AHEAD * max(1, int(ray.cluster_resources().get("CPU", 1)))
        while len(under_way) < most and (chunk := next(waiting, None)) is not None:
            task = remote.remote(_native.__version__, loaded.identity, packed, chunk)
            under_way[task] = chunk

    try:
        begin()
        while under_way:
            done, _ = ray.wait(list(under_way), num_returns=1)
            for task in done:
                chunk = under_way.pop(task)
                there = parts.put(chunk, _result(ray, task, chunk))
                if progress is not None:
                    progress(there, loaded.chunks)
            begin()
    except BaseException:
        for task in under_way:
            ray.cancel(task, force=True)
        raise


def _result(ray: Any, task: Any, chunk: int) -> bytes:
    try:
        part: bytes = ray.get(task)
    except ray.exceptions.RayTaskError as error:
        raise _native.Error(f"chunk {chunk}: {error.cause}") from error
    except ray.exceptions.RayError as error:
        raise _native.Error(f"chunk {chunk} gave no result in {TRIES} tries: {error}") from error
    return part
