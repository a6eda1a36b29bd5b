//! FD controller area network of STM32G0 and G4 (RM0444, RM0440, "FD controller area network (FDCAN)"): registers, the buffers and
//! FIFOs in its message RAM, filters and interrupts. What happens on the bus is in `can_bus`.
//!
//! Modelled are classic frames. Not modelled: frames with a flexible data rate, the timeout counter, the RAM watchdog and tests of
//! the TX pin. The message RAM is never too slow, and a debugger is never attached.

use std::collections::VecDeque;

use cyclescope_machine::{CanFrame, GapKind};

use super::can_bus::{CHANGE, Mode, OnBus, Outcome, Participant, Timing};
use super::fdcan_ram::{BUFFERS, DEPTH, ELEMENT, EVENTS, FIFOS, WORDS, filter, frame, identifier, number};
use crate::bank::{all, but, some};
use crate::{Bank, Block, Env, Instance, Instant, Lines, Modelled, Source, Span, Tree, Words, Write};

const DBTP: u32 = 0x0C;
const TEST: u32 = 0x10;
const CCCR: u32 = 0x18;
const NBTP: u32 = 0x1C;
const TSCC: u32 = 0x20;
const TSCV: u32 = 0x24;
const TOCC: u32 = 0x28;
const ECR: u32 = 0x40;
const PSR: u32 = 0x44;
const TDCR: u32 = 0x48;
const IR: u32 = 0x50;
const IE: u32 = 0x54;
const ILS: u32 = 0x58;
const ILE: u32 = 0x5C;
const RXGFC: u32 = 0x80;
const XIDAM: u32 = 0x84;
const HPMS: u32 = 0x88;
const RXFS0: u32 = 0x90;
const RXFA0: u32 = 0x94;
const RXFA1: u32 = 0x9C;
const TXBC: u32 = 0xC0;
const TXFQS: u32 = 0xC4;
const TXBRP: u32 = 0xC8;
const TXBAR: u32 = 0xCC;
const TXBCR: u32 = 0xD0;
const TXBTO: u32 = 0xD4;
const TXBCF: u32 = 0xD8;
const TXBTIE: u32 = 0xDC;
const TXBCIE: u32 = 0xE0;
const TXEFS: u32 = 0xE4;
const TXEFA: u32 = 0xE8;
const CKDIV: u32 = 0x100;

/// Bits of CCCR.
const INIT: u32 = 1 << 0;
const CCE: u32 = 1 << 1;
const ASM: u32 = 1 << 2;
const CSA: u32 = 1 << 3;
const CSR: u32 = 1 << 4;
const MON: u32 = 1 << 5;
const DAR: u32 = 1 << 6;
const TESTS: u32 = 1 << 7;

/// TEST: the part hears itself.
const LBCK: u32 = 1 << 4;
const RX: u32 = 1 << 7;

/// Flags of IR. Those of the second FIFO follow three bits behind the first's.
const RF0N: u32 = 1 << 0;
const RF0F: u32 = 1 << 1;
const RF0L: u32 = 1 << 2;
const HPM: u32 = 1 << 6;
const TC: u32 = 1 << 7;
const TCF: u32 = 1 << 8;
const TFE: u32 = 1 << 9;
const TEFN: u32 = 1 << 10;
const TEFF: u32 = 1 << 11;
const TEFL: u32 = 1 << 12;
const TSW: u32 = 1 << 13;
const ELO: u32 = 1 << 16;
const EP: u32 = 1 << 17;
const EW: u32 = 1 << 18;
const BO: u32 = 1 << 19;
const PEA: u32 = 1 << 21;

/// The flags of each group of ILS (RM0440, FDCAN_ILS).
const GROUPS: [u32; 7] = [
    RF0N | RF0F | RF0L,
    (RF0N | RF0F | RF0L) << 3,
    HPM | TC | TCF,
    TFE | TEFN | TEFF | TEFL,
    7 << 13,
    ELO | EP,
    63 << 18,
];

