//! SPI of the Kinetis K20, as a controller and as a target (K20P64M72SF1RM, "SPI (DSPI)").
//!
//! A controller's frame takes two events: its first edge of SCK, up to which a target has been selected and shows its first bit,
//! and its last, with which the target gets all bits. Entries of the transmit FIFO follow each other with the delays of CTAR.
//! As a target, and where others drive its lines, the block follows edges (`spi_edges`); its data go out over SOUT, which the
//! part's tables call MOSI, and come in over SIN, MISO there.
//!
//! Not modelled, and named when used: a clock that goes on between frames (CONT_SCKE). Lines have no delay, so that a later sample
//! (MTFE, SMPL_PT) takes the same bit; the strobe PCSS has no pin.

use std::collections::VecDeque;

use cyclescope_machine::{GapKind, TimingRow, Transfer};

use crate::bank::{all, some};
use crate::spi_edges::{self, Edges, Follower, mask};
use crate::wires::Wave;
use crate::{
    AlternateFunction, Bank, Block, Clocks, DmaRequest, Effect, Env, Instance, Instant, Lines, Modelled, Source, Span,
    Tree, Words, Write,
};

use super::registers::bank;

const MCR: u32 = 0x00;
const TCR: u32 = 0x08;
const CTAR0: u32 = 0x0C;
const CTAR1: u32 = 0x10;
const SR: u32 = 0x2C;
const RSER: u32 = 0x30;
const PUSHR: u32 = 0x34;
const POPR: u32 = 0x38;
const TXFR0: u32 = 0x3C;
const TXFR3: u32 = 0x48;
const RXFR0: u32 = 0x7C;
const RXFR3: u32 = 0x88;

const HALT: u32 = 1 << 0;
const CLR_RXF: u32 = 1 << 10;
const CLR_TXF: u32 = 1 << 11;
const DIS_RXF: u32 = 1 << 12;
const DIS_TXF: u32 = 1 << 13;
const MDIS: u32 = 1 << 14;
const ROOE: u32 = 1 << 24;
const DCONF: u32 = 3 << 28;
const CONT_SCKE: u32 = 1 << 30;
const MSTR: u32 = 1 << 31;

const LSBFE: u32 = 1 << 24;
const CPHA: u32 = 1 << 25;
const CPOL: u32 = 1 << 26;
const DBR: u32 = 1 << 31;

const RFDF: u32 = 1 << 17;
const RFOF: u32 = 1 << 19;
const TFFF: u32 = 1 << 25;
const TFUF: u32 = 1 << 27;
const EOQF: u32 = 1 << 28;
const TXRXS: u32 = 1 << 30;
const TCF: u32 = 1 << 31;

/// DIRS of RSER: the flag asks the DMA.
const RFDF_DIRS: u32 = 1 << 16;
const TFFF_DIRS: u32 = 1 << 24;
const FLAGS: u32 = RFDF | RFOF | TFFF | TFUF | EOQF | TCF;

const CTCNT: u32 = 1 << 26;
const EOQ: u32 = 1 << 27;
const CONT: u32 = 1 << 31;

/// Entries of a FIFO ("SPI configuration").
const DEPTH: usize = 4;

/// The lines that select targets.
const SELECTS: [&str; 6] = ["PCS0", "PCS1", "PCS2", "PCS3", "PCS4", "PCS5"];

/// The modelled registers and fields, with the values after reset ("SPI memory map").
pub const MODEL: &[Modelled] = &[
    some("MCR", 0x0000_4001, &["HALT", "CLR_RXF", "CLR_TXF", "DIS_RXF", "DIS_TXF", "MDIS", "PCSIS", "ROOE", "MSTR"])
        // No debugger halts the part, and it has no doze mode here; see the top of this file for the others. DCONF and CONT_SCKE are
        // named in words.
        .unseen(&["FRZ", "DOZE", "SMPL_PT", "MTFE", "PCSSE", "DCONF", "CONT_SCKE"]),
    all("TCR", 0),
    all("CTAR0", 0x7800_0000).and(&["CTAR1"]),
    all("SR", 0x0200_0000),
    all("RSER", 0),
    all("PUSHR", 0),
    all("POPR", 0),
    all("TXFR0", 0).and(&["TXFR1", "TXFR2", "TXFR3", "RXFR0", "RXFR1", "RXFR2", "RXFR3"]),
];

