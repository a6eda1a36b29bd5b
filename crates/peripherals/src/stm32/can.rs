//! Controller area network of STM32F1 and F4, bxCAN (RM0008, RM0390, "Controller area network (bxCAN)"): registers, modes,
//! mailboxes, FIFOs and interrupts. What happens on the bus is in `can_bus`.
//!
//! Of two nodes the second has no filters of its own: the first's banks from CAN2SB on are its. A debugger is never
//! attached, so that DBF does nothing. Overload frames are not sent, and nobody here sends one.

use std::collections::VecDeque;

use cyclescope_machine::{CanFrame, TimingRow};

use super::can_bus::{CHANGE, Mode, OnBus, Outcome, Participant, Timing, Traffic};
use super::can_filters::{BANKS, FA1R, FFA1R, FINIT, FM1R, FMR, FS1R, Filters, frame_of, identifier};
use crate::bank::all;
use crate::wires::can::{Counters, bits};
use crate::{Bank, Block, Effect, Env, Instance, Instant, Lines, Modelled, Tree, Words, Write};

const MCR: u32 = 0x00;
const MSR: u32 = 0x04;
const TSR: u32 = 0x08;
const RFR: u32 = 0x0C;
const IER: u32 = 0x14;
const ESR: u32 = 0x18;
const BTR: u32 = 0x1C;
/// The first mailbox's registers: TIR, TDTR, TDLR, TDHR; 16 bytes each. The FIFOs' follow.
const MAILBOXES: u32 = 0x180;
const FIFOS: u32 = 0x1B0;

/// Bits of MCR.
const INRQ: u32 = 1 << 0;
const SLEEP: u32 = 1 << 1;
const TXFP: u32 = 1 << 2;
const RFLM: u32 = 1 << 3;
const NART: u32 = 1 << 4;
const AWUM: u32 = 1 << 5;
const ABOM: u32 = 1 << 6;
const TTCM: u32 = 1 << 7;
const RESET: u32 = 1 << 15;
const MCR_RESET: u32 = 0x0001_0002;

/// Bits of MSR.
const INAK: u32 = 1 << 0;
const SLAK: u32 = 1 << 1;
const ERRI: u32 = 1 << 2;
const WKUI: u32 = 1 << 3;
const SLAKI: u32 = 1 << 4;
const TXM: u32 = 1 << 8;
const RXM: u32 = 1 << 9;
const SAMP: u32 = 1 << 10;
const RX: u32 = 1 << 11;

/// Bits of TSR of the first mailbox.
const RQCP: u32 = 1 << 0;
const TXOK: u32 = 1 << 1;
const ALST: u32 = 1 << 2;
const TERR: u32 = 1 << 3;
const ABRQ: u32 = 1 << 7;
const TXRQ: u32 = 1 << 0;
const TGT: u32 = 1 << 8;

/// Bits of RFR.
const FULL: u32 = 1 << 3;
const FOVR: u32 = 1 << 4;
const RFOM: u32 = 1 << 5;

/// Bits of IER.
const TMEIE: u32 = 1 << 0;
const ERRIE: u32 = 1 << 15;
const WKUIE: u32 = 1 << 16;
const SLKIE: u32 = 1 << 17;

/// Flags of ESR, at the same places as three bits of IER from EWGIE on.
const EWGF: u32 = 1 << 0;
const EPVF: u32 = 1 << 1;
const BOFF: u32 = 1 << 2;
const LEC: u32 = 7 << 4;
const LECIE: u32 = 1 << 11;

/// Bits of BTR.
const LBKM: u32 = 1 << 30;
const SILM: u32 = 1 << 31;
/// Bits of BTR that are fields: the second time segment has three bits.
const BTR_FIELDS: u32 = 0xC37F_03FF;

/// The most frames of a FIFO.
const DEPTH: usize = 3;

