//! RISC-V: Ibex and PicoRV32 in small systems, QEMU's `virt`, LiteX's simulated SoC with a VexRiscv.

use std::borrow::Cow;

use crate::part::{Board, Core, Part};
use crate::riscv::{self, RiscvPart};

/// The part `own`, which sits on no board.
pub(crate) const fn part(own: &'static RiscvPart, description: &'static str) -> Part {
    Part {
        name: Cow::Borrowed(own.name),
        description: Cow::Borrowed(description),
        core: Core::Riscv(own),
        clock: own.clock,
        flash: own.rom,
        ram: own.ram,
        other_rams: Cow::Borrowed(&[]),
        interrupts: own.interrupts,
        bonded: &[],
        board: Board { name: Cow::Borrowed("none"), hse: None, lse: None, levels: Cow::Borrowed(&[]) },
        base: None,
    }
}

/// Ibex.
pub(crate) static IBEX: Part = part(&riscv::IBEX, "lowRISC Ibex (RV32IMC) as in its Simple System: 1 MiB RAM, 50 MHz");

/// PicoRV32.
pub(crate) static PICORV32: Part =
    part(&riscv::PICORV32, "PicoRV32 (RV32IMC) with its own interrupts: 1 MiB RAM, 50 MHz");

/// QEMU's machine.
pub(crate) static VIRT: Part =
    part(&riscv::VIRT, "QEMU's RISC-V machine virt (RV32IMAC, no S mode): 128 MiB RAM, an instruction a cycle");

/// QEMU's machine with Smepmp.
pub(crate) static VIRT_SMEPMP: Part =
    part(&riscv::VIRT_SMEPMP, "virt with Smepmp, as QEMU's with -cpu rv32,smepmp=true; else as virt");

/// LiteX's simulated SoC.
pub(crate) static LITEX_VEXRISCV: Part =
    part(&riscv::LITEX_VEXRISCV, "LiteX 2024.12's simulated SoC, VexRiscv (RV32IMC, PMP): 1 MiB ROM, 256 MiB RAM");
