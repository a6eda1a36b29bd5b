//! The framework's bus for parts whose registers are words: STM32, Kinetis and LM3S, over one tree of clocks.

use cyclescope_machine::units::{Cycles, Hertz, Picoseconds};
use cyclescope_machine::{GapKind, Pin, Timebase};

use crate::framework::{self, Bus, Time};
use crate::{
    Access, Bank, Clocks, Field, Instance, Instant, Message, Pll, Receiver, Register, Source, Span, Tree, VoltageRange,
    Write, esp, rp,
};

/// The cause of a reset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResetFlag {
    /// The NRST pin.
    Pin,
    /// SYSRESETREQ.
    Software,
    /// The independent watchdog.
    IndependentWatchdog,
    /// The window watchdog.
    WindowWatchdog,
    /// The end of Standby mode.
    Standby,
}

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
    /// The block is a bus master, some of whose accesses begin or end now.
    Master,
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
    /// The block is a DMA controller of which a channel was switched on for a single transfer.
    DmaSingle {
        /// The channel.
        channel: u8,
    },
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
    /// A block's signal to a line of the external interrupts that no pin feeds, which also wakes the part.
    Internal {
        /// The line.
        line: u8,
        /// Its level.
        high: bool,
    },
    /// Something that the power control hears wakes the part from Standby mode.
    WakeUp,
    /// The power control pulls pins of a port up, beside what the port itself does.
    Pulls {
        /// The port: 0 for A.
        port: u8,
        /// The pins, one bit each.
        up: u16,
    },
    /// The settings of the RTC that lie among STM32F1's backup registers.
    RtcSettings {
        /// BKP_RTCCR.
        rtccr: u32,
    },
    /// An additional function drives its pin, whatever the port says, or (`None`) no longer.
    Pad {
        /// The function's name, as the family's tables have it.
        signal: &'static str,
        /// The level.
        level: Option<bool>,
    },
    /// The level of a pin without a digital input has changed, which only additional functions hear.
    AnalogPinChanged {
        /// The port: 0 for A.
        port: u8,
        /// The pin in its port.
        pin: u8,
        /// The new level.
        high: bool,
    },
    /// The clock that a Kinetis' clock generator makes has changed.
    SystemClock {
        /// The settings from which the clock is made.
        clock: Pll,
    },
    /// A message of an RP2040's block to another.
    Rp(rp::Message),
    /// A message of a block of an ESP8266 or ESP32 to others.
    Esp(esp::Message),
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
    /// The power control has the core's voltage in this range.
    Voltage(VoltageRange),
    /// The filters that two nodes on CAN share have changed.
    CanFilters,
    /// A block has begun a wave, or an attached device has done something.
    Outside,
    /// A trigger inside the part rises or falls.
    Trigger {
        /// The block's name for it.
        signal: &'static str,
        /// `true` if it rises.
        high: bool,
    },
    /// A converter asks for the voltage that a pin had a moment ago.
    Measure {
        /// The pin.
        pin: Pin,
        /// The moment.
        at: Picoseconds,
    },
    /// A voltage inside the part, or one that it drives, has changed: comparators look at their inputs.
    Voltages,
    /// A message among converters.
    Converter {
        /// Those who get it.
        to: Receiver,
        /// The message.
        message: Message,
    },
    /// An event of a block that an interconnect hears.
    Event {
        /// The address of its register.
        address: u32,
    },
    /// An interconnect starts a task.
    Task {
        /// The address of its register.
        address: u32,
    },
    /// A block drives a pin that it has chosen itself, or (`None`) no longer.
    DrivePin {
        /// The pin.
        pin: Pin,
        /// The level.
        level: Option<bool>,
    },
    /// The part switches itself off, but for what keeps its state in System OFF.
    SystemOff,
    /// Others hear triggers of a block, or no longer.
    Heard {
        /// The block's name.
        block: &'static str,
    },
}

/// The bus.
#[derive(Clone, Copy, Debug)]
pub struct Words;

impl Time for Instant {
    type Span = Span;

    const NEVER: Self = Self::NEVER;

    fn later(self, span: Span, times: u64) -> Self {
        self.after(span.times(times))
    }

    fn whole(self, start: Self, [first, second]: [Span; 2]) -> u64 {
        self.since(start).divide(first.plus(second)).0
    }
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
    type Signal = &'static str;

    const OUTSIDE: Effect = Effect::Outside;
    const SUPPLY: i32 = 3_300_000;

