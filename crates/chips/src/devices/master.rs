//! The accesses of blocks that are bus masters of their own.
//!
//! Each data phase is a step at its beginning and one at its end. A bank of RAM serves one access a cycle. A core waits for one that is
//! taken ([`Memory::take_ram`](cyclescope_machine::Memory::take_ram)) unless it outranks the master: then that one asks again a
//! cycle later.
//!
//! - The RP2040's DMA reads and writes at the same time: of its own two accesses the one that writes goes first, and the other has
//!   the next cycle. A register behind a bridge takes as long as for the core; the two do not wait for each other there. A core that
//!   BUS_PRIORITY sets above one of the two says which bank it wants before that one has its turn in the same cycle, also while it
//!   waits for its own turn. One that BUS_PRIORITY sets below waits as long as that one has the bank. Fetches take no part in it.
//! - EasyDMA's masters have an order of rank. What each wants in a cycle is decided behind it, when the core's accesses in that cycle
//!   are known, by events in that order; one that finds its slave taken competes anew for the next cycle.

use std::sync::Arc;

use cyclescope_machine::{Context, RegionKind, TimingRow};
use cyclescope_peripherals::{Device, Effect, MasterAccess};

use super::dma::close_ram;
use super::{Devices, Matrix};
use crate::family::Cost;
use crate::owner::Wiring as _;

impl Devices {
    /// Carries out what the master in `slot` has due now.
    pub(super) fn serve_master(&mut self, slot: usize, context: &mut Context<'_>) {
        loop {
            let due =
                self.slots.with(slot, context, |device, env| device.master_mut().and_then(|master| master.due(env)));
            let Some(access) = due else { break };
            if access.begins {
                let waits = self.begin_master(slot, access, context);
                self.slots.with(slot, context, |device, env| {
                    if let Some(master) = device.master_mut() {
                        match waits {
                            Some(waits) => master.begun(waits, env),
                            None => master.put_off(env),
                        }
                    }
                });
                continue;
            }
            let MasterAccess { width, data, .. } = access;
            let address = self.unmirrored(access.address);
            let reached = self.reaches_master(address);
            let answer = match data {
                _ if !reached => None,
                Some(data) => self.dma_write(address, width, data & width.mask(), context).map(|()| 0),
                None => self.dma_read(address, width, context),
            };
            self.slots.with(slot, context, |device, env| {
                if let Some(master) = device.master_mut() {
                    master.ended(answer, env);
                }
            });
        }
        // What the accesses did to requests counts before the next transfer is chosen.
        self.slots.wires.effects.push((slot as u16, Effect::DmaChanged));
    }

    /// The masters choose their next transfers.
    pub(super) fn masters_go_on(&mut self, context: &mut Context<'_>) {
        let layout = Arc::clone(&self.wiring.layout);
        let mut moving = false;
        for slot in &layout.known.masters {
            if self.slots[*slot].master().is_some_and(|master| master.goes_on()) {
                self.slots.with(*slot, context, |device, env| {
                    if let Some(master) = device.master_mut() {
                        master.go_on(env);
                    }
                });
            }
            moving = moving || self.slots[*slot].master().is_some_and(|master| master.is_moving());
        }
        close_ram(moving, context);
    }

    /// Tells of the masters that read and write whether they go before the core `core`.
    pub(super) fn outrankers(&self, core: usize) -> [bool; 2] {
        match self.wiring.layout.known.bus_control.map(|slot| &self.slots[slot]) {
            Some(Device::RpBusControl(control)) => control.outrankers(core),
            _ => [false; 2],
        }
    }

    /// The cost of an access to a register at `address`, if there is a bus that leads to it from a master beside the core: the
    /// single-cycle port is the core's.
    fn cost(&self, address: u32) -> Option<Cost> {
        self.wiring.layout.soc.family.segment(address).map(|(_, segment)| segment.cost)
    }

    fn reaches_master(&self, address: u32) -> bool {
        !matches!(self.cost(address), Some(Cost::Saves(_)))
    }

    /// The cycles that a data phase takes beyond its first; `None` if another goes before it there.
    fn begin_master(&mut self, slot: usize, access: MasterAccess, context: &mut Context<'_>) -> Option<u64> {
        let MasterAccess { cycle: now, address, data, waited, .. } = access;
        let region = context.memory.region(address);
        if let Some(RegionKind::Ram(offset)) = region {
            let anew = self.slots[slot].master().is_some_and(|master| master.competes_anew());
            // One that some core goes before does not know now whether it can have the next cycle.
            let yields = || [0, 1].into_iter().any(|core| Matrix::outranks(self, core)[usize::from(data.is_some())]);
            let taken = (anew || yields()) && context.memory.ram_wait(offset, now) > 0;
            if taken || context.memory.is_claimed(offset, now, data.is_some()) {
                return None;
            }
        }
        let (waits, waited) = match region {
            Some(RegionKind::Flash(offset)) if data.is_none() => {
                let uncached = context.memory.is_uncached(address);
                let flash = &mut context.memory.flash;
                context.traffic.count_cached(!uncached && flash.is_cached(offset));
                let stall = match flash.interface().timing().wait_states {
                    0 => 0,
                    _ if uncached => flash.interface_mut().read_uncached(now),
                    _ => flash.read_data(offset, now),
                };
                (stall.into(), waited)
            }
            Some(RegionKind::Ram(offset)) => {
                let master = self.slots[slot].master();
                let row: Option<&'static TimingRow> = master.map(|master| master.contention());
                // Where the core goes first, the row is used by masters that are put off.
                let notes = !master.is_some_and(|master| master.competes_anew());
                let wait = row.map_or(0, |row| {
                    if notes {
                        self.slots.wires.note(row);
                    }
                    row.cycles
                });
                let slave = self.wiring.layout.soc.family.ram_slave(offset);
                // The other of its two accesses has the bank.
                let waits = context.memory.ram_wait(offset, now).into();
                let before = [0, 1].map(|core| self.outrankers(core)[usize::from(data.is_some())]);
                context.memory.take_ram_before(slave, now + waits, wait, before);
                (waits, waited || waits > 0)
            }
            Some(_) => (0, waited),
            None => {
                let waits = match self.cost(address) {
                    Some(Cost::Adds(row)) => row.cycles.into(),
                    Some(Cost::AddsApart { read, write }) => if data.is_some() { write } else { read }.cycles.into(),
                    _ => 0,
                };
                (waits, waited)
            }
        };
        if let Some(port) = self.wiring.layout.soc.family.port(address, region) {
            context.traffic.count(port, waited);
        }
        Some(waits)
    }
}
