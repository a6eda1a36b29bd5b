//! The data space: registers, I/O and SRAM behind one another. SRAM is tried first wherever an instruction moves data;
//! here is the way to everything else, at its exact cycle.

use cyclescope_machine::units::{Address, Cycles};
use cyclescope_machine::{Access, Bus, GapKind, Width};

use crate::cpu::{Cpu, DATA_SPACE, SPH, SPL, SREG};
use crate::hooks::AvrPeripherals;

/// The one name for all addresses where nothing is.
const BEYOND: &str = "data space beyond SRAM";

/// The access to `address` at the cycle `at` by the instruction at `pc`.
pub(crate) fn access(address: u16, at: u64, pc: u32) -> Access {
    let address = Address::new(DATA_SPACE | u32::from(address));
    Access { address, width: Width::Byte, at: Cycles::new(at), pc: Address::new(pc) }
}

impl Cpu {
    #[inline(always)]
    pub(crate) fn load_ram<P>(&self, bus: &Bus<P>, address: u16) -> Option<u8> {
        bus.memory.ram.read(DATA_SPACE | u32::from(address), Width::Byte).map(|value| value as u8)
    }

    #[inline(always)]
    pub(crate) fn store_ram<P>(&self, bus: &mut Bus<P>, address: u16, value: u8) -> bool {
        bus.memory.ram.write(DATA_SPACE | u32::from(address), Width::Byte, u32::from(value))
    }

    /// Reads any data address.
    pub(crate) fn read_data<P: AvrPeripherals>(&mut self, bus: &mut Bus<P>, load: Access) -> u8 {
        let address = load.address.get() as u16;
        if let Some(value) = self.load_ram(bus, address) {
            return value;
        }
        self.beyond_ram.note(load.pc.get());
        if address < 0x20 {
            return self.get(address as u8);
        }
        if let Some(value) = self.own(address) {
            return value;
        }
        if address >= self.config.ram_start {
            bus.shared.meet_gap(GapKind::RegisterRead, BEYOND, load.pc, load.at);
            return 0;
        }
        self.run_events(bus, load.at.get());
        self.still_until = 0;
        let (peripherals, mut context) = bus.with_context(load.at, load.pc);
        match peripherals.read(load, &mut context) {
            Ok(value) => {
                let until = bus.peripherals.still(load).map_or(0, |still| still.until.get());
                (self.still_at, self.still_value, self.still_until) = (address, value as u8, until);
                value as u8
            }
            Err(fault) => {
                context.gap(GapKind::RegisterRead, &fault.to_string());
                0
            }
        }
    }

    /// Writes any data address.
    pub(crate) fn write_data<P: AvrPeripherals>(&mut self, bus: &mut Bus<P>, store: Access, value: u8) {
        let address = store.address.get() as u16;
        if self.store_ram(bus, address, value) {
            return;
        }
        self.beyond_ram.note(store.pc.get());
        if address < 0x20 {
            return self.set(address as u8, value);
        }
        if self.set_own(address, value) {
            return;
        }
        if address >= self.config.ram_start {
            // A page that somebody watches.
            if bus.memory.write(DATA_SPACE | u32::from(address), Width::Byte, value.into()) {
                if bus.tell_store(store, value.into()) {
                    self.horizon = 0;
                }
            } else {
                bus.shared.meet_gap(GapKind::RegisterWrite, BEYOND, store.pc, store.at);
            }
            return;
        }
        self.run_events(bus, store.at.get());
        self.still_until = 0;
        let (peripherals, mut context) = bus.with_context(store.at, store.pc);
        if let Err(fault) = peripherals.write(store, u32::from(value), &mut context) {
            context.gap(GapKind::RegisterWrite, &fault.to_string());
        }
        self.halt_as_asked(bus);
    }

    /// Waits as long as the access that was just made halts the core.
    #[inline]
    fn halt_as_asked<P: AvrPeripherals>(&mut self, bus: &mut Bus<P>) {
        let halted = bus.peripherals.halted();
        if halted > Cycles::ZERO {
            self.now += halted.get();
            self.horizon = 0;
        }
    }

    /// SBI and CBI: the register is read at the instruction's first cycle, the bit written at the cycle of `store`.
    pub(crate) fn write_bit<P: AvrPeripherals>(&mut self, bus: &mut Bus<P>, store: Access, bit: u8, high: bool) {
        self.run_events(bus, store.at.get());
        self.still_until = 0;
        let (peripherals, mut context) = bus.with_context(store.at, store.pc);
        peripherals.write_bit(store, bit, high, &mut context);
        self.halt_as_asked(bus);
    }

    /// The core's own registers in the I/O space.
    pub(crate) fn own(&self, address: u16) -> Option<u8> {
        let config = &self.config;
        match address {
            SREG => Some(self.sreg()),
            SPL => Some(self.sp as u8),
            SPH => Some((self.sp >> 8) as u8),
            _ if address == u16::from(config.smcr) => Some(self.smcr),
            _ if Some(address) == config.rampz.map(u16::from) => Some(self.rampz),
            _ if Some(address) == config.eind.map(u16::from) => Some(self.eind),
            _ => None,
        }
    }

    pub(crate) fn set_own(&mut self, address: u16, value: u8) -> bool {
        match address {
            SREG => self.write_sreg(value),
            SPL => self.write_sp(self.sp & 0xFF00 | u16::from(value)),
            SPH => self.write_sp(self.sp & 0xFF | u16::from(value) << 8),
            // Bits 7 to 4 are reserved and read as zero (8271H §10.11.1).
            _ if address == u16::from(self.config.smcr) => self.smcr = value & 0xF,
            _ if Some(address) == self.config.rampz.map(u16::from) => self.rampz = value,
            _ if Some(address) == self.config.eind.map(u16::from) => self.eind = value,
            _ => return false,
        }
        true
    }

    /// Writes SREG. Where that sets I, one more instruction executes before an interrupt is served.
    pub fn write_sreg(&mut self, value: u8) {
        let before = self.i;
        self.set_sreg(value);
        if self.i && !before {
            self.rows.insert(self.config.timing.delay_by_sreg);
            self.delayed = true;
            self.horizon = 0;
        }
    }
}
