"""Sweeps on Ray: a local cluster of several nodes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import cyclescope
import processes
import pytest
from cyclescope import _native, _ray

ray = pytest.importorskip("ray")
from ray.cluster_utils import Cluster  # noqa: E402


@contextmanager
def cluster(nodes: int) -> Iterator[str]:
    """A cluster of `nodes` nodes with a processor each; its address."""
    options: dict[str, Any] = {"num_cpus": 1, "object_store_memory": 80 << 20}
    made = Cluster(initialize_head=True, head_node_args=options | {"include_dashboard": False})
    try:
        for _ in range(nodes - 1):
            made.add_node(**options)
        made.wait_for_nodes()
        yield made.address
    finally:
        ray.shutdown()
        made.shutdown()


def test_one_two_and_four_workers_give_the_file_of_threads(plan: dict[str, Any], tmp_path: Path) -> None:
    whole = cyclescope.sweep(plan, tmp_path / "whole.parquet").path.read_bytes()
    for nodes in [1, 2, 4]:
        with cluster(nodes) as address:
            out = tmp_path / f"{nodes}.parquet"
            heard: list[int] = []
            cyclescope.sweep(plan, out, address=address, progress=lambda there, of: heard.append(there))
            assert out.read_bytes() == whole and len(heard) > 2
            assert not (tmp_path / f"{nodes}.parquet.parts").exists()


def test_the_chunks_of_a_killed_worker_run_again(plan: dict[str, Any], tmp_path: Path) -> None:
    plan |= {"layouts": 60, "chunk-cycles": 10_000_000}
    whole = cyclescope.sweep(plan, tmp_path / "whole.parquet").path.read_bytes()
    killed: list[int] = []

    def kill(there: int, of: int) -> None:
        if there >= 2 and not killed:
            killed.extend(processes.workers(os.getpid())[:1])
            for worker in killed:
                os.kill(worker, signal.SIGKILL)

    with cluster(2) as address:
        results = cyclescope.sweep(plan, tmp_path / "out.parquet", address=address, progress=kill)
    assert len(killed) == 1 and results.path.read_bytes() == whole


def test_a_killed_driver_and_a_full_disk_lose_nothing(plan: dict[str, Any], tmp_path: Path) -> None:
    plan |= {"layouts": 60, "chunk-cycles": 10_000_000}
    whole = cyclescope.sweep(plan, tmp_path / "whole.parquet").path.read_bytes()
    script = "import sys, json, cyclescope; cyclescope.sweep(json.loads(sys.argv[1]), sys.argv[2], address=sys.argv[3])"
    with cluster(2) as address:
        out = tmp_path / "out.parquet"
        driver = subprocess.Popen([sys.executable, "-c", script, json.dumps(plan), str(out), address])
        parts = tmp_path / "out.parquet.parts"
        while not list(parts.glob("*.parquet")) and driver.poll() is None:
            os.sched_yield()
        driver.kill()
        driver.wait()
        there = len(list(parts.glob("*.parquet")))
        assert there > 0 and not out.exists()
        limited = f"trap '' XFSZ; ulimit -f 1; exec {sys.executable} -c \"$0\" \"$@\""
        full = subprocess.run(
            ["bash", "-c", limited, script, json.dumps(plan), str(out), address], capture_output=True, text=True
        )
        assert full.returncode != 0 and "cannot be written" in full.stderr, full.stderr
        assert not out.exists() and len(list(parts.glob("*.parquet"))) >= there
        there = len(list(parts.glob("*.parquet")))
        heard: list[int] = []
        cyclescope.sweep(plan, out, address=address, progress=lambda there, of: heard.append(there))
    # Each chunk that was not there has run, and no other.
    assert out.read_bytes() == whole and heard == list(range(there + 1, heard[-1] + 1))


def test_the_command_hands_chunks_to_the_package(plan: dict[str, Any], tmp_path: Path) -> None:
    program = os.environ.get("CYCLESCOPE_PROGRAM")
    if program is None:
        pytest.skip("CYCLESCOPE_PROGRAM does not name the command")
    lines = [f"{key} = {json.dumps(value)}" for key, value in plan.items() if key not in ("image", "seeds")]
    lines += ["seeds = [1, 2, 3]", "[[image]]", "elf = 'button.elf'"]
    (tmp_path / "plan.toml").write_text("\n".join(lines))
    environment = os.environ | {"CYCLESCOPE_PYTHON": sys.executable}
    shown = []
    for name, options in [("ray", ["--address", "local"]), ("threads", [])]:
        command = [program, "sweep", "plan.toml", "--out", f"{name}.parquet", *options]
        ended = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
        assert ended.returncode == 0, ended.stderr
        shown.append(ended.stdout)
    assert shown[0] == shown[1] and "24 points in all" in shown[0]
    assert (tmp_path / "ray.parquet").read_bytes() == (tmp_path / "threads.parquet").read_bytes()


def test_what_goes_wrong_in_a_worker_is_said(plan: dict[str, Any], tmp_path: Path) -> None:
    sweep = _native.Sweep.from_json(json.dumps(plan))
    with pytest.raises(cyclescope.Error, match="and the sweep is of 9.9.9; use one version everywhere"):
        _ray._run_chunk("9.9.9", sweep.identity, sweep.pack(), 0)
    with pytest.raises(cyclescope.Error, match="this is no sweep of cyclescope"):
        _ray._run_chunk(cyclescope.__version__, "other", b"text", 0)