/// The event at which the time stamp begins anew.
const WRAPPED: u16 = 8;

/// The modelled registers and fields, with the values after reset (RM0440, "FDCAN register map").
pub const MODEL: &[Modelled] = &[
    all("CREL", 0x3214_1218),
    all("ENDN", 0x8765_4321),
    // Only frames with a flexible data rate have a second bit time: FDOE is what names them.
    some("DBTP", 0xA33, &[]).unseen(&["DSJW", "DTSEG2", "DTSEG1", "DBRP", "TDC"]),
    some("TDCR", 0, &[]).unseen(&["TDCF", "TDCO"]),
    but("TEST", 0, &["TX"]),
    but("CCCR", INIT, &["FDOE", "BRSE", "PXHD", "EFBI", "TXP", "NISO"]),
    all("NBTP", 0x0600_0A03),
    all("TSCC", 0).and(&["TSCV"]),
    some("TOCC", 0xFFFF_0000, &[]),
    some("TOCV", 0xFFFF, &[]),
    all("ECR", 0),
    all("PSR", 0x707),
    all("IR", 0).and(&["IE", "ILS", "ILE", "RXGFC", "HPMS", "RXFS0", "RXFA0", "RXFS1", "RXFA1", "TXBC"]),
    all("XIDAM", 0x1FFF_FFFF),
    all("TXFQS", 3),
    all("TXBRP", 0).and(&["TXBAR", "TXBCR", "TXBTO", "TXBCF", "TXBTIE", "TXBCIE", "TXEFS", "TXEFA", "CKDIV"]),
];

/// A buffer that waits to be sent.
#[derive(Clone, Copy, Debug)]
struct Buffer {
    frame: CanFrame,
    /// The number of the request.
    asked: u32,
    /// Its second word: marker, event, length.
    control: u32,
    /// It is to be given up when its frame fails.
    abort: bool,
}

/// A FIFO in the message RAM.
#[derive(Clone, Copy, Debug, Default)]
struct Fifo {
    get: u32,
    fill: u32,
}

impl Fifo {
    const fn put(&self) -> u32 {
        (self.get + self.fill) % DEPTH
    }

    /// RXFS or TXEFS; `lost` is the flag of an element that found no room.
    const fn status(&self, lost: bool) -> u32 {
        let full = if self.fill == DEPTH { 1 << 24 } else { 0 };
        let lost = if lost { 1 << 25 } else { 0 };
        self.fill | self.get << 8 | self.put() << 16 | full | lost
    }

    /// The element `index` and those before it have been read.
    const fn acknowledge(&mut self, index: u32) {
        let count = (index % DEPTH + DEPTH - self.get) % DEPTH + 1;
        let count = if count > self.fill { self.fill } else { count };
        self.get = (self.get + count) % DEPTH;
        self.fill -= count;
    }

    /// Makes room for one more, over the oldest if `overwrites`; returns its place.
    const fn take(&mut self, overwrites: bool) -> Option<u32> {
        if self.fill == DEPTH {
            if !overwrites {
                return None;
            }
            self.get = (self.get + 1) % DEPTH;
            self.fill -= 1;
        }
        let place = self.put();
        self.fill += 1;
        Some(place)
    }
}

/// One node.
#[derive(Clone, Debug)]
pub struct Fdcan {
    bank: Bank,
    bus: OnBus,
    lines: Lines,
    number: usize,
    /// The message RAM as it was when the bus last had something for the node, and words that go there.
    ram: Vec<u32>,
    writes: VecDeque<(usize, u32)>,
    buffers: [Option<Buffer>; 3],
    /// The buffer that a FIFO's next request is for.
    put: u32,
    requests: u32,
    fifos: [Fifo; 2],
    events: Fifo,
}

