//! SPI (RP-008371-DS, "SPI"; Arm's PL022, DDI 0194): controller and target, in Motorola's and TI's formats.
//!
//! A controller's frame takes two events: its first bit, up to which SSPFSSOUT has selected a target, and its end, with which the
//! target gets all bits. With SPH frames follow each other without a gap; without it SSPFSSOUT goes up between them, as DDI 0194
//! has it. As a target, and where others drive its lines, the block follows edges (`spi_edges`): its data go out over TX, which the
//! part's tables call MOSI, and come in over RX, MISO there, whichever role it has.
//!
//! Microwire is not modelled, and named: its frames go as Motorola's. A target that is not selected lets its line go, where
//! the part goes on driving it. A target sends its last frame again where it has none.

use std::collections::VecDeque;

use cyclescope_machine::{GapKind, TimingRow, Transfer};

use super::registers::{bank, ones};
use crate::spi_edges::{self, Edges, Follower, mask};
use crate::wires::Wave;
use crate::{
    AlternateFunction, Bank, Block, Clocks, DmaRequest, Effect, Env, Instance, Instant, Lines, Modelled, Source, Span,
    Tree, Words, Write,
};

const CR0: u32 = 0x00;
const CR1: u32 = 0x04;
const DR: u32 = 0x08;
const SR: u32 = 0x0C;
const CPSR: u32 = 0x10;
const IMSC: u32 = 0x14;
const RIS: u32 = 0x18;
const MIS: u32 = 0x1C;
const ICR: u32 = 0x20;
const DMACR: u32 = 0x24;

/// SSPCR0.
const FRF: u32 = 3 << 4;
const TI: u32 = 1 << 4;
const SPO: u32 = 1 << 6;
const SPH: u32 = 1 << 7;

/// SSPCR1.
const LBM: u32 = 1 << 0;
const SSE: u32 = 1 << 1;
const MS: u32 = 1 << 2;
const SOD: u32 = 1 << 3;

/// SSPSR.
const TFE: u32 = 1 << 0;
const TNF: u32 = 1 << 1;
const RNE: u32 = 1 << 2;
const RFF: u32 = 1 << 3;
const BSY: u32 = 1 << 4;

/// SSPRIS.
const ROR: u32 = 1 << 0;
const RT: u32 = 1 << 1;
const RX: u32 = 1 << 2;
const TX: u32 = 1 << 3;

/// Entries of a FIFO, and half of them, at which they interrupt.
const DEPTH: usize = 8;
const HALF: usize = DEPTH / 2;

/// The events of a frame's first bit, of its end, of the end of the gap behind it, and of the receiver's timeout.
const SHIFT: u16 = 0;
const END: u16 = 1;
const NEXT: u16 = 2;
const TIMEOUT: u16 = 3;

/// The periods of SSPCLKOUT after which the receiver's data have waited for too long (DDI 0194, SSPRTINTR).
const PATIENCE: u64 = 32;

/// The signals that a controller drives.
const DRIVEN: [&str; 3] = ["CSN", "SCK", "MOSI"];

/// The registers that are modelled in part.
pub const PARTLY: &[Modelled] = &[];

/// The timing that does not follow from SSPCPSR and SCR.
pub const ROWS: &[TimingRow] = &[
    TimingRow::assumed(
        "spi.start",
        "from a write to SSPDR with an idle controller to the selection of the target, in periods of clk_peri",
        0,
        "DDI 0194 gives no figure",
    ),
    TimingRow::assumed(
        "spi.end",
        "from the end of a frame's last bit to its flags, in periods of clk_peri",
        0,
        "DDI 0194 gives no figure",
    ),
    TimingRow::assumed(
        "spi.gap",
        "halves of a bit for which SSPFSSOUT is high between two frames of Motorola's format, at least",
        1,
        "DDI 0194, Motorola format with SPH clear: the line must be pulsed HIGH between words; it gives no length",
    ),
];

/// A controller's frame under way.
#[derive(Clone, Copy, Debug)]
struct Frame {
    sent: u32,
    bits: u8,
    half: Span,
    /// The time of its first bit on MOSI.
    shift: Instant,
    /// The end of its last bit.
    end: Instant,
    /// TI's format: its last bit announces the frame that follows.
    announces: bool,
}

