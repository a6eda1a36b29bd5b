//! The roles in which a part uses its blocks, whatever their version.

use cyclescope_machine::units::Hertz;
use cyclescope_machine::{TimingRow, Width};

use crate::{Clocks, Env, Instance, Pll, ResetFlag, Source, Span, Tree};

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

    /// The clocks have been worked out anew.
    fn settled(&mut self, _env: &mut Env<'_, '_>) {}

    /// Keeps the low-speed internal oscillator running for a watchdog.
    fn force_lsi(&mut self, env: &mut Env<'_, '_>);

    /// PWR_CR.DBP changed: whether the backup domain takes writes.
    fn allow_backup_writes(&mut self, _allowed: bool) {}

    /// Stop or Standby mode begins: the fast oscillators stop, and the core will wake up with the internal one.
    fn stop(&mut self, _env: &mut Env<'_, '_>) {}
}

/// The mode that the core's deep sleep asks of the part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeepSleep {
    /// Clocks stand, and everything keeps its state.
    Stop,
    /// All but the backup domain, the watchdog and the power control is without power.
    Standby,
    /// The same without the watchdog and the supervision of the supply.
    Shutdown,
}

/// Power control.
pub trait PowerControl {
    /// The mode that the registers select for deep sleep.
    fn deep_sleep(&self) -> DeepSleep;

    /// The mode begins.
    fn enter(&mut self, mode: DeepSleep, env: &mut Env<'_, '_>);

    /// True if RAM keeps its contents in the mode without power that the part is in.
    fn keeps_ram(&self) -> bool {
        false
    }

    /// Returns the time from what wakes the part until it runs.
    fn wake_up_time(&self, env: &mut Env<'_, '_>) -> Span;

    /// A signal of the real-time clock that wakes the part rose or fell.
    fn internal(&mut self, high: bool, env: &mut Env<'_, '_>);

    /// The wake-up pin `number` has the level `high`.
    fn set_pin(&mut self, number: u8, high: bool, env: &mut Env<'_, '_>);
}

/// A block in the backup domain: it outlives system resets and Standby mode.
pub trait BackupDomain {
    /// PWR_CR.DBP changed: whether the block takes writes, where that guards it.
    fn allow_writes(&mut self, allowed: bool);

    /// The domain was reset.
    fn reset_domain(&mut self, env: &mut Env<'_, '_>);
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

/// The range of the core's voltage, which limits its clock and that of flash.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum VoltageRange {
    /// Range 1, boosted.
    Boost,
    /// Range 1.
    #[default]
    Normal,
    /// Range 2.
    Low,
}

impl VoltageRange {
    /// The range as the end of a sentence.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Boost => " in range 1 boost mode",
            Self::Normal => " in range 1",
            Self::Low => " in range 2",
        }
    }
}

/// The flash interface.
pub trait FlashControl {
    /// The setting chosen before the run.
    fn setting(&self) -> MemorySetting;

    /// Puts the timing for the clock in force into effect.
    fn apply(&mut self, env: &mut Env<'_, '_>);

    /// The core's voltage is in the range `range`.
    fn set_range(&mut self, _range: VoltageRange, _env: &mut Env<'_, '_>) {}

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

