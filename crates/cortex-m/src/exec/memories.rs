//! Loads that overlap only while they stay in one memory. Accesses themselves know nothing of it: the builder puts steps
//! before those that it may concern.

use cyclescope_machine::{Bus, Width};

use super::Here;
use crate::cpu::Cpu;

impl Cpu {
    /// The next load is from `address`, and what stands behind it overlaps with it.
    #[inline(always)]
    pub(super) fn note_memory<P>(&mut self, bus: &Bus<P>, _: Here<'_, P>, address: u32) {
        if !self.loaded_from.contains(&address) {
            self.turn_to_memory(bus, address);
        }
    }

    /// The next load or store, which stands at `here`, is to `address` and overlaps with the load before it: unless both go to one memory, it does not.
    #[inline(always)]
    pub(super) fn compare_memory<P>(&mut self, bus: &Bus<P>, here: Here<'_, P>, address: u32) {
        if !self.loaded_from.contains(&address) {
            self.charge_memory_change(bus, here.place().pc, address);
        }
    }

    #[cold]
    fn charge_memory_change<P>(&mut self, bus: &Bus<P>, pc: u32, address: u32) {
        if self.turn_to_memory(bus, address)
            && let Some(row) = self.config.timing.memory_change
        {
            self.memory_changes.note(pc);
            let cycles = self.charge(row);
            self.pass(cycles);
        }
    }

    /// Keeps the memory of `address`; whether that and the one before it are two RAMs.
    #[cold]
    fn turn_to_memory<P>(&mut self, bus: &Bus<P>, address: u32) -> bool {
        let bit = self.bit_band(address, Width::Byte);
        let now = bus.memory.ram_around(bit.map_or(address, |(target, _)| target));
        let before = std::mem::replace(&mut self.loaded_from, now);
        !before.is_empty() && !self.loaded_from.is_empty() && before != self.loaded_from
    }
}