/// The block.
#[derive(Clone, Debug)]
pub struct Spi {
    bank: Bank,
    lines: Lines,
    clock: Source,
    pins: &'static [AlternateFunction],
    transmit: DmaRequest,
    receive: DmaRequest,
    to_send: VecDeque<u16>,
    received: VecDeque<u16>,
    edges: Edges,
    frame: Option<Frame>,
    /// The first time at which a frame may begin behind another.
    free_from: Instant,
    /// When the receiver's data have waited for too long.
    stale_at: Instant,
    /// A target's frame has just come in.
    fresh: bool,
    /// SSPFSSOUT is active.
    selects: bool,
    /// The level of MOSI while no bit goes out: that of the last one, until the line is idle.
    data: bool,
}

impl Spi {
    /// The block after reset.
    pub fn new(instance: &Instance) -> Self {
        let signals: Vec<_> = instance.interrupts.iter().map(|wired| (wired.signal, u32::MAX)).collect();
        Self {
            bank: bank(instance.map, PARTLY),
            lines: Lines::new(instance, &signals),
            clock: instance.clock.source(),
            pins: instance.pins,
            transmit: DmaRequest::new(instance, "TX"),
            receive: DmaRequest::new(instance, "RX"),
            to_send: VecDeque::new(),
            received: VecDeque::new(),
            edges: Edges::default(),
            frame: None,
            free_from: Instant::default(),
            stale_at: Instant::NEVER,
            fresh: false,
            selects: false,
            data: false,
        }
    }

    fn control(&self, bits: u32) -> bool {
        self.bank.get(CR1) & bits == bits
    }

    fn format(&self, bits: u32) -> bool {
        self.bank.get(CR0) & bits == bits
    }

    /// Half of a bit: CPSDVSR * (1 + SCR) periods of the clock make one.
    fn half_bit(&self, env: &Env<'_, '_>) -> Span {
        let scale = u64::from(self.bank.get(CPSR)) * (u64::from(self.bank.get(CR0) >> 8 & 0xFF) + 1);
        env.clocks().period_of(self.clock).times(scale / 2)
    }

    /// True for a controller that is on.
    fn controls(&self) -> bool {
        self.bank.get(CR1) & (SSE | MS) == SSE
    }

    /// The idle controller begins its next frame, if it has one.
    fn begin(&mut self, env: &mut Env<'_, '_>) {
        if self.frame.is_some() || !self.controls() || self.to_send.is_empty() {
            return;
        }
        let now = env.now();
        if now < self.free_from {
            return env.schedule(NEXT, self.free_from);
        }
        let half = self.half_bit(env);
        if half == Span::ZERO {
            return env.gap(GapKind::Setting, format_args!("{}: the controller has no clock", env.name()));
        }
        env.wires.note(&ROWS[0]);
        // The selection comes before the first bit by half a bit, in TI's format by a whole one, and stays with frames that follow
        // each other at once.
        let lead = if self.selects { 0 } else { 1 + u64::from(self.is_ti()) };
        self.select(true, env);
        if self.is_ti() && lead > 0 {
            env.wave(Wave { signal: "SCK", start: now, steps: [half; 2], levels: 1, count: 2 });
        }
        self.load(now.after(half.times(lead)), half, env);
    }

    /// The next frame leaves the FIFO; its first bit comes at `shift`.
    fn load(&mut self, shift: Instant, half: Span, env: &mut Env<'_, '_>) {
        let Some(data) = self.to_send.pop_front() else { return };
        let bits = self.frame_bits();
        let sent = u32::from(data) & mask(bits);
        // Without SPH the first edge of the clock is half a bit behind the first bit's begin, and the last in the last one's end.
        let end = shift.after(half.times(2 * u64::from(bits)));
        self.edges.received = 0;
        self.stale_at = Instant::NEVER;
        env.cancel(TIMEOUT);
        self.frame = Some(Frame { sent, bits, half, shift, end, announces: false });
        if shift <= env.now() {
            self.shift(env);
        } else {
            env.schedule(SHIFT, shift);
        }
        env.schedule(END, end);
    }