    /// Fills option bytes from `address` on, as a loader or a debug probe does; tells if all bytes have their place there.
    fn load_options(&mut self, _address: u32, _bytes: &[u8]) -> bool {
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

    /// Tells if `pin` is connected with the converter whose input it is, on ports that can cut it off.
    fn reaches_converter(&self, _pin: u8) -> bool {
        true
    }

    /// The level of `pin`, if somebody makes it: a pin that floats has none.
    fn held(&self, _pin: u8) -> Option<bool> {
        None
    }

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

    /// Tells if an edge of `pin` does something in the port itself.
    fn senses(&self, _pin: u8) -> bool {
        false
    }

    /// The outside applies a level to `pin`, or (`None`) lets it go.
    fn apply(&mut self, pin: u8, high: Option<bool>, env: &mut Env<'_, '_>);

    /// The level to which the port drives `pin`, if it does.
    fn driven(&self, _pin: u8) -> Option<bool> {
        None
    }

    /// True if a resistor of the part pulls `pin` up, and the port does not drive it.
    fn pulls_up(&self, _pin: u8) -> bool {
        false
    }

    /// A peripheral drives `pin`; `None`: no longer.
    fn drive_alternate(&mut self, pin: u8, high: Option<bool>, env: &mut Env<'_, '_>);

    /// An additional function drives `pin`, whatever the port says; `None`: no longer. Kinetis parts have none.
    fn force(&mut self, _pin: u8, _high: Option<bool>, _env: &mut Env<'_, '_>) {}

    /// The power control pulls the pins `up` up, one bit each, and no others. Only STM32 parts have such a control.
    fn pull_up(&mut self, _up: u32, _env: &mut Env<'_, '_>) {}
}

/// External interrupts.
pub trait EdgeLines {
    /// The port whose pin feeds `line`; `None` where another block chooses it (EXTICR of SYSCFG or AFIO).
    fn selected_port(&self, line: u8) -> Option<u8>;

    /// Tells if an edge of `line` would do anything now.
    fn listens(&self, line: u8) -> bool;

    /// The pin that feeds `line` changed its level.
    fn edge(&mut self, line: u8, high: bool, env: &mut Env<'_, '_>);

    /// The block's signal that feeds `line`, which no pin does, changed its level.
    fn internal(&mut self, line: u8, high: bool, env: &mut Env<'_, '_>);

    /// Tells if a line interrupts, so that Stop mode is not entered.
    fn holds_off_stop(&self, env: &Env<'_, '_>) -> bool;

    /// The interrupt of `line`, which no pin feeds, is `interrupt`.
    fn connect(&mut self, line: u8, interrupt: u8);
}

/// The accesses of a transfer to one of its two places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Side {
    /// The address of the first access.
    pub address: u32,
    /// The width of each.
    pub width: Width,
    /// The number of accesses, 1 to 16.
    pub count: u8,
    /// The distance from one to the next.
    pub step: u32,
    /// The bits of the address that change.
    pub mask: u32,
}

impl Side {
    /// One access.
    pub const fn one(address: u32, width: Width) -> Self {
        Self { address, width, count: 1, step: 0, mask: u32::MAX }
    }

    /// The address of the access `index`.
    pub const fn address(&self, index: u8) -> u32 {
        moved(self.address, self.step.wrapping_mul(index as u32), self.mask)
    }
}

/// Returns `address` after `by`, of which only the bits in `mask` change.
pub const fn moved(address: u32, by: u32, mask: u32) -> u32 {
    address & !mask | address.wrapping_add(by) & mask
}

/// One movement of data, which the part carries out: all reads, then all writes. Narrower writes than reads truncate, wider ones
/// extend with zeros (RM0490, "Programmable data width").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// The source.
    pub from: Side,
    /// The destination.
    pub to: Side,
}

/// The end of a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// All accesses went well.
    Done,
    /// A read failed.
    ReadFailed,
    /// A write failed.
    WriteFailed,
}

/// A multiplexer of DMA requests.
pub trait RequestMux {
    /// The request that `channel` is connected with; 0 for none.
    fn selected(&self, channel: u8) -> u8;

    /// Tells if `channel` is asked for while `requests` are, one bit each.
    fn carries(&self, channel: u8, requests: u128) -> bool {
        let selected = self.selected(channel);
        selected != 0 && requests >> (selected & 127) & 1 != 0
    }

    /// The controller has begun to serve `channel`.
    fn served(&mut self, _channel: u8, _env: &mut Env<'_, '_>) {}

    /// A request for one transfer has come for `channel`; tells if the multiplexer keeps it for later.
    fn keeps_once(&mut self, _channel: u8) -> bool {
        false
    }

    /// `requests` are asked for now: triggers of channels without one are lost.
    fn look(&mut self, _requests: u128) {}
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
    fn finish(&mut self, channel: u8, outcome: Outcome, env: &mut Env<'_, '_>);

    /// True if registers show which requests are there, so that it is to be told when one goes.
    fn shows_requests(&self) -> bool {
        false
    }

