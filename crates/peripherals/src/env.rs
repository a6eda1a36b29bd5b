//! What a block sees of the part around it while it answers an access or an event.

use std::fmt;

use cyclescope_machine::{BusFault, Context, EventId, GapKind, TimingRow};
use cyclescope_units::Cycles;

use crate::{Clocks, Instance, Instant};

/// Happenings per block that have an event number of their own.
pub const EVENTS_PER_BLOCK: u16 = 16;

/// What a block does to other blocks; the part carries it out after the block has answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// The clock tree's settings changed.
    ClocksChanged,
    /// Bits of an RCC reset register were written as 1.
    ResetPeripherals {
        /// The register's offset.
        offset: u16,
        /// The bits.
        bits: u32,
    },
    /// A DMA request rose (`true`) or fell.
    Request {
        /// The multiplexer's input.
        number: u8,
        /// Whether it is asked for.
        active: bool,
    },
    /// A DMA request for exactly one transfer.
    RequestOnce {
        /// The multiplexer's input.
        number: u8,
    },
    /// A peripheral drives one of its signals; the port shows it where the pin is switched to it.
    Output {
        /// The peripheral's name for the signal.
        signal: &'static str,
        /// The level, or `None` where it no longer drives.
        level: Option<bool>,
    },
    /// Pins of a port were switched to or from alternate functions.
    PinsSwitched {
        /// The port: 0 for A.
        port: u8,
    },
    /// The level that a pin's input shows has changed.
    PinChanged {
        /// The port: 0 for A.
        port: u8,
        /// The pin in its port.
        pin: u8,
        /// The new level.
        high: bool,
    },
    /// The DMA controller or its multiplexer may have something to do.
    DmaChanged,
    /// The flash interface's settings changed.
    FlashChanged,
    /// The watchdog needs the low-speed internal oscillator.
    ForceLsi,
    /// The backup domain takes writes, or no longer (PWR_CR.DBP).
    BackupAccess {
        /// Whether it does.
        allowed: bool,
    },
    /// The backup domain was reset (RCC_BDCR.BDRST).
    ResetBackup,
    /// The clock that a Kinetis' clock generator makes has changed.
    SystemClock {
        /// How it is made.
        clock: crate::Pll,
    },
    /// Why a Kinetis was reset, for its reset control.
    ResetCause {
        /// The cause.
        flag: crate::ResetFlag,
    },
    /// A Kinetis' port control has changed what the pins of its port are.
    PinRoles {
        /// The port: 0 for A.
        port: u8,
    },
    /// The main phase-locked loop was switched on or off, which the voltage regulator follows.
    PllSwitched {
        /// Whether the main loop is on.
        on: bool,
    },
}

/// What the blocks of a part hand each other.
#[derive(Clone, Debug, Default)]
pub struct Wires {
    /// What is still to be carried out, in order, each with the slot of the block that asked for it.
    pub effects: Vec<(u16, Effect)>,
    /// The bus error that the access under way ends with.
    pub fault: Option<BusFault>,
    /// The timing rows that have decided anything so far, in the order of their first use.
    pub rows: Vec<&'static TimingRow>,
}

/// A block's view of its part.
pub struct Env<'a, 'c> {
    /// What all devices of a machine see.
    pub context: &'a mut Context<'c>,
    /// The clock tree.
    pub clocks: &'a Clocks,
    /// The way to the other blocks.
    pub wires: &'a mut Wires,
    /// The block as this part has it.
    pub instance: &'static Instance,
    /// The block's number in its part.
    pub slot: u16,
}

impl Env<'_, '_> {
    /// The time.
    #[inline]
    pub fn now(&self) -> Instant {
        self.clocks.at(self.context.now)
    }

    fn event_id(&self, kind: u16) -> EventId {
        EventId::new(self.slot * EVENTS_PER_BLOCK + kind % EVENTS_PER_BLOCK)
    }

    /// Has the block's event `kind` come at `at`, at the next cycle at the earliest; [`Instant::NEVER`] cancels it.
    pub fn schedule(&mut self, kind: u16, at: Instant) {
        let id = self.event_id(kind);
        if at == Instant::NEVER {
            self.context.events.cancel(id);
            return;
        }
        let next = self.context.now.saturating_add(Cycles::new(1));
        self.context.events.schedule(self.clocks.cycle(at).max(next), id);
    }

    /// Takes the block's event `kind` back.
    pub fn cancel(&mut self, kind: u16) {
        let id = self.event_id(kind);
        self.context.events.cancel(id);
    }

    /// Counts a model gap.
    pub fn gap(&mut self, kind: GapKind, name: fmt::Arguments<'_>) {
        match name.as_str() {
            Some(name) => self.context.gap(kind, name),
            None => self.context.gap(kind, &name.to_string()),
        }
    }

    /// The cycles of `row`, which is noted as used.
    #[inline]
    pub fn cycles(&mut self, row: &'static TimingRow) -> u64 {
        if !self.wires.rows.iter().any(|known| known.name == row.name) {
            self.wires.rows.push(row);
        }
        u64::from(row.cycles)
    }

    /// Asks the part for `effect`.
    pub fn effect(&mut self, effect: Effect) {
        self.wires.effects.push((self.slot, effect));
    }
}

/// The interrupt lines of a block, each with the bits of the block's status that drive it.
#[derive(Clone, Debug, Default)]
pub struct Lines {
    lines: Vec<(u8, u32)>,
}

impl Lines {
    /// The lines of `instance` by signal and status bits; signals of one line share it, absent ones are left out.
    pub fn new(instance: &Instance, signals: &[(&str, u32)]) -> Self {
        let mut lines: Vec<(u8, u32)> = Vec::new();
        for (signal, bits) in signals {
            let Some(line) = instance.line(signal) else { continue };
            match lines.iter_mut().find(|(known, _)| *known == line) {
                Some((_, mask)) => *mask |= bits,
                None => lines.push((line, *bits)),
            }
        }
        Self { lines }
    }

    /// Drives the lines: high where an active bit is theirs.
    pub fn drive(&self, active: u32, env: &mut Env<'_, '_>) {
        for (line, mask) in &self.lines {
            env.context.interrupts.set(usize::from(*line), active & mask != 0);
        }
    }
}

/// What every block does.
pub trait Block {
    /// A read of the word at `offset`.
    fn read(&mut self, offset: u32, env: &mut Env<'_, '_>) -> u32;

    /// A write to the word at `offset`.
    fn write(&mut self, offset: u32, write: crate::Write, env: &mut Env<'_, '_>);

    /// The block's event `kind` is due.
    fn event(&mut self, _kind: u16, _env: &mut Env<'_, '_>) {}

    /// Back to the state after a system reset.
    fn reset(&mut self, env: &mut Env<'_, '_>);

    /// The unit of time has become `times` smaller: every [`Instant`] and every [`crate::Span`] kept is multiplied.
    fn refine(&mut self, times: u64);

    /// The clocks are about to change: whatever is computed from time is brought up to now.
    fn before_clock_change(&mut self, _env: &mut Env<'_, '_>) {}

    /// The clocks have changed from `old`: whatever is scheduled is scheduled anew.
    fn after_clock_change(&mut self, _old: &crate::Tree, _env: &mut Env<'_, '_>) {}

    /// The level at which the block drives its signal `signal`, if it does.
    fn output(&self, _signal: &str) -> Option<bool> {
        None
    }

    /// The registers, for tests and tools.
    fn bank(&self) -> &crate::Bank;
}