impl Fdcan {
    /// The node `instance` after power-on.
    pub fn new(instance: &Instance) -> Self {
        Self {
            bank: Bank::new(instance.map, MODEL),
            bus: OnBus::new(instance.clock.source(), Mode::Initialisation),
            lines: Lines::new(instance, &[("IT0", 1), ("IT1", 2)]),
            number: number(instance),
            ram: Vec::new(),
            writes: VecDeque::new(),
            buffers: [None; 3],
            put: 0,
            requests: 0,
            fifos: [Fifo::default(); 2],
            events: Fifo::default(),
        }
    }

    /// Selects the kernel clock; whether it was another.
    pub fn set_clock(&mut self, clock: Source) -> bool {
        std::mem::replace(&mut self.bus.clock, clock) != clock
    }

    fn is_set(&self, bits: u32) -> bool {
        self.bank.get(CCCR) & bits == bits
    }

    fn raise(&mut self, flags: u32) {
        self.bank.flag(IR, flags, true);
    }

    fn is_queue(&self) -> bool {
        self.bank.get(TXBC) & 1 << 24 != 0
    }

    /// Takes the message RAM for what the bus brings now.
    fn look(&mut self, env: &Env<'_, '_>) {
        let base = self.number * WORDS;
        self.ram.clear();
        self.ram.extend(env.wires.messages.iter().skip(base).take(WORDS));
    }

    /// Plans what comes next on the bus, and shows what follows.
    fn settle(&mut self, env: &mut Env<'_, '_>) {
        self.plan(env);
        let base = self.number * WORDS;
        for (place, word) in self.writes.drain(..) {
            let messages = &mut env.wires.messages;
            if messages.len() < base + WORDS {
                messages.resize(base + WORDS, 0);
            }
            messages[base + place.min(WORDS - 1)] = word;
        }
        let flags = self.bank.get(IR);
        for ((fifo, place), lost) in self.fifos.iter().zip([0, 8]).zip([RF0L, RF0L << 3]) {
            self.bank.set(RXFS0 + place, fifo.status(flags & lost != 0));
        }
        self.bank.set(TXEFS, self.events.status(flags & TEFL != 0));
        let waiting = self.buffers.iter().flatten().count() as u32;
        let pending =
            (0..3).filter(|number| self.buffers[*number].is_some()).fold(0, |bits, number| bits | 1 << number);
        self.bank.set(TXBRP, pending);
        let free = (0..3).find(|number| pending >> number & 1 == 0).unwrap_or(0);
        let oldest = self.oldest().map_or(self.put, |number| number as u32);
        let full = if waiting == 3 { 1 << 21 } else { 0 };
        let status = if self.is_queue() { free << 16 } else { (3 - waiting) | oldest << 8 | self.put << 16 };
        self.bank.set(TXFQS, status | full);
        let active = self.bank.get(IR) & self.bank.get(IE);
        let ils = self.bank.get(ILS);
        let second =
            GROUPS.iter().zip(0..).filter(|(_, group)| ils >> group & 1 != 0).fold(0, |all, (flags, _)| all | flags);
        let lines = u32::from(active & !second != 0) | u32::from(active & second != 0) << 1;
        self.lines.drive(lines & self.bank.get(ILE), env);
    }

    fn oldest(&self) -> Option<usize> {
        let asked = |number: &usize| self.buffers[*number].map(|buffer| buffer.asked);
        (0..3).filter(|number| asked(number).is_some()).min_by_key(asked)
    }