/// The timing that does not follow from CTAR.
pub const ROWS: &[TimingRow] = &[
    TimingRow::assumed(
        "dspi.start",
        "from a write to PUSHR with an idle controller to the selection of the target, in periods of the bus clock",
        0,
        "K20P64M72SF1RM gives no figure",
    ),
    TimingRow::assumed(
        "dspi.end",
        "from the last edge of SCK to TCF and RFDF, in periods of the bus clock",
        0,
        "K20P64M72SF1RM, \"Transfer complete flag\": when all bits have been shifted out",
    ),
];

/// The event of a frame's first edge, of its end, and of the end of the delay behind it.
const SHIFT: u16 = 0;
const END: u16 = 1;
const NEXT: u16 = 2;

/// The times and the form of a frame, from CTAR.
#[derive(Clone, Copy, Debug)]
struct Form {
    ctar: u32,
    bits: u8,
    half: Span,
    before: Span,
    after: Span,
    delay: Span,
}

/// A frame under way.
#[derive(Clone, Copy, Debug)]
struct Frame {
    command: u32,
    form: Form,
    /// When SHIFT comes, the first edge of SCK, and END.
    shift: Instant,
    edge: Instant,
    end: Instant,
}

/// One block.
#[derive(Clone, Debug)]
pub struct Spi {
    bank: Bank,
    lines: Lines,
    clock: Source,
    to_send: VecDeque<u32>,
    received: VecDeque<u32>,
    /// A frame behind a full receive FIFO, in the shift register.
    shifted: Option<u32>,
    pins: &'static [AlternateFunction],
    transmit: DmaRequest,
    receive: DmaRequest,
    /// The lines as they are heard.
    edges: Edges,
    frame: Option<Frame>,
    /// The first time at which a frame may begin.
    free_from: Instant,
    /// The lines that are selected, kept so by CONT.
    selected: u32,
    /// The level of the data line after the last frame.
    data: bool,
    /// The entries that have gone out and come in, for the FIFOs' pointers.
    counts: [u32; 2],
}

impl Spi {
    /// The block `instance`, clocked by its bus.
    pub fn new(instance: &Instance) -> Self {
        Self {
            bank: bank(instance.map, MODEL),
            lines: Lines::new(instance, &[("GLOBAL", u32::MAX)]),
            clock: instance.clock.source(),
            to_send: VecDeque::new(),
            received: VecDeque::new(),
            shifted: None,
            pins: instance.pins,
            transmit: DmaRequest::new(instance, "TX"),
            receive: DmaRequest::new(instance, "RX"),
            edges: Edges::default(),
            frame: None,
            free_from: Instant::default(),
            selected: 0,
            data: false,
            counts: [0; 2],
        }
    }

    fn mcr(&self) -> u32 {
        self.bank.get(MCR)
    }

    fn depth(&self, off: u32) -> usize {
        if self.mcr() & off != 0 { 1 } else { DEPTH }
    }

    /// True in the state Running ("Start and stop of SPI transfers").
    fn runs(&self) -> bool {
        self.mcr() & (HALT | MDIS) == 0 && (self.is_target() || self.bank.get(SR) & EOQF == 0)
    }

    /// A transfer begins: with a full FIFO and a full shift register its data have no place.
    fn note_overflow(&mut self) {
        if self.received.len() >= self.depth(DIS_RXF) && self.shifted.is_some() {
            self.bank.flag(SR, RFOF, true);
        }
    }

    /// A frame has come in ("Receive FIFO buffering mechanism").
    fn arrived(&mut self, data: u32) {
        if self.received.len() < self.depth(DIS_RXF) {
            self.received.push_back(data);
        } else if self.shifted.is_none() || self.mcr() & ROOE != 0 {
            self.shifted = Some(data);
        }
    }

