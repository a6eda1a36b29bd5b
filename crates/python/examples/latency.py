# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # The latency of your own firmware
#
# How long from the press of a button until the task that answers it runs? A bundled program stands in for your own ELF:
# `Firmware.read("target/thumbv6m-none-eabi/release/app")` reads that. Events and stimuli are written as for `cyclescope measure`.

# %%
import cyclescope
import polars

firmware = cyclescope.Firmware.bundled("button-freertos-interrupt-3-stm32c031c6")
answer = "answer=pin:PC13:edge..symbol:cyclescope_button_runs"
presses = "presses 20 of PC13 low from 100ms gap 20ms..40ms seed 1"
records = firmware.measure("stm32c031c6", [answer], stimulus=[presses], window="1500ms")

# %% [markdown]
# Records carry their whole origin. As a table:

# %%
table = polars.DataFrame(records)
spans = table.filter(polars.col("mode") == "span").select("metric", "unit", "n", "min", "mean", "max")
spans

# %% [markdown]
# Each press by itself, from a board that is run step by step:

# %%
board = firmware.on("stm32c031c6", limit="2s", stimulus=[presses])
span = board.watch(answer)
board.run_for("1500ms")
each = polars.DataFrame(board.frame(span))
assert each["cycles"].max() == spans.filter(polars.col("metric") == "answer")["max"][0]
each.head()

# %% [markdown]
# The worst of all cycles at which the press can come, in a window of 200 cycles. It is the maximum over these arrivals, and no bound
# beyond them.

# %%
board = firmware.on("stm32c031c6", stimulus=["at 1ms pin PC13 high"])
worst = board.worst(answer, "at 4807700cy..4807900cy pin PC13 low")
assert worst.longest.cycles == max(worst.each)
print(worst)
