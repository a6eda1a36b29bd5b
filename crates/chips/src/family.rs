//! Properties that the parts of a family share, as data: buses, factory contents of system memory, timing.

use std::ops::Range;

use cyclescope_machine::units::Hertz;
use cyclescope_machine::{Port, RamSlave, RegionKind, TimingRow};

use crate::part::CortexMModel;
use crate::table::TableRam;

/// The way a bus passes on narrow writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lanes {
    /// Behind an AHB-to-APB bridge: narrow data is repeated over the word.
    Spread,
    /// Narrow writes reach their lanes only.
    Own,
}

/// The change that a bus makes to the core's own timing of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cost {
    /// Nothing.
    None,
    /// Cycles that an access saves.
    Saves(&'static TimingRow),
    /// A bridge to the first APB: periods of its clock that a transfer takes from an edge of it on.
    Apb1(&'static TimingRow),
    /// The same, to the second APB.
    Apb2(&'static TimingRow),
    /// Cycles that an access takes more.
    Adds(&'static TimingRow),
    /// Cycles that an access takes more, of which a write takes others than a read.
    AddsApart {
        /// Those of a read.
        read: &'static TimingRow,
        /// Those of a write.
        write: &'static TimingRow,
    },
}

impl Cost {
    /// The rows behind it.
    pub(crate) fn rows(self) -> impl Iterator<Item = &'static TimingRow> {
        let rows = match self {
            Self::None => [None, None],
            Self::Saves(row) | Self::Apb1(row) | Self::Apb2(row) | Self::Adds(row) => [Some(row), None],
            Self::AddsApart { read, write } => [Some(read), Some(write)],
        };
        rows.into_iter().flatten()
    }
}

/// A range of addresses on one bus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Segment {
    /// The first address.
    pub(crate) from: u32,
    /// The end of the blocks; a multiple of 1024.
    pub(crate) blocks_to: u32,
    /// The end of the segment. Addresses from `blocks_to` on read as zero and are a gap.
    pub(crate) to: u32,
    /// The way narrow writes arrive.
    pub(crate) lanes: Lanes,
    /// The cost of an access.
    pub(crate) cost: Cost,
}

impl Segment {
    /// A bus whose blocks fill it to its end.
    pub(crate) const fn new(from: u32, to: u32, lanes: Lanes, cost: Cost) -> Self {
        Self { from, blocks_to: to, to, lanes, cost }
    }

    /// The same with the blocks' end at `blocks_to`.
    pub(crate) const fn with_blocks_to(self, blocks_to: u32) -> Self {
        Self { blocks_to, ..self }
    }
}

/// The answer of a block whose clock is off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unclocked {
    /// A bus error.
    Fault,
    /// Reads give 0, as the manual says; writes are lost.
    Zero,
    /// The manual does not say. Reads give 0 here and writes are lost.
    Unsaid,
}

/// An additional function of a block at a pin, which no alternate function selects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pad {
    /// The block's name.
    pub(crate) block: &'static str,
    /// The function.
    pub(crate) signal: &'static str,
    /// The port: 0 for A.
    pub(crate) port: u8,
    /// The pin in its port.
    pub(crate) pin: u8,
}

impl Pad {
    /// The function `signal` of `block` at a pin.
    pub(crate) const fn new(block: &'static str, signal: &'static str, port: u8, pin: u8) -> Self {
        Self { block, signal, port, pin }
    }
}

/// Other addresses of a bus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mirror {
    /// The first of them.
    pub(crate) from: u32,
    /// Their end.
    pub(crate) to: u32,
    /// The first address of the bus itself.
    pub(crate) of: u32,
}

/// Addresses of which nothing is modelled, with a name that a user knows. Data there reads as zero and is a gap; programs cannot lie
/// there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Absent {
    /// The first address.
    pub(crate) from: u32,
    /// The end.
    pub(crate) to: u32,
    /// The thing of the part that lies there.
    pub(crate) name: &'static str,
}

/// The ports of a crossbar that several cores use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Crossbar {
    /// Those of the banks of RAM: of the four that have words in turn, then of the others.
    pub(crate) ram: &'static [u8],
    /// Those of other addresses, each from its first address to its end.
    pub(crate) others: &'static [(u32, u32, u8)],
}

