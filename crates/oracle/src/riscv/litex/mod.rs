//! Compares the bus of `litex-vexriscv` with the SoC that LiteX generates, under Verilator, cycle by cycle: which master is
//! acknowledged; and a core on that bus, retirement by retirement.
//!
//! Two masters that the oracle plays ask for everything that two masters can, in bursts and alone, and withdraw requests too.
//! VexRiscv in the same SoC shows what the core's bridges present; `bridge` holds that against what the pipeline's model takes for
//! granted. `ours` runs the same programs on our own core, and `images` bundled ones.

mod bridge;
mod images;
mod masters;
mod ours;
mod program;
mod soc;

use std::fmt::Write;

use cyclescope_chips::riscv::{LITEX_BURSTING, LITEX_BUS, LITEX_SDRAM, LITEX_SDRAM_BURSTING};
use cyclescope_riscv::timing::FetchStages;
use cyclescope_riscv::timing::litex::{Request, SharedBus, Wishbone};

use super::rtl::{Design, Variant};
use crate::error::OracleError;
use crate::random::Random;
use crate::report::{Report, Tally};

pub use images::{ImageReport, follow, images};
pub use soc::{Peer, Soc};

/// The number of cycles shown before a difference.
const SHOWN: usize = 24;

/// The options of LiteX that the SoC is generated with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum System {
    /// Those of `litex-vexriscv`.
    Plain,
    /// With `bus_bursting`.
    Bursting,
    /// With `with_sdram`.
    Sdram,
    /// With both, and an L2 cache of 2 KiB.
    SdramBursting,
}

impl System {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Plain, Self::Bursting, Self::Sdram, Self::SdramBursting];

    /// Returns the name of the system with `driver`.
    fn name(self, driver: Driver) -> &'static str {
        let names = match self {
            Self::Plain => ["masters", "min", "lite", "standard", "full", "imac", "secure"],
            Self::Bursting => [
                "bursts-masters",
                "bursts-min",
                "bursts-lite",
                "bursts-standard",
                "bursts-full",
                "bursts-imac",
                "bursts-secure",
            ],
            Self::Sdram => [
                "sdram-masters",
                "sdram-min",
                "sdram-lite",
                "sdram-standard",
                "sdram-full",
                "sdram-imac",
                "sdram-secure",
            ],
            Self::SdramBursting => [
                "sdram-bursts-masters",
                "sdram-bursts-min",
                "sdram-bursts-lite",
                "sdram-bursts-standard",
                "sdram-bursts-full",
                "sdram-bursts-imac",
                "sdram-bursts-secure",
            ],
        };
        names[Driver::ALL.iter().position(|known| *known == driver).unwrap_or(0)]
    }

    /// Our bus.
    fn bus(self) -> &'static Wishbone {
        match self {
            Self::Plain => &LITEX_BUS,
            Self::Bursting => &LITEX_BURSTING,
            Self::Sdram => &LITEX_SDRAM,
            Self::SdramBursting => &LITEX_SDRAM_BURSTING,
        }
    }

    /// Tells whether main RAM is SDRAM.
    fn has_sdram(self) -> bool {
        matches!(self, Self::Sdram | Self::SdramBursting)
    }

    /// The generator's names of the options.
    fn options(self) -> &'static [&'static str] {
        match self {
            Self::Plain => &[],
            Self::Bursting => &["bursting"],
            Self::Sdram => &["sdram"],
            Self::SdramBursting => &["sdram", "bursting", "small"],
        }
    }
}

/// The module that drives the bus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Driver {
    /// Masters of the oracle's own.
    Masters,
    /// A VexRiscv.
    Core(Variant),
}

impl Driver {
    /// All drivers.
    pub const ALL: [Self; 7] = [
        Self::Masters,
        Self::Core(Variant::Min),
        Self::Core(Variant::Lite),
        Self::Core(Variant::Standard),
        Self::Core(Variant::Full),
        Self::Core(Variant::Imac),
        Self::Core(Variant::Secure),
    ];
}

/// A system and what drives its bus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Subject {
    /// The system.
    pub system: System,
    /// The driver.
    pub driver: Driver,
}

impl Subject {
    /// Returns all of them.
    pub fn all() -> impl Iterator<Item = Self> {
        System::ALL.into_iter().flat_map(|system| Driver::ALL.into_iter().map(move |driver| Self { system, driver }))
    }

    /// Returns the name.
    pub fn name(self) -> &'static str {
        self.system.name(self.driver)
    }
}

/// Tells whether `variant` has a cache for instructions, and whether one for data.
fn caches(variant: Variant) -> [bool; 2] {
    let stages = Design::VexRiscv(variant).config().timing.pipeline;
    stages.map_or([false; 2], |stages| [stages.fetch != FetchStages::Uncached, stages.data_lines > 0])
}

/// CTI of a word of a burst that goes on.
const CONTINUES: u8 = 2;

/// The requests of both masters in one cycle, and their CTI, instructions first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Requests {
    fetch: Option<u32>,
    data: Option<(u32, bool)>,
    cti: [u8; 2],
}

impl Requests {
    /// Reads `words`, in which bit 0 stands for a request and bit 1 for a write.
    fn from_words(words: [u32; 2], cti: [u8; 2]) -> Self {
        let [fetch, data] = words.map(|word| (word & 1 != 0).then_some((word & !3, word & 2 != 0)));
        Self { fetch: fetch.map(|(address, _)| address), data, cti }
    }

