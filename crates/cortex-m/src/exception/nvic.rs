//! The nested vectored interrupt controller: what is pending, enabled, active, and what goes first.

use std::mem::offset_of;

use cyclescope_machine::{InterruptLines, NMI_LINE};

use crate::decode::Architecture;

/// Exception numbers (DDI 0419E table B1-3).
pub const NMI: u16 = 2;
/// HardFault.
pub const HARD_FAULT: u16 = 3;
/// MemManage, on Armv7-M.
pub const MEM_MANAGE: u16 = 4;
/// BusFault, on Armv7-M.
pub const BUS_FAULT: u16 = 5;
/// UsageFault, on Armv7-M.
pub const USAGE_FAULT: u16 = 6;
/// SVCall.
pub const SUPERVISOR_CALL: u16 = 11;
/// DebugMonitor, on Armv7-M.
pub const DEBUG_MONITOR: u16 = 12;
/// PendSV.
pub const PEND_SV: u16 = 14;
/// SysTick.
pub const SYS_TICK: u16 = 15;
/// The exception number of interrupt 0.
pub const FIRST_INTERRUPT: u16 = 16;

/// The most exceptions: 16 of the system and 240 interrupts.
const EXCEPTIONS: usize = 256;
const WORDS: usize = EXCEPTIONS / 64;

/// The priority of a core that handles nothing: less urgent than every exception.
const THREAD: i16 = 256;

type Set = [u64; WORDS];

/// The masks, which raise the execution priority.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Masks {
    /// PRIMASK: as if at priority 0.
    pub primask: bool,
    /// FAULTMASK: as HardFault.
    pub faultmask: bool,
    /// BASEPRI: as if at that priority, unless 0.
    pub basepri: u8,
}

/// Interrupt controller state; numbers are exception numbers unless a name says interrupt.
#[derive(Clone, Debug)]
pub struct Nvic {
    pending: Set,
    enabled: Set,
    active: Set,
    priority: [u8; EXCEPTIONS],
    priority_mask: u8,
    /// The bits of a priority that decide on preemption (AIRCR.PRIGROUP).
    group_mask: u8,
    interrupts: u16,
}

fn has(set: &Set, number: u16) -> bool {
    set[usize::from(number) / 64] & 1 << (number % 64) != 0
}

fn insert(set: &mut Set, number: u16) {
    set[usize::from(number) / 64] |= 1 << (number % 64);
}

fn remove(set: &mut Set, number: u16) {
    set[usize::from(number) / 64] &= !(1 << (number % 64));
}

fn members(set: Set) -> impl Iterator<Item = u16> {
    (0u16..).zip(set).flat_map(|(word, mut bits)| {
        std::iter::from_fn(move || {
            let bit = bits.trailing_zeros();
            if bit == 64 {
                return None;
            }
            bits &= bits - 1;
            Some(word * 64 + bit as u16)
        })
    })
}

impl Nvic {
    /// The words of a set of exceptions.
    pub(crate) const WORDS: usize = WORDS;
    /// The place of the set of pending ones in it, in bytes.
    pub(crate) const PENDING: usize = offset_of!(Self, pending);
    /// The same of the enabled ones.
    pub(crate) const ENABLED: usize = offset_of!(Self, enabled);
    /// The same of the bits of a priority that are there.
    pub(crate) const PRIORITY_MASK: usize = offset_of!(Self, priority_mask);

    /// A controller with `priority_bits` implemented bits and `interrupts` lines (at most 240 count).
    pub fn new(architecture: Architecture, priority_bits: u8, interrupts: u16) -> Self {
        let mut enabled = [0; WORDS];
        // Of the system exceptions, only the configurable faults of Armv7-M have an enable bit.
        enabled[0] = (1 << FIRST_INTERRUPT) - 1;
        if architecture.is_v7() {
            enabled[0] &= !(1 << MEM_MANAGE | 1 << BUS_FAULT | 1 << USAGE_FAULT);
        }
        Self {
            pending: [0; WORDS],
            enabled,
            active: [0; WORDS],
            priority: [0; EXCEPTIONS],
            priority_mask: !(0xFF_u16 >> priority_bits.min(8)) as u8,
            group_mask: 0xFF,
            interrupts: interrupts.min(EXCEPTIONS as u16 - FIRST_INTERRUPT),
        }
    }

