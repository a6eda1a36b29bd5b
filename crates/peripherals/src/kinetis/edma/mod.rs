//! Direct memory access controller of the Kinetis K20 (K20P64M72SF1RM, "Enhanced Direct Memory Access (eDMA)"): sixteen channels
//! over descriptors in the controller's own memory.
//!
//! A request, START or a link has a channel do one minor loop, unit by unit: the reads and the writes that the larger of its two
//! sizes takes. Between units a channel of higher priority may come first. When the last write is over the descriptor is
//! written back, links and interrupts follow, and the next channel is chosen.

use cyclescope_machine::{GapKind, TimingRow, Width};

use crate::bank::all;
use crate::dma::Running;
use crate::{
    Bank, Block, Clocks, DmaController, Effect, Env, Instance, Instant, Lines, Modelled, Outcome, Transfer, Tree,
    Words, Write,
};

use self::tcd::{ACTIVE, DONE, DREQ, ESG, INTHALF, INTMAJOR, MAJORELINK, START, Tcd, word};
use super::registers::{bank, byte};

pub use self::rows::ROWS;
use self::rows::{CONTENTION, DESCRIPTOR, END, NEXT, REQUEST, STARTED, TURN, UNIT};

mod rows;
mod tcd;

const CR: u32 = 0x00;
const ES: u32 = 0x04;
const ERQ: u32 = 0x0C;
const EEI: u32 = 0x14;
/// CEEI, SEEI, CERQ, SERQ.
const ENABLES: u32 = 0x18;
/// CDNE, SSRT, CERR, CINT.
const COMMANDS: u32 = 0x1C;
const INT: u32 = 0x24;
const ERR: u32 = 0x2C;
const HRS: u32 = 0x34;
const DCHPRI: u32 = 0x100;
const TCD: u32 = 0x1000;

const ERCA: u32 = 1 << 2;
const HOE: u32 = 1 << 4;
const HALT: u32 = 1 << 5;
const CLM: u32 = 1 << 6;
const EMLM: u32 = 1 << 7;
const ECX: u32 = 1 << 16;
const CX: u32 = 1 << 17;

const CHANNELS: u8 = 16;
const ALL: u32 = 0xFFFF;

/// Bits of ES.
mod error {
    pub const DBE: u32 = 1 << 0;
    pub const SBE: u32 = 1 << 1;
    pub const SGE: u32 = 1 << 2;
    pub const NCE: u32 = 1 << 3;
    pub const DOE: u32 = 1 << 4;
    pub const DAE: u32 = 1 << 5;
    pub const SOE: u32 = 1 << 6;
    pub const SAE: u32 = 1 << 7;
    pub const CPE: u32 = 1 << 14;
    pub const ECX: u32 = 1 << 16;
    pub const VLD: u32 = 1 << 31;
}

/// The register of each channel whose name ends so.
macro_rules! tcd {
    ($a:literal $(, $b:literal)?) => {
        tcd!([1 2 3 4 5 6 7 8 9 10 11 12 13 14 15] $a $(, $b)?)
    };
    ([$($n:literal)*] $a:literal) => { all(concat!("TCD0", $a), 0).and(&[$(concat!("TCD", $n, $a)),*]) };
    ([$($n:literal)*] $a:literal, $b:literal) => {
        all(concat!("TCD0", $a, "_TCD0", $b), 0).and(&[$(concat!("TCD", $n, $a, "_TCD", $n, $b)),*])
    };
}

/// The modelled registers, with the values after reset ("DMA memory map"). Descriptors hold nothing certain after reset.
pub const MODEL: &[Modelled] = &[
    all("CR", 0),
    all("ES", 0),
    all("ERQ", 0).and(&["EEI", "CEEI_SEEI_CERQ_SERQ", "CDNE_SSRT_CERR_CINT", "INT", "ERR", "HRS"]),
    all("DCHPRI3_DCHPRI2_DCHPRI1_DCHPRI0", 0x0001_0203),
    all("DCHPRI7_DCHPRI6_DCHPRI5_DCHPRI4", 0x0405_0607),
    all("DCHPRI11_DCHPRI10_DCHPRI9_DCHPRI8", 0x0809_0A0B),
    all("DCHPRI15_DCHPRI14_DCHPRI13_DCHPRI12", 0x0C0D_0E0F),
    tcd!("_SADDR"),
    tcd!("_SOFF", "_ATTR"),
    tcd!("_NBYTES_MLNO"),
    tcd!("_SLAST"),
    tcd!("_DADDR"),
    tcd!("_DOFF", "_CITER_ELINKNO"),
    tcd!("_DLASTSGA"),
    tcd!("_CSR", "_BITER_ELINKNO"),
];