    /// The attributes of a target's frames, in CTAR0's place.
    fn target_form(&self) -> u32 {
        self.bank.get(CTAR0)
    }

    /// The bits of a target's frame in the order of the wire, or back.
    fn in_order(&self, data: u32, bits: u8) -> u32 {
        let data = data & mask(bits);
        if self.target_form() & LSBFE != 0 { data.reverse_bits() >> (32 - u32::from(bits)) } else { data }
    }

    /// The form of a frame that uses the attributes `ctas`.
    fn form(&self, ctas: u32, env: &Env<'_, '_>) -> Form {
        let ctar = self.bank.get(CTAR0 + 4 * (ctas & 1));
        let tick = env.clocks().period_of(self.clock);
        let field = |low: u32, width: u32| u64::from(ctar >> low & ((1 << width) - 1));
        let scale = |prescaler: u32, scaler: u32| tick.times((2 * field(prescaler, 2) + 1) << (field(scaler, 4) + 1));
        let scaler = match field(0, 4) {
            rate @ 0..3 => 2 * (rate + 1),
            rate => 1 << rate,
        };
        // With DBR the clock is twice as fast; odd prescalers then make halves that are not equal, taken as equal.
        let period = [2, 3, 5, 7][field(16, 2) as usize] * scaler;
        let half = tick.times(period).half();
        let half = if ctar & DBR != 0 { half.half() } else { half };
        Form {
            ctar,
            bits: field(27, 4) as u8 + 1,
            half,
            before: scale(22, 12),
            after: scale(20, 8),
            delay: scale(18, 4),
        }
    }

    /// The bits of a frame in the order of the wire, or back.
    const fn ordered(form: &Form, data: u32) -> u32 {
        if form.ctar & LSBFE != 0 { data.reverse_bits() >> (32 - form.bits as u32) } else { data }
    }

    /// Begins the next frame, if there is one and the delay behind the last is over.
    fn begin(&mut self, env: &mut Env<'_, '_>) {
        if self.frame.is_some() || self.is_target() || !self.runs() || self.to_send.is_empty() {
            return;
        }
        let now = env.now();
        if now < self.free_from {
            return env.schedule(NEXT, self.free_from);
        }
        let Some(command) = self.to_send.pop_front() else { return };
        let form = self.form(command >> 28 & 7, env);
        if form.half == Span::ZERO {
            return env.gap(GapKind::Setting, format_args!("{}: the controller has no clock", env.name()));
        }
        env.wires.note(&ROWS[0]);
        self.note_overflow();
        self.edges.received = 0;
        self.counts[0] += 1;
        let count = if command & CTCNT != 0 { 0 } else { self.bank.get(TCR) >> 16 };
        self.bank.set(TCR, ((count + 1) & 0xFFFF) << 16);
        env.effect(Effect::Output { signal: "SCK", level: Some(form.ctar & CPOL != 0) });
        self.select(command >> 16 & 0x3F, env);
        let edge = now.after(form.before);
        // Without CPHA the first bit comes ahead of the first edge.
        let lead = if form.ctar & CPHA == 0 && form.before > form.half { form.half } else { Span::ZERO };
        let shift = now.after(form.before.minus(lead));
        let end = edge.after(form.half.times(2 * u64::from(form.bits) - 1));
        self.frame = Some(Frame { command, form, shift, edge, end });
        env.schedule(SHIFT, shift);
        env.schedule(END, end);
    }

    /// Selects the targets on `lines`, and no others.
    fn select(&mut self, lines: u32, env: &mut Env<'_, '_>) {
        self.selected = lines;
        for signal in SELECTS {
            env.effect(Effect::Output { signal, level: self.output(signal) });
        }
    }

