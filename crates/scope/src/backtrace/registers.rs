//! The registers of one level, by DWARF number.

use cyclescope_image::{Architecture, FrameState, Image};
use cyclescope_machine::Probe;
use cyclescope_machine::units::Address;

/// The registers that call-frame information speaks of: 32, the stack pointer of an AVR, and mepc.
const COUNT: usize = 34;

/// The place of mepc in the registers of a level.
const MEPC_SLOT: usize = 33;

/// The DWARF number of mepc: 4096 and the number of the CSR (RISC-V psABI, "DWARF register numbers"). Only what a handler has
/// saved of it counts, because each trap overwrites it.
pub(super) const MEPC: u16 = 4096 + 0x341;

/// The address at which debuggers see an AVR's data space.
pub(super) const AVR_DATA: u32 = 0x80_0000;

/// The registers of one level, as far as they are known.
#[derive(Clone, Debug)]
pub(crate) struct Registers {
    architecture: Architecture,
    values: [Option<u32>; COUNT],
    /// The instruction that is next.
    pub(super) pc: u32,
}

impl Registers {
    /// The registers of the machine behind `probe`.
    pub(crate) fn of(probe: &dyn Probe, image: &Image) -> Self {
        let architecture = image.architecture();
        let names: [&str; COUNT] = std::array::from_fn(|number| name(architecture, number));
        let values = names.map(|name| if name.is_empty() { None } else { probe.register(name) });
        Self { architecture, values, pc: probe.register("pc").unwrap_or(0) }
    }

    /// The number of the stack pointer.
    pub(super) fn stack_pointer_number(&self) -> u16 {
        match self.architecture {
            Architecture::Arm => 13,
            Architecture::Riscv => 2,
            Architecture::Xtensa => 1,
            _ => 32,
        }
    }

    /// The number of the register that a call leaves the return address in; `None` on an AVR, which pushes it.
    pub(super) fn link_number(&self) -> Option<u16> {
        match self.architecture {
            Architecture::Arm => Some(14),
            Architecture::Riscv => Some(1),
            Architecture::Xtensa => Some(0),
            _ => None,
        }
    }

    /// The value of the register `number`.
    pub(super) fn get(&self, number: u16) -> Option<u32> {
        self.values.get(self.slot(number)?).copied().flatten()
    }

    /// Sets the register `number`.
    pub(super) fn set(&mut self, number: u16, value: Option<u32>) {
        if let Some(slot) = self.slot(number).and_then(|slot| self.values.get_mut(slot)) {
            *slot = value;
        }
    }

    /// The place of the register `number`.
    fn slot(&self, number: u16) -> Option<usize> {
        match number {
            MEPC if self.architecture == Architecture::Riscv => Some(MEPC_SLOT),
            _ => Some(usize::from(number)).filter(|slot| *slot < MEPC_SLOT),
        }
    }

    /// The stack pointer.
    pub(super) fn stack_pointer(&self) -> Option<u32> {
        self.get(self.stack_pointer_number())
    }

    /// The value of the register `number` as the base of a frame: an AVR's is a pair.
    pub(super) fn base(&self, number: u16) -> Option<u32> {
        match self.architecture {
            Architecture::Avr(_) if number < 32 => Some(self.get(number)? | self.get(number + 1)? << 8),
            _ => self.get(number),
        }
    }

    /// Reads what was saved of a register at `address`, which is an AVR's data address.
    pub(super) fn saved(&self, probe: &dyn Probe, address: u32) -> Option<u32> {
        match self.architecture {
            Architecture::Avr(_) => byte(probe, address.checked_add(AVR_DATA)?).map(u32::from),
            _ => word(probe, address),
        }
    }

    /// The name and the value of each register that is known, the program counter last.
    pub(crate) fn named(&self) -> Vec<(String, u32)> {
        let known = (0..MEPC_SLOT).filter_map(|number| {
            let value = self.values[number]?;
            (number != 0 || self.architecture != Architecture::Riscv)
                .then(|| (name(self.architecture, number).to_owned(), value))
        });
        known.chain([("pc".to_owned(), self.pc)]).collect()
    }
}

/// A level as expressions see it.
pub(super) struct Level<'a> {
    pub(super) registers: &'a Registers,
    pub(super) probe: &'a dyn Probe,
}

impl FrameState for Level<'_> {
    fn register(&self, number: u16) -> Option<u32> {
        self.registers.get(number)
    }

    fn read(&self, address: u32, bytes: &mut [u8]) -> Option<()> {
        let base = if matches!(self.registers.architecture, Architecture::Avr(_)) { AVR_DATA } else { 0 };
        let read = self.probe.peek(Address::new(address.checked_add(base)?), bytes);
        (read == bytes.len()).then_some(())
    }
}

/// The debugger's name of the register with this DWARF number; empty if there is none.
fn name(architecture: Architecture, number: usize) -> &'static str {
    const ARM: [&str; 15] =
        ["r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "r12", "sp", "lr"];
    const RISCV: [&str; 32] = [
        "zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7",
        "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6",
    ];
    const XTENSA: [&str; 16] =
        ["a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8", "a9", "a10", "a11", "a12", "a13", "a14", "a15"];
    const AVR: [&str; 33] = [
        "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "r16",
        "r17", "r18", "r19", "r20", "r21", "r22", "r23", "r24", "r25", "r26", "r27", "r28", "r29", "r30", "r31", "sp",
    ];
    let names: &[&str] = match architecture {
        Architecture::Arm => &ARM,
        Architecture::Riscv => &RISCV,
        Architecture::Xtensa => &XTENSA,
        _ => &AVR,
    };
    names.get(number).copied().unwrap_or_default()
}

/// The byte at `address`.
pub(super) fn byte(probe: &dyn Probe, address: u32) -> Option<u8> {
    let mut byte = [0];
    (probe.peek(Address::new(address), &mut byte) == 1).then_some(byte[0])
}

/// The halfword at `address`.
pub(super) fn half(probe: &dyn Probe, address: u32) -> Option<u16> {
    let mut bytes = [0; 2];
    (probe.peek(Address::new(address), &mut bytes) == 2).then_some(u16::from_le_bytes(bytes))
}

/// The word at `address`.
pub(super) fn word(probe: &dyn Probe, address: u32) -> Option<u32> {
    let mut bytes = [0; 4];
    (probe.peek(Address::new(address), &mut bytes) == 4).then_some(u32::from_le_bytes(bytes))
}
