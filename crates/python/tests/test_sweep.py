"""Sweeps on threads."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import cyclescope
import polars
import pytest
from conftest import SPAN


def test_a_sweep_from_python_and_from_a_file_gives_one_file(plan: dict[str, Any], tmp_path: Path) -> None:
    heard: list[tuple[int, int]] = []
    results = cyclescope.sweep(plan, tmp_path / "a.parquet", jobs=2, progress=lambda there, of: heard.append((there, of)))
    assert heard[-1][0] == heard[-1][1] == len(heard) > 2
    toml = f"""
chip = ['stm32c031c6']
memory = ['shipped', 'ideal']
layouts = 3
seeds = {{from = 1, count = 3}}
span = ['{SPAN}']
stimulus = ['presses 1 of PC13 low from 5ms gap 2ms..3ms seed 1']
for = '20ms'
chunk-cycles = 1000000
[[image]]
elf = 'button.elf'
"""
    (tmp_path / "plan.toml").write_text(toml)
    command = [sys.executable, "-m", "cyclescope", "sweep", "plan.toml", "--out", "b.parquet"]
    subprocess.run(command, cwd=tmp_path, check=True)
    assert (tmp_path / "b.parquet").read_bytes() == results.path.read_bytes()
    table = polars.DataFrame(results)
    assert table.height == 24 and table["mean"].null_count() == 0
    assert table.equals(polars.read_parquet(results.path).cast(table.schema))
    groups = results.summary()["groups"]
    assert [group["points"] for group in groups] == [12, 12] and groups[0]["min"] == table["mean"][:12].min()


def test_what_python_ends_goes_on(plan: dict[str, Any], tmp_path: Path) -> None:
    whole = cyclescope.sweep(plan, tmp_path / "whole.parquet").path.read_bytes()
    out = tmp_path / "out.parquet"

    class Enough(Exception):
        pass

    def enough(there: int, of: int) -> None:
        if there == 2:
            raise Enough

    with pytest.raises(Enough):
        cyclescope.sweep(plan, out, jobs=1, progress=enough)
    heard: list[int] = []
    cyclescope.sweep(plan, out, progress=lambda there, of: heard.append(there))
    # Two were there; the run under way may have come to its end meanwhile.
    assert heard[0] >= 3 and out.read_bytes() == whole


def test_a_plan_with_a_wrong_key_is_told(plan: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(cyclescope.Error, match="there is no key `layuots`; did you mean `layouts`"):
        cyclescope.sweep(plan | {"layuots": 3}, tmp_path / "out.parquet")
    missing = [sys.executable, "-m", "cyclescope", "sweep", "no.toml", "--out", "b.parquet"]
    ended = subprocess.run(missing, cwd=tmp_path, capture_output=True, text=True)
    assert ended.returncode == 66 and "error: no.toml cannot be read" in ended.stderr