/// The event at which a minor loop's descriptor is written back.
const RETIRE: u16 = 1;

/// A minor loop under way.
#[derive(Clone, Copy, Debug)]
struct Loop {
    channel: u8,
    source: u32,
    destination: u32,
    /// The bytes that are left, and those of the unit under way.
    left: u64,
    unit: u32,
}

/// The controller.
#[derive(Clone, Debug)]
pub struct Edma {
    bank: Bank,
    lines: Lines,
    running: Running,
    /// The minor loop under way, and one that it has suspended.
    current: Option<Loop>,
    suspended: Option<Loop>,
    /// When the minor loop under way ends, behind its last write; and when the last one has.
    retires: Option<Instant>,
    retired: Option<Instant>,
    /// Requests for one minor loop each that are still to be served.
    once: u32,
    /// The channel that was served last.
    last: u8,
}

impl Edma {
    /// The controller after reset.
    pub fn new(instance: &Instance) -> Self {
        const SIGNALS: [&str; 16] =
            ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15"];
        let mut signals: Vec<(&str, u32)> = SIGNALS.into_iter().zip(0..).map(|(name, bit)| (name, 1 << bit)).collect();
        signals.push(("ERROR", 1 << 16));
        Self {
            bank: bank(instance.map, MODEL),
            lines: Lines::new(instance, &signals),
            running: Running::default(),
            current: None,
            suspended: None,
            retires: None,
            retired: None,
            once: 0,
            last: CHANNELS - 1,
        }
    }

    fn is(&self, bit: u32) -> bool {
        self.bank.get(CR) & bit != 0
    }

    fn register(channel: u8, which: usize) -> u32 {
        TCD + 32 * u32::from(channel & 15) + 4 * which as u32
    }

    fn tcd(&self, channel: u8) -> Tcd {
        Tcd(std::array::from_fn(|which| self.bank.get(Self::register(channel, which))))
    }

    fn store(&mut self, channel: u8, tcd: &Tcd) {
        for (which, value) in tcd.0.iter().enumerate() {
            self.bank.set(Self::register(channel, which), *value);
        }
    }

    fn control(&mut self, channel: u8, bits: u32, high: bool) {
        self.bank.flag(Self::register(channel, word::CONTROL), bits, high);
    }

    /// DCHPRIn: the priority, DPA and ECP.
    fn priority(&self, channel: u8) -> u8 {
        let word = self.bank.get(DCHPRI + u32::from(channel & 12));
        (word >> (8 * (3 - u32::from(channel & 3)))) as u8
    }

    /// True if two channels have the same priority.
    fn priorities_clash(&self) -> bool {
        let seen = (0..CHANNELS).fold(0u32, |seen, channel| seen | 1 << (self.priority(channel) & 15));
        !self.is(ERCA) && seen != ALL
    }

    /// The channels that ask for service, one bit each.
    fn asking(&self) -> u32 {
        let hardware = self.bank.get(HRS) | self.once & self.bank.get(ERQ);
        let started =
            (0..CHANNELS).filter(|channel| self.bank.get(Self::register(*channel, word::CONTROL)) & START != 0);
        started.fold(hardware, |bits, channel| bits | 1 << channel)
    }

    /// The channel to serve next, of those that ask.
    fn choose(&self, asking: u32) -> Option<u8> {
        let mut asks = (0..CHANNELS).filter(|channel| asking >> channel & 1 != 0);
        if self.is(ERCA) {
            // Round robin goes downwards from the one served last ("Round robin channel arbitration").
            return asks.min_by_key(|channel| self.last.wrapping_sub(*channel).wrapping_sub(1) & 15);
        }
        let first = asks.next()?;
        // Of clashing priorities the lower number wins.
        Some(asks.fold(
            first,
            |best, channel| {
                if self.priority(channel) & 15 > self.priority(best) & 15 { channel } else { best }
            },
        ))
    }

    fn fail(&mut self, channel: u8, errors: u32) {
        self.bank.set(ES, errors | u32::from(channel) << 8);
        self.bank.flag(ERR, 1 << channel, true);
        if self.is(HOE) {
            self.bank.flag(CR, HALT, true);
        }
    }