    /// SSPFSSOUT selects, or no longer.
    fn select(&mut self, selects: bool, env: &mut Env<'_, '_>) {
        if std::mem::replace(&mut self.selects, selects) != selects {
            env.effect(Effect::Output { signal: "CSN", level: self.output("CSN") });
        }
    }

    /// The levels of the frame from now on.
    fn shift(&mut self, env: &mut Env<'_, '_>) {
        let announces = self.is_ti() && !self.to_send.is_empty();
        let Some(frame) = &mut self.frame else { return };
        frame.announces = announces;
        let Frame { sent, bits, half, shift, .. } = *frame;
        self.data = sent & 1 != 0;
        let bit = half.times(2);
        let levels = u64::from(sent.reverse_bits() >> (32 - u32::from(bits)));
        env.wave(Wave { signal: "MOSI", start: shift, steps: [bit; 2], levels, count: bits });
        if let Some((byte, known)) = env.spi_outgoing("MISO") {
            let levels = u64::from(byte.reverse_bits());
            env.wave(Wave { signal: "MISO", start: shift, steps: [bit; 2], levels, count: known.min(bits) });
        }
        if self.is_ti() {
            // The pulse ends with the first bit; the last bit announces the frame that follows.
            let steps = [bit.times(u64::from(bits) - 1), bit];
            let count = if announces { 2 } else { 1 };
            env.wave(Wave { signal: "CSN", start: shift, steps, levels: 0b10, count });
        }
        let late = self.is_late() || self.is_ti();
        let start = if late { shift } else { shift.after(half) };
        let levels = if self.is_idle_high() { 0xAAAA_AAAA_AAAA_AAAA } else { 0x5555_5555_5555_5555 };
        env.wave(Wave { signal: "SCK", start, steps: [half; 2], levels, count: 2 * bits });
    }

    /// The frame has ended.
    fn ended(&mut self, frame: Frame, env: &mut Env<'_, '_>) {
        let Frame { sent, bits, half, announces, .. } = frame;
        env.cycles(&ROWS[1]);
        let falling = self.is_ti() || self.is_idle_high() != self.is_late();
        let received = if env.is_shared() {
            let received = self.edges.received & mask(bits);
            env.transfer(Transfer::SpiFrame { sent, received, bits });
            received
        } else {
            // A line that nobody drives has the level that its resistor gives it.
            let resting = if env.line("MISO") == Some(true) { u32::MAX } else { 0 };
            env.spi_frame(sent, bits, falling).unwrap_or(resting) & mask(bits)
        };
        self.arrived(if self.control(LBM) { sent } else { received } as u16);
        let now = env.now();
        let goes_on = self.controls() && !self.to_send.is_empty() && (self.is_late() || announces);
        if !goes_on {
            if !self.is_ti() {
                let start = now.after(half);
                env.wave(Wave { signal: "CSN", start, steps: [half; 2], levels: 1, count: 1 });
                let gap = env.cycles(&ROWS[2]);
                self.free_from = start.after(half.times(gap));
            }
            (self.selects, self.data) = (false, false);
            env.effect(Effect::Output { signal: "MOSI", level: self.output("MOSI") });
        }
        if !self.received.is_empty() {
            self.stale_at = now.after(half.times(2 * PATIENCE));
            env.schedule(TIMEOUT, self.stale_at);
        }
        self.begin(env);
    }

    /// A frame has come in.
    fn arrived(&mut self, data: u16) {
        if self.received.len() < DEPTH {
            self.received.push_back(data);
        } else {
            // What the FIFO holds stays (DDI 0194, SSPRORINTR).
            self.bank.flag(RIS, ROR, true);
        }
    }

    fn give_up(&mut self, env: &mut Env<'_, '_>) {
        self.frame = None;
        (self.selects, self.data) = (false, false);
        self.free_from = Instant::default();
        [SHIFT, END, NEXT].into_iter().for_each(|kind| env.cancel(kind));
        env.end_waves();
    }