/// The modelled registers and fields, with the values after reset (RM0008, "bxCAN register map").
pub const MODEL: &[Modelled] = &[
    // DBF freezes the block while a debugger halts the core (RM0008, CAN_MCR); here time stands still as well then.
    all("MCR", MCR_RESET),
    all("MSR", 0x0000_0C02),
    all("TSR", 0x1C00_0000),
    all("RFR0", 0).and(&["RFR1", "IER", "ESR"]),
    all("BTR", 0x0123_0000),
    all("TIR0", 0).and(&[
        "TDTR0", "TDLR0", "TDHR0", "TIR1", "TDTR1", "TDLR1", "TDHR1", "TIR2", "TDTR2", "TDLR2", "TDHR2", "RIR0",
        "RDTR0", "RDLR0", "RDHR0", "RIR1", "RDTR1", "RDLR1", "RDHR1",
    ]),
    all("FMR", 0x2A1C_0E01),
    all("FM1R", 0).and(&["FS1R", "FFA1R", "FA1R"]),
    all("FR10", 0).and(&[
        "FR20", "FR11", "FR21", "FR12", "FR22", "FR13", "FR23", "FR14", "FR24", "FR15", "FR25", "FR16", "FR26", "FR17",
        "FR27", "FR18", "FR28", "FR19", "FR29", "FR110", "FR210", "FR111", "FR211", "FR112", "FR212", "FR113", "FR213",
        "FR114", "FR214", "FR115", "FR215", "FR116", "FR216", "FR117", "FR217", "FR118", "FR218", "FR119", "FR219",
        "FR120", "FR220", "FR121", "FR221", "FR122", "FR222", "FR123", "FR223", "FR124", "FR224", "FR125", "FR225",
        "FR126", "FR226", "FR127", "FR227",
    ]),
];

/// The timing that does not follow from the bits on the bus.
pub const ROWS: &[TimingRow] = &[
    TimingRow::assumed(
        "can.mode",
        "from the end of activity on the bus to INAK or SLAK, in bits",
        0,
        "RM0008 and RM0390, \"bxCAN operating modes\", give no figure for the acknowledgement of a mode",
    ),
    TimingRow::assumed(
        "can.flag",
        "from the sample point that decides about a frame to its flags, in bits",
        0,
        "RM0008 and RM0390 say that a frame is valid at the last bits of its end, not when flags follow",
    ),
];

/// A mailbox.
#[derive(Clone, Copy, Debug, Default)]
struct Mailbox {
    /// The number of the request that waits in it.
    asked: Option<u32>,
    /// The request is to be given up when its frame fails.
    abort: bool,
}

/// A frame in a FIFO.
#[derive(Clone, Copy, Debug)]
struct Received {
    frame: CanFrame,
    /// The number of the filter that let it in.
    filter: u8,
    time: u16,
}

/// One node.
#[derive(Clone, Debug)]
pub struct Can {
    bank: Bank,
    bus: OnBus,
    lines: Lines,
    /// The banks that it uses are its own.
    has_filters: bool,
    /// The number of banks of the part, and if two nodes share them.
    banks: usize,
    shared: bool,
    filters: Filters,
    mailboxes: [Mailbox; 3],
    requests: u32,
    fifos: [VecDeque<Received>; 2],
}

impl Can {
    /// The node `instance`: alone as `CAN`, with 14 banks, or one of two, with 28.
    pub fn new(instance: &Instance) -> Self {
        let bank = Bank::new(instance.map, MODEL);
        let shared = instance.name != "CAN";
        Self {
            filters: Filters::of(&bank),
            bank,
            bus: OnBus::new(instance.clock.source(), Mode::Sleep),
            lines: Lines::new(instance, &[("TX", 1), ("RX0", 2), ("RX1", 4), ("SCE", 8)]),
            has_filters: instance.name != "CAN2",
            banks: if shared { 28 } else { 14 },
            shared,
            mailboxes: <[Mailbox; 3]>::default(),
            requests: 0,
            fifos: <[VecDeque<Received>; 2]>::default(),
        }
    }

    /// The filters, if the node has some.
    pub fn own_filters(&self) -> Option<&Filters> {
        self.has_filters.then_some(&self.filters)
    }