    fn write_control(&mut self, write: Write, env: &mut Env<'_, '_>) {
        let old = self.bank.get(CCCR);
        let (_, mut new) = self.bank.write(CCCR, write, env);
        // RM0440, FDCAN_CCCR: settings are taken with CCE and INIT; these may be cleared at any time.
        let clearable = MON | TESTS | ASM;
        if old & (INIT | CCE) != INIT | CCE {
            let kept = !(INIT | CCE | CSA | CSR);
            new = new & !kept | old & kept & (new | !clearable);
        }
        // A clock stop waits for the bus and sets INIT.
        new = if new & CSR != 0 { new | INIT } else { new & !CSA };
        if new & INIT == 0 {
            new &= !CCE;
        }
        if old & INIT == 0 {
            new &= !CCE;
        }
        self.bank.set(CCCR, new & !CSA);
        if new & CCE != 0 && old & CCE == 0 {
            self.buffers = [None; 3];
            (self.put, self.fifos, self.events) = (0, [Fifo::default(); 2], Fifo::default());
            [TXBTO, TXBCF, HPMS].into_iter().for_each(|offset| self.bank.set(offset, 0));
        }
        if new & TESTS == 0 {
            self.bank.flag(TEST, LBCK, false);
        }
        self.change_mode(env);
        self.note_clock_stop();
        if (old ^ new) & INIT != 0 && self.bank.get(TSCC) & 3 == 2 {
            let name = env.name();
            env.gap(GapKind::Setting, format_args!("{name}_TSCC.TSS=2: frames are not stamped by a timer"));
        }
    }

    /// CSA: the node is off the bus, as was asked.
    fn note_clock_stop(&mut self) {
        let stops = self.is_set(CSR) && self.bus.mode == Mode::Initialisation;
        self.bank.flag(CCCR, CSA, stops);
    }

    fn request(&mut self, requested: u32, env: &Env<'_, '_>) {
        self.look(env);
        for number in (0..3).filter(|number| requested >> number & 1 != 0) {
            if self.is_set(INIT) || self.buffers[number].is_some() {
                continue;
            }
            let words = self.ram.get(BUFFERS + ELEMENT * number..).unwrap_or(&[]);
            let control = words.get(1).copied().unwrap_or(0);
            self.buffers[number] = Some(Buffer { frame: frame(words), asked: self.requests, control, abort: false });
            self.requests = self.requests.wrapping_add(1);
            self.put = (number as u32 + 1) % 3;
            self.bank.flag(TXBTO, 1 << number, false);
            self.bank.flag(TXBCF, 1 << number, false);
        }
    }

    fn cancel(&mut self, cancelled: u32) {
        for number in (0..3).filter(|number| cancelled >> number & 1 != 0) {
            let sends = self.bus.traffic.sends(number);
            let Some(buffer) = &mut self.buffers[number] else { continue };
            if sends {
                buffer.abort = true;
            } else {
                self.give_up(number);
            }
        }
    }

    /// The request of the buffer `number` ends without its frame.
    fn give_up(&mut self, number: usize) {
        self.buffers[number] = None;
        self.finished(number, TXBCF, (TXBCIE, TCF));
    }

    /// The request of the buffer `number` is done: the register of its bit, and the flag that another enables.
    fn finished(&mut self, number: usize, register: u32, (enable, flag): (u32, u32)) {
        self.bank.flag(register, 1 << number, true);
        if self.bank.get(enable) >> number & 1 != 0 {
            self.raise(flag);
        }
        if !self.is_queue() && self.buffers.iter().all(Option::is_none) {
            self.raise(TFE);
        }
    }

    /// Puts an event of the buffer into its FIFO.
    fn note_event(&mut self, buffer: &Buffer, time: u16) {
        match self.events.take(false) {
            Some(place) => {
                let at = EVENTS + 2 * place as usize;
                let kind = if buffer.abort { 2 } else { 1 };
                let second = buffer.control & 0xFF0F_0000 | kind << 22 | u32::from(time);
                self.writes.extend([(at, identifier(&buffer.frame)), (at + 1, second)]);
                self.raise(TEFN | if self.events.fill == DEPTH { TEFF } else { 0 });
            }
            None => self.raise(TEFL),
        }
    }