    /// The priority of exception `number`: smaller goes first.
    pub fn priority(&self, number: u16) -> i16 {
        match number {
            NMI => -2,
            HARD_FAULT => -1,
            _ => i16::from(self.priority[usize::from(number) % EXCEPTIONS]),
        }
    }

    /// Sets the priority field of exception `number`; bits that are not implemented, and fields of interrupts that the
    /// part does not connect, stay zero.
    pub fn set_priority(&mut self, number: u16, priority: u8) {
        if number >= FIRST_INTERRUPT + self.interrupts {
            return;
        }
        self.priority[usize::from(number) % EXCEPTIONS] = priority & self.priority_mask;
    }

    /// Returns the bits of `priority` that the part implements.
    pub fn implemented(&self, priority: u8) -> u8 {
        priority & self.priority_mask
    }

    /// Sets AIRCR.PRIGROUP: the bits above it decide on preemption.
    pub fn set_grouping(&mut self, prigroup: u32) {
        self.group_mask = (0xFF_u32 << (prigroup + 1)) as u8;
    }

    /// The part of a priority that decides on preemption.
    fn group(&self, priority: i16) -> i16 {
        if priority < 0 { priority } else { priority & i16::from(self.group_mask) }
    }

    /// The priority of exception `number` as far as it decides on preemption.
    pub fn group_priority(&self, number: u16) -> i16 {
        self.group(self.priority(number))
    }

    /// The priority of what runs: the most urgent active exception, raised by the masks (DDI 0403E §B1.5.4).
    pub fn execution_priority(&self, masks: Masks) -> i16 {
        let mut priority = THREAD;
        for (word, mut active) in (0u16..).zip(self.active) {
            while active != 0 {
                priority = priority.min(self.group_priority(word * 64 + active.trailing_zeros() as u16));
                active &= active - 1;
            }
        }
        if masks.basepri != 0 {
            priority = priority.min(self.group(i16::from(masks.basepri)));
        }
        if masks.primask {
            priority = priority.min(0);
        }
        if masks.faultmask {
            priority = priority.min(-1);
        }
        priority
    }

    /// Tells whether any exception is pending and enabled.
    #[inline]
    pub fn any_ready(&self) -> bool {
        self.pending.iter().zip(self.enabled).fold(0, |any, (pending, enabled)| any | pending & enabled) != 0
    }

    /// The most urgent pending and enabled exception, if it is more urgent than `priority`.
    pub fn preempting(&self, priority: i16) -> Option<u16> {
        let mut first: Option<(i16, u16)> = None;
        for (word, (pending, enabled)) in (0u16..).zip(self.pending.iter().zip(self.enabled)) {
            let mut ready = pending & enabled;
            while ready != 0 {
                let number = word * 64 + ready.trailing_zeros() as u16;
                ready &= ready - 1;
                let candidate = (self.priority(number), number);
                first = Some(first.map_or(candidate, |first| first.min(candidate)));
            }
        }
        first.filter(|(urgency, _)| self.group(*urgency) < priority).map(|(_, number)| number)
    }

    /// Tells whether the system exception `number` is enabled.
    pub fn is_enabled(&self, number: u16) -> bool {
        has(&self.enabled, number)
    }

    /// Enables or disables a configurable fault.
    pub fn enable_fault(&mut self, number: u16, enable: bool) {
        if enable { insert(&mut self.enabled, number) } else { remove(&mut self.enabled, number) }
    }

    /// Makes exception `number` active or not without more: SHCSR's active bits.
    pub fn set_active(&mut self, number: u16, active: bool) {
        if active { insert(&mut self.active, number) } else { remove(&mut self.active, number) }
    }

    /// Makes exception `number` pending; `true` if it was not.
    pub fn pend(&mut self, number: u16) -> bool {
        let newly = !has(&self.pending, number);
        insert(&mut self.pending, number);
        newly
    }

