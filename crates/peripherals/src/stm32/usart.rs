//! ST's USART under the registers of any version: frames, flags, baud rate clock, interrupt and DMA requests.
//!
//! A byte sent goes to the console when its last stop bit ends; a byte received arrives when its last stop bit ends.

use std::fmt::Debug;

use cyclescope_machine::TimingRow;

use crate::serial::{Format, Port, Registers};
use crate::wires::Wave;
use crate::{
    Bank, Block, Clocks, DmaRequest, Effect, Env, Instance, Instant, Lines, Modelled, Source, Span, Tree, Words, Write,
};

/// Flags of SR and ISR.
pub(super) const PE: u32 = 1 << 0;
pub(super) const FE: u32 = 1 << 1;
pub(super) const NE: u32 = 1 << 2;
pub(super) const ORE: u32 = 1 << 3;
pub(super) const IDLE: u32 = 1 << 4;
pub(super) const RXNE: u32 = 1 << 5;
pub(super) const TC: u32 = 1 << 6;
pub(super) const TXE: u32 = 1 << 7;

/// Bits of CR1.
pub(super) const RE: u32 = 1 << 2;
pub(super) const TE: u32 = 1 << 3;
const PS: u32 = 1 << 9;
pub(super) const PCE: u32 = 1 << 10;
pub(super) const OVER8: u32 = 1 << 15;

/// Bits of CR3.
pub(super) const EIE: u32 = 1 << 0;
/// One wire, TX, which the receiver hears.
const HDSEL: u32 = 1 << 3;
pub(super) const DMAR: u32 = 1 << 6;
pub(super) const DMAT: u32 = 1 << 7;

/// The row for the wait of an idle transmitter.
pub(super) const fn start(what: &'static str, source: &'static str) -> TimingRow {
    TimingRow::assumed("usart.start", what, 0, source)
}

/// The row for the flag of a received character.
pub(super) const fn received(source: &'static str) -> TimingRow {
    let what = "from the end of the last stop bit to RXNE, in periods of the baud rate's clock";
    TimingRow::assumed("usart.rxne", what, 0, source)
}

/// A version of the registers.
pub trait Version: Clone + Debug {
    /// The modelled registers and fields, with the values after reset.
    const MODEL: &'static [Modelled];
    /// The wait of an idle transmitter, and that for the flag of a received character.
    const ROWS: &'static [TimingRow];
    /// The offsets of CR1, CR2 and CR3.
    const CR: [u32; 3];
    /// The offset of the flags.
    const STATUS: u32;
    /// UE of CR1.
    const UE: u32;
    /// True if the flags and buffers stay as after reset for as long as UE is 0.
    const HELD_WHILE_OFF: bool;

    /// The bits of a character, parity included.
    fn word(cr1: u32) -> u32;

    /// The periods of the clock in a bit.
    fn ticks(usart: &Usart<Self>) -> u64;

    /// The time of a bit, if the clock has the period `period`.
    fn bit(usart: &Usart<Self>, period: Span) -> Span {
        period.times(Self::ticks(usart))
    }

    /// True if no byte has arrived that was not read.
    fn is_empty(usart: &Usart<Self>) -> bool {
        usart.port.received.is_empty()
    }

    /// `byte` is in.
    fn arrived(usart: &mut Usart<Self>, byte: u8);

    /// Puts the flags that follow from the buffers into the status.
    fn follow(usart: &mut Usart<Self>);

    /// The version's own enable bits of interrupts, each with the flags that it lets through.
    fn wants(cr1: u32, cr3: u32) -> impl IntoIterator<Item = (u32, u32)>;

    /// The bits of CR1 that the port lacks.
    fn reserved(&self) -> u32 {
        0
    }

    /// A read of a register.
    fn read(usart: &mut Usart<Self>, offset: u32, env: &mut Env<'_, '_>) -> u32;

