//! Arm's UART PL011 (DDI 0183G), as the LM3S6965 and the RP2040 have it.
//!
//! A byte sent goes to the console when its last stop bit ends; a byte received arrives when its last stop bit ends. The rate of
//! UARTIBRD and UARTFBRD counts from the next write of UARTLCR_H on. What is outside keeps the port's format, so that of errors in
//! what comes in there are breaks and overruns alone. A break tells the other end that it is two frames long, the shortest that
//! DDI 0183 allows, since it goes on for as long as software wants. IrDA is not modelled. With loop-back characters go out at the
//! pin as well, and what comes in there is lost.

use std::collections::VecDeque;

use cyclescope_machine::{GapKind, TimingRow};

use crate::serial::{self, Format, Port, Registers};
use crate::wires::Wave;
use crate::{
    AlternateFunction, Bank, Block, Clocks, DmaRequest, Effect, Env, Instance, Instant, Lines, Source, Span, Tree,
    Words, Write,
};

const DR: u32 = 0x000;
const RSR: u32 = 0x004;
const FR: u32 = 0x018;
const IBRD: u32 = 0x024;
const FBRD: u32 = 0x028;
const LCR_H: u32 = 0x02C;
const CR: u32 = 0x030;
const IFLS: u32 = 0x034;
const IMSC: u32 = 0x038;
const RIS: u32 = 0x03C;
const MIS: u32 = 0x040;
const ICR: u32 = 0x044;
const DMACR: u32 = 0x048;

const BUSY: u32 = 1 << 3;
const RXFE: u32 = 1 << 4;
const TXFF: u32 = 1 << 5;
const RXFF: u32 = 1 << 6;
const TXFE: u32 = 1 << 7;

/// The inputs of a modem: the flag in FR, the interrupt, and the output of CR that loop-back connects: CTS and RTS, DSR and DTR,
/// DCD and Out1, RI and Out2.
const MODEM: [(u32, u32, u32); 4] =
    [(1 << 0, 1 << 1, 1 << 11), (1 << 1, 1 << 3, 1 << 10), (1 << 2, 1 << 2, 1 << 12), (1 << 8, 1 << 0, 1 << 13)];
const CTS: u32 = MODEM[0].0;

const UARTEN: u32 = 1 << 0;
const LBE: u32 = 1 << 7;
const TXE: u32 = 1 << 8;
const RXE: u32 = 1 << 9;
const RTS: u32 = 1 << 11;
const RTSEN: u32 = 1 << 14;
const CTSEN: u32 = 1 << 15;

const BRK: u32 = 1 << 0;
const PEN: u32 = 1 << 1;
const EPS: u32 = 1 << 2;
const STP2: u32 = 1 << 3;
const FEN: u32 = 1 << 4;
const SPS: u32 = 1 << 7;

const RXRIS: u32 = 1 << 4;
const TXRIS: u32 = 1 << 5;
const RTRIS: u32 = 1 << 6;
/// FERIS, PERIS, BERIS and OERIS, in the order of RSR.
const ERRORS_SHIFT: u32 = 7;
const ERRORS: u32 = 0xF << ERRORS_SHIFT;

/// RSR, and from bit 8 on DR.
const FE: u8 = 1 << 0;
const BE: u8 = 1 << 2;
const OE: u8 = 1 << 3;

const RXDMAE: u32 = 1 << 0;
const TXDMAE: u32 = 1 << 1;
const DMAONERR: u32 = 1 << 2;

/// The properties of a part's ports.
#[derive(Debug)]
pub struct Form {
    /// Entries of each FIFO.
    pub fifo: usize,
    /// The clock that bits are counted by (UARTCLK).
    pub clock: Source,
    /// True if the port has lines of a modem.
    pub has_modem: bool,
    /// A character that is written while the transmitter is off goes out at once, and is named: programs for emulators do so.
    pub sends_while_off: bool,
    /// The bits that a write of UARTICR clears.
    pub cleared: fn(Write) -> u32,
    /// The row of the beginning of a frame.
    pub row: &'static TimingRow,
}

