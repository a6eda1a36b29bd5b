//! The framework of devices: what a block is, what it sees of its part, and one type for all blocks of a family.
//!
//! A family of parts is a [`Bus`]: the width of its registers, its wiring, its effects, its time. A [`Block`] answers
//! accesses and events one at a time, through an [`Env`]. It does what concerns itself at once and leaves what concerns
//! others as an effect in the [`Wires`]; the owner of the part carries effects out after the block has answered.

use std::fmt::{self, Debug};

use cyclescope_machine::units::Cycles;
use cyclescope_machine::{
    BusFault, Context, EventId, GapKind, Pin, Timebase, TimingRow, UsbAction, UsbAnswer, UsbState, Width,
};

use crate::wires::{Outside, Squares, Waves};
use crate::{Bank, Drivers, ResetFlag, Source, Triggers, esp};

/// Happenings per block that have an event number of their own. The last one is [`WAVE`](crate::wires::WAVE).
pub const EVENTS_PER_BLOCK: u16 = 16;

/// A point in the time that blocks count.
pub trait Time: Copy + Debug + Ord + Send {
    /// A span of this time.
    type Span: Copy + Debug + Send;

    /// Later than everything: what never comes.
    const NEVER: Self;

    /// This point and `times` times `span`.
    #[must_use]
    fn later(self, span: Self::Span, times: u64) -> Self;

    /// Returns how many times both `spans` together have passed since `start`; 0 if that is later.
    fn whole(self, start: Self, spans: [Self::Span; 2]) -> u64;
}

impl Time for u64 {
    type Span = Self;

    const NEVER: Self = Self::MAX;

    fn later(self, span: Self, times: u64) -> Self {
        self.saturating_add(span.saturating_mul(times))
    }

    fn whole(self, start: Self, [first, second]: [Self; 2]) -> u64 {
        self.saturating_sub(start).checked_div(first.saturating_add(second)).unwrap_or(0)
    }
}

/// A family of parts, as its blocks see it.
pub trait Bus: Copy + Debug + 'static {
    /// A register's place in its block.
    type Offset: Copy;
    /// A register's value.
    type Word: Copy + Default;
    /// A write as it reaches a register.
    type Write: Copy;
    /// A block as a part has it.
    type Instance: Clone + Debug + 'static;
    /// An action of a block on others.
    type Effect: Copy + Debug;
    /// A change that time depends on: blocks are asked before and after.
    type Change: Copy;
    /// The state that all blocks of a part share.
    type Shared: Clone + Debug;
    /// The time that blocks count.
    type Time: Time;
    /// The name of a signal that a block drives.
    type Signal: Copy + Debug + PartialEq + Send;

    /// The effect of a block that has begun a [`Wave`](crate::wires::Wave), or of attached devices that have done something.
    const OUTSIDE: Self::Effect;

    /// The supply of the boards of this family, in microvolts.
    const SUPPLY: i32;

    /// The relation of cycles to real time, as it has been since the last change of the core's clock.
    fn timebase(shared: &Self::Shared) -> Timebase;

    /// The first core cycle at or after `at`.
    fn cycle(shared: &Self::Shared, at: Self::Time) -> Cycles;

    /// The block's name in its part.
    fn name(instance: &Self::Instance) -> &'static str;

    /// The write of a register that holds `word`, of which only `bit` changes.
    fn with_bit(word: Self::Word, bit: u8, high: bool) -> Self::Write;

    /// The time.
    fn now(env: &Env<'_, '_, Self>) -> Self::Time;

    /// A read by software of the register at `offset` of `bank`.
    fn read_bank(_bank: Option<&Bank>, _offset: Self::Offset, _env: &mut Env<'_, '_, Self>) -> Self::Word {
        Self::Word::default()
    }

    /// Has the block's event `kind` (below [`EVENTS_PER_BLOCK`]) come at `at`, at the next cycle at the earliest;
    /// [`Time::NEVER`] cancels it.
    fn schedule(env: &mut Env<'_, '_, Self>, kind: u16, at: Self::Time);
}

/// Ports of a part, at most.
pub const PORTS: usize = Pin::NUMBERED as usize + 2;