    /// See [`Block::still`]: for ever, of a register of which a read changes nothing.
    fn still(usart: &Usart<Self>, offset: u32) -> Option<Instant>;

    /// A write of a register; returns `false` for one that holds what is written.
    fn write(usart: &mut Usart<Self>, offset: u32, write: Write, env: &mut Env<'_, '_>) -> bool;

    /// The system was reset.
    fn reset(&mut self) {}
}

/// One serial port.
#[derive(Clone, Debug)]
pub struct Usart<V> {
    pub(super) bank: Bank,
    pub(super) port: Port<Instant>,
    pub(super) own: V,
    clock: Source,
    lines: Lines,
    transmit: DmaRequest,
    receive: DmaRequest,
}

impl<V: Version> Usart<V> {
    /// The port `instance`, clocked by its bus, with the version's state `own`.
    pub(super) fn with(instance: &Instance, own: V) -> Self {
        Self {
            bank: Bank::new(instance.map, V::MODEL),
            port: Port::named(instance.name),
            own,
            clock: instance.clock.source(),
            lines: Lines::new(instance, &[("GLOBAL", u32::MAX)]),
            transmit: DmaRequest::new(instance, "TX"),
            receive: DmaRequest::new(instance, "RX"),
        }
    }

    pub(super) fn get(&self, offset: u32) -> u32 {
        self.bank.get(offset)
    }

    /// The value of CR1.
    pub(super) fn cr1(&self) -> u32 {
        self.get(V::CR[0])
    }

    fn is_on(&self, which: u32) -> bool {
        self.cr1() & (V::UE | which) == V::UE | which
    }

    /// True if sender and receiver share one wire (RM0008, RM0390, RM0490, "Single-wire half-duplex communication").
    fn has_one_wire(&self) -> bool {
        self.get(V::CR[2]) & HDSEL != 0
    }

    /// The pin TX follows the port between frames.
    fn show(&self, env: &mut Env<'_, '_>) {
        env.effect(Effect::Output { signal: "TX", level: self.output("TX") });
    }

    /// A character as CR1 (PCE) and CR2 (STOP: 1, 0.5, 2, 1.5) have it.
    pub(super) fn format(&self) -> Format {
        let cr1 = self.cr1();
        let parity = cr1 & PCE != 0;
        let stop_halves = [2, 1, 4, 3][(self.get(V::CR[1]) >> 12 & 3) as usize];
        Format { data: V::word(cr1) - u32::from(parity), parity, stop_halves }
    }

    /// CR1 was written.
    fn control(&mut self, old: u32, new: u32, env: &mut Env<'_, '_>) {
        if new & V::UE == 0 && (old & V::UE != 0 || V::HELD_WHILE_OFF) {
            // RM0490, CR1.UE: transmission and reception stop at once, the flags go to their reset values. RM0390: they stop
            // at the end of the current byte; here at once.
            self.port.stop_sending(env);
            env.end_waves();
            self.port.received.clear();
            self.bank.set(V::STATUS, TC | TXE);
        } else if new & (V::UE | TE) == V::UE | TE && old & (V::UE | TE) != V::UE | TE {
            // RM0390, RM0490, "Character transmission": setting TE sends an idle frame first.
            self.send_idle_frame(env);
        }
        if new & RE == 0 {
            self.port.received.clear();
        }
        if (old ^ new) & (V::UE | TE) != 0 {
            self.show(env);
        }
    }
}

impl<V: Version> Registers<Words> for Usart<V> {
    fn port(&self) -> &Port<Instant> {
        &self.port
    }

    fn port_mut(&mut self) -> &mut Port<Instant> {
        &mut self.port
    }

    fn clock_mut(&mut self) -> Option<&mut Source> {
        Some(&mut self.clock)
    }

    fn frame_end(&self, env: &Env<'_, '_>) -> Option<Instant> {
        let bit = V::bit(self, env.clocks().period_of(self.clock));
        let frame = bit.times(self.format().half_bits()).half();
        (frame != Span::ZERO).then(|| env.now().after(frame))
    }