    /// Takes the filters of the node that has them.
    pub fn take_filters(&mut self, filters: &Filters) {
        if !self.has_filters {
            self.filters.clone_from(filters);
        }
    }

    fn is_set(&self, bit: u32) -> bool {
        self.bank.get(MCR) & bit != 0
    }

    fn waiting(&self) -> impl DoubleEndedIterator<Item = usize> {
        (0..3).filter(|number| self.mailboxes[*number].asked.is_some())
    }

    fn rank(&self, number: usize) -> (Vec<bool>, u32, usize) {
        if self.is_set(TXFP) {
            let asked = self.mailboxes[number].asked.unwrap_or(u32::MAX);
            return (Vec::new(), asked, number);
        }
        let bits = bits(&CanFrame { data: [0; 8], code: 0, ..self.frame_in(number, 0) });
        (bits.levels[..bits.arbitration].to_vec(), 0, number)
    }

    /// The request in mailbox `number` is done.
    fn empty(&mut self, number: usize) {
        self.mailboxes[number] = Mailbox::default();
        self.bank.flag(TSR, RQCP << (8 * number), true);
        self.bank.flag(MAILBOXES + 16 * number as u32, TXRQ, false);
    }

    /// RM0008, MSR.ERRI: an error was found, and one of the flags of ESR that is enabled is set.
    fn note_status(&mut self, code: bool) {
        let (esr, ier) = (self.bank.get(ESR), self.bank.get(IER));
        let enabled = esr & ier >> 8 & (EWGF | EPVF | BOFF) != 0 || code && esr & LEC != 0 && ier & LECIE != 0;
        if enabled {
            self.bank.flag(MSR, ERRI, true);
        }
    }