/// The wires between the blocks of a part and their owner.
#[derive(Clone, Debug)]
pub struct Wires<B: Bus> {
    /// Effects still to be carried out, in order, each with the slot of the block that asked for it.
    pub effects: Vec<(u16, B::Effect)>,
    /// The bus error that the access under way ends with.
    pub fault: Option<BusFault>,
    /// The timing rows that have decided anything so far, in the order of their first use.
    pub rows: Vec<&'static TimingRow>,
    /// The state that all blocks of the part share.
    pub shared: B::Shared,
    /// The width of the access under way.
    pub width: Width,
    /// The byte of its word at which it begins.
    pub lane: u8,
    /// The devices on the part's pins.
    pub outside: Outside,
    /// The levels of signals during transfers.
    pub waves: Waves<B>,
    /// The memory that a USB device shares with the core, by half-word; empty until somebody uses it.
    pub packets: Vec<u16>,
    /// The memory that nodes on CAN FD share with the core, by word; empty until somebody uses it.
    pub messages: Vec<u32>,
    /// The clocks at signals.
    pub squares: Squares<B>,
    /// The levels of pins by port, one bit each, where ports keep them here.
    pub levels: [u32; PORTS],
    /// The pins of inputs that blocks look at: the block, its signal, the pin.
    pub inputs: Vec<(u16, B::Signal, Pin)>,
    /// The triggers inside the part that somebody hears.
    pub triggers: Triggers,
    /// The blocks that hold interrupt lines high.
    pub drivers: Drivers,
    /// The interrupt matrix that lines of blocks go through, on parts that have one.
    pub matrix: Option<esp::Matrix>,
    /// The addresses of the events that an interconnect hears.
    pub heard_events: Vec<u32>,
    /// The cause of the last reset but that at power-on.
    pub reset_flag: Option<ResetFlag>,
    /// The number of the core whose access is under way, on parts with several.
    pub core: u8,
}

impl<B: Bus> Wires<B> {
    /// The wires of a part that has just got power, around `shared`.
    pub fn new(shared: B::Shared) -> Self {
        Self {
            effects: Vec::new(),
            fault: None,
            rows: Vec::new(),
            shared,
            width: Width::Word,
            lane: 0,
            outside: Outside::new(B::SUPPLY),
            waves: Waves::default(),
            packets: Vec::new(),
            messages: Vec::new(),
            squares: Squares::default(),
            levels: [0; PORTS],
            inputs: Vec::new(),
            triggers: Triggers::default(),
            drivers: Drivers::default(),
            matrix: None,
            heard_events: Vec::new(),
            reset_flag: None,
            core: 0,
        }
    }

    /// Notes that `row` has decided something.
    #[inline]
    pub fn note(&mut self, row: &'static TimingRow) {
        if !self.rows.iter().any(|known| known.name == row.name) {
            self.rows.push(row);
        }
    }
}

/// A block's view of its part.
pub struct Env<'a, 'c, B: Bus> {
    /// The view that all devices of a machine share.
    pub context: &'a mut Context<'c>,
    /// The way to the other blocks.
    pub wires: &'a mut Wires<B>,
    /// The block as this part has it.
    pub instance: &'static B::Instance,
    /// The block's number in its part.
    pub slot: u16,
}

impl<B: Bus> Env<'_, '_, B> {
    /// The time.
    #[inline]
    pub fn now(&self) -> B::Time {
        B::now(self)
    }

    /// Has the block's event `kind` come at `at`: see [`Bus::schedule`].
    pub fn schedule(&mut self, kind: u16, at: B::Time) {
        B::schedule(self, kind, at);
    }

    /// Takes the block's event `kind` back.
    pub fn cancel(&mut self, kind: u16) {
        B::schedule(self, kind, Time::NEVER);
    }

    /// Takes all of the block's events back.
    pub fn cancel_all(&mut self) {
        (0..EVENTS_PER_BLOCK).for_each(|kind| self.cancel(kind));
    }

    /// The event that the block's `kind` is, of the rank `priority`.
    pub fn event_id(&self, priority: u8, kind: u16) -> EventId {
        EventId { priority, number: self.slot * EVENTS_PER_BLOCK + kind % EVENTS_PER_BLOCK }
    }

    /// The block's name in its part.
    pub fn name(&self) -> &'static str {
        B::name(self.instance)
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
        self.wires.note(row);
        u64::from(row.cycles)
    }

    /// Asks the part for `effect`.
    pub fn effect(&mut self, effect: B::Effect) {
        self.wires.effects.push((self.slot, effect));
    }

    /// Resets the part at the end of the instruction; `cause` in words, as the run loop reports it.
    pub fn reset_part(&mut self, cause: &'static str) {
        *self.context.reset = Some(cause);
    }
}

