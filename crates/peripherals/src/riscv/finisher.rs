//! Devices with which software ends a run: SiFive's test finisher as in QEMU's `virt` (QEMU's `docs/system/riscv/virt.rst`
//! and `hw/misc/sifive_test.c`), and the address that PicoRV32's own test bench watches.

use cyclescope_machine::GapKind;

use super::{Env, Riscv};
use crate::register::word;
use crate::{Access, Block, Field, Map, Write};

const FAIL: u32 = 0x3333;
const PASS: u32 = 0x5555;
const RESET: u32 = 0x7777;

/// The value that PicoRV32's test bench accepts as success.
const ALL_PASSED: u32 = 123_456_789;

/// The finisher's registers.
pub static MAP: Map = Map {
    kind: "finisher",
    version: "sifive",
    registers: &[word("FINISHER", 0, Access::WriteOnly, &[Field::new("STATUS", 0, 16), Field::new("CODE", 16, 16)])],
};

/// SiFive's.
#[derive(Clone, Debug)]
pub struct Finisher;

/// Ends the run, or resets the part; says whether `value` was a command.
fn command(value: u32, env: &mut Env<'_, '_>) -> bool {
    match value & 0xFFFF {
        PASS => env.exit(0),
        FAIL => env.exit((value >> 16) as i32),
        RESET => env.reset_part("the test finisher"),
        _ => return false,
    }
    true
}

impl Block<Riscv> for Finisher {
    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        if offset != 0 || !command(write.ones(), env) {
            env.hole(GapKind::RegisterWrite, offset);
        }
    }

    fn reset(&mut self, _: &mut Env<'_, '_>) {}
}

/// That of PicoRV32's test bench, which takes SiFive's commands as well.
#[derive(Clone, Debug)]
pub struct PicoFinisher;

impl Block<Riscv> for PicoFinisher {
    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        if offset != 0 {
            env.hole(GapKind::RegisterWrite, offset);
        } else if write.ones() == ALL_PASSED {
            env.exit(0);
        } else if !command(write.ones(), env) {
            // The test bench takes anything else for a failure.
            env.exit(1);
        }
    }

    fn reset(&mut self, _: &mut Env<'_, '_>) {}
}
