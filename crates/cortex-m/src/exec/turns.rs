//! Accesses of one of two cores, each in its turn, with the waits for ports of the bus that the other core has.

use cyclescope_machine::units::Cycles;
use cyclescope_machine::{Access, Answer, Bus, Peripherals, Port, RegionKind, SimpleAccess, Turn};

use super::memory::{self, Loaded, later};
use crate::address_map::is_private;
use crate::cpu::{Cpu, Fault, FaultKind};

/// The result of an access that has no turn yet: what comes of the instruction is dropped.
const REFUSED: Fault = Fault { kind: FaultKind::PreciseBus, cause: "an access that waits for its turn", address: None };

/// An access whose port is free.
struct Claim {
    /// The access, as late as it is after the wait for its port.
    access: Access,
    /// The cycles that its bus and its device take beyond an access without wait states.
    extra: i32,
    /// The port, which the other core cannot have meanwhile.
    port: Option<Port>,
    /// The memory there, if there is one.
    region: Option<RegionKind>,
    /// It has waited for the port.
    waited: bool,
}

impl Cpu {
    /// Makes `access`, a `write` or a read, by `make` when its turn has come; if it was made before, gives its result again.
    #[cold]
    pub(super) fn in_turn<P: Peripherals>(
        &mut self,
        bus: &mut Bus<P>,
        access: Access,
        write: bool,
        make: impl FnOnce(&mut Self, &mut Bus<P>, Access) -> Loaded,
    ) -> Loaded {
        let simple = bus.shared.turns.simple();
        if is_private(access.address.get()) {
            if simple.is_some() {
                return Err(REFUSED);
            }
            // The core's own registers have no port, but what has reached the core shows there.
            let phase = self.data_phase(access);
            return if bus.shared.turns.reaches(phase) { make(self, bus, access) } else { Err(REFUSED) };
        }
        let Claim { access, extra, port, region, waited } = self.claim(bus, access, write)?;
        let first = self.data_phase(access);
        let last = first.wrapping_add_signed(extra.into());
        match bus.shared.turns.ask(last) {
            Turn::Wait => return Err(REFUSED),
            Turn::Made(Answer { value, cycles, touched, failed, .. }) => {
                self.now = self.now.wrapping_add_signed(cycles);
                return match failed {
                    Some((cause, address)) => Err(Fault { kind: FaultKind::PreciseBus, cause, address: Some(address) }),
                    None => Ok((value, touched)),
                };
            }
            Turn::Go => {}
        }
        if let Some(reach) = simple {
            // Behind one to memory another may wait, so that nothing else may come of it.
            let plain = matches!(region, Some(RegionKind::Ram(_))) || region.is_some() && !write;
            if !plain && reach == SimpleAccess::Memory || self.next_event(bus) <= last {
                return Err(REFUSED);
            }
        }
        let before = self.now;
        let access = self.after_wait(bus, access, write, extra);
        if let Some(RegionKind::Flash(offset)) = region.filter(|_| bus.shared.traffic.is_counted()) {
            let hit = !bus.memory.is_uncached(access.address.get()) && bus.memory.flash.is_cached(offset);
            bus.shared.traffic.count_cached(hit);
        }
        let made = make(self, bus, access);
        let cycles = self.now.wrapping_sub(before) as i64;
        if let Some(port) = port {
            // RAM itself never waits: there the cycles are another master's.
            let waited = waited || cycles > 0 && matches!(region, Some(RegionKind::Ram(_)));
            bus.shared.traffic.count(port, waited);
            bus.shared.turns.keep(port, first, first.wrapping_add_signed(cycles.max(0)));
        }
        let (value, touched) = made.unwrap_or_default();
        let failed = made.err().map(|fault| (fault.cause, fault.address.unwrap_or(0)));
        bus.shared.turns.note(Answer { value, cycles, touched, failed });
        made
    }

    /// Waits for the port of `access`.
    fn claim<P: Peripherals>(&mut self, bus: &mut Bus<P>, mut access: Access, write: bool) -> Result<Claim, Fault> {
        let address = access.address;
        let region = bus.memory.region(address.get());
        let port = bus.peripherals.port(address, region);
        let mut has_waited = false;
        loop {
            let first = self.data_phase(access);
            let extra = |bus: &mut Bus<P>| match region {
                None => bus.peripherals.extra_cycles(address, write, Cycles::new(first)),
                Some(_) => 0,
            };
            let Some(port) = port else {
                return Ok(Claim { access, extra: extra(bus), port: None, region, waited: false });
            };
            let (waited, extra) = match bus.shared.turns.ask(first) {
                Turn::Wait => {
                    bus.shared.turns.want(port);
                    // What other masters do in that cycle may come first, and must find what it wants then.
                    if let Some(RegionKind::Ram(offset)) = region {
                        memory::claim(bus, offset, first);
                    }
                    return Err(REFUSED);
                }
                // The device may have become free while the core waited for its turn.
                Turn::Made(made) => (made.cycles as u64, made.value as i32),
                Turn::Go => {
                    let (mut waits, extra) = (bus.shared.turns.busy(port, first), extra(bus));
                    if let Some(RegionKind::Ram(offset)) = region.filter(|_| waits == 0) {
                        waits = self.kept(bus, offset, first)?;
                    }
                    if waits == 0 {
                        bus.shared.turns.grant(port, first, first.wrapping_add_signed(extra.into()).max(first));
                    }
                    // All waits in a row are one, however many they are.
                    if waits > 0 && has_waited {
                        bus.shared.turns.prolong(waits);
                    } else {
                        bus.shared.turns.note(Answer {
                            value: extra as u32,
                            cycles: waits as i64,
                            ..Answer::default()
                        });
                    }
                    (waits, extra)
                }
            };
            if waited == 0 {
                return Ok(Claim { access, extra, port: Some(port), region, waited: has_waited });
            }
            has_waited = true;
            self.pass(waited);
            access = later(access, waited);
        }
    }

    /// The cycles for which a master that goes before the core keeps the RAM at the byte offset `offset` from it in the cycle `first`:
    /// then it asks again.
    fn kept<P: Peripherals>(&mut self, bus: &mut Bus<P>, offset: u32, first: u64) -> Result<u64, Fault> {
        let core = bus.shared.turns.core();
        if !bus.memory.ram.is_closed() || !bus.peripherals.is_outranked(core) {
            return Ok(0);
        }
        if bus.shared.turns.simple().is_some() && self.next_event(bus) <= first {
            return Err(REFUSED);
        }
        self.happen_before(bus, first);
        Ok(bus.memory.is_kept_from(core, offset, first).into())
    }

    /// The access, later by what of `extra` was a wait for a device that has ended since.
    fn after_wait<P: Peripherals>(&mut self, bus: &mut Bus<P>, access: Access, write: bool, extra: i32) -> Access {
        if extra <= 0 {
            return access;
        }
        let left = bus.peripherals.extra_cycles(access.address, write, Cycles::new(self.data_phase(access)));
        let waited = u64::try_from(extra - left).unwrap_or(0);
        self.pass(waited);
        later(access, waited)
    }
}
