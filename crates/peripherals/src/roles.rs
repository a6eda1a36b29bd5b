//! The roles in which a part uses its blocks, whatever their version.

use cyclescope_machine::units::Hertz;
use cyclescope_machine::{TimingRow, Width};

use crate::{Clocks, Env, Instance, Pll, ResetFlag, Source, Tree};

/// Reset and clock control.
pub trait ClockControl {
    /// The periods that the registers select.
    fn tree(&self, clocks: &Clocks) -> Tree;

    /// The clock of USB devices; no hertz where it does not run.
    fn usb_clock(&self, _clocks: &Clocks) -> Hertz {
        Hertz::new(0)
    }

    /// The phase-locked loops whose clocks [`Self::tree`] divides, so that time has units that fit them.
    fn plls(&self, _clocks: &Clocks) -> Vec<Pll> {
        Vec::new()
    }

    /// The kernel clock that a peripheral counts, where it has a choice.
    fn kernel_clock(&self, _instance: &Instance) -> Option<Source> {
        None
    }

    /// Sets the flag of a reset that has just happened.
    fn note_reset(&mut self, flag: ResetFlag);

    /// Keeps the low-speed internal oscillator running for a watchdog.
    fn force_lsi(&mut self, env: &mut Env<'_, '_>);

    /// PWR_CR.DBP changed: whether the backup domain takes writes.
    fn allow_backup_writes(&mut self, _allowed: bool) {}
}

/// The source of the flash interface's timing, chosen before a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MemorySetting {
    /// As the vendor recommends for the clock in force, whatever the firmware wrote: runtimes compare as runtimes.
    #[default]
    Equal,
    /// As the firmware wrote it.
    Shipped,
    /// Without wait states: shows what is luck of placement.
    Ideal,
}

impl MemorySetting {
    /// The setting in one word, as options and records have it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Equal => "equal",
            Self::Shipped => "shipped",
            Self::Ideal => "ideal",
        }
    }
}

/// The flash interface.
pub trait FlashControl {
    /// The setting chosen before the run.
    fn setting(&self) -> MemorySetting;

    /// Puts the timing for the clock in force into effect.
    fn apply(&mut self, env: &mut Env<'_, '_>);

    /// Takes a store into the flash array at byte `offset`.
    fn store(&mut self, offset: u32, width: Width, value: u32, env: &mut Env<'_, '_>);

    /// The word of the option bytes at `address`, where they are memory of their own.
    fn option_word(&self, _address: u32) -> Option<u32> {
        None
    }

    /// Takes a store into the option bytes at `address`; whether they are there and take stores.
    fn store_option(&mut self, _address: u32, _width: Width, _value: u32, _env: &mut Env<'_, '_>) -> bool {
        false
    }

    /// Returns the firmware's flash settings as text for the notes of a table.
    fn settings_written(&self, clocks: &Clocks) -> String;
}

/// A port of pins.
pub trait Port {
    /// The port: 0 for A.
    fn port(&self) -> u8;

    /// The levels now, one bit a pin.
    fn levels(&self) -> u32;

    /// Returns the greatest number of pins that the port may have.
    fn pins(&self) -> u8 {
        16
    }

    /// Tells if `pin` is switched to `function`. On parts where another block chooses the function (STM32F1's AFIO), tells
    /// if the pin is given to any peripheral; the part then asks that block too.
    fn is_switched_to(&self, pin: u8, function: u8) -> bool;

    /// Tells if a peripheral that is switched to `pin` reads it as an input.
    fn is_read_by(&self, pin: u8, function: u8) -> bool {
        self.is_switched_to(pin, function)
    }

    /// The outside applies a level to `pin`, or (`None`) lets it go.
    fn apply(&mut self, pin: u8, high: Option<bool>, env: &mut Env<'_, '_>);

    /// A peripheral drives `pin`; `None`: no longer.
    fn drive_alternate(&mut self, pin: u8, high: Option<bool>, env: &mut Env<'_, '_>);
}

/// External interrupts.
pub trait EdgeLines {
    /// The port whose pin feeds `line`; `None` where another block chooses it (EXTICR of SYSCFG or AFIO).
    fn selected_port(&self, line: u8) -> Option<u8>;

    /// Tells if an edge of `line` would do anything now.
    fn listens(&self, line: u8) -> bool;

    /// The pin that feeds `line` changed its level.
    fn edge(&mut self, line: u8, high: bool, env: &mut Env<'_, '_>);
}

/// One movement of data, which the part carries out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// The source address.
    pub from: u32,
    /// The width of the read.
    pub from_width: Width,
    /// The destination address.
    pub to: u32,
    /// The width of the write. A narrower one truncates, a wider one extends with zeros (RM0490, "Programmable data width").
    pub to_width: Width,
}

/// A DMA controller.
pub trait DmaController {
    /// Returns the selector that `channel` listens at; 0 where it has no choice.
    fn selector(&self, channel: u8) -> u8;

    /// Returns the number of transfers that `channel` has left.
    fn left(&self, channel: u8) -> u32;

    /// Begins the most urgent transfer, if none is under way; `requested` says which channel is asked for at its
    /// selector (0 where a channel has no choice).
    fn arbitrate(&mut self, requested: &dyn Fn(u8, u8) -> bool, env: &mut Env<'_, '_>);

    /// The transfer whose first access begins now, if one does, with its channel; addresses have moved on.
    fn due(&mut self, env: &mut Env<'_, '_>) -> Option<(u8, Transfer)>;

    /// The channel whose transfer is under way, from its request to [`Self::finish`].
    fn under_way(&self) -> Option<u8>;

    /// Cycles of HCLK between a transfer's two accesses.
    fn turn(&self) -> &'static TimingRow;

    /// Cycles that the core waits for a RAM that a transfer has.
    fn contention(&self) -> &'static TimingRow;

    /// The transfer of `channel` was carried out, well or not.
    fn finish(&mut self, channel: u8, well: bool, env: &mut Env<'_, '_>);

    /// A request for exactly one transfer reached `channel` at `selector`.
    fn request_once(&mut self, channel: u8, selector: u8);

    /// Returns the number of channels.
    fn channels(&self) -> u8;
}