    /// `channel` is activated, unless its descriptor has errors.
    fn activate(&mut self, channel: u8, env: &mut Env<'_, '_>) {
        let mapped = self.is(EMLM);
        let tcd = self.tcd(channel);
        let by_software = tcd.0[word::CONTROL] & START != 0;
        self.control(channel, START, false);
        self.once &= !(1 << channel);
        self.last = channel;
        let errors = tcd.errors(mapped);
        if errors != 0 {
            return self.fail(channel, errors);
        }
        if self.priorities_clash() {
            // The channel is served all the same.
            self.fail(channel, error::CPE);
        }
        self.control(channel, DONE, false);
        self.control(channel, ACTIVE, true);
        let (source, destination) = (tcd.0[word::SOURCE], tcd.0[word::DESTINATION]);
        let left = tcd.bytes(mapped);
        self.current = Some(Loop { channel, source, destination, left, unit: 0 });
        let row = match (self.retired == Some(env.now()), by_software) {
            (true, _) => NEXT,
            (_, true) => STARTED,
            _ => REQUEST,
        };
        self.running.begin(channel, row, env);
    }

    /// A channel that waits may come before the rest of the current one's minor loop.
    fn preempts(&self, current: u8) -> Option<u8> {
        let enabled = !self.is(ERCA | HALT) && self.suspended.is_none() && self.priority(current) & 0x80 != 0;
        let next = enabled.then(|| self.choose(self.asking() & !(1 << current))).flatten()?;
        let priority = self.priority(next);
        (priority & 0x40 == 0 && priority & 15 > self.priority(current) & 15).then_some(next)
    }

    /// The minor loop under way is over.
    fn retire(&mut self, env: &mut Env<'_, '_>) {
        self.retires = None;
        self.running.end();
        let Some(current) = self.current.take() else { return };
        let channel = current.channel;
        self.retired = Some(env.now());
        let mut tcd = self.tcd(channel);
        tcd.0[word::CONTROL] &= !ACTIVE;
        let left = tcd.left().saturating_sub(1);
        let mut link = None;
        if left == 0 {
            (link, tcd) = self.ended(&current, tcd, env);
        } else {
            if tcd.0[word::CONTROL] & INTHALF != 0 && left == tcd.all() / 2 {
                self.bank.flag(INT, 1 << channel, true);
            }
            let offsets = tcd.loop_offsets(self.is(EMLM));
            tcd.0[word::SOURCE] = current.source.wrapping_add(offsets[0]);
            tcd.0[word::DESTINATION] = current.destination.wrapping_add(offsets[1]);
            tcd.set_left(left);
            link = link.or(tcd.minor_link());
        }
        self.store(channel, &tcd);
        if let Some(link) = link {
            self.control(link, START, true);
        }
        // "Continuous link mode": a link to itself needs no arbitration.
        let again = left != 0 && link == Some(channel) && self.is(CLM);
        if let Some(suspended) = self.suspended.take() {
            self.current = Some(suspended);
            self.running.begin(suspended.channel, NEXT, env);
        } else if again && !self.is(HALT) {
            self.activate(channel, env);
        }
    }

    /// The major loop is over: the channel that it starts, and the descriptor as it becomes.
    fn ended(&mut self, current: &Loop, mut tcd: Tcd, env: &mut Env<'_, '_>) -> (Option<u8>, Tcd) {
        let (channel, control) = (current.channel, tcd.0[word::CONTROL]);
        let link = tcd.major_link();
        tcd.0[word::SOURCE] = current.source.wrapping_add(tcd.0[word::SOURCE_LAST]);
        tcd.0[word::DESTINATION] = current.destination;
        tcd.0[word::CONTROL] |= DONE;
        tcd.reload();
        if control & DREQ != 0 {
            self.bank.flag(ERQ, 1 << channel, false);
        }
        if control & INTMAJOR != 0 || control & INTHALF != 0 && tcd.all() == 1 {
            self.bank.flag(INT, 1 << channel, true);
        }
        let place = tcd.0[word::DESTINATION_LAST];
        if control & ESG == 0 {
            tcd.0[word::DESTINATION] = current.destination.wrapping_add(place);
        } else if place & 31 != 0 {
            self.fail(channel, error::SGE);
        } else {
            let words = (0..8).map(|index| env.context.memory.read(place.wrapping_add(4 * index), Width::Word));
            match words.collect::<Option<Vec<u32>>>().and_then(|words| <[u32; 8]>::try_from(words).ok()) {
                Some(words) => tcd = Tcd(words),
                None => self.fail(channel, error::SBE),
            }
        }
        (link, tcd)
    }