    fn timebase(shared: &Clocks) -> Timebase {
        shared.timebase()
    }

    fn cycle(shared: &Clocks, at: Instant) -> Cycles {
        shared.cycle(at)
    }

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
    /// The clock of the block's waves has changed from a period of `before` to `after`: what is still to come moves.
    pub fn rescale_waves(&mut self, before: Span, after: Span) {
        if before == after || before == Span::ZERO || after == Span::ZERO {
            return;
        }
        let (slot, now) = (self.slot, self.now());
        self.wires.waves.rescale(slot, now, before, after);
        self.effect(Effect::Outside);
    }

    /// The level of the pin that the program gives to the block's input `signal`, if it gives one.
    pub fn line(&self, signal: &str) -> Option<bool> {
        let here = |(slot, known, _): &&(u16, &str, Pin)| *slot == self.slot && *known == signal;
        let (.., pin) = self.wires.inputs.iter().find(here)?;
        self.wires.levels.get(usize::from(pin.port)).map(|port| port >> pin.number & 1 != 0)
    }

    /// The clock tree.
    #[inline]
    pub fn clocks(&self) -> &Clocks {
        &self.wires.shared
    }

    /// The time that never stands; see [`Clocks`].
    #[inline]
    pub fn always_now(&self) -> Instant {
        self.wires.shared.always_at(self.context.now)
    }

    /// Has the block's event `kind` come at `at`, a point in the time that never stands; [`Instant::NEVER`] cancels it.
    pub fn schedule_always(&mut self, kind: u16, at: Instant) {
        if at == Instant::NEVER {
            self.cancel(kind);
            return;
        }
        let next = self.context.now.saturating_add(Cycles::new(1));
        let id = self.event_id(RANK, kind);
        self.context.events.schedule(self.wires.shared.always_cycle(at).max(next), id);
    }

    /// The real time `span` before now.
    pub fn picoseconds_before(&self, span: Span) -> Picoseconds {
        self.picoseconds().saturating_sub(self.clocks().picoseconds(span))
    }

    /// A converter drives `pin` with a voltage, in microvolts, or (`None`) no longer.
    pub fn drive_voltage(&mut self, pin: Pin, microvolts: Option<i32>) {
        let now = self.picoseconds();
        self.wires.outside.drive(pin, microvolts, now);
    }

    /// The block drives the interrupt `line` high or not; others may hold it high.
    pub fn drive_line(&mut self, line: u8, high: bool) {
        let high = self.wires.drivers.drive(line, self.slot, high);
        // Lines of an interrupt matrix are its sources.
        let (line, high) = match &mut self.wires.matrix {
            Some(matrix) => match matrix.set(line, high) {
                Some(interrupt) => interrupt,
                None => return,
            },
            None => (line, high),
        };
        self.context.interrupts.set(usize::from(line), high);
    }