    fn configure(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        let (old, new) = self.bank.write(offset, write, env);
        let changed = old ^ new;
        if offset == CR0 && changed & FRF != 0 && new & FRF > TI {
            let name = env.name();
            env.gap(GapKind::Setting, format_args!("{name}_SSPCR0.FRF: Microwire's frames go as Motorola's"));
        }
        if offset == CR1 && old & !new & SSE != 0 && self.frame.is_some() {
            let name = env.name();
            env.gap(GapKind::Setting, format_args!("{name} is switched off inside a frame, which is lost"));
            self.give_up(env);
        }
        if offset == CR1 && changed & MS != 0 {
            self.give_up(env);
        }
        let lines = if offset == CR0 { FRF | SPO | SPH } else { SSE | MS | SOD };
        if changed & lines != 0 {
            self.edges.forget();
            self.look(env);
            for signal in DRIVEN {
                env.effect(Effect::Output { signal, level: self.output(signal) });
            }
        }
    }
}

impl Follower for Spi {
    const SELECT: &'static str = "CSN";
    const ANSWER: &'static str = "MOSI";

    fn edges(&mut self) -> &mut Edges {
        &mut self.edges
    }

    fn is_target(&self) -> bool {
        self.control(SSE | MS)
    }

    fn is_framing(&self) -> bool {
        self.frame.is_some()
    }

    fn is_ti(&self) -> bool {
        self.bank.get(CR0) & FRF == TI
    }

    fn is_idle_high(&self) -> bool {
        self.format(SPO) && !self.is_ti()
    }

    fn is_late(&self) -> bool {
        self.format(SPH) && !self.is_ti()
    }

    fn takes_mosi(&self) -> bool {
        false
    }

    fn is_selected(&self) -> bool {
        self.is_ti() || !self.edges.nss
    }

    /// DSS; less than four bits are reserved, and taken as four.
    fn frame_bits(&self) -> u8 {
        (self.bank.get(CR0) & 0xF).max(3) as u8 + 1
    }

    fn only_receives(&self) -> bool {
        self.control(SOD)
    }

    fn peek(&self, bits: u8) -> Option<u32> {
        self.to_send.front().map(|data| u32::from(*data) & mask(bits))
    }

    fn next(&mut self, bits: u8) -> Option<(u32, bool)> {
        self.stale_at = Instant::NEVER;
        let data = self.to_send.pop_front()?;
        Some((u32::from(data) & mask(bits), false))
    }

    fn cut_off(&mut self) {
        self.edges.forget();
    }

    fn row(&self) -> &'static TimingRow {
        &ROWS[1]
    }

    fn taken(&mut self, frame: spi_edges::Frame, received: u32) {
        self.arrived(if self.control(LBM) { frame.sent } else { received } as u16);
        self.fresh = true;
    }

    /// Flags that follow from the FIFOs, the interrupt and the requests.
    fn settle(&mut self, env: &mut Env<'_, '_>) {
        let (waiting, received) = (self.to_send.len(), self.received.len());
        let busy = self.frame.is_some() || self.edges.is_busy() || waiting > 0;
        let states = [
            (TFE, waiting == 0),
            (TNF, waiting < DEPTH),
            (RNE, received > 0),
            (RFF, received == DEPTH),
            (BSY, busy && self.control(SSE)),
        ];
        self.bank.flags(SR, &states);
        self.bank.flags(RIS, &[(RX, received >= HALF), (TX, waiting <= HALF)]);
        let masked = self.bank.get(RIS) & self.bank.get(IMSC);
        self.bank.set(MIS, masked);
        self.lines.drive(masked, env);
        let dma = if self.control(SSE) { self.bank.get(DMACR) } else { 0 };
        self.receive.drive(dma & 1 != 0 && received > 0, env);
        self.transmit.drive(dma & 2 != 0 && waiting < DEPTH, env);
    }
}

impl Block<Words> for Spi {
    fn read(&mut self, offset: u32, env: &mut Env<'_, '_>) -> u32 {
        if offset == DR {
            if let Some(data) = self.received.pop_front() {
                self.bank.set(DR, data.into());
            }
            if self.received.is_empty() {
                self.bank.flag(RIS, RT, false);
                self.stale_at = Instant::NEVER;
                env.cancel(TIMEOUT);
            }
            self.settle(env);
        }
        self.bank.read(offset, env)
    }