/// A block of a part. What a block has no use for it leaves out.
pub trait Block<B: Bus> {
    /// A read of the register at `offset`, at [`Env::now`]; events due by then have come. By itself it gives what the
    /// [bank](Self::bank) holds, and 0 without one.
    #[inline]
    fn read(&mut self, offset: B::Offset, env: &mut Env<'_, '_, B>) -> B::Word {
        B::read_bank(self.bank(), offset, env)
    }

    /// The first time from `now` on at which a read of the register at `offset` may give another value than at `now`, if no
    /// event comes and nothing is written; [`Time::NEVER`] if there is none. `None` if a read changes what anybody could notice,
    /// and where nobody has said that it does not.
    ///
    /// A loop that polls the register is skipped up to then. So a device answers only for registers that it knows well.
    fn still(&self, _offset: B::Offset, _now: B::Time, _shared: &B::Shared) -> Option<B::Time> {
        None
    }

    /// A write to the register at `offset`.
    fn write(&mut self, offset: B::Offset, write: B::Write, env: &mut Env<'_, '_, B>);

    /// A write of one bit, on buses that have such: AVR's SBI (`high`) and CBI (8271H, note to the register summary).
    fn write_bit(&mut self, offset: B::Offset, bit: u8, high: bool, env: &mut Env<'_, '_, B>) {
        let word = if self.ignores_zeros(offset) { B::Word::default() } else { self.read(offset, env) };
        self.write(offset, B::with_bit(word, bit, high), env);
    }

    /// Tells if a bit written as zero has no effect on the register at `offset`, as in a register of flags that writing one
    /// clears.
    fn ignores_zeros(&self, _offset: B::Offset) -> bool {
        false
    }

    /// The block's event `kind` is due.
    fn event(&mut self, _kind: u16, _env: &mut Env<'_, '_, B>) {}

    /// The handler of the block's interrupt `index` begins: a flag that this clears is cleared now, and its line with it.
    fn acknowledge(&mut self, _index: usize, _env: &mut Env<'_, '_, B>) {}

    /// The pin of the block's input `index` has a new level, at [`Env::now`]. A pin that is several inputs comes once for
    /// each.
    fn input(&mut self, _index: usize, _high: bool, _env: &mut Env<'_, '_, B>) {}

    /// An attached device on the block's wires has something for it
    /// ([`Contact::call`](cyclescope_machine::Contact::call)).
    fn called(&mut self, _env: &mut Env<'_, '_, B>) {}

    /// Tells if an edge at the block's input `index` would do anything now.
    fn hears(&self, _index: usize) -> bool {
        true
    }

    /// The same on a bus whose clock others drive, too ([`Attached::drives_bus`](cyclescope_machine::Attached::drives_bus)).
    fn hears_shared(&self, index: usize) -> bool {
        self.hears(index)
    }

    /// The signal that the block's trigger input `input` [hears](Env::hear) rises (`high`) or falls.
    fn triggered(&mut self, _input: u8, _high: bool, _env: &mut Env<'_, '_, B>) {}

    /// Others hear triggers of the block now, or no longer: see [`Triggers`].
    fn heard(&mut self, _env: &mut Env<'_, '_, B>) {}

    /// `change` is about to be made: whatever is computed from time is brought up to now.
    fn before_change(&mut self, _change: B::Change, _env: &mut Env<'_, '_, B>) {}

    /// `change` has been made: whatever is scheduled is scheduled anew.
    fn after_change(&mut self, _change: B::Change, _env: &mut Env<'_, '_, B>) {}

    /// The unit of time has become `times` smaller: every time and every span kept is multiplied.
    fn refine(&mut self, _times: u64) {}

    /// The core executed the instruction that holds the watchdog off (AVR's WDR).
    fn watchdog_reset(&mut self, _env: &mut Env<'_, '_, B>) {}

    /// The core entered the sleep mode `mode` (AVR: SMCR.SM), or (`None`) left it. Clocks and their events are seen to by
    /// the part.
    fn sleep(&mut self, _mode: Option<u8>, _env: &mut Env<'_, '_, B>) {}

    /// Back to the state after a system reset, at power-on too.
    fn reset(&mut self, env: &mut Env<'_, '_, B>);

    /// The level at which the block drives its signal `signal`, if it does.
    fn output(&self, _signal: &str) -> Option<bool> {
        None
    }