    /// The current channel gives its minor loop up for the errors `errors`.
    fn abandon(&mut self, errors: u32, env: &mut Env<'_, '_>) {
        self.running.end();
        let Some(current) = self.current.take() else { return };
        self.control(current.channel, ACTIVE, false);
        self.fail(current.channel, errors);
        self.retired = Some(env.now());
        if let Some(suspended) = self.suspended.take() {
            self.current = Some(suspended);
            self.running.begin(suspended.channel, NEXT, env);
        }
    }

    /// A byte of the registers that set and clear bits by channel: the bits that it names; none with NOP.
    fn named(command: Option<u8>) -> u32 {
        match command {
            None | Some(0x80..) => 0,
            Some(0x40..) => ALL,
            Some(channel) => 1 << (channel & 15),
        }
    }

    fn command(&mut self, offset: u32, write: Write) {
        let [first, second, third, fourth] = [0, 1, 2, 3].map(|lane| Self::named(byte(write, lane)));
        if offset == ENABLES {
            self.bank.flag(EEI, first, false);
            self.bank.flag(EEI, second, true);
            self.bank.flag(ERQ, third, false);
            self.bank.flag(ERQ, fourth, true);
            return;
        }
        for channel in 0..CHANNELS {
            if first >> channel & 1 != 0 {
                self.control(channel, DONE, false);
            }
            if second >> channel & 1 != 0 {
                self.control(channel, START, true);
            }
        }
        self.bank.flag(ERR, third, false);
        self.bank.flag(INT, fourth, false);
    }

    /// A descriptor's word of control was written.
    fn controlled(&mut self, offset: u32, old: u32) {
        let new = self.bank.get(offset);
        // ACTIVE is the controller's. ESG and MAJORELINK stay 0 while DONE is set ("TCD Control and Status").
        let held = if new & DONE != 0 { (ESG | MAJORELINK) & !old } else { 0 };
        // Software clears DONE, and does not set it.
        let done = if old & DONE == 0 { DONE } else { 0 };
        self.bank.set(offset, new & !(ACTIVE | held | done) | old & ACTIVE);
    }

    fn settle(&mut self, env: &mut Env<'_, '_>) {
        let errors = self.bank.get(ERR);
        self.bank.flag(ES, error::VLD, errors != 0);
        let failed = if errors & self.bank.get(EEI) != 0 { 1 << 16 } else { 0 };
        self.lines.drive(self.bank.get(INT) & ALL | failed, env);
    }
}

impl DmaController for Edma {
    fn channels(&self) -> u8 {
        CHANNELS
    }

    fn shows_requests(&self) -> bool {
        true
    }

    fn selector(&self, _: u8) -> u8 {
        0
    }

    fn left(&self, channel: u8) -> u32 {
        self.tcd(channel).left()
    }

    fn request_once(&mut self, channel: u8, _: u8) {
        self.once |= 1 << (channel & 15);
    }

    fn arbitrate(&mut self, requested: &dyn Fn(u8, u8) -> bool, env: &mut Env<'_, '_>) {
        let enabled = self.bank.get(ERQ);
        let asked = (0..CHANNELS).filter(|channel| enabled >> channel & 1 != 0 && requested(*channel, 0));
        let asked = asked.fold(0, |bits, channel| bits | 1 << channel);
        self.bank.set(HRS, asked);
        if self.running.channel().is_some() {
            return;
        }
        if let Some(current) = self.current {
            let pause = [0, 0, 4, 8][(self.tcd(current.channel).0[word::CONTROL] >> 14 & 3) as usize];
            match self.preempts(current.channel) {
                Some(next) => {
                    self.suspended = self.current.take();
                    self.retired = Some(env.now());
                    self.activate(next, env);
                    if self.current.is_none() {
                        self.current = self.suspended.take();
                        self.running.begin_later(current.channel, UNIT, pause, env);
                    }
                }
                None => self.running.begin_later(current.channel, UNIT, pause, env),
            }
            return self.settle(env);
        }
        // A channel with errors leaves the others their turn; each is asked once.
        let mut asking = self.asking();
        while !self.is(HALT) && self.current.is_none() {
            let Some(channel) = self.choose(asking) else { break };
            asking &= !(1 << channel);
            self.activate(channel, env);
        }
        self.settle(env);
    }

