"""What the tests share."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cyclescope
import pytest

IMAGE = "button-freertos-interrupt-s-stm32c031c6"
SPAN = "answer=pin:PC13:edge..symbol:cyclescope_button_runs"


@pytest.fixture
def plan(tmp_path: Path) -> dict[str, Any]:
    """A plan of 24 points, in which an image is a file."""
    elf = tmp_path / "button.elf"
    elf.write_bytes(cyclescope.Firmware.bundled(IMAGE).elf)
    return {
        "chip": ["stm32c031c6"],
        "memory": ["shipped", "ideal"],
        "layouts": 3,
        "seeds": {"from": 1, "count": 3},
        "span": [SPAN],
        "stimulus": ["presses 1 of PC13 low from 5ms gap 2ms..3ms seed 1"],
        "for": "20ms",
        "chunk-cycles": 1_000_000,
        "image": [{"elf": str(elf)}],
    }
