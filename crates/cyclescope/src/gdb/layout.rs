//! The registers that a debugger sees, in the order and under the names that gdb knows each architecture by.
//!
//! Names of features and registers: "Debugging with GDB", appendix G.5 (Standard Target Features): `arm.m-profile`,
//! `arm.m-system`, `arm.vfp`, `riscv.cpu`, `riscv.csr`. gdb takes an AVR's from its own table and wants the architecture only.

use std::fmt::Write;

use cyclescope_chips::{Group, Machine, Register};

/// One register as gdb sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// A register of the machine's, so many bytes of it.
    Named(&'static str, usize),
    /// Two single-precision registers of a Cortex-M as one double.
    Double(&'static str, &'static str),
    /// A control and status register of a RISC-V, which can only be looked at.
    Control(u16),
}

impl Source {
    fn of(register: &Register) -> Self {
        Self::Named(register.name, usize::from(register.bits / 8))
    }

    /// Tells if it is the program counter.
    pub(super) fn is_pc(self) -> bool {
        matches!(self, Self::Named("pc", _))
    }

    /// Returns its size in bytes.
    pub(super) fn bytes(self) -> usize {
        match self {
            Self::Named(_, bytes) => bytes,
            Self::Double(..) => 8,
            Self::Control(_) => 4,
        }
    }

    /// Returns its value, little-endian.
    pub(super) fn read(self, machine: &Machine) -> Vec<u8> {
        let word = |name| machine.register(name).unwrap_or(0).to_le_bytes();
        match self {
            Self::Named(name, bytes) => word(name)[..bytes].to_vec(),
            Self::Double(low, high) => [word(low), word(high)].concat(),
            Self::Control(number) => machine.control_register(number).unwrap_or(0).to_le_bytes().to_vec(),
        }
    }

    /// Writes it; `false` where it cannot be written or `bytes` are too few.
    pub(super) fn write(self, machine: &mut Machine, bytes: &[u8]) -> bool {
        let word = |from: usize| {
            let mut word = [0; 4];
            let bytes = bytes.get(from..).unwrap_or_default();
            let count = bytes.len().min(4);
            word[..count].copy_from_slice(&bytes[..count]);
            u32::from_le_bytes(word)
        };
        if bytes.len() < self.bytes() {
            return false;
        }
        match self {
            Self::Named(name, _) => machine.register(name) == Some(word(0)) || machine.set_register(name, word(0)),
            Self::Double(low, high) => machine.set_register(low, word(0)) && machine.set_register(high, word(4)),
            // gdb may write all that there are; what would change nothing is no error.
            Self::Control(number) => machine.control_register(number) == Some(word(0)),
        }
    }
}

/// The registers of a machine and what gdb is told of them.
#[derive(Clone, Debug)]
pub(super) struct RegisterLayout {
    pub(super) registers: Vec<Source>,
    pub(super) xml: String,
}

impl RegisterLayout {
    pub(super) fn of(machine: &Machine) -> Self {
        let registers = machine.registers();
        let mut layout = Self { registers: Vec::new(), xml: String::new() };
        layout
            .xml
            .push_str("<?xml version=\"1.0\"?><!DOCTYPE target SYSTEM \"gdb-target.dtd\"><target version=\"1.0\">");
        if machine.cortex_m().is_some() {
            layout.xml.push_str("<architecture>arm</architecture>");
            layout.feature("org.gnu.gdb.arm.m-profile", &registers[..17]);
            layout.feature("org.gnu.gdb.arm.m-system", &registers[17..23]);
            if let Some(floats) = registers.get(23..) {
                layout.doubles(floats);
            }
        } else if machine.riscv().is_some() {
            layout.xml.push_str("<architecture>riscv:rv32</architecture>");
            layout.feature("org.gnu.gdb.riscv.cpu", registers);
            layout.controls(machine);
        } else if machine.xtensa().is_some() {
            layout.xml.push_str("<architecture>xtensa</architecture>");
            layout.feature("org.gnu.gdb.xtensa.core", registers);
        } else {
            layout.xml.push_str("<architecture>avr</architecture>");
            layout.registers.extend(registers.iter().map(Source::of));
        }
        layout.xml.push_str("</target>");
        layout
    }

    fn feature(&mut self, name: &str, registers: &[Register]) {
        let _ = write!(self.xml, "<feature name=\"{name}\">");
        for register in registers {
            let kind = match register.group {
                Group::ProgramCounter => "code_ptr",
                Group::StackPointer => "data_ptr",
                Group::General | Group::System | Group::Float => "int",
            };
            let Register { name, bits, .. } = register;
            let _ = write!(self.xml, "<reg name=\"{name}\" bitsize=\"{bits}\" type=\"{kind}\"/>");
            self.registers.push(Source::of(register));
        }
        self.xml.push_str("</feature>");
    }

    /// The control and status registers.
    fn controls(&mut self, machine: &Machine) {
        self.xml.push_str("<feature name=\"org.gnu.gdb.riscv.csr\">");
        for (number, name) in machine.control_registers() {
            let _ = write!(self.xml, "<reg name=\"{name}\" bitsize=\"32\" type=\"int\" save-restore=\"no\"/>");
            self.registers.push(Source::Control(number));
        }
        self.xml.push_str("</feature>");
    }

    /// s0 to s31, which gdb knows as d0 to d15, then FPSCR.
    fn doubles(&mut self, registers: &[Register]) {
        let Some((status, singles)) = registers.split_last() else { return };
        self.xml.push_str("<feature name=\"org.gnu.gdb.arm.vfp\">");
        for (number, pair) in singles.chunks_exact(2).enumerate() {
            let _ = write!(self.xml, "<reg name=\"d{number}\" bitsize=\"64\" type=\"ieee_double\"/>");
            self.registers.push(Source::Double(pair[0].name, pair[1].name));
        }
        let _ = write!(self.xml, "<reg name=\"{}\" bitsize=\"32\" type=\"int\"/></feature>", status.name);
        self.registers.push(Source::of(status));
    }
}
