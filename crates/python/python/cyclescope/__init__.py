"""Runs of firmware on cycle-timed models of microcontrollers, the same each time, with no board on the desk.

>>> firmware = cyclescope.Firmware.bundled("button-c-plain-interrupt-s-stm32c031c6")
>>> board = firmware.on("stm32c031c6", stimulus=["at 100ms pin PC13 low"])
>>> board.measure("pin:PC13:fall", "exception:EXTI4_15:returned").cycles
"""

from ._native import (
    Board,
    Error,
    Firmware,
    Frame,
    Measured,
    Records,
    Span,
    Worst,
    __version__,
    bundled,
    chips,
)
from ._sweep import Plan, Results, sweep

__all__ = [
    "Board",
    "Error",
    "Firmware",
    "Frame",
    "Measured",
    "Plan",
    "Records",
    "Results",
    "Span",
    "Worst",
    "__version__",
    "bundled",
    "chips",
    "sweep",
]