/// A family of parts.
#[derive(Debug)]
pub struct Family {
    /// Its name, by which a part's description asks for it.
    pub name: &'static str,
    /// Its buses, by address.
    pub(crate) segments: &'static [Segment],
    /// System memory and what the factory left there.
    pub(crate) factory: Range<u32>,
    /// The tables of timing rows that its blocks bring.
    pub(crate) rows: &'static [&'static [TimingRow]],
    /// Of these, the names of those behind the time that flash takes to read.
    pub(crate) flash_rows: &'static [&'static str],
    /// Bytes of flash that a described part may have.
    pub(crate) flash_sizes: Range<u64>,
    /// The answer of a block without a clock, and of a place on a bus without a block.
    pub(crate) unclocked: Unclocked,
    /// True if registers are narrower than words, so that blocks must know which byte is read.
    pub(crate) reads_by_byte: bool,
    /// True if registers have three further addresses, at which writes invert, set and clear bits.
    pub(crate) aliased: bool,
    /// The byte offsets in its RAM at which another slave of the bus matrix begins.
    pub(crate) ram_slaves: &'static [u32],
    /// True if the core goes before all other masters at each slave.
    pub(crate) core_goes_first: bool,
    /// The ports of its crossbar, where several cores use it.
    pub(crate) crossbar: Option<&'static Crossbar>,
    /// The address at which the first bytes of its RAM appear one bank after the other, and their number: words lie in four banks in
    /// turn.
    pub(crate) banks: Option<(u32, u32)>,
    /// Further addresses of flash, at which it is read past its cache.
    pub(crate) uncached_flash: &'static [u32],
    /// Other addresses of its peripherals.
    pub(crate) mirror: Option<Mirror>,
    /// The things that it has and the model lacks, beside blocks.
    pub(crate) absent: &'static [Absent],
    /// The cores that share its bus.
    pub(crate) cores: usize,
    /// The sizes of RAM that its address space has room for.
    pub(crate) ram_sizes: Range<u64>,
    /// The additional functions of pins.
    pub(crate) pads: &'static [Pad],
    /// Its random number generator has a conditioning of four words.
    pub conditioned_rng: bool,
    /// The lines of the external interrupts for alarms of the RTC, its timestamps and tamper pins, its wake-up timer, and tampering
    /// that a block of its own notices.
    pub(crate) rtc_lines: [u8; 4],
    /// The lines of the voltage detector and of the monitors of other supplies, which share its interrupt.
    pub(crate) supply_lines: &'static [u8],
    /// True if the core's clock stands in every sleep, so that neither SysTick nor DWT counts it.
    pub(crate) stands_asleep: bool,
    /// The addresses of a part's size of flash (a half-word, in KiB) and of its unique id, where they are known.
    pub(crate) identity: Option<(u32, u32)>,
}

impl PartialEq for Family {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Family {}

impl Family {
    /// A family of cores with memory alone.
    pub(crate) const fn bare(name: &'static str) -> Self {
        Self {
            name,
            segments: &[],
            factory: 0..0,
            rows: &[],
            flash_rows: &[],
            flash_sizes: 1024..0x0400_0001,
            unclocked: Unclocked::Unsaid,
            reads_by_byte: false,
            aliased: false,
            ram_slaves: &[],
            core_goes_first: false,
            crossbar: None,
            banks: None,
            uncached_flash: &[],
            mirror: None,
            absent: &[],
            cores: 1,
            ram_sizes: 1024..0x0400_0001,
            pads: &[],
            conditioned_rng: false,
            rtc_lines: [17, 21, 22, 21],
            supply_lines: &[16],
            stands_asleep: false,
            identity: None,
        }
    }

    /// The timing rows of its buses, each once.
    pub(crate) fn bus_rows(&self) -> Vec<&'static TimingRow> {
        let mut rows: Vec<&TimingRow> = Vec::new();
        for row in self.segments.iter().flat_map(|segment| segment.cost.rows()) {
            if !rows.iter().any(|known| known.name == row.name) {
                rows.push(row);
            }
        }
        rows
    }

    /// The slave in which `offset` of the RAM lies.
    pub(crate) fn ram_slave(&self, offset: u32) -> RamSlave {
        let from = self.ram_slaves.iter().rfind(|from| **from <= offset).copied().unwrap_or(0);
        let to = self.ram_slaves.iter().find(|from| **from > offset).copied().unwrap_or(u32::MAX);
        // Words before that border lie in four banks in turn.
        let stripes = if self.banks.is_some_and(|(_, bytes)| offset < bytes) { 0xC } else { 0 };
        RamSlave { from, to, stripes, stripe: offset & stripes }
    }

