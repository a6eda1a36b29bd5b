#!/usr/bin/env python3
"""Writes crates/chips/src/generated/litex_vexriscv.rs: the map of the SoC that LiteX's simulator builds.

    python3 -m venv venv && venv/bin/pip install -r requirements.txt
    venv/bin/python generate.py > ../src/generated/litex_vexriscv.rs

The SoC is elaborated in memory; nothing is compiled. OPTIONS are those of `litex_sim`, by the names that its class gives them.
An argument asks for something else: `json` or `csv` for the map as LiteX writes it, `verilog` for the SoC without its CPU. Further
arguments are options that the SoC has beside: `bursting`, `sdram`, `small` (an L2 cache of 2 KiB).
"""

import contextlib
import io
import logging
import sys
import textwrap

logging.disable(logging.CRITICAL)

from litex.tools.litex_sim import SimSoC  # noqa: E402

OPTIONS = {
    "cpu_type": "vexriscv",
    "cpu_variant": "secure",
    "csr_data_width": 32,
    "integrated_rom_size": 0x100000,
    "integrated_sram_size": 0x2000,
    "integrated_main_ram_size": 0x10000000,
    "timer_uptime": True,
    "uart_name": "sim",
    "with_ethernet": True,
    "with_gpio": True,
}

# What further arguments change.
BESIDE = {
    "bursting": {"bus_bursting": True},
    "sdram": {"with_sdram": True, "integrated_main_ram_size": 0},
    "small": {"l2_size": 2048},
}

# The cores that cyclescope models, and what it calls them.
KINDS = {"ctrl": "LiteXControl", "timer0": "LiteXTimer", "uart": "LiteXUart"}


def soc(beside):
    """The SoC, elaborated, with options `beside`."""
    options = OPTIONS.copy()
    for name in beside:
        options.update(BESIDE[name])
    with contextlib.redirect_stdout(io.StringIO()):
        made = SimSoC(**options)
        made.finalize()
    return made


def registers(region):
    """(name, offset, words) of a bank's registers, each of as many words as its size asks for."""
    from migen import Memory

    if isinstance(region.obj, Memory):
        return
    offset = 0
    for csr in region.obj:
        words = -(-csr.size // 32)
        yield csr.name, offset, words
        offset += 4 * words


def main():
    made = soc(sys.argv[2:])
    if sys.argv[1:2] == ["verilog"]:
        # For the oracle, which fills the memories itself.
        text = made.platform.get_verilog(made, name="sim").main_source
        print("\n".join(line for line in text.splitlines() if "$readmemh" not in line))
        return
    if len(sys.argv) > 1:
        # The map as LiteX writes it, for the tests of what reads such maps.
        from litex.soc.integration import export

        write = {"json": export.get_csr_json, "csv": export.get_csr_csv}[sys.argv[1]]
        print(write(csr_regions=made.csr_regions, constants=made.constants, mem_regions=made.mem_regions), end="")
        return
    options = ", ".join(f"{key}={value}" for key, value in OPTIONS.items())
    print("//! Written by `generate-litex/generate.py` from LiteX 2024.12; do not edit.")
    print("//!")
    for line in textwrap.wrap(f"Options: {options}.", 115, break_long_words=False):
        print(f"//! {line}")
    print()
    print("use cyclescope_peripherals::riscv::litex::{Bank, Csr};")
    print("use cyclescope_peripherals::riscv::{Instance, Kind, Wire};\n")
    print("/// Frequency of the system's clock.")
    print(f"pub const CLOCK_HZ: u64 = {int(made.sys_clk_freq):_};\n")
    print("/// Memories by name: base and bytes.")
    print("pub const MEMORIES: &[(&str, u32, u32)] = &[")
    for name, region in made.mem_regions.items():
        if name != "csr":
            print(f'    ("{name}", {region.origin:#010x}, {region.size:#x}),')
    print("];\n")
    csr = made.mem_regions["csr"]
    print("/// The region of control and status registers: base and bytes.")
    print(f"pub const CSR: (u32, u32) = ({csr.origin:#010x}, {csr.size:#x});\n")
    lines = made.irq.locs
    print("/// Interrupt inputs by number and name.")
    print("pub const INTERRUPTS: &[(u8, &str)] = &[")
    for name, number in sorted(lines.items(), key=lambda line: line[1]):
        print(f'    ({number}, "{name}"),')
    print("];\n")
    banks = sorted(made.csr_regions.items(), key=lambda bank: bank[1].origin)
    for name, region in banks:
        rows = list(registers(region))
        if not rows:
            continue
        print(f"const {name.upper()}: Bank = Bank {{")
        print(f'    name: "{name}",\n    base: {region.origin:#010x},\n    registers: &[')
        for register, offset, words in rows:
            print(f'        Csr {{ name: "{register}", offset: {offset:#x}, words: {words} }},')
        print("    ],\n};\n")
    print("/// The cores, by address.")
    print("pub static INSTANCES: &[Instance] = &[")
    for name, region in banks:
        if not list(registers(region)):
            continue
        wire = f"&[Wire::Core({32 + lines[name]})]" if name in lines else "&[]"
        kind = KINDS.get(name, "LiteXAbsent")
        print("    Instance {")
        print(f'        name: "{name}",\n        base: {region.origin:#010x},\n        bytes: 0x800,')
        print(f"        kind: Kind::{kind}(&{name.upper()}),\n        wires: {wire},\n    }},")
    print("];")


sys.exit(main())
