# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # An experiment over chips and optimisation levels
#
# The same program of FreeRTOS, built for size and for speed, on two chips, each with the flash settings that it ships with and without
# wait states.

# %%
import tempfile
from pathlib import Path

import cyclescope
import polars

folder = Path(tempfile.mkdtemp())
images = []
for chip in ["stm32c031c6", "stm32f446ze"]:
    for level in ["s", "3"]:
        elf = folder / f"{chip}-{level}.elf"
        elf.write_bytes(cyclescope.Firmware.bundled(f"button-freertos-interrupt-{level}-{chip}").elf)
        images.append({"elf": str(elf), "chip": [chip]})
plan: cyclescope.Plan = {
    "image": images,
    "memory": ["shipped", "ideal"],
    "seeds": {"from": 1, "count": 4},
    "span": ["answer=pin:PC13:edge..symbol:cyclescope_button_runs"],
    "stimulus": ["presses 2 of PC13 low from 20ms gap 2ms..3ms seed 1"],
    "for": "40ms",
}
results = cyclescope.sweep(plan, folder / "chips.parquet")

# %%
table = polars.DataFrame(results).with_columns(
    polars.col("image").cast(polars.String).str.extract(r"-(.)\.elf$").alias("level"),
    polars.col("chip").cast(polars.String),
    polars.col("memory").cast(polars.String),
    (1e6 * polars.col("mean") / polars.col("core_hz")).alias("microseconds"),
)
assert table.height == 4 * 2 * 4 and table["problem"].null_count() == table.height
table.group_by("chip", "level", "memory", maintain_order=True).agg(
    polars.col("mean").mean().alias("cycles"), polars.col("microseconds").mean()
)