    /// Puts a frame into the FIFO `number`; its place there.
    fn store(&mut self, number: usize, frame: &CanFrame, filter: Option<u32>, time: u16) -> Option<u32> {
        let overwrites = self.bank.get(RXGFC) >> (9 - number) & 1 != 0;
        let shift = 3 * number;
        let Some(place) = self.fifos[number].take(overwrites) else {
            self.raise(RF0L << shift);
            return None;
        };
        let at = FIFOS[number] + ELEMENT * place as usize;
        let accepted = filter.map_or(1 << 31, |index| index << 24);
        let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte));
        let second = accepted | u32::from(frame.code) << 16 | u32::from(time);
        let words = [identifier(frame), second, word(&frame.data[..4]), word(&frame.data[4..])];
        self.writes.extend((at..).zip(words));
        let full = if self.fifos[number].fill == DEPTH { RF0F } else { 0 };
        self.raise((RF0N | full) << shift);
        Some(place)
    }

    /// The bits since the counter of time stamps was 0, divided as TSCC says.
    fn time(&self, env: &Env<'_, '_>) -> u16 {
        let Some(divider) = self.stamps() else { return 0 };
        let (bits, _) = env.now().since(self.bus.traffic.counted_from).divide(self.bit(env));
        (bits / divider) as u16
    }

    /// Has the next wrap of the time stamp come.
    fn schedule_wrap(&self, env: &mut Env<'_, '_>) {
        let runs = self.stamps().filter(|_| self.bit(env) != Span::ZERO);
        let at = runs.map_or(Instant::NEVER, |divider| {
            let period = self.bit(env).times(divider << 16);
            let (whole, _) = env.now().since(self.bus.traffic.counted_from).divide(period);
            self.bus.traffic.counted_from.after(period.times(whole + 1))
        });
        env.schedule(WRAPPED, at);
    }

    /// The activity on the bus for PSR.ACT.
    fn activity(&self, env: &Env<'_, '_>) -> u32 {
        match (self.bus.mode, self.bus.traffic.role(env)) {
            (Mode::Normal, (true, _)) => 3,
            (Mode::Normal, (_, true)) => 2,
            (Mode::Normal, _) => 1,
            _ => 0,
        }
    }
}

impl Participant for Fdcan {
    fn bus(&self) -> &OnBus {
        &self.bus
    }

    fn bus_mut(&mut self) -> &mut OnBus {
        &mut self.bus
    }

    fn timing(&self) -> Timing {
        let nbtp = u64::from(self.bank.get(NBTP));
        // RM0440, FDCAN_CKDIV: 1, 2, 4, 6 and so on.
        let divider = (2 * u64::from(self.bank.get(CKDIV) & 15)).max(1);
        Timing {
            quantum: ((nbtp >> 16 & 0x1FF) + 1) * divider,
            first: (nbtp >> 8 & 0xFF) + 1,
            second: (nbtp & 0x7F) + 1,
            jump: (nbtp >> 25) + 1,
        }
    }

    fn loops(&self) -> bool {
        self.is_set(TESTS) && self.bank.get(TEST) & LBCK != 0
    }

    fn is_silent(&self) -> bool {
        self.is_set(MON)
    }

    fn is_restricted(&self) -> bool {
        self.is_set(ASM)
    }

    fn asked(&self) -> Mode {
        if self.is_set(INIT) { Mode::Initialisation } else { Mode::Normal }
    }

    fn enter(&mut self, mode: Mode) {
        self.bus.mode = mode;
        self.note_clock_stop();
    }

    /// It never sleeps on its bus.
    fn wake(&mut self, _: &mut Env<'_, '_>) {}

    fn stamps(&self) -> Option<u64> {
        let tscc = self.bank.get(TSCC);
        (tscc & 3 == 1).then_some(u64::from(tscc >> 16 & 15) + 1)
    }

    fn recovers(&self) -> bool {
        false
    }

    /// RM0440, FDCAN_PSR.BO: 129 occurrences of an idle bus.
    fn recovery(&self) -> u64 {
        129
    }

    fn chosen(&self) -> Option<usize> {
        if !self.is_queue() {
            return self.oldest();
        }
        let rank = |number: &usize| {
            self.buffers[*number].map(|Buffer { frame, .. }| {
                let bits = crate::wires::can::bits(&CanFrame { data: [0; 8], code: 0, ..frame });
                bits.levels[..bits.arbitration].to_vec()
            })
        };
        (0..3).filter(|number| self.buffers[*number].is_some()).min_by_key(rank)
    }

