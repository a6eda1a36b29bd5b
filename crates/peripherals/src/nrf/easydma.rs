//! EasyDMA (nRF52840 PS, "EasyDMA" and "AHB multilayer"): a peripheral's own way to the data RAM, as a master of the bus.
//!
//! A peripheral asks for an access when it has data, or a place for some. The address takes a cycle, the data the next one. In it the
//! core goes before EasyDMA at each slave of the RAM, and EasyDMA in the order of [`RANKS`]; who does not get the slave tries again a
//! cycle later. The core's loads overlap, so that what it wants in a cycle is known behind that cycle: then the access is decided, by
//! an event. Transmitters and targets ask for the next byte when one begins, and so wait for none unless the slave is taken for long.
//!
//! The first read of a transfer that the core starts by a write has the cycle of that write, in which the core is at the APB: the rows of
//! the start of each peripheral are meant with it.
//!
//! The manual promises nothing but errors outside the data RAM (a HardFault, or RAM that is overwritten): such a transfer is named,
//! reads zeros and stores nothing.

use std::collections::VecDeque;

use cyclescope_machine::units::Cycles;
use cyclescope_machine::{GapKind, RegionKind, TimingRow, Width};

use crate::{BusMaster, Effect, Env, Instance, Instant, MasterAccess, Source};

/// The first address of the data RAM; that of the code region is none of EasyDMA's.
const DATA_RAM: u32 = 0x2000_0000;

/// The timing of transfers.
pub const ROWS: &[TimingRow] = &[
    TimingRow::assumed(
        "easydma.empty",
        "from the start of a reception or an SPI transfer without bytes to its end, in periods of PCLK16M",
        1,
        "nRF52840 PS v1.7, EasyDMA, gives no figure; a shortcut that starts the next such transfer cannot take no time",
    ),
    TimingRow::assumed(
        "easydma.address",
        "cycles of the core from the need of an access to its data phase; its data are there, or stored, a cycle later",
        1,
        "a cycle for the address (IHI 0033, transfers of the AHB); nRF52840 PS v1.7, EasyDMA, gives no figure",
    ),
    TimingRow::documented(
        "easydma.contention",
        "cycles by which an access is put off, each time that the core or a master before it has the slave of the RAM",
        1,
        "nRF52840 PS v1.7, AHB multilayer: the masters by priority, the core first; those below are stalled",
    ),
];

/// Rows by place.
const ADDRESS: &TimingRow = &ROWS[1];
const CONTENTION: &TimingRow = &ROWS[2];

/// The masters that are modelled, from the highest priority to the lowest ("AHB multilayer", table "AHB bus masters").
const RANKS: [&str; 13] =
    ["USBD", "TWISPI1", "ECB", "SAADC", "UARTE0", "TWISPI0", "SPI2", "PWM0", "PWM1", "PWM2", "PWM3", "UARTE1", LAST];

/// The last of them.
const LAST: &str = "SPIM3";

/// The rank among events of a cycle of the first master's: before all other events of blocks.
const FIRST_RANK: u8 = 64;

/// The event at which an access is decided.
pub(super) const DECIDED: u16 = 14;

/// An access of a master.
#[derive(Clone, Copy, Debug)]
struct Access {
    /// The cycle of its data phase, if nobody else has the slave.
    cycle: u64,
    /// It is decided in that cycle, not behind it.
    at_once: bool,
    address: u32,
    width: Width,
    /// The data of a write.
    data: Option<u32>,
    /// It reaches the data RAM.
    reaches: bool,
    /// The block's own number for it.
    tag: u32,
}

/// The end of an access.
#[derive(Clone, Copy, Debug)]
pub struct Moved {
    /// The number that the block gave it.
    pub tag: u32,
    /// True if it was a write.
    pub write: bool,
    /// The data of a read.
    pub value: u32,
}

/// The accesses of one master, made one after the other.
#[derive(Clone, Debug)]
pub struct Master {
    rank: u8,
    accesses: VecDeque<Access>,
    /// The first has its slave.
    granted: bool,
    /// The core is writing to the block's registers.
    written: bool,
}

