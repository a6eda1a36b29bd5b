//! Xtensa: the instructions that call, and the callers' register windows, in the file or on the stack.
//!
//! Code that turns the window by ROTW itself, as handlers do to spill all windows, is not followed.
//!
//! Source: Xtensa Instruction Set Architecture Reference Manual, RC-2010.1, §4.7.1 "Windowed Register Option" and §8.1 "The
//! Windowed Register and Call0 ABIs".

use cyclescope_machine::{Probe, RegisterWindows};

use super::registers::{Registers, byte, word};

/// The bits of an address that a windowed call leaves in a0. The upper two are the fours of registers that it turns by.
const ADDRESS: u32 = 0x3FFF_FFFF;
/// The place of a caller's a0 to a3, once they are spilled, below the stack pointer of the function that it called.
const BASE_SAVE: u32 = 16;
/// The registers that are spilled there.
const BASE_REGISTERS: u16 = 4;

/// Tells if the instruction before `address` is a call without a window: CALL0 or CALLX0. What the others leave in a0 is no
/// address, since its upper two bits are the rotation of the window.
pub(super) fn follows_call(probe: &dyn Probe, address: u32) -> bool {
    calls_by(probe, address) == Some(0)
}

/// The fours of registers by which the instruction before `address` turns the window, if it is a call: CALL0, CALL4, CALL8,
/// CALL12, or CALLX0 and its like.
fn calls_by(probe: &dyn Probe, address: u32) -> Option<u8> {
    let at = address.checked_sub(3)?;
    let [first, second, third] = [byte(probe, at)?, byte(probe, at + 1)?, byte(probe, at + 2)?];
    let is_call = first & 0x0F == 0x05 || first & 0xCF == 0xC0 && second & 0xF0 == 0 && third == 0;
    is_call.then_some(first >> 4 & 3)
}

/// The windows of a walk: where that of the level lies, while it is in the file.
pub(super) struct Windows {
    all: RegisterWindows,
    /// The window of the level, if it is in the file.
    base: Option<u8>,
}

impl Windows {
    /// The windows of the core behind `probe`, if it has any.
    pub(super) fn of(probe: &dyn Probe) -> Option<Self> {
        let all = probe.windows().filter(|all| all.file.len() >= 16 && all.file.len().is_power_of_two())?;
        Some(Self { base: Some(all.base), all })
    }

    /// The level that a window exception interrupted, whose handler `handler` is.
    pub(super) fn interrupted(&mut self, handler: &Registers) -> Option<Registers> {
        let (base, pc) = self.all.before?;
        self.base = Some(base);
        let mut registers = self.window(handler, base, 16);
        registers.pc = pc;
        Some(registers)
    }

    /// The caller of the level with `registers`: `None` if it was not called by a windowed call. `innermost` is the level at which
    /// the core stands.
    pub(super) fn caller(&mut self, probe: &dyn Probe, registers: &Registers, innermost: bool) -> Option<Registers> {
        let entry = innermost && byte(probe, registers.pc).is_some_and(|first| first == 0x36);
        if entry && self.all.increment > 0 {
            // The call has left its return address where ENTRY will turn to.
            let link = registers.get(4 * u16::from(self.all.increment))?;
            let mut caller = registers.clone();
            caller.pc = self.return_address(probe, registers, link)?;
            return Some(caller);
        }
        let link = registers.get(0)?;
        let pc = self.return_address(probe, registers, link)?;
        let size = (link >> 30) as u8;
        let base = self.base.map(|base| self.place(base, size)).filter(|base| self.all.started >> base & 1 != 0);
        let mut caller = match base {
            Some(base) => self.window(registers, base, 4 * u16::from(size)),
            None => spilled(probe, registers)?,
        };
        self.base = base;
        caller.pc = pc;
        Some(caller)
    }

    /// The window `size` fours of registers before `base`.
    fn place(&self, base: u8, size: u8) -> u8 {
        base.wrapping_sub(size) & (self.all.file.len() / 4 - 1) as u8
    }

    /// The address that `link` returns to, if a call of its window is before it.
    fn return_address(&self, probe: &dyn Probe, registers: &Registers, link: u32) -> Option<u32> {
        let address = registers.pc & !ADDRESS | link & ADDRESS;
        let size = (link >> 30) as u8;
        (size > 0 && calls_by(probe, address) == Some(size)).then_some(address)
    }

    /// The first `count` registers of the window at `base`; the others are those of the functions that it called.
    fn window(&self, of: &Registers, base: u8, count: u16) -> Registers {
        let mut registers = of.clone();
        for number in 0..16 {
            let at = (4 * usize::from(base) + usize::from(number)) & (self.all.file.len() - 1);
            registers.set(number, self.all.file.get(at).copied().filter(|_| number < count));
        }
        registers
    }
}

/// The caller's registers in the base save area of `callee`.
fn spilled(probe: &dyn Probe, callee: &Registers) -> Option<Registers> {
    let area = callee.stack_pointer()?.checked_sub(BASE_SAVE)?;
    let mut registers = callee.clone();
    for number in 0..16 {
        let value = if number < BASE_REGISTERS { word(probe, area.checked_add(4 * u32::from(number))?) } else { None };
        registers.set(number, value);
    }
    Some(registers)
}
