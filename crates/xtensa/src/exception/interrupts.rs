//! The interrupt option, with high-priority, timer and software interrupts (§4.4.4 to §4.4.6).

use cyclescope_machine::units::Cycles;
use cyclescope_machine::{Bus, Peripherals, Signal};

use super::INTERRUPT;
use crate::config::{Interrupt, InterruptKind};
use crate::cpu::Cpu;

/// The interrupts of a core, by kind and by level, as bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Kinds {
    level: u32,
    edge: u32,
    software: u32,
    timers: [u32; 3],
    nmi: u32,
    /// Those of each level.
    levels: [u32; 8],
}

impl Kinds {
    /// Those of a core with `interrupts`.
    pub(crate) fn of(interrupts: &[Interrupt]) -> Self {
        let mut kinds = Self::default();
        for (number, interrupt) in interrupts.iter().enumerate() {
            let bit = 1 << number;
            match interrupt.kind {
                InterruptKind::Level => kinds.level |= bit,
                InterruptKind::Edge => kinds.edge |= bit,
                InterruptKind::Software => kinds.software |= bit,
                InterruptKind::Timer(timer) => kinds.timers[usize::from(timer.min(2))] |= bit,
                InterruptKind::Nmi => kinds.nmi |= bit,
                // They never come.
                InterruptKind::Profiling => {}
                InterruptKind::Absent => continue,
            }
            kinds.levels[usize::from(interrupt.level & 7)] |= bit;
        }
        kinds
    }

    /// Those that lines hold up, and the NMI.
    pub(crate) const fn level_and_nmi(&self) -> (u32, u32) {
        (self.level, self.nmi)
    }
}

impl Cpu {
    /// The interrupts that the core has and INTENABLE can enable: the NMI is not among them.
    pub(crate) fn existing(&self) -> u32 {
        self.kinds.levels.iter().fold(0, |all, bits| all | bits) & !self.kinds.nmi
    }

    /// INTERRUPT.
    pub(crate) fn raised(&self) -> u32 {
        self.lines.levels() & self.kinds.level | self.latched
    }

    /// INTSET: only software's interrupts.
    pub(crate) fn set_interrupts(&mut self, bits: u32) {
        self.latched |= bits & self.kinds.software;
    }

    /// INTCLEAR: software's and edges'.
    pub(crate) fn clear_interrupts(&mut self, bits: u32) {
        self.latched &= !(bits & (self.kinds.software | self.kinds.edge));
    }

    /// CCOMPARE of `timer` is written in the cycle `at`, which clears its interrupt.
    pub(crate) fn write_compare(&mut self, timer: u8, value: u32, at: u64) {
        self.latched &= !self.kinds.timers[usize::from(timer)];
        self.set_compare(timer.into(), value, at);
    }

    /// The next cycle in which CCOUNT equals a CCOMPARE.
    pub(crate) fn next_match(&self) -> u64 {
        self.matches.iter().copied().min().unwrap_or(u64::MAX)
    }

    /// Latches the interrupts of timers whose CCOMPARE was met up to `now`, and those of lines that are seen by then.
    pub(crate) fn settle_interrupts(&mut self, now: u64) {
        for timer in 0..self.config.configuration.timers {
            while self.matches[usize::from(timer)] <= now {
                self.matches[usize::from(timer)] += 1 << 32;
                self.latched |= self.kinds.timers[usize::from(timer)];
            }
        }
        let rose = self.lines.settle(now);
        self.latched |= rose & (self.kinds.edge | self.kinds.nmi);
    }

    /// The most urgent interrupt that may be taken: its number and level. Of one level the lowest number stands for all.
    #[inline]
    pub(crate) fn takeable(&self) -> Option<(u8, u8)> {
        let nmi = self.kinds.nmi;
        let pending = self.raised() & (self.enabled | nmi);
        if pending == 0 {
            return None;
        }
        // The NMI knows no level.
        let most = if pending & nmi != 0 { 0 } else { self.level() };
        let level = (most + 1..8).rev().find(|level| pending & self.kinds.levels[usize::from(*level)] != 0)?;
        let number = (pending & self.kinds.levels[usize::from(level)]).trailing_zeros() as u8;
        Some((number, level))
    }

    /// Has everything looked at if an interrupt may be taken, now that the level, or what is enabled or raised, has changed.
    pub(crate) fn look_at_interrupts(&mut self) {
        if self.takeable().is_some() {
            self.horizon = 0;
        }
    }

    /// Hands every event due at or before `now` to the peripherals; lines that move thereby do so when they do.
    pub(crate) fn run_events<P: Peripherals>(&mut self, bus: &mut Bus<P>, now: u64) {
        loop {
            let due = bus.shared.events.next_at().get();
            if due > now {
                break;
            }
            bus.run_events(Cycles::new(due), self.pc());
            if bus.shared.interrupts.changed() {
                self.note_lines(bus, due);
            }
        }
        self.settle_interrupts(now);
    }

    /// Takes note of lines that moved in the cycle `at`.
    pub(crate) fn note_lines<P>(&mut self, bus: &mut Bus<P>, at: u64) {
        let [rose, ..] = bus.shared.interrupts.take_rose();
        let (levels, mut rose) = (bus.shared.interrupts.levels(0) as u32, rose as u32);
        let seen = at + self.charge(self.config.timing.recognition);
        self.lines.change(seen, levels, rose);
        self.horizon = 0;
        while rose != 0 {
            let number = INTERRUPT | rose.trailing_zeros() as u16;
            bus.shared.signals.record(Cycles::new(at), Signal::ExceptionPended { number });
            rose &= rose - 1;
        }
    }
}