    /// Makes exception `number` not pending.
    pub fn unpend(&mut self, number: u16) {
        remove(&mut self.pending, number);
    }

    /// Tells whether exception `number` is pending.
    pub fn is_pending(&self, number: u16) -> bool {
        has(&self.pending, number)
    }

    /// Tells whether exception `number` is active.
    pub fn is_active(&self, number: u16) -> bool {
        has(&self.active, number)
    }

    /// From pending to active.
    pub fn activate(&mut self, number: u16) {
        remove(&mut self.pending, number);
        insert(&mut self.active, number);
    }

    /// From active to inactive; an interrupt whose line is still high is pending again (DDI 0419E §B3.4.1). `true` if it
    /// was not pending before.
    pub fn deactivate(&mut self, number: u16, lines: &InterruptLines) -> bool {
        remove(&mut self.active, number);
        let line = if number == NMI { Some(NMI_LINE) } else { number.checked_sub(FIRST_INTERRUPT).map(usize::from) };
        line.is_some_and(|line| lines.is_high(line)) && self.pend(number)
    }

    /// Returns the number of active exceptions.
    pub fn active_count(&self) -> u32 {
        self.active.iter().map(|word| word.count_ones()).sum()
    }

    /// Latches lines that rose; returns the exceptions that became pending.
    pub fn latch(&mut self, lines: &mut InterruptLines) -> Vec<u16> {
        let interrupts = self.interrupts;
        let number = |line: u16| match usize::from(line) {
            NMI_LINE => Some(NMI),
            _ => (line < interrupts).then_some(line + FIRST_INTERRUPT),
        };
        members(lines.take_rose()).filter_map(number).filter(|number| self.pend(*number)).collect()
    }

    /// Enable bits of interrupts 32·`word` up.
    pub fn enabled_word(&self, word: u16) -> u32 {
        self.word(&self.enabled, word)
    }

    /// Pending bits of interrupts 32·`word` up.
    pub fn pending_word(&self, word: u16) -> u32 {
        self.word(&self.pending, word)
    }

    /// Active bits of interrupts 32·`word` up.
    pub fn active_word(&self, word: u16) -> u32 {
        self.word(&self.active, word)
    }

    /// Enables (or disables) the interrupts whose bits are set in `bits`.
    pub fn enable_word(&mut self, word: u16, bits: u32, enable: bool) {
        for number in self.numbers(word, bits) {
            if enable { insert(&mut self.enabled, number) } else { remove(&mut self.enabled, number) }
        }
    }

    /// Clears the pending interrupts whose bits are set in `bits`; one whose line is high and that is not being handled
    /// is pending again at once.
    pub fn unpend_word(&mut self, word: u16, bits: u32, lines: &InterruptLines) {
        for number in self.numbers(word, bits) {
            if !lines.is_high(usize::from(number - FIRST_INTERRUPT)) || self.is_active(number) {
                remove(&mut self.pending, number);
            }
        }
    }

    /// The lowest exception number pending and enabled, for ICSR.VECTPENDING; 0 if none.
    pub fn highest_pending(&self) -> u16 {
        self.preempting(i16::MAX).unwrap_or(0)
    }

    /// Tells whether any interrupt (not a system exception) is pending, for ICSR.ISRPENDING.
    pub fn interrupt_pending(&self) -> bool {
        members(self.pending).any(|number| number >= FIRST_INTERRUPT)
    }

    fn word(&self, set: &Set, word: u16) -> u32 {
        let first = usize::from(FIRST_INTERRUPT) + 32 * usize::from(word);
        let (low, high) = (set.get(first / 64).copied().unwrap_or(0), set.get(first / 64 + 1).copied().unwrap_or(0));
        let both = u128::from(high) << 64 | u128::from(low);
        (both >> (first % 64)) as u32 & self.connected(word)
    }

    /// The bits of the interrupts 32·`word` up that the part connects.
    fn connected(&self, word: u16) -> u32 {
        let count = u32::from(self.interrupts).saturating_sub(32 * u32::from(word));
        if count >= 32 { u32::MAX } else { (1 << count) - 1 }
    }