    /// Sends a message to other converters.
    pub fn send(&mut self, to: Receiver, message: Message) {
        self.effect(Effect::Converter { to, message });
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

/// Accesses by software.
impl Bank {
    /// A read by software. Where no register is, or none of its fields is modelled, that is a model gap. A register that
    /// software writes gives what was written, so that reading it is a quiet gap.
    pub fn read(&self, offset: u32, env: &mut Env<'_, '_>) -> u32 {
        let Some((row, value)) = self.at(offset) else {
            env.gap(GapKind::RegisterRead, format_args!("{}+{offset:#x}", env.instance.name));
            return 0;
        };
        if row.modelled == 0 && row.declared != 0 {
            let name = format!("{}_{}", env.instance.name, row.register.name);
            match row.register.access {
                Access::ReadWrite => env.context.quiet_gap(GapKind::RegisterRead, &name),
                Access::ReadOnly | Access::WriteOnly => env.context.gap(GapKind::RegisterRead, &name),
            }
        }
        match row.register.access {
            Access::WriteOnly => 0,
            Access::ReadOnly | Access::ReadWrite => value,
        }
    }

    /// See [`Block::still`](framework::Block::still), of a register at `offset` that shows what the bank holds, if none but events
    /// and writes change that: for ever. `None` where no register is, or nothing of it is modelled, so that a read is a gap.
    pub fn still(&self, offset: u32) -> Option<Instant> {
        let (row, _) = self.at(offset)?;
        (row.modelled != 0 || row.declared == 0).then_some(Instant::NEVER)
    }

    /// A write by software, stored where the register takes it; gives the value before and after.
    ///
    /// Reserved bits keep their reset value. A field without a model that gets something other than its reset value
    /// is a model gap.
    pub fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) -> (u32, u32) {
        let Some((row, old)) = self.at(offset) else {
            env.gap(GapKind::RegisterWrite, format_args!("{}+{offset:#x}", env.instance.name));
            return (0, 0);
        };
        if row.register.access == Access::ReadOnly {
            return (old, old);
        }
        let new = (write.over(old) & row.declared) | (row.reset & !row.declared);
        let unmodelled = (new ^ row.reset) & row.declared & !row.modelled & write.lanes;
        if unmodelled != 0 {
            for field in row.register.fields.iter().filter(|field| field.mask() & unmodelled != 0) {
                let name = name(env.instance.name, row.register, field);
                if field.mask() & row.unseen != 0 {
                    env.context.quiet_gap(GapKind::RegisterWrite, &name);
                } else {
                    env.context.gap(GapKind::RegisterWrite, &name);
                }
            }
        }
        if row.register.access == Access::ReadWrite {
            self.set(offset, new);
        }
        (old, new)
    }
}

fn name(instance: &str, register: &Register, field: &Field) -> String {
    // A word of several narrow registers: each field bears its own register's name.
    if field.name.contains('.') {
        return format!("{instance}_{}", field.name);
    }
    if register.fields.len() == 1 && field.name == register.name {
        return format!("{instance}_{}", register.name);
    }
    format!("{instance}_{}.{}", register.name, field.name)
}

/// The interrupt lines of a block, each with the bits of the block's status that drive it.
#[derive(Clone, Debug, Default)]
pub struct Lines {
    lines: Vec<(u8, u64)>,
    /// The core that has them, if not all do.
    core: Option<u8>,
}

impl Lines {
    /// The lines of `instance` by signal and status bits; signals of one line share it, absent ones are left out.
    pub fn new(instance: &Instance, signals: &[(&str, u32)]) -> Self {
        let mut lines = Self::default();
        for (signal, bits) in signals {
            if let Some(line) = instance.line(signal) {
                lines.connect(line, u64::from(*bits));
            }
        }
        lines
    }

    /// The same lines to the core `core` alone; no other block has them.
    #[must_use]
    pub fn to_core(self, core: u8) -> Self {
        Self { core: Some(core), ..self }
    }

    /// The status bits `bits` drive `line`, too.
    pub fn connect(&mut self, line: u8, bits: u64) {
        match self.lines.iter_mut().find(|(known, _)| *known == line) {
            Some((_, mask)) => *mask |= bits,
            None => self.lines.push((line, bits)),
        }
    }

    /// Drives the lines: high where an active bit is theirs.
    pub fn drive(&self, active: u32, env: &mut Env<'_, '_>) {
        self.drive_wide(active.into(), env);
    }

    /// The same of a status of two registers.
    pub fn drive_wide(&self, active: u64, env: &mut Env<'_, '_>) {
        for (line, mask) in &self.lines {
            let high = active & mask != 0;
            match self.core {
                Some(core) => env.context.interrupts.set_for(core.into(), usize::from(*line), high),
                None => env.drive_line(*line, high),
            }
        }
    }
}

/// The blocks that hold each interrupt line high: several may share one.
#[derive(Clone, Debug, Default)]
pub struct Drivers {
    /// By line, one bit a slot.
    holding: Vec<u128>,
}

impl Drivers {
    /// The block in `slot` drives `line` high or not; returns the line's level.
    fn drive(&mut self, line: u8, slot: u16, high: bool) -> bool {
        let (line, bit) = (usize::from(line), 1 << (slot & 127));
        if self.holding.len() <= line {
            self.holding.resize(line + 1, 0);
        }
        let holding = &mut self.holding[line];
        *holding = if high { *holding | bit } else { *holding & !bit };
        *holding != 0
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

    /// True if the part has given the request the number `number`.
    pub fn is(self, number: u8) -> bool {
        self.number == Some(number)
    }

    /// Asks for transfers, or (`false`) no longer.
    pub fn drive(self, active: bool, env: &mut Env<'_, '_>) {
        if let Some(number) = self.number {
            env.effect(Effect::Request { number, active });
        }
    }

    /// Asks the controller of an RP2040 for `count` transfers that need not wait for each other.
    pub fn credit(self, count: u8, env: &mut Env<'_, '_>) {
        if let Some(number) = self.number {
            env.effect(Effect::Rp(rp::Message::Credit { number, count }));
        }
    }
}
