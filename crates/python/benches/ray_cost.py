"""The cost of Ray: processor seconds of a sweep's chunks without it, divided by those of all Ray processes of a local cluster.

On a machine that does other work both vary; `share_in_chunks`, the part of Ray's processor seconds in which a worker runs a chunk, is
measured at one time.

    python benches/ray_cost.py --nodes 2 --chunks 60 --seconds 1
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cyclescope
import ray
from cyclescope import _native, _ray
from ray.cluster_utils import Cluster

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
import processes  # noqa: E402

IMAGE = "primes-c-plain-two-s-stm32c031c6"


def plan(elf: Path, layouts: int, chunk_cycles: int) -> dict[str, Any]:
    """A sweep over layouts of a program that computes all the time."""
    return {
        "image": [{"elf": str(elf), "chip": ["stm32c031c6"]}],
        "layouts": layouts,
        "for": "1s",
        "chunk-cycles": chunk_cycles,
    }


def without_ray(loaded: _native.Sweep, chunks: range) -> float:
    """Run `chunks` in this process, and return the processor seconds."""
    begun = time.process_time()
    for chunk in chunks:
        loaded.run_chunk(chunk)
    return time.process_time() - begun


def timed(work: Callable[..., bytes], folder: Path) -> Callable[..., bytes]:
    """Have the function of a worker write its processor seconds to `folder`, a file each chunk."""

    def _run_chunk(version: str, identity: str, packed: bytes, chunk: int) -> bytes:
        begun = time.process_time()
        part = work(version, identity, packed, chunk)
        (folder / str(chunk)).write_text(str(time.process_time() - begun))
        return part

    return _run_chunk


def main() -> None:
    """Measure, and print a line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, default=2, help="nodes of the cluster, a processor each")
    parser.add_argument("--chunks", type=int, default=60, help="the number of chunks")
    parser.add_argument("--seconds", type=float, default=1.0, help="processor seconds of a chunk")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        elf = Path(folder) / "primes.elf"
        elf.write_bytes(cyclescope.Firmware.bundled(IMAGE).elf)
        # Points that take as long as a chunk should.
        trial = _native.Sweep.from_json(json.dumps(plan(elf, 3, 1)))
        trial.run_chunk(0)
        begun = time.process_time()
        for chunk in range(1, 4):
            trial.run_chunk(chunk)
        each = (time.process_time() - begun) / 3
        points = max(1, round(given.seconds / each))
        cycles = pilot_cycles(elf)
        text = json.dumps(plan(elf, given.chunks * points - 1, points * cycles))
        loaded = _native.Sweep.from_json(text)
        # Half before and half behind the cluster: another's work on the machine changes what a processor does in a second.
        half = loaded.chunks // 2
        alone = without_ray(loaded, range(half))

        options: dict[str, Any] = {"num_cpus": 1, "object_store_memory": 80 << 20}
        cluster = Cluster(initialize_head=True, head_node_args=options | {"include_dashboard": False})
        for _ in range(given.nodes - 1):
            cluster.add_node(**options)
        cluster.wait_for_nodes()
        ray.init(address=cluster.address, logging_level=logging.WARNING)
        parts = loaded.parts(Path(folder) / "out.parquet")
        inside = Path(folder) / "inside"
        inside.mkdir()
        _ray._run_chunk = timed(_ray._run_chunk, inside)
        before = processes.seconds(os.getpid())
        wall = time.monotonic()
        _ray.run(loaded, parts, cluster.address, None)
        wall = time.monotonic() - wall
        together = processes.seconds(os.getpid()) - before
        ray.shutdown()
        cluster.shutdown()
        alone += without_ray(loaded, range(half, loaded.chunks))
        in_chunks = sum(float(path.read_text()) for path in inside.iterdir())
    found = {
        "nodes": given.nodes,
        "points": loaded.points,
        "chunks": loaded.chunks,
        "seconds_of_a_chunk": round(alone / loaded.chunks, 3),
        "cpu_seconds_alone": round(alone, 2),
        "cpu_seconds_of_ray": round(together, 2),
        "wall_seconds_of_ray": round(wall, 2),
        "efficiency": round(alone / together, 3),
        "share_in_chunks": round(in_chunks / together, 3),
    }
    print(json.dumps(found))


def pilot_cycles(elf: Path) -> int:
    """The cycles of a point."""
    records = json.loads(cyclescope.Firmware.read(elf).measure("stm32c031c6", window="1s").to_json())["records"]
    return int(next(record["mean"] for record in records if record["metric"] == "elapsed"))


if __name__ == "__main__":
    main()