/// One serial port.
#[derive(Clone, Debug)]
pub struct Pl011 {
    bank: Bank,
    form: &'static Form,
    lines: Lines,
    port: Port<Instant>,
    transmit: DmaRequest,
    receive: DmaRequest,
    pins: &'static [AlternateFunction],
    /// The errors of the characters in [`Port::received`].
    errors: VecDeque<u8>,
    /// A character was lost since the last one that came in.
    lost: bool,
    /// The divisor in use, in 64ths.
    divisor: u32,
    /// The line is low for a break.
    breaks: bool,
    /// The level of nUARTCTS, where a pin has it.
    cts: Option<bool>,
    /// The level of nUARTRTS, as the pin knows it.
    rts: Option<bool>,
}

impl Pl011 {
    /// The port `instance` after reset, over `bank`.
    pub fn new(instance: &Instance, bank: Bank, form: &'static Form) -> Self {
        let signals: Vec<_> = instance.interrupts.iter().map(|wired| (wired.signal, u32::MAX)).collect();
        Self {
            bank,
            form,
            lines: Lines::new(instance, &signals),
            port: Port::named(instance.name),
            transmit: DmaRequest::new(instance, "TX"),
            receive: DmaRequest::new(instance, "RX"),
            pins: instance.pins,
            errors: VecDeque::new(),
            lost: false,
            divisor: 0,
            breaks: false,
            cts: None,
            rts: None,
        }
    }

    /// The level of nUARTCTS, as the port knows it.
    pub fn seen(&self) -> Option<bool> {
        self.cts
    }

    fn has(&self, offset: u32, bits: u32) -> bool {
        self.bank.get(offset) & bits == bits
    }

    fn is_on(&self, which: u32) -> bool {
        self.has(CR, UARTEN | which)
    }

    fn depth(&self) -> usize {
        if self.has(LCR_H, FEN) { self.form.fifo } else { 1 }
    }

    /// `halves` of a bit: a bit is 16 * (IBRD + FBRD / 64) periods of the clock (DDI 0183G, 3.3.6); zero while the settings make
    /// none.
    fn halves(&self, halves: u64, env: &Env<'_, '_>) -> Span {
        let clock = env.clocks().period_of(self.form.clock);
        // Of eighths of a period the next whole one.
        clock.times(u64::from(self.divisor) * halves).rescaled(clock.times(8), clock)
    }

    /// The word, parity and stop bits that LCR_H asks for.
    fn format(&self) -> Format {
        let stop_halves = if self.has(LCR_H, STP2) { 4 } else { 2 };
        Format { data: 5 + (self.bank.get(LCR_H) >> 5 & 3), parity: self.has(LCR_H, PEN), stop_halves }
    }

    /// True if the parity of `character` makes the number of ones odd; with SPS the parity bit is the inverse of EPS.
    fn is_odd(&self, character: u16) -> bool {
        let even = self.has(LCR_H, EPS);
        if self.has(LCR_H, SPS) {
            let ones = (character & self.format().mask()).count_ones() % 2 == 1;
            ones == even
        } else {
            !even
        }
    }

    /// Entries at which a FIFO interrupts (UARTIFLS: 1/8, 1/4, 1/2, 3/4, 7/8 full); without FIFO at one.
    fn trigger(&self, code: u32) -> usize {
        if self.depth() == 1 { 1 } else { self.form.fifo * [1, 2, 4, 6, 7, 7, 7, 7][(code & 7) as usize] / 8 }
    }

    fn receive_trigger(&self) -> usize {
        self.trigger(self.bank.get(IFLS) >> 3)
    }