    fn frame_in(&self, number: usize, _: u16) -> CanFrame {
        self.buffers[number % 3].map_or(CanFrame::new(0, &[]), |buffer| buffer.frame)
    }

    fn tried(&mut self, number: usize, outcome: Outcome, time: u16) {
        let Some(buffer) = self.buffers[number % 3] else { return };
        if outcome == Outcome::Sent {
            self.buffers[number] = None;
            if buffer.control & 1 << 23 != 0 {
                self.note_event(&buffer, time);
            }
            if buffer.abort {
                self.bank.flag(TXBCF, 1 << number, true);
            }
            self.finished(number, TXBTO, (TXBTIE, TC));
        } else if buffer.abort || self.is_set(DAR) {
            self.give_up(number);
        }
    }

    fn receive(&mut self, frame: CanFrame, time: u16) {
        let rxgfc = self.bank.get(RXGFC);
        let (shift, rejects) = if frame.extended { (2, 1) } else { (4, 2) };
        if frame.remote && rxgfc & rejects != 0 {
            return;
        }
        let counts = [rxgfc >> 16 & 31, rxgfc >> 24 & 15];
        let Some(passed) = filter(&self.ram, &frame, counts, self.bank.get(XIDAM)) else {
            let number = (rxgfc >> shift & 3) as usize;
            if number < 2 {
                self.store(number, &frame, None, time);
            }
            return;
        };
        let target = match passed.action {
            1 | 5 => Some(0),
            2 | 6 => Some(1),
            _ => None,
        };
        let place = target.and_then(|number| self.store(number, &frame, Some(passed.index), time));
        if passed.action >= 4 {
            let stored = match (target, place) {
                (None, _) => 0,
                (_, None) => 1 << 6,
                (Some(number), Some(place)) => (2 + number as u32) << 6 | place,
            };
            self.bank.set(HPMS, stored | passed.index << 8 | u32::from(frame.extended) << 15);
            self.raise(HPM);
        }
    }

    fn note_error(&mut self, code: Option<u32>) {
        self.bank.set(PSR, self.bank.get(PSR) & !7 | code.unwrap_or(0));
        if code.is_some() {
            let ecr = self.bank.get(ECR);
            let logged = (ecr >> 16 & 0xFF) + 1;
            self.raise(if logged > 0xFF { PEA | ELO } else { PEA });
            self.bank.set(ECR, ecr & 0xFFFF | logged.min(0xFF) << 16);
        }
        self.show_counters();
    }

    fn show_counters(&mut self) {
        let counters = self.bus.counters;
        let (transmit, receive) = (u32::from(counters.transmit), u32::from(counters.receive));
        let passive = receive > 127;
        let shown = transmit.min(255) | receive.min(127) << 8 | u32::from(passive) << 15;
        self.bank.set(ECR, self.bank.get(ECR) & 0xFF_0000 | shown);
        let before = self.bank.get(PSR);
        let warning = transmit >= 96 || receive >= 96;
        self.bank.flags(PSR, &[(1 << 5, counters.is_passive()), (1 << 6, warning), (1 << 7, counters.is_off())]);
        let changed = before ^ self.bank.get(PSR);
        self.raise(
            [(1 << 5, EP), (1 << 6, EW), (1 << 7, BO)]
                .iter()
                .fold(0, |flags, (bit, flag)| if changed & bit != 0 { flags | flag } else { flags }),
        );
        // RM0440, "Bus off": the node stops until software clears INIT.
        if counters.is_off() && changed & 1 << 7 != 0 {
            self.bank.flag(CCCR, INIT, true);
        }
    }
}