    fn sends(&self) -> bool {
        self.is_on(TE)
    }

    fn receives(&self) -> bool {
        self.is_on(RE)
    }

    fn is_empty(&self) -> bool {
        V::is_empty(self)
    }

    fn started(&mut self, character: u16, env: &mut Env<'_, '_>) {
        env.cycles(&V::ROWS[0]);
        let bit = V::bit(self, env.clocks().period_of(self.clock));
        let (levels, count) = self.format().levels(character, self.cr1() & PS != 0);
        let steps = [bit.half(), bit.minus(bit.half())];
        env.wave(Wave { signal: "TX", start: env.now(), steps, levels, count });
        if self.has_one_wire() && self.is_on(RE) {
            self.port.push(&[character as u8], env);
            self.listen(env);
        }
    }

    fn sent(&mut self, character: u16, env: &mut Env<'_, '_>) {
        self.port.print(character & self.format().mask(), env);
        if self.port.to_send.is_empty() {
            self.bank.flag(V::STATUS, TC, true);
            if self.has_one_wire() {
                self.show(env);
            }
        }
    }

    fn arrived(&mut self, byte: u8, env: &mut Env<'_, '_>) {
        env.cycles(&V::ROWS[1]);
        V::arrived(self, byte);
    }

    fn quiet(&mut self) {
        self.bank.flag(V::STATUS, IDLE, true);
    }

    fn settle(&mut self, env: &mut Env<'_, '_>) {
        V::follow(self);
        let (status, cr1, cr3) = (self.get(V::STATUS), self.cr1(), self.get(V::CR[2]));
        // RM0390, RM0490, "USART interrupts": enable bit and the flags it lets through.
        let wants = [
            (cr1 & 1 << 4, IDLE),
            (cr1 & 1 << 5, RXNE | ORE),
            (cr1 & 1 << 6, TC),
            (cr1 & 1 << 7, TXE),
            (cr1 & 1 << 8, PE),
        ];
        let wanted = |(enable, flags): (u32, u32)| enable != 0 && status & flags != 0;
        let on = cr1 & V::UE != 0;
        let active = on && wants.into_iter().chain(V::wants(cr1, cr3)).any(wanted);
        self.lines.drive(u32::from(active), env);
        self.transmit.drive(cr3 & DMAT != 0 && status & TXE != 0 && self.sends(), env);
        self.receive.drive(on && cr3 & DMAR != 0 && status & RXNE != 0, env);
        self.tell(env);
    }
}

impl<V: Version> Block<Words> for Usart<V> {
    fn read(&mut self, offset: u32, env: &mut Env<'_, '_>) -> u32 {
        V::read(self, offset, env)
    }

    fn still(&self, offset: u32, _: Instant, _: &Clocks) -> Option<Instant> {
        V::still(self, offset)
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        if !V::write(self, offset, write, env) {
            let (old, new) = self.bank.write(offset, write, env);
            if offset == V::CR[0] {
                self.bank.flag(offset, self.own.reserved(), false);
                self.control(old, new, env);
            }
            if offset == V::CR[2] && (old ^ new) & HDSEL != 0 {
                self.show(env);
            }
            self.transmit(env);
        }
        self.settle(env);
    }

    fn event(&mut self, kind: u16, env: &mut Env<'_, '_>) {
        self.line_event(kind, env);
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.bank.reset();
        self.own.reset();
        self.port.reset(env);
        env.end_waves();
        self.settle(env);
    }

    fn after_change(&mut self, old: Tree, env: &mut Env<'_, '_>) {
        self.port.rescale(self.clock, &old, env);
    }

    fn refine(&mut self, times: u64) {
        self.port.refine(times);
    }

    fn output(&self, signal: &str) -> Option<bool> {
        // The level between frames, at which one wire is left to others.
        (signal == "TX" && self.sends() && !self.has_one_wire()).then_some(true)
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}