    /// The levels of the frame from now on.
    fn shift(&mut self, frame: Frame, env: &mut Env<'_, '_>) {
        let Form { ctar, bits, half, .. } = frame.form;
        let now = env.now();
        let sent = Self::ordered(&frame.form, frame.command & 0xFFFF & ((1 << bits) - 1));
        let levels = u64::from(sent.reverse_bits() >> (32 - u32::from(bits)));
        let steps = [half.times(2); 2];
        env.wave(Wave { signal: "MOSI", start: now, steps, levels, count: bits });
        if let Some((byte, known)) = env.spi_outgoing("MISO") {
            let levels = u64::from(byte.reverse_bits());
            env.wave(Wave { signal: "MISO", start: now, steps, levels, count: known.min(bits) });
        }
        let clock = if ctar & CPOL != 0 { 0xAAAA_AAAA_AAAA_AAAA } else { 0x5555_5555_5555_5555 };
        env.wave(Wave { signal: "SCK", start: frame.edge, steps: [half; 2], levels: clock, count: 2 * bits });
        self.data = sent & 1 != 0;
    }

    /// The frame has ended.
    fn ended(&mut self, frame: Frame, env: &mut Env<'_, '_>) {
        let Frame { command, form, .. } = frame;
        env.wires.note(&ROWS[1]);
        let mask = (1u32 << form.bits) - 1;
        let sent = Self::ordered(&form, command & 0xFFFF & mask);
        let falling = (form.ctar & CPOL != 0) != (form.ctar & CPHA != 0);
        let received = if env.is_shared() {
            let received = self.edges.received & mask;
            env.transfer(Transfer::SpiFrame { sent, received, bits: form.bits });
            received
        } else {
            // A line that nobody drives has the level that its resistor gives it.
            let resting = || if env.line("MISO") == Some(true) { u32::MAX } else { 0 };
            let resting = resting();
            env.spi_frame(sent, form.bits, falling).unwrap_or(resting) & mask
        };
        self.arrived(Self::ordered(&form, received));
        self.bank.flag(SR, TCF, true);
        let now = env.now();
        if command & EOQ != 0 {
            self.bank.flag(SR, EOQF, true);
        }
        self.free_from = now.after(form.after);
        if command & CONT == 0 {
            for (index, signal) in SELECTS.into_iter().enumerate().filter(|(index, _)| self.selected & 1 << index != 0)
            {
                let idle = self.mcr() >> (16 + index) & 1;
                let start = now.after(form.after);
                env.wave(Wave { signal, start, steps: [form.half; 2], levels: idle.into(), count: 1 });
            }
            self.selected = 0;
            self.free_from = self.free_from.after(form.delay);
        }
    }

    fn configure(&mut self, write: Write, env: &mut Env<'_, '_>) {
        let (old, new) = self.bank.write(MCR, write, env);
        if new & CLR_TXF != 0 {
            self.to_send.clear();
        }
        if new & CLR_RXF != 0 {
            self.received.clear();
            self.shifted = None;
        }
        self.bank.flag(MCR, CLR_TXF | CLR_RXF, false);
        let name = env.name();
        if !old & new & CONT_SCKE != 0 {
            env.gap(
                GapKind::Setting,
                format_args!("{name}_MCR.CONT_SCKE: SCK stands between frames, where a part's goes on"),
            );
        }
        if new & DCONF != 0 && (old ^ new) & DCONF != 0 {
            env.gap(
                GapKind::Setting,
                format_args!("{name}_MCR.DCONF: only 0, SPI, is not reserved; it works as with that"),
            );
        }
        if (old ^ new) & (MSTR | MDIS) != 0 {
            self.edges.forget();
            self.look(env);
        }
        if (old ^ new) & (MSTR | MDIS | 0x3F << 16) != 0 {
            if new & MDIS != 0 {
                self.give_up(env);
            }
            for signal in SELECTS.into_iter().chain(["SCK", "MOSI"]) {
                env.effect(Effect::Output { signal, level: self.output(signal) });
            }
        }
        if old & !new & HALT != 0 && self.is_target() {
            self.look(env);
        }
    }

    fn give_up(&mut self, env: &mut Env<'_, '_>) {
        self.frame = None;
        self.selected = 0;
        [SHIFT, END, NEXT].into_iter().for_each(|kind| env.cancel(kind));
        env.end_waves();
    }
}

impl Follower for Spi {
    const SELECT: &'static str = "PCS0";
    const ANSWER: &'static str = "MOSI";

