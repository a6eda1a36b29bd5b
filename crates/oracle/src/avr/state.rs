//! The state compared after each instruction.

use std::fmt::Write;

use cyclescope_avr::Cpu;

/// The size of the ATmega328P's data space: registers, I/O and SRAM.
pub const DATA_BYTES: usize = 2304;
/// The size of its flash.
pub const FLASH_BYTES: usize = 32768;
/// The length of a state in the protocol.
pub(super) const STATE_BYTES: usize = 44;

/// The state after an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State {
    /// r0 to r31.
    pub r: [u8; 32],
    /// SREG.
    pub sreg: u8,
    /// The stack pointer.
    pub sp: u16,
    /// The next instruction's byte address.
    pub pc: u32,
    /// Cycles since the batch began.
    pub cycles: u32,
}

impl State {
    /// Returns the state of our core.
    pub(super) fn of(cpu: &Cpu) -> Self {
        Self { r: cpu.r, sreg: cpu.sreg(), sp: cpu.sp, pc: cpu.pc, cycles: cpu.now as u32 }
    }

    /// Returns the state in the protocol's form.
    pub(super) fn bytes(&self) -> [u8; STATE_BYTES] {
        let mut bytes = [0; STATE_BYTES];
        bytes[..32].copy_from_slice(&self.r);
        bytes[32] = self.sreg;
        bytes[34..36].copy_from_slice(&self.sp.to_le_bytes());
        bytes[36..40].copy_from_slice(&self.pc.to_le_bytes());
        bytes[40..].copy_from_slice(&self.cycles.to_le_bytes());
        bytes
    }

    /// Reads a state in the protocol's form.
    pub(super) fn from_bytes(bytes: &[u8; STATE_BYTES]) -> Self {
        let word = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        Self {
            r: std::array::from_fn(|register| bytes[register]),
            sreg: bytes[32],
            sp: u16::from_le_bytes([bytes[34], bytes[35]]),
            pc: word(36),
            cycles: word(40),
        }
    }

    /// Describes the differences, with our value first.
    pub(super) fn differing(&self, other: &Self) -> String {
        let mut text = String::new();
        for (register, (ours, theirs)) in self.r.iter().zip(other.r).enumerate() {
            if *ours != theirs {
                let _ = write!(text, " r{register} {ours:02x}/{theirs:02x}");
            }
        }
        let fields = [
            ("SREG", u32::from(self.sreg), u32::from(other.sreg)),
            ("SP", u32::from(self.sp), u32::from(other.sp)),
            ("pc", self.pc, other.pc),
            ("cycles", self.cycles, other.cycles),
        ];
        for (name, ours, theirs) in fields {
            if ours != theirs {
                let _ = write!(text, " {name} {ours:x}/{theirs:x}");
            }
        }
        text
    }
}

/// Returns the two words of `flash` at the byte address `pc`.
pub(super) fn words(flash: &[u8], pc: u32) -> [u16; 2] {
    let byte = |at: u32| flash.get(at as usize).copied().unwrap_or(0xFF);
    [pc, pc + 2].map(|at| u16::from_le_bytes([byte(at), byte(at + 1)]))
}
