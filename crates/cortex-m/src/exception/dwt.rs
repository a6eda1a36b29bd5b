//! The data watchpoint and trace unit's counters: DDI 0403E §C1.8. Its comparators are a named gap.

/// DWT_CTRL bits.
const CYCCNTENA: u32 = 1;
const CPIEVTENA: u32 = 1 << 17;
const EXCEVTENA: u32 = 1 << 18;
const SLEEPEVTENA: u32 = 1 << 19;
const LSUEVTENA: u32 = 1 << 20;
const FOLDEVTENA: u32 = 1 << 21;
const COUNTERS: u32 = CPIEVTENA | EXCEVTENA | SLEEPEVTENA | LSUEVTENA | FOLDEVTENA;
/// The writable bits of DWT_CTRL: all enables and the tap settings of the trace events.
const WRITABLE: u32 = COUNTERS | 0x1FFF | 1 << 16;
/// DWT_CTRL.NUMCOMP: four comparators.
const NUMCOMP: u32 = 4 << 28;

/// The cause of an instruction's cycles beyond its first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beyond {
    /// Waiting for loads and stores.
    Memory,
    /// Everything else.
    Instruction,
}

/// Cycle and event counters. They count while DEMCR.TRCENA is set.
#[derive(Clone, Debug, Default)]
pub struct Dwt {
    tracing: bool,
    control: u32,
    /// CYCCNT at the cycle `anchor`.
    value: u32,
    anchor: u64,
    /// The core's clock stands.
    stands: bool,
    cpi: u32,
    exceptions: u64,
    sleep: u64,
    lsu: u32,
    fold: u32,
}

impl Dwt {
    /// Tells whether instructions must be counted one by one.
    #[inline(always)]
    pub fn counts_instructions(&self) -> bool {
        self.tracing && self.control & (CPIEVTENA | LSUEVTENA | FOLDEVTENA) != 0
    }

    /// DEMCR.TRCENA at the cycle `now`.
    pub fn set_tracing(&mut self, tracing: bool, now: u64) {
        self.hold(now);
        self.tracing = tracing;
    }

    fn cycles_on(&self) -> bool {
        self.tracing && self.control & CYCCNTENA != 0 && !self.stands
    }

    /// The core's clock stands from the cycle `now` on.
    pub fn stand(&mut self, now: u64) {
        self.hold(now);
        self.stands = true;
    }

    /// The core's clock runs again from the cycle `now` on.
    pub fn run_on(&mut self, now: u64) {
        self.hold(now);
        self.stands = false;
    }

    fn cycle_count(&self, now: u64) -> u32 {
        let counted = if self.cycles_on() { now.wrapping_sub(self.anchor) as u32 } else { 0 };
        self.value.wrapping_add(counted)
    }

    fn hold(&mut self, now: u64) {
        self.value = self.cycle_count(now);
        self.anchor = now;
    }

    /// Reads the register at the byte offset `offset`; `None` where the model has none.
    pub fn read(&self, offset: u32, now: u64, pc: u32) -> Option<u32> {
        Some(match offset {
            0x00 => self.control | NUMCOMP,
            0x04 => self.cycle_count(now),
            0x08 => self.cpi & 0xFF,
            0x0C => self.exceptions as u32 & 0xFF,
            0x10 => self.sleep as u32 & 0xFF,
            0x14 => self.lsu & 0xFF,
            0x18 => self.fold & 0xFF,
            0x1C => pc,
            _ => return None,
        })
    }

    /// Writes the register at the byte offset `offset`; `false` where the model has none.
    pub fn write(&mut self, offset: u32, value: u32, now: u64) -> bool {
        match offset {
            0x00 => {
                self.hold(now);
                self.begin_counting(value & !self.control);
                self.control = value & WRITABLE;
            }
            0x04 => {
                self.value = value;
                self.anchor = now;
            }
            0x08 => self.cpi = value & 0xFF,
            0x0C => self.exceptions = u64::from(value & 0xFF),
            0x10 => self.sleep = u64::from(value & 0xFF),
            0x14 => self.lsu = value & 0xFF,
            0x18 => self.fold = value & 0xFF,
            0x1C => {}
            _ => return false,
        }
        true
    }

    /// A counter begins at zero when it is enabled (DDI 0403E §C1.8.8 to §C1.8.12).
    fn begin_counting(&mut self, enabled: u32) {
        if enabled & CPIEVTENA != 0 {
            self.cpi = 0;
        }
        if enabled & EXCEVTENA != 0 {
            self.exceptions = 0;
        }
        if enabled & SLEEPEVTENA != 0 {
            self.sleep = 0;
        }
        if enabled & LSUEVTENA != 0 {
            self.lsu = 0;
        }
        if enabled & FOLDEVTENA != 0 {
            self.fold = 0;
        }
    }

    /// An instruction took `cycles`; none at all if it was folded into the one before.
    pub fn retire(&mut self, cycles: u64, beyond: Beyond) {
        let Some(more) = cycles.checked_sub(1) else {
            self.fold += u32::from(self.control & FOLDEVTENA != 0);
            return;
        };
        match beyond {
            Beyond::Memory if self.control & LSUEVTENA != 0 => self.lsu = self.lsu.wrapping_add(more as u32),
            Beyond::Instruction if self.control & CPIEVTENA != 0 => self.cpi = self.cpi.wrapping_add(more as u32),
            _ => {}
        }
    }

    /// An exception's entry or return took `cycles`.
    pub fn exception(&mut self, cycles: u64) {
        if self.tracing && self.control & EXCEVTENA != 0 {
            self.exceptions += cycles;
        }
    }

    /// The core slept for `cycles`.
    pub fn slept(&mut self, cycles: u64) {
        if self.tracing && self.control & SLEEPEVTENA != 0 {
            self.sleep += cycles;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_count_only_while_tracing_and_enabled() {
        let mut dwt = Dwt::default();
        dwt.write(0, CYCCNTENA, 10);
        assert_eq!(dwt.read(4, 100, 0), Some(0));
        dwt.set_tracing(true, 100);
        assert_eq!(dwt.read(4, 130, 0), Some(30));
        dwt.write(4, u32::MAX, 200);
        assert_eq!(dwt.read(4, 203, 0), Some(2), "wraps");
        dwt.write(0, 0, 210);
        assert_eq!(dwt.read(4, 500, 0), Some(9), "stands still");
    }

    #[test]
    fn a_folded_instruction_takes_no_cycle() {
        let mut dwt = Dwt::default();
        dwt.set_tracing(true, 0);
        dwt.write(0, COUNTERS, 0);
        dwt.retire(0, Beyond::Instruction);
        dwt.retire(3, Beyond::Memory);
        dwt.retire(12, Beyond::Instruction);
        assert_eq!([0x18, 0x14, 0x08].map(|offset| dwt.read(offset, 0, 0)), [Some(1), Some(2), Some(11)]);
    }
}