    /// Puts the flags that follow into TSR, RFR and the FIFOs' registers, then drives the interrupts.
    fn settle(&mut self, env: &mut Env<'_, '_>) {
        let waiting: Vec<usize> = self.waiting().collect();
        let lowest = waiting.iter().copied().max_by_key(|number| self.rank(*number));
        let free = (0..3).find(|number| !waiting.contains(number));
        let code = free.or(lowest).unwrap_or(0) as u32;
        let mut tsr = self.bank.get(TSR) & 0x008F_8F8F | code << 24;
        for number in 0..3 {
            if !waiting.contains(&number) {
                tsr = tsr & !(ABRQ << (8 * number)) | 1 << (26 + number);
            }
        }
        if let Some(lowest) = lowest.filter(|_| waiting.len() > 1) {
            tsr |= 1 << (29 + lowest);
        }
        self.bank.set(TSR, tsr);
        for (number, fifo) in (0..).zip(&self.fifos) {
            let rfr = RFR + 4 * number;
            self.bank.set(rfr, self.bank.get(rfr) & (FULL | FOVR) | fifo.len() as u32);
            if let Some(Received { frame, filter, time }) = fifo.front() {
                let at = FIFOS + 16 * number;
                let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte));
                let length = u32::from(frame.code) | u32::from(*filter) << 8 | u32::from(*time) << 16;
                let words = [identifier(frame), length, word(&frame.data[..4]), word(&frame.data[4..])];
                for (offset, word) in (0..).step_by(4).zip(words) {
                    self.bank.set(at + offset, word);
                }
            }
        }
        let (ier, msr) = (self.bank.get(IER), self.bank.get(MSR));
        let done = tsr & (RQCP | RQCP << 8 | RQCP << 16) != 0 && ier & TMEIE != 0;
        let fifo = |number: u32| {
            let rfr = self.bank.get(RFR + 4 * number);
            let flags = u32::from(rfr & 3 != 0) | (rfr & (FULL | FOVR)) >> 2;
            flags & ier >> (1 + 3 * number) & 7 != 0
        };
        let wants = [(ERRI, ERRIE), (WKUI, WKUIE), (SLAKI, SLKIE)];
        let changed = wants.into_iter().any(|(flag, enable)| msr & flag != 0 && ier & enable != 0);
        let active = [done, fifo(0), fifo(1), changed];
        let active = active.iter().zip(0..).fold(0, |bits, (active, line)| bits | u32::from(*active) << line);
        self.lines.drive(active, env);
    }

    fn write_control(&mut self, write: Write, env: &mut Env<'_, '_>) {
        let old = self.bank.get(MCR);
        let (_, new) = self.bank.write(MCR, write, env);
        if new & RESET != 0 {
            // RM0008, MCR.RESET: back to sleep, with MCR and the FIFOs as after a reset.
            self.bank.set(MCR, MCR_RESET);
            for (fifo, number) in self.fifos.iter_mut().zip(0..) {
                fifo.clear();
                self.bank.set(RFR + 4 * number, 0);
            }
            self.leave_bus(env);
            self.enter(Mode::Sleep);
            return;
        }
        if new & !old & TTCM != 0 {
            self.bus.traffic.counted_from = env.now();
        }
        self.change_mode(env);
    }

    fn write_transmit_status(&mut self, write: Write) {
        let ones = write.ones();
        for number in 0..3 {
            let bits = ones >> (8 * number);
            let flags = if bits & RQCP != 0 { RQCP | TXOK | ALST | TERR } else { bits & (TXOK | ALST | TERR) };
            self.bank.flag(TSR, flags << (8 * number), false);
            if bits & ABRQ != 0 && self.mailboxes[number].asked.is_some() {
                if self.bus.traffic.sends(number) {
                    self.mailboxes[number].abort = true;
                    self.bank.flag(TSR, ABRQ << (8 * number), true);
                } else {
                    self.bank.flag(TSR, TXOK << (8 * number), false);
                    self.empty(number);
                }
            }
        }
    }

    fn write_mailbox(&mut self, number: usize, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        if self.mailboxes[number].asked.is_some() {
            return;
        }
        let (_, new) = self.bank.write(offset, write, env);
        if offset & 15 == 0 && new & TXRQ != 0 {
            self.mailboxes[number].asked = Some(self.requests);
            self.requests = self.requests.wrapping_add(1);
            self.bank.flag(TSR, (RQCP | TXOK | ALST | TERR) << (8 * number), false);
            self.bank.flag(TSR, 1 << (26 + number), false);
        }
    }

    fn write_fifo(&mut self, number: usize, write: Write) {
        let ones = write.ones();
        self.bank.flag(RFR + 4 * number as u32, ones & (FULL | FOVR), false);
        if ones & RFOM != 0 {
            self.fifos[number].pop_front();
        }
    }

    fn write_filters(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        if !self.has_filters {
            return;
        }
        let sets_up = self.bank.get(FMR) & FINIT != 0;
        let there = u32::MAX >> (32 - self.banks);
        let taken = match offset {
            FM1R | FS1R | FFA1R => sets_up,
            BANKS.. => {
                let bank = (offset - BANKS) / 8;
                (bank as usize) < self.banks && (sets_up || self.bank.get(FA1R) & 1 << bank == 0)
            }
            _ => true,
        };
        if taken {
            self.bank.write(offset, write, env);
            if matches!(offset, FM1R | FS1R | FFA1R | FA1R) {
                self.bank.set(offset, self.bank.get(offset) & there);
            }
        }
        self.filters_changed(env);
    }

    fn filters_changed(&mut self, env: &mut Env<'_, '_>) {
        if self.has_filters {
            self.filters = Filters::of(&self.bank);
            if self.shared {
                env.effect(Effect::CanFilters);
            }
        }
    }
}

impl Participant for Can {
    fn bus(&self) -> &OnBus {
        &self.bus
    }

    fn bus_mut(&mut self) -> &mut OnBus {
        &mut self.bus
    }

    fn timing(&self) -> Timing {
        let btr = u64::from(self.bank.get(BTR));
        Timing {
            quantum: (btr & 0x3FF) + 1,
            first: (btr >> 16 & 15) + 1,
            second: (btr >> 20 & 7) + 1,
            jump: (btr >> 24 & 3) + 1,
        }
    }

    fn loops(&self) -> bool {
        self.bank.get(BTR) & LBKM != 0
    }

