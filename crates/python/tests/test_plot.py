"""Charts show the figures that they are of."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cyclescope
from cyclescope import plot


def test_bars_have_the_median_and_reach_from_the_least_to_the_most(plan: dict[str, Any], tmp_path: Path) -> None:
    results = cyclescope.sweep(plan, tmp_path / "out.parquet")
    groups = results.summary()["groups"]
    bars = plot.spread(results).data[0]
    assert list(bars.y) == ["shipped", "ideal"]
    for place, group in enumerate(groups):
        assert bars.x[place] == group["median"]
        assert bars.x[place] + bars.error_x.array[place] == group["max"]
        assert bars.x[place] - bars.error_x.arrayminus[place] == group["min"]
    assert list(plot.histogram([1, 2, 2]).data[0].x) == [1, 2, 2]