    fn edges(&mut self) -> &mut Edges {
        &mut self.edges
    }

    fn is_target(&self) -> bool {
        self.mcr() & (MDIS | MSTR) == 0
    }

    fn is_framing(&self) -> bool {
        self.frame.is_some()
    }

    fn is_idle_high(&self) -> bool {
        let form = self.frame.map_or(self.target_form(), |frame| frame.form.ctar);
        form & CPOL != 0
    }

    fn is_late(&self) -> bool {
        let form = self.frame.map_or(self.target_form(), |frame| frame.form.ctar);
        form & CPHA != 0
    }

    fn takes_mosi(&self) -> bool {
        false
    }

    fn is_selected(&self) -> bool {
        self.runs() && !self.edges.nss
    }

    /// FMSZ of CTAR_SLAVE has five bits.
    fn frame_bits(&self) -> u8 {
        (self.target_form() >> 27) as u8 + 1
    }

    fn peek(&self, bits: u8) -> Option<u32> {
        self.to_send.front().map(|data| self.in_order(*data, bits))
    }

    fn next(&mut self, bits: u8) -> Option<(u32, bool)> {
        self.note_overflow();
        let data = self.to_send.pop_front()?;
        self.counts[0] += 1;
        Some((self.in_order(data, bits), false))
    }

    fn starved(&mut self, _: &mut Env<'_, '_>) {
        self.bank.flag(SR, TFUF, true);
    }

    fn cut_off(&mut self) {
        self.edges.forget();
    }

    fn row(&self) -> &'static TimingRow {
        &ROWS[1]
    }

    fn taken(&mut self, frame: spi_edges::Frame, received: u32) {
        self.arrived(self.in_order(received, frame.bits));
        self.bank.flag(SR, TCF, true);
    }

    /// Flags that follow from the FIFOs, their own registers, the interrupt and requests.
    fn settle(&mut self, env: &mut Env<'_, '_>) {
        let (waiting, received) = (self.to_send.len(), self.received.len());
        let status = self.bank.get(SR) & (RFOF | TFUF | EOQF | TCF | TFFF | RFDF);
        let room = if waiting < self.depth(DIS_TXF) { TFFF } else { 0 };
        let there = if received > 0 { RFDF } else { 0 };
        let runs = if self.runs() { TXRXS } else { 0 };
        let [sent, taken] = self.counts.map(|count| count % DEPTH as u32);
        let counters = (waiting as u32) << 12 | sent << 8 | (received as u32) << 4 | taken;
        let status = status | room | there | runs | counters;
        self.bank.set(SR, status);
        for (index, register) in (TXFR0..=TXFR3).step_by(4).enumerate() {
            // The command is in the upper half.
            self.bank.set(register, self.to_send.get(index).copied().unwrap_or(0));
        }
        for (index, register) in (RXFR0..=RXFR3).step_by(4).enumerate() {
            self.bank.set(register, self.received.get(index).copied().unwrap_or(0));
        }
        let select = self.bank.get(RSER);
        let by_dma = |flag: u32, choice: u32| if select & choice != 0 { flag } else { 0 };
        let for_dma = by_dma(TFFF, TFFF_DIRS) | by_dma(RFDF, RFDF_DIRS);
        let asked = status & select & FLAGS;
        self.lines.drive(u32::from(asked & !for_dma != 0), env);
        // Requests are for a block that is on.
        let on = self.mcr() & MDIS == 0;
        self.transmit.drive(on && asked & for_dma & TFFF != 0, env);
        self.receive.drive(on && asked & for_dma & RFDF != 0, env);
    }
}

impl Block<Words> for Spi {
    fn read(&mut self, offset: u32, env: &mut Env<'_, '_>) -> u32 {
        if offset & !3 == POPR {
            if let Some(data) = self.received.pop_front() {
                self.counts[1] += 1;
                self.bank.set(POPR, data);
                self.received.extend(self.shifted.take());
            }
            self.bank.flag(SR, RFDF, false);
            self.settle(env);
        }
        self.bank.read(offset & !3, env)
    }

    fn hears(&self, _: usize) -> bool {
        self.is_target()
    }