    fn words(self) -> [u32; 3] {
        let data = self.data.map_or(0, |(address, writes)| address | u32::from(writes) << 1 | 1);
        let [fetch_cti, data_cti] = self.cti.map(u32::from);
        [self.fetch.map_or(0, |address| address | 1), data, fetch_cti | data_cti << 3]
    }

    /// Passes a cycle of our `bus` with them.
    fn step(self, bus: &mut SharedBus) -> [bool; 2] {
        let continues = self.cti.map(|cti| cti == CONTINUES);
        let fetch = self.fetch.map(|address| Request { address, write: false, continues: continues[0] });
        let data = self.data.map(|(address, write)| Request { address, write, continues: continues[1] });
        bus.step(fetch, data)
    }

    fn addresses(self) -> [Option<u32>; 2] {
        [self.fetch, self.data.map(|(address, _)| address)]
    }
}

/// Situations that a run has to meet, beside an acknowledgement of each slave.
const SITUATIONS: [&str; 5] =
    ["nothing there", "grant to fetches", "grant to data", "both ask", "again without a pause"];
const NOTHING: usize = 0;
/// That of fetches, then that of data.
const GRANT: usize = 1;
const BOTH: usize = 3;
const AGAIN: usize = 4;

/// Follows a bus and counts what it has seen.
struct Follower {
    wishbone: &'static Wishbone,
    bus: SharedBus,
    tally: Tally,
    /// The number of slaves that are counted.
    slaves: usize,
    /// The master that was acknowledged last.
    last: Option<usize>,
    /// The latest cycles, with the peer's acknowledgements and the address of the instruction that retired.
    trail: Vec<(Requests, [bool; 2], Option<u32>)>,
}

impl Follower {
    /// A follower of the bus of `system` after a reset, of which the first `slaves` are to be seen.
    fn new(system: System, slaves: usize, excuses: &'static [(&'static str, &'static str)]) -> Self {
        let wishbone = system.bus();
        let names = wishbone.regions[..slaves].iter().map(|region| region.name).chain(SITUATIONS);
        let (bus, tally) = (SharedBus::new(wishbone), Tally::new(names, excuses));
        Self { wishbone, bus, tally, slaves, last: None, trail: Vec::new() }
    }

    /// Passes a cycle, in which the instruction at `retired` retires. Returns what differs if the peer acknowledged others.
    fn step(&mut self, requests: Requests, theirs: [bool; 2], retired: Option<u32>) -> Option<String> {
        let ours = requests.step(&mut self.bus);
        if self.trail.len() == SHOWN {
            self.trail.remove(0);
        }
        self.trail.push((requests, theirs, retired));
        if ours != theirs {
            return Some(self.difference(ours));
        }
        self.count(requests, theirs);
        None
    }

    fn count(&mut self, requests: Requests, acknowledged: [bool; 2]) {
        let addresses = requests.addresses();
        if addresses.iter().all(Option::is_some) {
            self.tally.add(self.slaves + BOTH);
        }
        let Some(master) = acknowledged.iter().position(|acknowledged| *acknowledged) else { return };
        match addresses[master].map(|address| self.wishbone.slave(address)) {
            Some(Some(slave)) if slave < self.slaves => self.tally.add(slave),
            Some(None) => self.tally.add(self.slaves + NOTHING),
            _ => {}
        }
        if self.last.is_some_and(|last| last != master) {
            self.tally.add(self.slaves + GRANT + master);
        }
        let before = self.trail.len().checked_sub(3).map(|index| self.trail[index]);
        if before.is_some_and(|(_, acknowledged, _)| acknowledged[master]) {
            self.tally.add(self.slaves + AGAIN);
        }
        self.last = Some(master);
    }

    /// The bus is reset.
    fn restart(&mut self) {
        self.bus = SharedBus::new(self.wishbone);
        self.trail.clear();
        self.last = None;
    }

    fn difference(&self, ours: [bool; 2]) -> String {
        format!("{}  ours in the last of these cycles: {}\n", self.describe("an acknowledgement"), sign(ours))
    }

    /// Describes `what` was seen in the latest cycle, with the cycles before.
    fn describe(&self, what: &str) -> String {
        let mut text = format!("{what}\n  fetch    data       RTL retired\n");
        let word = |address: &Option<u32>| address.map_or_else(String::new, |address| format!("{address:08x}"));
        for (Requests { fetch, data, .. }, theirs, retired) in &self.trail {
            let data = data.map_or_else(String::new, |(address, writes)| {
                format!("{address:08x} {}", if writes { 'w' } else { 'r' })
            });
            let _ = writeln!(text, "  {:<8} {data:<10} {:<3} {}", word(fetch), sign(*theirs), word(retired));
        }
        text
    }
}

/// The letters of those acknowledged.
const fn sign([fetch, data]: [bool; 2]) -> &'static str {
    match (fetch, data) {
        (false, false) => "-",
        (true, false) => "f",
        (false, true) => "d",
        (true, true) => "fd",
    }
}

/// Compares at least `count` cycles, or up to the first difference. `progress` receives the number of cycles compared so far.
///
/// # Errors
/// The peer has ended.
pub fn run(peer: &mut Peer, seed: u64, count: u64, progress: impl FnMut(u64)) -> Result<Report, OracleError> {
    match peer.subject().driver {
        Driver::Masters => masters::run(peer, &mut Random::new(seed), count, progress),
        Driver::Core(core) => program::run(peer, core, &mut Random::new(seed), count, progress),
    }
}