    /// Entries left at which the transmitter interrupts: with FIFO the part of it that UARTIFLS names, else none.
    fn transmit_trigger(&self) -> usize {
        if self.depth() == 1 { 0 } else { self.trigger(self.bank.get(IFLS)) }
    }

    /// True if the port asks the other end to send, by its register or (RTSEN) by the room in its FIFO.
    fn asks_to_send(&self) -> bool {
        if self.has(CR, RTSEN) { self.port.received.len() < self.receive_trigger() } else { self.has(CR, RTS) }
    }

    /// True if the modem's input of that flag is asserted. An input without a pin is the disjunction of none, low, which asserts
    /// CTS; the others have no pins, and rest.
    fn is_asserted(&self, flag: u32, output: u32) -> bool {
        match flag {
            CTS if self.has(CR, LBE) => self.asks_to_send(),
            CTS => self.cts != Some(true),
            _ => self.has(CR, LBE | output),
        }
    }

    /// The flags of the modem's inputs in FR.
    fn modem(&self) -> u32 {
        let asserted = MODEM.iter().filter(|(flag, _, output)| self.is_asserted(*flag, *output));
        if self.form.has_modem { asserted.fold(0, |flags, (flag, ..)| flags | flag) } else { 0 }
    }

    fn write_data(&mut self, byte: u8, env: &mut Env<'_, '_>) {
        if self.form.sends_while_off && (!self.is_on(TXE) || self.frame_end(env).is_none()) {
            let name = env.name();
            env.gap(GapKind::Setting, format_args!("{name}: byte written while the transmitter is off: sent at once"));
            return self.port.print(byte, env);
        }
        if self.port.to_send.len() == self.depth() {
            // Full: the data is lost (DDI 0183G, UARTDR; software looks at TXFF first).
            return;
        }
        self.port.to_send.push_back(byte.into());
        if self.port.to_send.len() > self.transmit_trigger() {
            self.bank.flag(RIS, TXRIS, false);
        }
        self.transmit(env);
    }

    fn read_data(&mut self, env: &mut Env<'_, '_>) {
        let Some(byte) = self.port.received.pop_front() else { return };
        let errors = self.errors.pop_front().unwrap_or(0);
        self.bank.set(DR, u32::from(byte) | u32::from(errors) << 8);
        // An overrun shows at once and stays; the other errors are those of the character read last.
        let overrun = self.bank.get(RSR) & u32::from(OE);
        self.bank.set(RSR, overrun | u32::from(errors & !OE));
        if self.port.received.len() < self.receive_trigger() {
            self.bank.flag(RIS, RXRIS, false);
        }
        if self.port.received.is_empty() {
            self.bank.flag(RIS, RTRIS, false);
            self.port.quiet_at(Instant::NEVER, env);
        }
        self.settle(env);
    }

    /// A character is in, with `errors`.
    fn take(&mut self, byte: u8, mut errors: u8) {
        let depth = self.depth();
        if self.port.take(byte, depth) {
            if std::mem::take(&mut self.lost) {
                errors |= OE;
            }
            self.errors.push_back(errors);
            self.bank.flag(RIS, u32::from(errors & !OE) << ERRORS_SHIFT, true);
            if self.port.received.len() >= self.receive_trigger() {
                self.bank.flag(RIS, RXRIS, true);
            }
        } else {
            self.lost = true;
            self.bank.flag(RSR, OE.into(), true);
            self.bank.flag(RIS, u32::from(OE) << ERRORS_SHIFT, true);
        }
    }

    fn write_line_control(&mut self, write: Write, env: &mut Env<'_, '_>) {
        let (old, new) = self.bank.write(LCR_H, write, env);
        let (whole, fraction) = (self.bank.get(IBRD), self.bank.get(FBRD));
        // Without a whole part there is no rate.
        self.divisor = if whole == 0 { 0 } else { whole << 6 | fraction };
        if old & !new & FEN != 0 {
            // FEN flushes the FIFOs (DDI 0183G, UARTCR, on its programming).
            self.port.to_send.clear();
            self.port.received.clear();
            self.errors.clear();
            self.bank.flag(RIS, RXRIS | RTRIS, false);
        }
    }