    /// The value of the register at `offset` that a write which inverts bits finds there; `None`: what the bank holds.
    fn present(&self, _offset: B::Offset) -> Option<B::Word> {
        None
    }

    /// The registers, for tests and tools; `None` where the block keeps them in fields of its own.
    fn bank(&self) -> Option<&Bank> {
        None
    }
}

/// A serial port.
pub trait Serial<B: Bus> {
    /// The port's number: 2 for USART2.
    fn number(&self) -> u8;

    /// Bytes from outside, one frame after the other from now on.
    fn receive(&mut self, bytes: &[u8], env: &mut Env<'_, '_, B>);

    /// A character of another port, or its break ([`BREAK`](crate::serial::BREAK)), which is a zero to a port that knows none.
    fn receive_character(&mut self, character: u16, env: &mut Env<'_, '_, B>) {
        self.receive(&[character as u8 * u8::from(character & crate::serial::BREAK == 0)], env);
    }

    /// Tells if the port listens; known only while [`SignalKind::Serial`](cyclescope_machine::SignalKind::Serial) is wanted.
    fn listens(&self) -> bool;

    /// Selects the kernel clock, where the port has a choice; whether it was another.
    fn set_clock(&mut self, _clock: Source) -> bool {
        false
    }
}

/// A device on a USB cable.
pub trait UsbDevice<B: Bus> {
    /// The block's end of the cable.
    fn state(&self) -> UsbState;

    /// The host does something, at [`Env::now`]. Returns the answer.
    fn action(&mut self, action: &UsbAction, env: &mut Env<'_, '_, B>) -> UsbAnswer;
}

/// One type for all devices of a family of parts.
pub trait AnyDevice<B: Bus>: Block<B> + Clone + Debug {
    /// The device as a serial port, if it is one.
    fn serial(&self) -> Option<&dyn Serial<B>>;

    /// The device as a serial port, if it is one.
    fn serial_mut(&mut self) -> Option<&mut dyn Serial<B>>;

    /// The device as one on a USB cable, if it is one.
    fn usb(&self) -> Option<&dyn UsbDevice<B>>;

    /// The device as one on a USB cable, if it is one.
    fn usb_mut(&mut self) -> Option<&mut dyn UsbDevice<B>>;
}

