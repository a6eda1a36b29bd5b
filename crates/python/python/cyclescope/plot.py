"""Charts by plotly, as the page of `cyclescope report` draws them: `pip install cyclescope[plot]`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ._sweep import Results

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

KEYS = ("image", "chip", "memory", "clock", "span")
"""What tells a sweep's groups apart."""


def spread(results: Results) -> Figure:
    """Draw a bar for each image, chip, memory setting and clock of a sweep: the median, with whiskers from the least to the most.

    Groups without a figure are left out, and so is in a bar's name what all have in common.
    """
    from plotly import graph_objects

    groups: list[dict[str, Any]] = [group for group in results.summary()["groups"] if group["median"] is not None]
    apart = [key for key in KEYS if len({group[key] for group in groups}) > 1]
    names = [", ".join(str(group[key]) for key in apart if group[key] is not None) for group in groups]
    whiskers = {
        "type": "data",
        "array": [group["max"] - group["median"] for group in groups],
        "arrayminus": [group["median"] - group["min"] for group in groups],
    }
    bars = graph_objects.Bar(x=[group["median"] for group in groups], y=names, orientation="h", error_x=whiskers)
    layout = {"xaxis": {"title": "cycles", "rangemode": "tozero"}, "yaxis": {"autorange": "reversed"}}
    return graph_objects.Figure(bars, layout)


def histogram(cycles: Iterable[float], name: str = "cycles") -> Figure:
    """Draw how often each length occurred: of a span's passages, of arrivals or of layouts."""
    from plotly import graph_objects

    values = list(cycles)
    layout = {"xaxis": {"title": name}, "yaxis": {"title": "count"}, "bargap": 0.05}
    return graph_objects.Figure(graph_objects.Histogram(x=values), layout)