    fn hears_shared(&self, _: usize) -> bool {
        true
    }

    fn input(&mut self, index: usize, high: bool, env: &mut Env<'_, '_>) {
        if let Some(wired) = self.pins.get(index) {
            self.line(wired.signal, high, env);
            self.follow(env);
        }
    }

    fn still(&self, offset: u32, _: Instant, _: &Clocks) -> Option<Instant> {
        if offset & !3 == POPR { None } else { self.bank.still(offset & !3) }
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        match offset {
            MCR => self.configure(write, env),
            SR => self.bank.flag(SR, write.ones() & FLAGS, false),
            PUSHR => {
                let whole = write.over(self.bank.get(PUSHR));
                let (_, command) = self.bank.write(PUSHR, write, env);
                // A target's data take all 32 bits (PUSHR_SLAVE).
                let command = if self.is_target() { whole } else { command };
                if self.to_send.len() < self.depth(DIS_TXF) {
                    self.to_send.push_back(command);
                } else {
                    env.gap(GapKind::Setting, format_args!("{}: PUSHR is written with a full FIFO: lost", env.name()));
                }
                self.bank.flag(SR, TFFF, false);
            }
            CTAR0 | CTAR1 => {
                if self.frame.is_some() {
                    env.gap(GapKind::Setting, format_args!("{}: CTAR is changed during a frame", env.name()));
                }
                self.bank.write(offset, write, env);
                env.effect(Effect::Output { signal: "SCK", level: self.output("SCK") });
            }
            _ => {
                self.bank.write(offset, write, env);
            }
        }
        self.begin(env);
        self.follow(env);
        self.settle(env);
    }

    fn event(&mut self, kind: u16, env: &mut Env<'_, '_>) {
        match kind {
            SHIFT => {
                if let Some(frame) = self.frame {
                    self.shift(frame, env);
                }
            }
            END => {
                if let Some(frame) = self.frame.take() {
                    self.ended(frame, env);
                }
            }
            _ => {}
        }
        self.begin(env);
        self.settle(env);
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.bank.reset();
        self.give_up(env);
        self.to_send.clear();
        self.received.clear();
        self.shifted = None;
        self.edges.forget();
        (self.free_from, self.data, self.counts) = (Instant::default(), false, [0; 2]);
        for signal in SELECTS.into_iter().chain(["SCK", "MOSI"]) {
            env.effect(Effect::Output { signal, level: None });
        }
        self.settle(env);
    }

    fn after_change(&mut self, old: Tree, env: &mut Env<'_, '_>) {
        let (before, after, now) = (old.period_of(self.clock), env.clocks().period_of(self.clock), env.now());
        if let Some(frame) = &mut self.frame {
            frame.edge = frame.edge.rescaled(now, before, after);
            for (kind, at) in [(SHIFT, &mut frame.shift), (END, &mut frame.end)] {
                if *at > now && after != Span::ZERO {
                    *at = at.rescaled(now, before, after);
                    env.schedule(kind, *at);
                }
            }
        }
    }

    fn refine(&mut self, times: u64) {
        self.free_from = self.free_from.refined(times);
        if let Some(frame) = &mut self.frame {
            (frame.shift, frame.end) = (frame.shift.refined(times), frame.end.refined(times));
            frame.edge = frame.edge.refined(times);
            let form = &mut frame.form;
            for span in [&mut form.half, &mut form.before, &mut form.after, &mut form.delay] {
                *span = span.times(times);
            }
        }
    }

    /// The levels between frames.
    fn output(&self, signal: &str) -> Option<bool> {
        if self.mcr() & (MDIS | MSTR) != MSTR {
            return self.edges.shown().filter(|_| signal == "MOSI" && self.is_target());
        }
        match signal {
            "SCK" => Some(self.bank.get(CTAR0) & CPOL != 0),
            "MOSI" => Some(self.data),
            _ => {
                let index = SELECTS.iter().position(|known| *known == signal)?;
                Some((self.mcr() >> (16 + index) & 1 != 0) != (self.selected >> index & 1 != 0))
            }
        }
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}