    /// A request for exactly one transfer reached `channel` at `selector`.
    fn request_once(&mut self, channel: u8, selector: u8);

    /// Returns the number of channels.
    fn channels(&self) -> u8;
}

/// A step of an access by a bus master of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MasterAccess {
    /// The cycle of its data phase, its first if it waits.
    pub cycle: u64,
    /// True where its data phase begins, false where it ends and data passes.
    pub begins: bool,
    /// The address.
    pub address: u32,
    /// The width.
    pub width: Width,
    /// The data of a write.
    pub data: Option<u32>,
    /// It has been put off ([`BusMaster::put_off`]).
    pub waited: bool,
}

/// A controller that reads and writes by itself. The part carries its accesses out, each step when [`Effect::Master`] asks
/// for it.
///
/// [`Effect::Master`]: crate::Effect::Master
pub trait BusMaster {
    /// The next step that is due now, if there is one more; it is answered before the next is asked for.
    fn due(&mut self, env: &mut Env<'_, '_>) -> Option<MasterAccess>;

    /// The access whose data phase begins takes `waits` cycles beyond its first.
    fn begun(&mut self, waits: u64, env: &mut Env<'_, '_>);

    /// The access's data phase may not begin in its cycle: it is asked for again.
    fn put_off(&mut self, env: &mut Env<'_, '_>);

    /// The access has ended, a read with its data; `None` if it failed.
    fn ended(&mut self, data: Option<u32>, env: &mut Env<'_, '_>);

    /// Tells if an access that finds its memory taken competes anew for the next cycle; if not, it has that one.
    fn competes_anew(&self) -> bool {
        false
    }

    /// Tells if it has anything to do in [`Self::go_on`].
    fn goes_on(&self) -> bool {
        false
    }

    /// All that accesses and requests have changed has been carried out.
    fn go_on(&mut self, _env: &mut Env<'_, '_>) {}

    /// True while accesses are under way.
    fn is_moving(&self) -> bool;

    /// Cycles that another master waits for a memory that this one has.
    fn contention(&self) -> &'static TimingRow;

    /// The request `number` is there (`active`), for one transfer at a time, or no longer.
    fn request(&mut self, _number: u8, _active: bool, _env: &mut Env<'_, '_>) {}

    /// A request for exactly one transfer.
    fn request_once(&mut self, _number: u8, _env: &mut Env<'_, '_>) {}
}

/// A converter between voltages and numbers, or the registers that several share.
pub trait Converter {
    /// The voltage that the block asked for ([`Effect::Measure`](crate::Effect::Measure)), in microvolts.
    fn measured(&mut self, _microvolts: i32, _env: &mut Env<'_, '_>) {}

    /// Another one has sent a message.
    fn told(&mut self, _message: Message, _env: &mut Env<'_, '_>) {}

    /// The DMA has done the last transfer of a round of the request `number` and will do no more.
    fn dma_ended(&mut self, _number: u8, _env: &mut Env<'_, '_>) {}
}

/// A comparator of voltages.
pub trait Comparator {
    /// A voltage on a pin or inside the part may have changed.
    fn compare(&mut self, env: &mut Env<'_, '_>);
}

/// A message among the converters of a part, their common registers and their clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Message {
    /// The common control register holds this, or the field of the clock control that divides the converters' clock.
    Common(u32),
    /// The first converter's control register holds this, which makes converters work together.
    Together(u32),
    /// A group of conversions begins, after a delay in half periods of the converters' clock.
    Start {
        /// True for the injected group.
        injected: bool,
        /// The delay.
        delay: u32,
    },
    /// The regular conversion of a converter has this result.
    Result {
        /// The converter's number.
        from: u8,
        /// Its data register.
        value: u16,
    },
    /// The status register of a converter holds this.
    Status {
        /// The converter's number.
        from: u8,
        /// The flags.
        flags: u32,
    },
    /// There are results for the DMA in the common data register, or no longer.
    Request(bool),
    /// A result in the common data register was lost.
    Overrun,
}

/// The receiver of a [`Message`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Receiver {
    /// The converter of this number.
    Number(u8),
    /// All converters.
    Converters,
    /// The common registers.
    Common,
}