    fn is_silent(&self) -> bool {
        self.bank.get(BTR) & SILM != 0
    }

    fn stamps(&self) -> Option<u64> {
        self.is_set(TTCM).then_some(1)
    }

    fn asked(&self) -> Mode {
        match (self.is_set(INRQ), self.is_set(SLEEP)) {
            (false, false) => Mode::Normal,
            (true, false) => Mode::Initialisation,
            (false, true) => Mode::Sleep,
            (true, true) => self.bus.mode,
        }
    }

    fn enter(&mut self, mode: Mode) {
        self.bus.mode = mode;
        self.bank.flags(MSR, &[(INAK, mode == Mode::Initialisation), (SLAK, mode == Mode::Sleep)]);
        if mode == Mode::Sleep {
            // RM0008, MSR.SLAKI: only while SLKIE is set.
            self.bank.flag(MSR, SLAKI, self.bank.get(IER) & SLKIE != 0);
        } else {
            self.bank.flag(MSR, SLAKI, false);
        }
    }

    fn wake(&mut self, env: &mut Env<'_, '_>) {
        if self.bus.mode == Mode::Sleep {
            self.bank.flag(MSR, WKUI, true);
            if self.is_set(AWUM) {
                self.bank.flag(MCR, SLEEP, false);
                self.change_mode(env);
            }
        }
    }

    fn recovers(&self) -> bool {
        self.is_set(ABOM)
    }

    fn chosen(&self) -> Option<usize> {
        self.waiting().min_by_key(|number| self.rank(*number))
    }

    fn frame_in(&self, number: usize, time: u16) -> CanFrame {
        let at = MAILBOXES + 16 * number as u32;
        let [tir, tdtr, low, high] = [0, 4, 8, 12].map(|offset| self.bank.get(at + offset));
        let mut frame = frame_of(tir, (tdtr & 15) as u8);
        if !frame.remote {
            frame.data[..4].copy_from_slice(&low.to_le_bytes());
            frame.data[4..].copy_from_slice(&high.to_le_bytes());
            if tdtr & TGT != 0 && self.is_set(TTCM) && frame.code >= 8 {
                frame.data[6..].copy_from_slice(&time.to_le_bytes());
            }
            frame.data[usize::from(frame.code.min(8))..].fill(0);
        }
        frame
    }

    fn tried(&mut self, number: usize, outcome: Outcome, time: u16) {
        let flags = match outcome {
            Outcome::Sent => TXOK,
            Outcome::Lost => ALST,
            Outcome::Failed => TERR,
        };
        let shift = 8 * number;
        self.bank.flag(TSR, (TXOK | ALST | TERR) << shift, false);
        self.bank.flag(TSR, flags << shift, true);
        if outcome == Outcome::Sent || self.mailboxes[number].abort || self.is_set(NART) {
            self.empty(number);
        }
        let tdtr = MAILBOXES + 16 * number as u32 + 4;
        let stamp = if self.is_set(TTCM) { u32::from(time) << 16 } else { 0 };
        self.bank.set(tdtr, self.bank.get(tdtr) & 0xFFFF | stamp);
    }

    fn receive(&mut self, frame: CanFrame, time: u16) {
        let split = if self.shared { self.filters.split() } else { self.banks };
        let banks = if self.has_filters { 0..split } else { split..self.banks };
        let Some((number, filter)) = self.filters.find(banks, identifier(&frame)) else { return };
        let rfr = RFR + 4 * number as u32;
        let received = Received { frame, filter, time: if self.is_set(TTCM) { time } else { 0 } };
        let locked = self.is_set(RFLM);
        let fifo = &mut self.fifos[number];
        if fifo.len() < DEPTH {
            fifo.push_back(received);
            if fifo.len() == DEPTH {
                self.bank.flag(rfr, FULL, true);
            }
            return;
        }
        self.bank.flag(rfr, FOVR, true);
        if let Some(last) = fifo.back_mut().filter(|_| !locked) {
            *last = received;
        }
    }