    /// The port of the crossbar by which cores reach `address`, at which `region` lies.
    pub(crate) fn port(&self, address: u32, region: Option<RegionKind>) -> Option<Port> {
        let crossbar = self.crossbar?;
        if let Some(RegionKind::Ram(offset)) = region {
            let first = self.ram_slaves.first().copied().unwrap_or(u32::MAX);
            if self.banks.is_some_and(|(_, bytes)| offset < bytes.min(first)) {
                return crossbar.ram.get((offset >> 2 & 3) as usize).copied().map(Port);
            }
            let RamSlave { from, stripes, stripe, .. } = self.ram_slave(offset);
            let before = if stripes != 0 { stripe >> 2 } else { 3 };
            let place = before as usize + self.ram_slaves.iter().take_while(|first| **first <= from).count();
            return crossbar.ram.get(place).copied().map(Port);
        }
        let found = crossbar.others.iter().find(|(from, to, _)| (*from..*to).contains(&address));
        found.map(|(.., port)| Port(*port))
    }

    /// The thing at `address` that the part has and the model lacks.
    pub(crate) fn absent_at(&self, address: u32) -> Option<&'static Absent> {
        self.absent.iter().find(|absent| (absent.from..absent.to).contains(&address))
    }

    /// `address` without the part's mirror.
    #[inline]
    pub(crate) fn unmirrored(&self, address: u32) -> u32 {
        match self.mirror {
            Some(mirror) if (mirror.from..mirror.to).contains(&address) => address - mirror.from + mirror.of,
            _ => address,
        }
    }

    /// The segment that `address` lies in, and its index.
    #[inline]
    pub(crate) fn segment(&self, address: u32) -> Option<(usize, &'static Segment)> {
        self.segments.iter().enumerate().find(|(_, segment)| address >= segment.from && address < segment.to)
    }
}

/// Facts of a product line that no metadata has.
#[derive(Debug)]
pub(crate) struct Line {
    /// The names of its parts: `?` stands for any letter, and what is left out at the end for any letters.
    pub(crate) parts: &'static [&'static str],
    /// Its buses and blocks' timing.
    pub(crate) family: &'static Family,
    /// Its core.
    pub(crate) core: CortexMModel,
    /// Regions of the memory protection unit; 0 without one.
    pub(crate) mpu_regions: u8,
    /// Device identification (DBGMCU_IDCODE).
    pub(crate) device_id: u32,
    /// The fastest clock.
    pub(crate) clock: Hertz,
    /// Serial ports with FIFOs and the other full features.
    pub(crate) full_usarts: &'static [&'static str],
    /// Other addresses of its RAM that the metadata leaves out.
    pub(crate) aliases: &'static [TableRam],
}

impl Line {
    /// A line of parts with a memory protection unit of eight regions and no port with full features.
    pub(crate) const fn new(
        parts: &'static [&'static str],
        family: &'static Family,
        core: CortexMModel,
        device_id: u32,
        megahertz: u64,
    ) -> Self {
        let clock = Hertz::new(megahertz * 1_000_000);
        Self { parts, family, core, mpu_regions: 8, device_id, clock, full_usarts: &[], aliases: &[] }
    }

    /// Tells whether the part `name` belongs to it.
    fn has(&self, name: &str) -> bool {
        let fits = |pattern: &&str| {
            name.len() >= pattern.len()
                && pattern.bytes().zip(name.bytes()).all(|(wanted, letter)| wanted == b'?' || wanted == letter)
        };
        self.parts.iter().any(fits)
    }
}

/// Product lines whose parts share the packed metadata's file and what their factory leaves in system memory.
#[derive(Debug)]
pub(crate) struct Series {
    /// The file of the packed metadata.
    pub(crate) file: &'static str,
    /// SYST_CALIB.TENMS; 0 where no value is known to us.
    pub(crate) systick_calibration: u32,
    /// Internal oscillators: high-speed and low-speed.
    pub(crate) oscillators: (Hertz, Hertz),
    /// The unique id of every part here: the identity of no real die.
    pub(crate) unique_id: [u32; 3],
    /// Other words fixed at the factory, by address.
    pub(crate) factory: &'static [(u32, u32)],
    /// The crystal of a board of which nothing is known.
    pub(crate) crystal: Hertz,
    /// The product lines. Of two that fit, the first counts.
    pub(crate) lines: &'static [Line],
}

impl Series {
    /// The line of the part `name`.
    pub(crate) fn line(&self, name: &str) -> Option<&'static Line> {
        self.lines.iter().find(|line| line.has(name))
    }
}