    /// The break is over if it is no longer wanted: the line is high for a bit at least.
    fn look_at_break(&mut self, env: &mut Env<'_, '_>) {
        if !self.breaks || self.has(LCR_H, BRK) && self.sends() {
            return;
        }
        self.breaks = false;
        env.effect(Effect::Output { signal: "TX", level: Some(true) });
        let end = env.now().after(self.halves(2, env));
        self.port.send(None, end, env);
    }
}

impl Registers<Words> for Pl011 {
    const QUIET_RUNS_ON: bool = true;

    fn port(&self) -> &Port<Instant> {
        &self.port
    }

    fn port_mut(&mut self) -> &mut Port<Instant> {
        &mut self.port
    }

    fn frame_end(&self, env: &Env<'_, '_>) -> Option<Instant> {
        let frame = self.halves(self.format().half_bits(), env);
        (frame != Span::ZERO).then(|| env.now().after(frame))
    }

    fn bits_end(&self, bits: u64, env: &Env<'_, '_>) -> Option<Instant> {
        (self.divisor != 0).then(|| env.now().after(self.halves(2 * bits, env)))
    }

    fn sends(&self) -> bool {
        self.is_on(TXE)
    }

    fn receives(&self) -> bool {
        self.is_on(RXE)
    }

    fn may_send(&self) -> bool {
        !self.has(CR, CTSEN) || self.modem() & CTS != 0
    }

    fn may_receive(&self) -> bool {
        !self.has(CR, RTSEN) || self.asks_to_send()
    }

    fn is_looped(&self) -> bool {
        self.has(CR, LBE)
    }

    fn begin_break(&mut self, env: &mut Env<'_, '_>) -> bool {
        if !self.has(LCR_H, BRK) || self.frame_end(env).is_none() {
            return false;
        }
        self.breaks = true;
        env.effect(Effect::Output { signal: "TX", level: Some(false) });
        let character = serial::BREAK | self.format().half_bits() as u16;
        self.port.send(Some(character), Instant::NEVER, env);
        if self.is_looped() {
            self.port.push_break(character);
            self.listen(env);
        }
        true
    }

    fn started(&mut self, character: u16, env: &mut Env<'_, '_>) {
        env.cycles(self.form.row);
        if self.port.to_send.len() == self.transmit_trigger() {
            self.bank.flag(RIS, TXRIS, true);
        }
        if !self.pins.is_empty() {
            let (levels, count) = self.format().levels(character, self.is_odd(character));
            let half = self.halves(1, env);
            let steps = [half, self.halves(2, env).minus(half)];
            env.wave(Wave { signal: "TX", start: env.now(), steps, levels, count });
        }
        if self.is_looped() {
            self.port.push(&[character as u8], env);
            self.listen(env);
        }
    }

    fn sent(&mut self, character: u16, env: &mut Env<'_, '_>) {
        self.port.print(character & self.format().mask(), env);
    }

    fn arrived(&mut self, byte: u8, _: &mut Env<'_, '_>) {
        let byte = byte & self.format().mask() as u8;
        self.take(byte, 0);
    }

    /// One zero goes into the FIFO, however long the break is (DDI 0183G, UARTDR.BE); the next character begins behind its end.
    fn broken(&mut self, low: u64, _: &mut Env<'_, '_>) -> Option<u64> {
        let frame = self.format().half_bits() / 2;
        self.take(0, if low >= frame { FE | BE } else { FE });
        Some(low.saturating_sub(frame))
    }

    /// The timeout comes when nothing follows for 32 bits (DDI 0183G, UARTRTINTR).
    fn quiet_from(&self, env: &Env<'_, '_>) -> Option<Instant> {
        Some(env.now().after(self.halves(64, env)))
    }

