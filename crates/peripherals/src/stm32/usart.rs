//! ST's USART under the registers of any version: frames, flags, baud rate clock, interrupt and DMA requests.
//!
//! A byte sent goes to the console when its last stop bit ends; a byte received arrives when its last stop bit ends.

use std::fmt::Debug;

use cyclescope_machine::TimingRow;

use super::usart_modes::{IREN, LBD, LBDIE, LINEN, Modes, SCEN, WAITED};
use crate::serial::{BREAK, Format, Port, Registers};
use crate::wires::Wave;
use crate::{
    AlternateFunction, Bank, Block, Clocks, DmaRequest, Effect, Env, Instance, Instant, Lines, Modelled, Source, Span,
    Tree, Words, Write,
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
/// CTSIF: nCTS has changed.
pub(super) const CTSIF: u32 = 1 << 9;

/// Bits of CR1.
pub(super) const RE: u32 = 1 << 2;
pub(super) const TE: u32 = 1 << 3;
const PS: u32 = 1 << 9;
pub(super) const PCE: u32 = 1 << 10;
pub(super) const OVER8: u32 = 1 << 15;

/// The low bits of a break for LIN, and the bit of CR2 that asks for that (RM0008, RM0390, RM0490, "LIN transmission").
const LIN_BREAK: u16 = 13;

/// Bits of CR3.
pub(super) const EIE: u32 = 1 << 0;
/// One wire, TX, which the receiver hears.
const HDSEL: u32 = 1 << 3;
pub(super) const DMAR: u32 = 1 << 6;
pub(super) const DMAT: u32 = 1 << 7;
/// nRTS says whether there is room for a character.
const RTSE: u32 = 1 << 8;
/// nCTS says whether a character may be sent.
const CTSE: u32 = 1 << 9;
const CTSIE: u32 = 1 << 10;

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
    /// SBK of CR1, where that asks for a break.
    const SBK: u32 = 0;
    /// The halves of a bit that are high behind a break, where they are not the stop bits.
    const BREAK_STOP: Option<u64> = None;
    /// True if the flags and buffers stay as after reset for as long as UE is 0.
    const HELD_WHILE_OFF: bool;

    /// The offset of GTPR.
    const GTPR: u32;

    /// The bits of a character, parity included.
    fn word(cr1: u32) -> u32;

    /// The times of the driver's enable before a frame and behind the last one, by a clock with the period `period`, where the port
    /// drives one.
    fn driver_times(_usart: &Usart<Self>, _period: Span) -> Option<[Span; 2]> {
        None
    }

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

    /// True if there is no room for a byte.
    fn is_full(usart: &Usart<Self>) -> bool {
        !Self::is_empty(usart)
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
    pub(super) clock: Source,
    lines: Lines,
    transmit: DmaRequest,
    receive: DmaRequest,
    pins: &'static [AlternateFunction],
    /// The level of nCTS, where a pin has it and the port looks at it.
    cts: Option<bool>,
    /// The level of nRTS, where the port drives it.
    rts: Option<bool>,
    /// A break is asked for, or goes out.
    breaks: bool,
    pub(super) modes: Modes,
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
            pins: instance.pins,
            cts: None,
            rts: None,
            breaks: false,
            modes: Modes::default(),
        }
    }

    /// The level of nCTS, as the port knows it.
    pub fn seen(&self) -> Option<bool> {
        self.cts
    }

    fn heeds_cts(&self) -> bool {
        self.get(V::CR[2]) & CTSE != 0
    }

    /// A break is asked for: it goes out when the frame under way is over.
    pub(super) fn ask_break(&mut self, env: &mut Env<'_, '_>) {
        self.breaks = true;
        self.transmit(env);
    }

    /// True until the break that was asked for is out.
    pub(super) fn is_breaking(&self) -> bool {
        self.breaks
    }

    /// True if nCTS is low.
    pub(super) fn is_clear_to_send(&self) -> bool {
        self.cts == Some(false)
    }

    /// nRTS follows the receiver (RM0008, RM0390, RM0490, "RTS flow control"); what waits outside comes when it falls.
    fn show_rts(&mut self, env: &mut Env<'_, '_>) {
        let level = self.output("RTS");
        if level == std::mem::replace(&mut self.rts, level) {
            return;
        }
        env.effect(Effect::Output { signal: "RTS", level });
        if level != Some(true) && self.receives() {
            self.listen(env);
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

    /// True if sender and receiver share one wire (RM0008, RM0390, RM0490, "Single-wire half-duplex communication", "Smartcard mode").
    fn has_one_wire(&self) -> bool {
        self.get(V::CR[2]) & (HDSEL | SCEN) != 0
    }

    /// The pin TX follows the port between frames.
    pub(super) fn show(&self, env: &mut Env<'_, '_>) {
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
            self.breaks = false;
            self.rest(env);
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

    /// A frame to a smartcard begins half a bit late (RM0008, RM0390, RM0490, "Smartcard mode").
    fn transmit_end(&self, env: &Env<'_, '_>) -> Option<Instant> {
        let late = if self.has_card() { self.bit_time(env).half() } else { Span::ZERO };
        self.frame_end(env).map(|end| end.after(late))
    }

    fn bits_end(&self, bits: u64, env: &Env<'_, '_>) -> Option<Instant> {
        let bit = self.bit_time(env);
        (bit != Span::ZERO).then(|| env.now().after(bit.times(bits)))
    }

    fn is_prepared(&mut self, env: &mut Env<'_, '_>) -> bool {
        self.may_begin(env)
    }

    fn sends(&self) -> bool {
        self.is_on(TE)
    }

    fn receives(&self) -> bool {
        self.is_on(RE)
    }

    /// RM0008, RM0390, RM0490, "CTS flow control". A pin that nobody drives holds nothing back.
    fn may_send(&self) -> bool {
        self.cts != Some(true)
    }

    /// The other end heeds nRTS.
    fn may_receive(&self) -> bool {
        self.output("RTS") != Some(true)
    }

    fn is_empty(&self) -> bool {
        V::is_empty(self)
    }

    fn started(&mut self, character: u16, env: &mut Env<'_, '_>) {
        env.cycles(&V::ROWS[0]);
        let bit = self.bit_time(env);
        let (levels, count) = self.format().levels(character, self.cr1() & PS != 0);
        if self.get(V::CR[2]) & IREN != 0 {
            self.shine(levels, count, env);
        } else {
            let start = env.now().after(if self.has_card() { bit.half() } else { Span::ZERO });
            env.wave(Wave { signal: "TX", start, steps: [bit.half(), bit.minus(bit.half())], levels, count });
        }
        if self.has_one_wire() && self.is_on(RE) {
            self.port.push(&[character as u8], env);
            self.listen(env);
        }
    }

    /// RM0008, RM0390, RM0490, "Break characters": low for a whole frame with one stop bit, then high.
    fn begin_break(&mut self, env: &mut Env<'_, '_>) -> bool {
        let bit = env.clocks().period_of(self.clock).times(V::ticks(self));
        if !self.breaks || bit == Span::ZERO {
            return false;
        }
        if !self.may_begin(env) {
            return true;
        }
        let lin = self.get(V::CR[1]) & LINEN != 0;
        let bits = if lin { LIN_BREAK } else { V::word(self.cr1()) as u16 + 2 };
        let low = bit.times(bits.into());
        let high = bit.times(V::BREAK_STOP.unwrap_or(self.format().stop_halves)).half();
        let start = env.now();
        env.wave(Wave { signal: "TX", start, steps: [low; 2], levels: 0b10, count: 2 });
        self.port.send(Some(BREAK | bits), start.after(low).after(high), env);
        true
    }

    fn sent(&mut self, character: u16, env: &mut Env<'_, '_>) {
        if character & BREAK != 0 {
            self.breaks = false;
            self.bank.flag(V::CR[0], V::SBK, false);
        } else {
            self.port.print(character & self.format().mask(), env);
        }
        self.frame_over(character & BREAK == 0, env);
        if self.port.to_send.is_empty() && self.has_one_wire() {
            self.show(env);
        }
    }

    fn arrived(&mut self, byte: u8, env: &mut Env<'_, '_>) {
        if self.is_dazzled(env) {
            return;
        }
        env.cycles(&V::ROWS[1]);
        V::arrived(self, byte);
    }

    /// RM0008, RM0390, RM0490, "Break character", "Framing error": a zero whose stop bit is low.
    fn broken(&mut self, low: u64, env: &mut Env<'_, '_>) -> Option<u64> {
        let format = self.format();
        self.arrived(0, env);
        let bits = 1 + u64::from(format.data) + u64::from(format.parity);
        self.bank.flag(V::STATUS, FE, low > bits);
        self.modes.low = low;
        Some(low.saturating_sub(bits + format.stop_halves.div_ceil(2)))
    }

    fn mended(&mut self, env: &mut Env<'_, '_>) {
        self.end_break(env);
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
            (cr3 & CTSIE, CTSIF),
            (self.get(V::CR[1]) & LBDIE, LBD),
        ];
        let wanted = |(enable, flags): (u32, u32)| enable != 0 && status & flags != 0;
        let on = cr1 & V::UE != 0;
        let active = on && wants.into_iter().chain(V::wants(cr1, cr3)).any(wanted);
        self.lines.drive(u32::from(active), env);
        self.transmit.drive(cr3 & DMAT != 0 && status & TXE != 0 && self.sends(), env);
        self.receive.drive(on && cr3 & DMAR != 0 && status & RXNE != 0, env);
        self.show_rts(env);
        self.show_driver(env);
        self.show_clock(env);
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
                if !old & new & V::SBK != 0 {
                    self.ask_break(env);
                }
            }
            if offset == V::CR[2] {
                if (old ^ new) & (HDSEL | SCEN | IREN) != 0 {
                    self.show(env);
                }
                self.cts = if self.heeds_cts() { self.cts.or_else(|| env.line("CTS")) } else { None };
            }
            if V::CR.contains(&offset) {
                self.check_clock(env);
            }
            self.transmit(env);
        }
        self.settle(env);
    }

    fn event(&mut self, kind: u16, env: &mut Env<'_, '_>) {
        if kind == WAITED {
            self.waited(env);
        }
        self.line_event(kind, env);
    }

    /// nCTS.
    fn input(&mut self, index: usize, high: bool, env: &mut Env<'_, '_>) {
        if !self.hears(index) {
            return;
        }
        if self.cts.replace(high).is_some_and(|before| before != high) {
            self.bank.flag(V::STATUS, CTSIF, true);
        }
        self.transmit(env);
        self.settle(env);
    }

    fn hears(&self, index: usize) -> bool {
        self.heeds_cts() && self.pins.get(index).is_some_and(|wired| wired.signal == "CTS")
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.bank.reset();
        self.own.reset();
        self.port.reset(env);
        (self.breaks, self.cts) = (false, None);
        self.rest(env);
        env.end_waves();
        self.settle(env);
    }

    fn after_change(&mut self, old: Tree, env: &mut Env<'_, '_>) {
        self.port.rescale(self.clock, &old, env);
        self.rescale_modes(&old, env);
        self.show_clock(env);
    }

    fn refine(&mut self, times: u64) {
        self.port.refine(times);
        self.modes.refine(times);
    }

    fn output(&self, signal: &str) -> Option<bool> {
        if signal == "RTS" {
            return (self.get(V::CR[2]) & RTSE != 0).then(|| !self.receives() || V::is_full(self));
        }
        if signal == "DE" {
            return self.driver_level();
        }
        // The level between frames, at which one wire is left to others; no light is low.
        (signal == "TX" && self.sends() && !self.has_one_wire()).then_some(self.get(V::CR[2]) & IREN == 0)
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}
