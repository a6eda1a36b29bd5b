//! Accesses of one of two cores, each in its turn, with the waits for ports of the bus that the other core has.

use cyclescope_machine::units::Cycles;
use cyclescope_machine::{Access, Answer, Bus, FlashInterface, Peripherals, Port, RegionKind, Turn};

use super::memory::{Loaded, later};
use crate::address_map::is_private;
use crate::cpu::{Cpu, Fault, FaultKind};

/// The result of an access that has no turn yet: what comes of the instruction is dropped.
const REFUSED: Fault = Fault { kind: FaultKind::PreciseBus, cause: "an access that waits for its turn", address: None };

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
        if is_private(access.address.get()) {
            // The core's own registers have no port, but what has reached the core shows there.
            let phase =
                access.at.get().wrapping_add(u64::from(self.config.timing.cycles(self.config.timing.data_phase)));
            return if bus.shared.turns.reaches(phase) { make(self, bus, access) } else { Err(REFUSED) };
        }
        let (access, last) = self.claim(bus, access, write)?;
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
        let before = self.now;
        let made = make(self, bus, access);
        let cycles = self.now.wrapping_sub(before) as i64;
        bus.shared.turns.keep(last.wrapping_add_signed(cycles.max(0)));
        let (value, touched) = made.unwrap_or_default();
        let failed = made.err().map(|fault| (fault.cause, fault.address.unwrap_or(0)));
        bus.shared.turns.note(Answer { value, cycles, touched, failed });
        made
    }

    /// Waits for the port of `access`. Returns the access, as late as it is then, and the cycle in which it acts.
    fn claim<P: Peripherals>(
        &mut self,
        bus: &mut Bus<P>,
        mut access: Access,
        write: bool,
    ) -> Result<(Access, u64), Fault> {
        let data_phase = u64::from(self.config.timing.cycles(self.config.timing.data_phase));
        let address = access.address;
        let region = bus.memory.region(address.get());
        let port = match region {
            Some(RegionKind::Ram(offset)) => Some(Port::Ram(bus.peripherals.ram_slave(offset))),
            Some(RegionKind::Flash(_)) => Some(Port::Flash),
            Some(RegionKind::Other(index, _)) => Some(Port::Memory(index)),
            None => bus.peripherals.port(address).map(Port::Registers),
        };
        loop {
            let first = access.at.get().wrapping_add(data_phase);
            let extra = match region {
                None => bus.peripherals.extra_cycles(address, write, Cycles::new(first)),
                Some(_) => 0,
            };
            let last = first.wrapping_add_signed(extra.into());
            let Some(port) = port else { return Ok((access, last)) };
            let waited = match bus.shared.turns.ask(first) {
                Turn::Wait => {
                    bus.shared.turns.want(port);
                    return Err(REFUSED);
                }
                Turn::Made(made) => made.cycles as u64,
                Turn::Go => {
                    let waits = bus.shared.turns.busy(port, first);
                    if waits == 0 {
                        bus.shared.turns.grant(port, first, last.max(first));
                    }
                    bus.shared.turns.note(Answer { cycles: waits as i64, ..Answer::default() });
                    waits
                }
            };
            if waited == 0 {
                return Ok((access, last));
            }
            self.pass(waited);
            access = later(access, waited);
        }
    }

    /// The cycles that a fetch from flash asked for in the cycle `at`, as flash counts those of fetches, waits for the other core's
    /// access there. Who fetches learns only then that it has come too late.
    pub(super) fn fetch_waits<P: Peripherals>(&mut self, bus: &mut Bus<P>, at: u64) -> u64 {
        let first = (at + 1).saturating_sub(u64::from(FlashInterface::AHEAD));
        let waits = bus.shared.turns.busy(Port::Flash, first);
        bus.shared.turns.grant(Port::Flash, first + waits, first + waits);
        self.pass(waits);
        waits
    }
}