    fn quiet(&mut self) {
        if !self.port.received.is_empty() {
            self.bank.flag(RIS, RTRIS, true);
        }
    }

    fn settle(&mut self, env: &mut Env<'_, '_>) {
        let (depth, before) = (self.depth(), self.bank.get(FR));
        let modem = self.modem();
        let (waiting, received) = (self.port.to_send.len(), self.port.received.len());
        let flags = [
            (BUSY, self.port.is_sending() && !self.breaks || waiting > 0),
            (RXFE, received == 0),
            (TXFF, waiting >= depth),
            (RXFF, received >= depth),
            (TXFE, waiting == 0),
        ];
        self.bank.flags(FR, &flags);
        for (flag, interrupt, _) in MODEM {
            self.bank.flag(FR, flag, modem & flag != 0);
            self.bank.flag(RIS, interrupt, self.has(RIS, interrupt) || (before ^ modem) & flag != 0);
        }
        let masked = self.bank.get(RIS) & self.bank.get(IMSC);
        self.bank.set(MIS, masked);
        self.lines.drive(masked, env);
        let dma = if self.is_on(0) { self.bank.get(DMACR) } else { 0 };
        let in_error = dma & DMAONERR != 0 && masked & ERRORS != 0;
        self.transmit.drive(dma & TXDMAE != 0 && waiting < depth, env);
        self.receive.drive(dma & RXDMAE != 0 && received > 0 && !in_error, env);
        let level = self.output("RTS");
        if level != std::mem::replace(&mut self.rts, level) {
            env.effect(Effect::Output { signal: "RTS", level });
            if self.receives() {
                self.listen(env);
            }
        }
        self.tell(env);
    }
}

impl Block<Words> for Pl011 {
    fn read(&mut self, offset: u32, env: &mut Env<'_, '_>) -> u32 {
        if offset == DR {
            self.read_data(env);
        }
        self.bank.read(offset, env)
    }

    fn still(&self, offset: u32, _: Instant, _: &Clocks) -> Option<Instant> {
        if offset == DR { None } else { self.bank.still(offset) }
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        match offset {
            DR => self.write_data(write.ones() as u8, env),
            RSR => self.bank.set(RSR, 0),
            ICR => self.bank.flag(RIS, (self.form.cleared)(write), false),
            LCR_H => self.write_line_control(write, env),
            _ => {
                self.bank.write(offset, write, env);
            }
        }
        self.look_at_break(env);
        self.transmit(env);
        self.settle(env);
        if self.receives() {
            self.listen(env);
        }
    }

    fn event(&mut self, kind: u16, env: &mut Env<'_, '_>) {
        self.line_event(kind, env);
    }

    fn hears(&self, index: usize) -> bool {
        self.form.has_modem && self.pins.get(index).is_some_and(|wired| wired.signal == "CTS")
    }

    fn input(&mut self, index: usize, high: bool, env: &mut Env<'_, '_>) {
        if self.hears(index) {
            self.cts = Some(high);
            self.transmit(env);
            self.settle(env);
        }
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.bank.reset();
        self.port.reset(env);
        env.end_waves();
        self.errors.clear();
        (self.lost, self.divisor, self.cts) = (false, 0, None);
        if std::mem::take(&mut self.breaks) {
            env.effect(Effect::Output { signal: "TX", level: Some(true) });
        }
        self.bank.flag(FR, self.modem(), true);
        self.settle(env);
    }

    fn refine(&mut self, times: u64) {
        self.port.refine(times);
    }

    fn after_change(&mut self, old: Tree, env: &mut Env<'_, '_>) {
        self.port.rescale(self.form.clock, &old, env);
    }

    fn output(&self, signal: &str) -> Option<bool> {
        match signal {
            "TX" => Some(!self.breaks),
            "RTS" if self.form.has_modem => Some(!self.asks_to_send()),
            _ => None,
        }
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}