impl Block<Words> for Fdcan {
    fn read(&mut self, offset: u32, env: &mut Env<'_, '_>) -> u32 {
        match offset {
            TSCV => return self.time(env).into(),
            TEST => {
                let (level, _) = self.level(env);
                return self.bank.read(TEST, env) & !RX | if level { RX } else { 0 };
            }
            _ => {}
        }
        let value = self.bank.read(offset, env);
        match offset {
            PSR => {
                // RM0440, FDCAN_PSR: a read gives the error codes up.
                self.bank.set(PSR, value & !(3 << 3) | 0x707);
                value & !(3 << 3) | self.activity(env) << 3
            }
            ECR => {
                self.bank.set(ECR, value & 0xFFFF);
                value
            }
            _ => value,
        }
    }

    fn still(&self, offset: u32, _: Instant, _: &crate::Clocks) -> Option<Instant> {
        if matches!(offset, TSCV | TEST | PSR | ECR) { None } else { self.bank.still(offset) }
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        let open = self.is_set(INIT | CCE);
        match offset {
            CCCR => self.write_control(write, env),
            NBTP | DBTP | TSCC | TOCC | TDCR | RXGFC | XIDAM | TXBC | CKDIV if !open => {}
            TEST if !self.is_set(TESTS) => {}
            TSCC => {
                self.bank.write(TSCC, write, env);
                self.bus.traffic.counted_from = env.now();
                self.schedule_wrap(env);
            }
            // Any write begins the counting anew.
            TSCV => {
                self.bus.traffic.counted_from = env.now();
                self.schedule_wrap(env);
            }
            CKDIV => {
                // RM0440, FDCAN_CKDIV: the first node's divides the clock of all.
                let (_, new) = self.bank.write(CKDIV, write, env);
                if new != 0 {
                    let name = env.name();
                    env.gap(GapKind::Setting, format_args!("{name}_CKDIV divides the clock of this node alone"));
                }
            }
            IR => self.bank.flag(IR, write.ones(), false),
            RXFA0 => self.fifos[0].acknowledge(write.ones() & 7),
            RXFA1 => self.fifos[1].acknowledge(write.ones() & 7),
            TXEFA => self.events.acknowledge(write.ones() & 3),
            TXBAR => self.request(write.ones() & 7, env),
            TXBCR => self.cancel(write.ones() & 7),
            ECR | PSR | HPMS | RXFS0 | 0x98 | TXFQS | TXBRP | TXBTO | TXBCF | TXEFS | 0x00 | 0x04 => {}
            _ => {
                self.bank.write(offset, write, env);
            }
        }
        self.settle(env);
    }

    fn event(&mut self, kind: u16, env: &mut Env<'_, '_>) {
        match kind {
            CHANGE => {
                self.mode_changes(env);
                self.schedule_wrap(env);
            }
            WRAPPED => {
                self.raise(TSW);
                self.schedule_wrap(env);
            }
            _ => {
                self.look(env);
                self.bus_event(kind, env);
                if self.bus.counters.is_off() && self.bus.mode == Mode::Normal && self.is_set(INIT) {
                    self.change_mode(env);
                }
            }
        }
        self.settle(env);
    }

    /// A device wants to send.
    fn called(&mut self, env: &mut Env<'_, '_>) {
        self.settle(env);
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.bank.reset();
        self.leave_bus(env);
        env.cancel(WRAPPED);
        self.bus = OnBus::new(self.bus.clock, Mode::Initialisation);
        self.buffers = [None; 3];
        (self.put, self.requests, self.fifos, self.events) = (0, 0, [Fifo::default(); 2], Fifo::default());
        self.writes.clear();
        self.settle(env);
    }

    fn after_change(&mut self, old: Tree, env: &mut Env<'_, '_>) {
        self.clock_changed(old.period_of(self.bus.clock), env);
        self.schedule_wrap(env);
    }

    fn refine(&mut self, times: u64) {
        self.bus.traffic.refine(times);
    }

    /// The level between frames.
    fn output(&self, signal: &str) -> Option<bool> {
        (signal == "TX").then_some(true)
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}