    fn still(&self, offset: u32, _: Instant, _: &Clocks) -> Option<Instant> {
        if offset == DR { None } else { self.bank.still(offset) }
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        match offset {
            DR => {
                // Full: the data is lost (DDI 0194, SSPDR; software looks at TNF first).
                if self.to_send.len() < DEPTH {
                    self.to_send.push_back(write.ones() as u16);
                }
            }
            ICR => self.bank.flag(RIS, ones(write) & (ROR | RT), false),
            CR0 | CR1 => self.configure(offset, write, env),
            CPSR => {
                // The lowest bit reads zero.
                let (_, new) = self.bank.write(CPSR, write, env);
                self.bank.set(CPSR, new & !1);
            }
            _ => {
                self.bank.write(offset, write, env);
            }
        }
        self.follow(env);
        self.begin(env);
        self.settle(env);
    }

    fn event(&mut self, kind: u16, env: &mut Env<'_, '_>) {
        let now = env.now();
        match kind {
            SHIFT if self.frame.is_some_and(|frame| now >= frame.shift) => self.shift(env),
            END => {
                if let Some(frame) = self.frame.take_if(|frame| now >= frame.end) {
                    self.ended(frame, env);
                }
            }
            NEXT => self.begin(env),
            TIMEOUT if now >= self.stale_at && !self.received.is_empty() => {
                self.stale_at = Instant::NEVER;
                self.bank.flag(RIS, RT, true);
            }
            _ => {}
        }
        self.settle(env);
    }

    fn hears(&self, _: usize) -> bool {
        self.is_target()
    }

    fn hears_shared(&self, _: usize) -> bool {
        true
    }

    fn input(&mut self, index: usize, high: bool, env: &mut Env<'_, '_>) {
        let Some(wired) = self.pins.get(index) else { return };
        self.line(wired.signal, high, env);
        self.follow(env);
        if std::mem::take(&mut self.fresh) {
            self.stale_at = env.now().after(self.half_bit(env).times(2 * PATIENCE));
            env.schedule(TIMEOUT, self.stale_at);
        }
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.bank.reset();
        self.give_up(env);
        self.to_send.clear();
        self.received.clear();
        self.edges.forget();
        self.stale_at = Instant::NEVER;
        env.cancel(TIMEOUT);
        for signal in DRIVEN {
            env.effect(Effect::Output { signal, level: self.output(signal) });
        }
        self.settle(env);
    }

    fn after_change(&mut self, old: Tree, env: &mut Env<'_, '_>) {
        let (before, after, now) = (old.period_of(self.clock), env.clocks().period_of(self.clock), env.now());
        if let Some(frame) = &mut self.frame {
            for at in [&mut frame.shift, &mut frame.end].into_iter().filter(|at| **at > now) {
                *at = at.rescaled(now, before, after);
            }
            frame.half = frame.half.rescaled(before, after);
            if frame.shift > now {
                env.schedule(SHIFT, frame.shift);
            }
            env.schedule(END, frame.end);
            env.rescale_waves(before, after);
        }
        self.free_from =
            if self.free_from > now { self.free_from.rescaled(now, before, after) } else { self.free_from };
        self.stale_at = self.stale_at.rescaled(now, before, after);
        env.schedule(TIMEOUT, self.stale_at);
        self.begin(env);
        self.settle(env);
    }

    fn refine(&mut self, times: u64) {
        if let Some(frame) = &mut self.frame {
            (frame.shift, frame.end) = (frame.shift.refined(times), frame.end.refined(times));
            frame.half = frame.half.times(times);
        }
        (self.free_from, self.stale_at) = (self.free_from.refined(times), self.stale_at.refined(times));
    }

    /// The level between frames (DDI 0194: MOSI is low then).
    fn output(&self, signal: &str) -> Option<bool> {
        if self.bank.get(CR1) & MS != 0 {
            return self.edges.shown().filter(|_| signal == "MOSI");
        }
        match signal {
            "CSN" => Some(self.selects == self.is_ti()),
            "SCK" => Some(self.is_idle_high()),
            "MOSI" => Some(self.data),
            _ => None,
        }
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}