    fn note_error(&mut self, code: Option<u32>) {
        let esr = self.bank.get(ESR) & !LEC | code.unwrap_or(0) << 4;
        self.bank.set(ESR, esr);
        self.show_counters();
        if code.is_some() {
            self.note_status(true);
        }
    }

    fn show_counters(&mut self) {
        let Counters { transmit, receive } = self.bus.counters;
        let esr = self.bank.get(ESR) & LEC | u32::from(transmit & 0xFF) << 16 | u32::from(receive) << 24;
        self.bank.set(ESR, esr);
        let warning = transmit >= 96 || receive >= 96;
        self.bank
            .flags(ESR, &[(EWGF, warning), (EPVF, self.bus.counters.is_passive()), (BOFF, self.bus.counters.is_off())]);
    }
}

impl Block<Words> for Can {
    fn read(&mut self, offset: u32, env: &mut Env<'_, '_>) -> u32 {
        let value = self.bank.read(offset, env);
        if offset != MSR {
            return value;
        }
        let (sends, receives) = self.bus.traffic.role(env);
        let (level, sampled) = self.level(env);
        let bits = [(TXM, sends), (RXM, receives), (SAMP, sampled), (RX, level)];
        bits.iter().fold(value & !(TXM | RXM | SAMP | RX), |value, (bit, on)| if *on { value | bit } else { value })
    }

    fn still(&self, offset: u32, _: Instant, _: &crate::Clocks) -> Option<Instant> {
        // Without a frame on the bus all else changes with events and writes only.
        if offset == MSR && self.bus.traffic.is_under_way() { None } else { self.bank.still(offset) }
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        match offset {
            MCR => self.write_control(write, env),
            MSR => self.bank.flag(MSR, write.ones() & (ERRI | WKUI | SLAKI), false),
            TSR => self.write_transmit_status(write),
            RFR | 0x10 => self.write_fifo(usize::from(offset != RFR), write),
            ESR => {
                let esr = self.bank.get(ESR);
                self.bank.set(ESR, esr & !LEC | write.over(esr) & LEC);
            }
            BTR => {
                if self.bus.mode == Mode::Initialisation {
                    self.bank.write(BTR, write, env);
                    self.bank.set(BTR, self.bank.get(BTR) & BTR_FIELDS);
                }
            }
            MAILBOXES..FIFOS => {
                self.write_mailbox(((offset - MAILBOXES) / 16) as usize, offset, write, env);
            }
            FMR.. => self.write_filters(offset, write, env),
            _ => {
                self.bank.write(offset, write, env);
            }
        }
        self.plan(env);
        self.settle(env);
    }

    fn event(&mut self, kind: u16, env: &mut Env<'_, '_>) {
        if kind == CHANGE {
            self.mode_changes(env);
        } else {
            self.bus_event(kind, env);
        }
        self.plan(env);
        self.settle(env);
    }

    /// A device wants to send.
    fn called(&mut self, env: &mut Env<'_, '_>) {
        if self.nodes_want(env) {
            self.wake(env);
        }
        self.plan(env);
        self.settle(env);
    }

    /// A falling edge at RX wakes a sleeping node.
    fn input(&mut self, index: usize, high: bool, env: &mut Env<'_, '_>) {
        if !high && env.instance.pins.get(index).is_some_and(|wired| wired.signal == "RX") {
            self.wake(env);
            self.settle(env);
        }
    }

    fn hears(&self, _: usize) -> bool {
        self.bus.mode == Mode::Sleep
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.bank.reset();
        self.mailboxes = <[Mailbox; 3]>::default();
        self.fifos = <[VecDeque<Received>; 2]>::default();
        self.bus.counters = Counters::default();
        self.requests = 0;
        self.leave_bus(env);
        self.bus.traffic = Traffic::default();
        self.bus.mode = Mode::Sleep;
        self.filters_changed(env);
        self.settle(env);
    }

    fn after_change(&mut self, old: Tree, env: &mut Env<'_, '_>) {
        self.clock_changed(old.period_of(self.bus.clock), env);
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
