//! Loads that overlap only while they stay in one memory. Accesses themselves know nothing of it: the builder puts steps
//! before those that it may concern.

use cyclescope_machine::{Bus, Width};

use crate::cpu::Cpu;

impl Cpu {
    /// A load or store to `address` is about to overlap with the load before it: unless both go to one memory, it does not.
    #[inline(always)]
    pub(super) fn compare_memory<P>(&mut self, bus: &Bus<P>, address: u32) {
        let before = std::mem::replace(&mut self.loaded_from, address);
        if !bus.memory.in_one_ram(before, address) {
            self.charge_memory_change(bus, before, address);
        }
    }

    /// The same where they are not both in the main RAM, or in two of its memories.
    #[cold]
    fn charge_memory_change<P>(&mut self, bus: &Bus<P>, before: u32, address: u32) {
        let ram = |address| {
            let bit = self.bit_band(address, Width::Byte);
            bus.memory.ram_at(bit.map_or(address, |(target, _)| target))
        };
        if let (Some(one), Some(other)) = (ram(before), ram(address))
            && one != other
            && let Some(row) = self.config.timing.memory_change
        {
            self.now += self.charge(row);
        }
    }
}
