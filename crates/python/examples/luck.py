# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # The luck of a layout
#
# Where flash has wait states, the same code takes another time at another address. A sweep runs one firmware in layouts that a linker
# could have chosen; layout 0 is the firmware's own.

# %%
import statistics
import tempfile
from pathlib import Path

import cyclescope
import polars

folder = Path(tempfile.mkdtemp())
(folder / "button.elf").write_bytes(cyclescope.Firmware.bundled("button-freertos-interrupt-3-stm32f446ze").elf)
plan: cyclescope.Plan = {
    "image": [{"elf": str(folder / "button.elf"), "chip": ["stm32f446ze"]}],
    "layouts": 40,
    "span": ["answer=pin:PC13:edge..symbol:cyclescope_button_runs"],
    "stimulus": ["presses 2 of PC13 low from 20ms gap 2ms..3ms seed 1"],
    "for": "40ms",
}
results = cyclescope.sweep(plan, folder / "luck.parquet")

# %%
figures = polars.DataFrame(results).select("layout", "mean")
own, *others = figures["mean"].to_list()
spread = 100 * (max(own, *others) - min(own, *others)) / statistics.median(others)
slower = 100 * sum(other < own for other in others) / len(others)
assert len(others) == 40 and spread > 0
print(f"as linked {own:.1f} cycles, slower than {slower:.0f} % of layouts; spread {spread:.2f} %")

# %% [markdown]
# The same in a few rows, with what the figures rest on:

# %%
results.summary()["groups"]

# %% [markdown]
# And as a chart (`pip install cyclescope[plot]`):

# %%
from cyclescope import plot

plot.histogram(others, "cycles of an answer, in other layouts")
