//! The framework's bus for parts whose registers are words: STM32, Kinetis and LM3S, over one tree of clocks.

use cyclescope_machine::GapKind;
use cyclescope_machine::units::{Cycles, Hertz};

use crate::framework::{self, Bus, Time};
use crate::{Bank, Clocks, Instance, Instant, Pll, ResetFlag, Source, Tree, Write};

/// An action of a block on other blocks. The part carries it out after the block has answered.
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
        /// `true` if it rose.
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
        /// `true` if it takes writes.
        allowed: bool,
    },
    /// The backup domain was reset (RCC_BDCR.BDRST).
    ResetBackup,
    /// The clock that a Kinetis' clock generator makes has changed.
    SystemClock {
        /// The settings from which the clock is made.
        clock: Pll,
    },
    /// Why a Kinetis was reset, for its reset control.
    ResetCause {
        /// The cause.
        flag: ResetFlag,
    },
    /// A Kinetis' port control has changed what the pins of its port are.
    PinRoles {
        /// The port: 0 for A.
        port: u8,
    },
    /// The main phase-locked loop was switched on or off, which the voltage regulator follows.
    PllSwitched {
        /// `true` if the main loop is on.
        on: bool,
    },
}

/// The bus.
#[derive(Clone, Copy, Debug)]
pub struct Words;

impl Time for Instant {
    const NEVER: Self = Self::NEVER;
}

impl Bus for Words {
    type Offset = u32;
    type Word = u32;
    type Write = Write;
    type Instance = Instance;
    type Effect = Effect;
    /// The clocks change from this tree.
    type Change = Tree;
    type Shared = Clocks;
    type Time = Instant;

    fn name(instance: &Instance) -> &'static str {
        instance.name
    }

    fn with_bit(_: u32, bit: u8, high: bool) -> Write {
        Write::bit(bit, high)
    }

    #[inline]
    fn now(env: &Env<'_, '_>) -> Instant {
        env.wires.shared.at(env.context.now)
    }

    #[inline]
    fn read_bank(bank: Option<&Bank>, offset: u32, env: &mut Env<'_, '_>) -> u32 {
        bank.map_or(0, |bank| bank.read(offset, env))
    }

    fn schedule(env: &mut Env<'_, '_>, kind: u16, at: Instant) {
        let id = env.event_id(RANK, kind);
        if at == Instant::NEVER {
            env.context.events.cancel(id);
            return;
        }
        let next = env.context.now.saturating_add(Cycles::new(1));
        env.context.events.schedule(env.wires.shared.cycle(at).max(next), id);
    }
}

/// The rank of blocks' events among those of a cycle.
const RANK: u8 = 128;

/// A block's view of its part.
pub type Env<'a, 'c> = framework::Env<'a, 'c, Words>;

/// The connections between the blocks of a part.
pub type Wires = framework::Wires<Words>;

impl Env<'_, '_> {
    /// The clock tree.
    #[inline]
    pub fn clocks(&self) -> &Clocks {
        &self.wires.shared
    }

    /// Names the clocks of `tree` that are faster than the part is made for, each with its limit and text.
    pub fn check_limits(&mut self, tree: Tree, limits: &[(Source, Hertz, &str)]) {
        for (source, limit, text) in limits {
            if tree.period_of(*source) < self.clocks().period(*limit) {
                self.gap(GapKind::Setting, format_args!("{text}"));
            }
        }
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

/// A DMA request of a block.
#[derive(Clone, Copy, Debug)]
pub struct DmaRequest {
    number: Option<u8>,
}

impl DmaRequest {
    /// The request `signal` of `instance`; where the part wires none, driving it does nothing.
    pub fn new(instance: &Instance, signal: &str) -> Self {
        Self { number: instance.request(signal) }
    }

    /// Asks for transfers, or (`false`) no longer.
    pub fn drive(self, active: bool, env: &mut Env<'_, '_>) {
        if let Some(number) = self.number {
            env.effect(Effect::Request { number, active });
        }
    }
}