impl Master {
    /// The idle master of the block `instance`.
    pub fn new(instance: &Instance) -> Self {
        let rank = RANKS.iter().position(|name| *name == instance.name).unwrap_or(RANKS.len());
        Self { rank: FIRST_RANK + rank as u8, accesses: VecDeque::new(), granted: false, written: false }
    }

    /// A write of the core to the block's registers begins (`written`) or is over.
    pub(super) fn set_written(&mut self, written: bool) {
        self.written = written;
    }

    /// Asks for a read of `width` bytes, which `tag` names.
    pub(super) fn read(&mut self, address: u32, width: Width, tag: u32, env: &mut Env<'_, '_>) {
        self.ask(None, address, width, tag, 0, env);
    }

    /// The same of a read that is not made before the cycle `from`.
    pub(super) fn read_from(&mut self, from: u64, address: u32, width: Width, tag: u32, env: &mut Env<'_, '_>) {
        self.ask(None, address, width, tag, from, env);
    }

    /// Asks for a write of `width` bytes.
    pub(super) fn write(&mut self, address: u32, width: Width, data: u32, tag: u32, env: &mut Env<'_, '_>) {
        env.wires.note(ADDRESS);
        self.ask(Some(data), address, width, tag, 0, env);
    }

    /// The same of a write that is not made before the cycle `from`.
    pub(super) fn write_from(
        &mut self,
        from: u64,
        (address, width): (u32, Width),
        data: u32,
        tag: u32,
        env: &mut Env<'_, '_>,
    ) {
        self.ask(Some(data), address, width, tag, from, env);
    }

    fn ask(&mut self, data: Option<u32>, address: u32, width: Width, tag: u32, from: u64, env: &mut Env<'_, '_>) {
        let now = env.context.now.get();
        let reaches = env.ram_value(address, width).is_some();
        if !reaches {
            env.name_outside();
        }
        let at_once = self.written && data.is_none() && reaches && from <= now && self.accesses.is_empty();
        let earliest = if at_once { now } else { (now + u64::from(ADDRESS.cycles)).max(from) };
        let cycle = self.accesses.back().map_or(earliest, |last| earliest.max(last.cycle + 1));
        self.accesses.push_back(Access { cycle, at_once, address, width, data, reaches, tag });
        if at_once {
            env.effect(Effect::Master);
        } else {
            self.schedule(env);
        }
        // From the address on the core's accesses count.
        env.effect(Effect::DmaChanged);
    }

    /// True while a read is under way.
    pub(super) fn is_reading(&self) -> bool {
        self.accesses.iter().any(|access| access.data.is_none())
    }

    /// True while a write is under way.
    pub(super) fn is_writing(&self) -> bool {
        self.accesses.iter().any(|access| access.data.is_some())
    }

    /// Gives up reads that nobody needs any more.
    pub(super) fn drop_reads(&mut self, env: &mut Env<'_, '_>) {
        let is_first = self.accesses.front().is_some_and(|access| access.data.is_none());
        self.accesses.retain(|access| access.data.is_some());
        if is_first {
            self.changed(env);
        }
    }

    /// Gives up all accesses.
    pub(super) fn clear(&mut self, env: &mut Env<'_, '_>) {
        self.accesses.clear();
        self.changed(env);
    }

    /// The first access is another one than before.
    fn changed(&mut self, env: &mut Env<'_, '_>) {
        self.granted = false;
        if let Some(front) = self.accesses.front_mut() {
            // One before it may have been put off beyond the cycle that it asked for.
            front.cycle = front.cycle.max(env.context.now.get());
        }
        self.schedule(env);
        env.effect(Effect::DmaChanged);
    }

    fn schedule(&self, env: &mut Env<'_, '_>) {
        let id = env.event_id(self.rank, DECIDED);
        match self.accesses.front() {
            Some(access) => env.context.events.schedule(Cycles::new(access.cycle + 1), id),
            None => env.context.events.cancel(id),
        }
    }