    fn due(&mut self, env: &mut Env<'_, '_>) -> Option<(u8, Transfer)> {
        let channel = self.running.due(env)?;
        let mut current = self.current.take_if(|current| current.channel == channel)?;
        let (transfer, [source, destination], unit) = self.tcd(channel).unit(current.source, current.destination)?;
        (current.source, current.destination, current.unit) = (source, destination, unit);
        self.current = Some(current);
        self.running.go_on(channel);
        Some((channel, transfer))
    }

    fn under_way(&self) -> Option<u8> {
        self.running.channel()
    }

    fn turn(&self) -> &'static TimingRow {
        TURN
    }

    fn contention(&self) -> &'static TimingRow {
        CONTENTION
    }

    fn finish(&mut self, channel: u8, outcome: Outcome, env: &mut Env<'_, '_>) {
        match outcome {
            Outcome::Done => {}
            Outcome::ReadFailed => self.abandon(error::SBE, env),
            Outcome::WriteFailed => self.abandon(error::DBE, env),
        }
        if outcome == Outcome::Done
            && let Some(current) = self.current.as_mut().filter(|current| current.channel == channel)
        {
            current.left = current.left.saturating_sub(current.unit.into());
            let cancelled = self.bank.get(CR) & (CX | ECX);
            self.bank.flag(CR, CX | ECX, false);
            if cancelled & ECX != 0 {
                self.abandon(error::ECX, env);
            } else if cancelled != 0 || self.current.is_some_and(|current| current.left == 0) {
                let gathers = self.tcd(channel).left() <= 1 && self.tcd(channel).0[word::CONTROL] & ESG != 0;
                let more = if gathers { env.cycles(DESCRIPTOR) } else { 0 };
                let cycles = env.cycles(END) + more;
                let at = env.now().after(env.clocks().tree().hclk.times(cycles));
                self.retires = Some(at);
                env.schedule(RETIRE, at);
            } else {
                // The next unit, or a channel that comes first, is chosen when all effects of this one are carried out.
                self.running.end();
            }
        }
        self.settle(env);
    }
}

impl Block<Words> for Edma {
    fn read(&mut self, offset: u32, env: &mut Env<'_, '_>) -> u32 {
        self.bank.read(offset & !3, env)
    }

    fn still(&self, offset: u32, _: Instant, _: &Clocks) -> Option<Instant> {
        self.bank.still(offset & !3)
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        match offset {
            ENABLES | COMMANDS => self.command(offset, write),
            INT | ERR => self.bank.flag(offset, write.ones() & ALL, false),
            _ => {
                let (old, _) = self.bank.write(offset, write, env);
                if offset >= TCD && offset % 32 == 28 {
                    self.controlled(offset, old);
                }
                if offset == CR && self.current.is_none() {
                    self.bank.flag(CR, CX | ECX, false);
                }
                let busy = self.current.map_or(16, |current| u32::from(current.channel));
                if offset >= TCD && (offset - TCD) / 32 == busy {
                    let name = env.name();
                    env.gap(
                        GapKind::Setting,
                        format_args!("{name}: the descriptor of a channel is written during its minor loop"),
                    );
                }
            }
        }
        self.settle(env);
        env.effect(Effect::DmaChanged);
    }

    fn event(&mut self, kind: u16, env: &mut Env<'_, '_>) {
        let now = env.now();
        if kind == RETIRE && self.retires.is_some_and(|at| now >= at) {
            self.retire(env);
            self.settle(env);
        }
        env.effect(Effect::DmaChanged);
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.bank.reset();
        self.running.reset(env);
        env.cancel(RETIRE);
        (self.current, self.suspended, self.retires, self.retired) = (None, None, None, None);
        (self.once, self.last) = (0, CHANNELS - 1);
        self.settle(env);
        env.effect(Effect::DmaChanged);
    }

    fn after_change(&mut self, old: Tree, env: &mut Env<'_, '_>) {
        self.running.rescale(&old, env);
        if let Some(at) = &mut self.retires {
            *at = at.rescaled(env.now(), old.hclk, env.clocks().tree().hclk);
            env.schedule(RETIRE, *at);
        }
    }

    fn refine(&mut self, times: u64) {
        self.running.refine(times);
        self.retires = self.retires.map(|at| at.refined(times));
        self.retired = self.retired.map(|at| at.refined(times));
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}