    /// The exceptions of the interrupts 32·`word` up whose bits are set in `bits`, as far as the part connects them.
    pub fn numbers(&self, word: u16, bits: u32) -> impl Iterator<Item = u16> + use<> {
        let mut left = bits & self.connected(word);
        std::iter::from_fn(move || {
            let bit = left.trailing_zeros() as u16;
            left &= left.checked_sub(1)?;
            Some(FIRST_INTERRUPT + 32 * word + bit)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_more_urgent_then_the_lower_number_goes_first() {
        let mut nvic = Nvic::new(Architecture::Armv6M, 2, 32);
        nvic.enable_word(0, 0b111, true);
        for number in [16, 17, 18] {
            nvic.set_priority(number, 0x80);
            nvic.pend(number);
        }
        nvic.set_priority(18, 0x40);
        assert_eq!(nvic.preempting(THREAD), Some(18));
        nvic.activate(18);
        assert_eq!(nvic.preempting(nvic.execution_priority(Masks::default())), None);
        nvic.deactivate(18, &InterruptLines::default());
        assert_eq!(nvic.preempting(THREAD), Some(16));
        assert_eq!(
            nvic.preempting(nvic.execution_priority(Masks { primask: true, ..Masks::default() })),
            None,
            "PRIMASK"
        );
        nvic.pend(NMI);
        assert_eq!(nvic.preempting(nvic.execution_priority(Masks { primask: true, ..Masks::default() })), Some(NMI));
    }

    #[test]
    fn grouping_decides_on_preemption_and_the_rest_on_order() {
        let mut nvic = Nvic::new(Architecture::Armv7M, 4, 32);
        nvic.enable_word(0, 0b111, true);
        for (number, priority) in [(16, 0x50), (17, 0x40), (18, 0x60)] {
            nvic.set_priority(number, priority);
            nvic.pend(number);
        }
        nvic.set_grouping(5);
        assert_eq!(nvic.preempting(THREAD), Some(17), "the lowest subpriority goes first");
        nvic.activate(16);
        assert_eq!(nvic.preempting(nvic.execution_priority(Masks::default())), None, "but preempts none of its group");
        nvic.set_grouping(3);
        assert_eq!(nvic.preempting(nvic.execution_priority(Masks::default())), Some(17));
        let basepri = |basepri| Masks { basepri, ..Masks::default() };
        assert_eq!(nvic.preempting(nvic.execution_priority(basepri(0x40))), None);
        let faultmask = Masks { faultmask: true, ..Masks::default() };
        nvic.pend(HARD_FAULT);
        assert_eq!(nvic.preempting(nvic.execution_priority(faultmask)), None);
    }

    #[test]
    fn only_implemented_priority_bits_are_kept() {
        let mut nvic = Nvic::new(Architecture::Armv6M, 2, 32);
        nvic.set_priority(16, 0xFF);
        assert_eq!(nvic.priority(16), 0xC0);
    }

    #[test]
    fn a_line_that_stays_high_pends_again_after_its_handler() {
        let mut lines = InterruptLines::default();
        let mut nvic = Nvic::new(Architecture::Armv6M, 2, 32);
        lines.set(3, true);
        assert_eq!(nvic.latch(&mut lines), [19]);
        nvic.activate(19);
        nvic.deactivate(19, &lines);
        assert!(nvic.is_pending(19));
        nvic.unpend_word(0, 1 << 3, &lines);
        assert!(nvic.is_pending(19), "cannot be cleared while the line is high");
        lines.set(3, false);
        nvic.unpend_word(0, 1 << 3, &lines);
        assert!(!nvic.is_pending(19));
    }

    #[test]
    fn lines_beyond_the_part_are_not_there() {
        let mut nvic = Nvic::new(Architecture::Armv6M, 2, 4);
        nvic.enable_word(0, u32::MAX, true);
        assert_eq!(nvic.enabled_word(0), 0xF);
        assert_eq!(nvic.enabled_word(3), 0);
    }
}