/// One type for all blocks of a family, so that a part is plain data: `devices! { Bus { Name(Block), … } serial: Name, …; usb: Name }`,
/// of which those behind `serial` are serial ports, and those behind `usb` devices on USB.
macro_rules! devices {
    ($bus:ty { $($(#[$doc:meta])* $name:ident($block:ty)),* $(,)? } serial: $($serial:ident),* $(; usb: $($usb:ident),*)?) => {
        /// A block of a part.
        // The few blocks of a part live in one vector; their size does not matter.
        #[allow(clippy::large_enum_variant)]
        #[derive(Debug)]
        pub enum Device {
            $($(#[$doc])* $name($block),)*
        }

        // A derived one is inlined, so that each crate that clones a machine would compile the clones of all blocks.
        impl Clone for Device {
            fn clone(&self) -> Self {
                match self { $(Self::$name(block) => Self::$name(block.clone()),)* }
            }
        }

        const _: () = {
            use $crate::framework::{AnyDevice, Block, Bus, Env, UsbDevice};
            use $crate::{Bank, Serial};

            type Offset = <$bus as Bus>::Offset;
            type Word = <$bus as Bus>::Word;
            type Write = <$bus as Bus>::Write;
            type Change = <$bus as Bus>::Change;

            impl AnyDevice<$bus> for Device {
                fn serial(&self) -> Option<&dyn Serial<$bus>> {
                    match self {
                        $(Self::$serial(block) => Some(block),)*
                        _ => None,
                    }
                }

                fn serial_mut(&mut self) -> Option<&mut dyn Serial<$bus>> {
                    match self {
                        $(Self::$serial(block) => Some(block),)*
                        _ => None,
                    }
                }

                fn usb(&self) -> Option<&dyn UsbDevice<$bus>> {
                    match self {
                        $($(Self::$usb(block) => Some(block),)*)?
                        _ => None,
                    }
                }

                fn usb_mut(&mut self) -> Option<&mut dyn UsbDevice<$bus>> {
                    match self {
                        $($(Self::$usb(block) => Some(block),)*)?
                        _ => None,
                    }
                }
            }

            impl Block<$bus> for Device {
                #[inline]
                fn read(&mut self, offset: Offset, env: &mut Env<'_, '_, $bus>) -> Word {
                    match self { $(Self::$name(block) => block.read(offset, env),)* }
                }

                fn still(
                    &self,
                    offset: Offset,
                    now: <$bus as Bus>::Time,
                    shared: &<$bus as Bus>::Shared,
                ) -> Option<<$bus as Bus>::Time> {
                    match self { $(Self::$name(block) => block.still(offset, now, shared),)* }
                }

                #[inline]
                fn write(&mut self, offset: Offset, write: Write, env: &mut Env<'_, '_, $bus>) {
                    match self { $(Self::$name(block) => block.write(offset, write, env),)* }
                }

                #[inline]
                fn write_bit(&mut self, offset: Offset, bit: u8, high: bool, env: &mut Env<'_, '_, $bus>) {
                    match self { $(Self::$name(block) => block.write_bit(offset, bit, high, env),)* }
                }

                fn event(&mut self, kind: u16, env: &mut Env<'_, '_, $bus>) {
                    match self { $(Self::$name(block) => block.event(kind, env),)* }
                }

                fn acknowledge(&mut self, index: usize, env: &mut Env<'_, '_, $bus>) {
                    match self { $(Self::$name(block) => block.acknowledge(index, env),)* }
                }

                fn input(&mut self, index: usize, high: bool, env: &mut Env<'_, '_, $bus>) {
                    match self { $(Self::$name(block) => Block::input(block, index, high, env),)* }
                }

                fn called(&mut self, env: &mut Env<'_, '_, $bus>) {
                    match self { $(Self::$name(block) => Block::called(block, env),)* }
                }

                fn hears(&self, index: usize) -> bool {
                    match self { $(Self::$name(block) => Block::hears(block, index),)* }
                }

                fn hears_shared(&self, index: usize) -> bool {
                    match self { $(Self::$name(block) => Block::hears_shared(block, index),)* }
                }

                fn triggered(&mut self, input: u8, high: bool, env: &mut Env<'_, '_, $bus>) {
                    match self { $(Self::$name(block) => block.triggered(input, high, env),)* }
                }

                fn heard(&mut self, env: &mut Env<'_, '_, $bus>) {
                    match self { $(Self::$name(block) => block.heard(env),)* }
                }

                fn before_change(&mut self, change: Change, env: &mut Env<'_, '_, $bus>) {
                    match self { $(Self::$name(block) => block.before_change(change, env),)* }
                }

                fn after_change(&mut self, change: Change, env: &mut Env<'_, '_, $bus>) {
                    match self { $(Self::$name(block) => block.after_change(change, env),)* }
                }

                fn refine(&mut self, times: u64) {
                    match self { $(Self::$name(block) => block.refine(times),)* }
                }

                fn watchdog_reset(&mut self, env: &mut Env<'_, '_, $bus>) {
                    match self { $(Self::$name(block) => block.watchdog_reset(env),)* }
                }

                fn sleep(&mut self, mode: Option<u8>, env: &mut Env<'_, '_, $bus>) {
                    match self { $(Self::$name(block) => block.sleep(mode, env),)* }
                }

                fn reset(&mut self, env: &mut Env<'_, '_, $bus>) {
                    match self { $(Self::$name(block) => block.reset(env),)* }
                }

                fn output(&self, signal: &str) -> Option<bool> {
                    match self { $(Self::$name(block) => block.output(signal),)* }
                }

                fn present(&self, offset: Offset) -> Option<Word> {
                    match self { $(Self::$name(block) => block.present(offset),)* }
                }

                fn bank(&self) -> Option<&Bank> {
                    match self { $(Self::$name(block) => block.bank(),)* }
                }
            }
        };
    };
}

/// The blocks of [`devices`] that have a role, by two functions of `Device`: `None` where the block has another role.
macro_rules! role {
    ($(#[$doc:meta])* $get:ident, $get_mut:ident: $role:path = $($name:ident),* $(,)?) => {
        $(#[$doc])*
        pub fn $get(&self) -> Option<&dyn $role> {
            match self {
                $(Self::$name(block) => Some(block),)*
                _ => None,
            }
        }

        $(#[$doc])*
        pub fn $get_mut(&mut self) -> Option<&mut dyn $role> {
            match self {
                $(Self::$name(block) => Some(block),)*
                _ => None,
            }
        }
    };
}

pub(crate) use {devices, role};