    /// Returns the first access if it is to be decided at `now`.
    fn first_due(&self, now: u64) -> Option<&Access> {
        self.accesses.front().filter(|access| access.cycle + u64::from(!access.at_once) <= now)
    }

    /// Takes the first access, which is over, off the queue.
    fn end(&mut self, env: &mut Env<'_, '_>) -> Option<Access> {
        let access = self.accesses.pop_front()?;
        self.granted = false;
        if let Some(next) = self.accesses.front_mut() {
            next.cycle = next.cycle.max(access.cycle + 1);
        }
        self.schedule(env);
        Some(access)
    }

    fn put_off(&mut self, env: &mut Env<'_, '_>) {
        let Some(access) = self.accesses.front_mut() else { return };
        access.cycle += u64::from(CONTENTION.cycles);
        access.at_once = false;
        env.wires.note(CONTENTION);
        if access.data.is_none() && env.instance.name == LAST {
            env.gap(
                GapKind::Setting,
                format_args!("{LAST}: erratum 198: another master has the slave of RAM that it reads; it may send a wrong byte, here it waits"),
            );
        }
        self.schedule(env);
    }
}

/// A block with EasyDMA.
pub trait EasyDma {
    /// Its master.
    fn easydma(&self) -> &Master;

    /// The same.
    fn easydma_mut(&mut self) -> &mut Master;

    /// An access is over.
    fn moved(&mut self, moved: Moved, env: &mut Env<'_, '_>);
}

/// The event [`DECIDED`] of `block` has come.
pub(super) fn decide(block: &mut impl EasyDma, env: &mut Env<'_, '_>) {
    let now = env.context.now.get();
    while let Some(access) = block.easydma().first_due(now) {
        if access.reaches {
            return env.effect(Effect::Master);
        }
        finish(block, 0, env);
        env.effect(Effect::DmaChanged);
    }
}

fn finish(block: &mut impl EasyDma, value: u32, env: &mut Env<'_, '_>) {
    if let Some(Access { tag, data, .. }) = block.easydma_mut().end(env) {
        block.moved(Moved { tag, write: data.is_some(), value }, env);
    }
}

impl<T: EasyDma> BusMaster for T {
    fn due(&mut self, env: &mut Env<'_, '_>) -> Option<MasterAccess> {
        let master = self.easydma();
        let access = master.first_due(env.context.now.get()).filter(|access| access.reaches)?;
        let Access { cycle, address, width, data, .. } = *access;
        Some(MasterAccess { cycle, begins: !master.granted, address, width, data, waited: false })
    }

    fn begun(&mut self, _: u64, _: &mut Env<'_, '_>) {
        self.easydma_mut().granted = true;
    }

    fn put_off(&mut self, env: &mut Env<'_, '_>) {
        self.easydma_mut().put_off(env);
    }

    fn ended(&mut self, data: Option<u32>, env: &mut Env<'_, '_>) {
        finish(self, data.unwrap_or(0), env);
    }

    fn competes_anew(&self) -> bool {
        true
    }

    fn is_moving(&self) -> bool {
        !self.easydma().accesses.is_empty()
    }

    fn contention(&self) -> &'static TimingRow {
        CONTENTION
    }
}

impl Env<'_, '_> {
    fn ram_value(&self, address: u32, width: Width) -> Option<u32> {
        self.context.memory.read(address, width).filter(|_| self.is_data_ram(address))
    }

    fn is_data_ram(&self, address: u32) -> bool {
        address >= DATA_RAM && matches!(self.context.memory.region(address), Some(RegionKind::Ram(_)))
    }

    fn name_outside(&mut self) {
        let name = self.name();
        self.gap(GapKind::Setting, format_args!("{name}: EasyDMA reaches nothing but the data RAM"));
    }
}

/// Returns the time at which a transfer without bytes that starts now is over.
pub(super) fn empty_end(env: &mut Env<'_, '_>) -> Instant {
    let periods = env.cycles(&ROWS[0]);
    env.clocks().edge_after(Source::Pclk, env.now(), periods)
}
