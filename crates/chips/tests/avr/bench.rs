//! The peripherals of an ATmega32U4 without a core: the tests are the bus master, and time moves when they say so.

use cyclescope_avr::DATA_SPACE;
use cyclescope_chips::Stimulus;
use cyclescope_chips::avr::AvrDevices;
use cyclescope_machine::units::{Address, Cycles};
use cyclescope_machine::{Access, Bus, GapKind, Width};

use crate::machine::Machine;

pub struct Bench {
    pub bus: Bus<AvrDevices>,
    pub now: u64,
}

impl Bench {
    pub fn new() -> Self {
        Self { bus: Machine::u4(&[]).bus, now: 0 }
    }

    fn access(&self, address: u32) -> Access {
        let address = Address::new(DATA_SPACE + address);
        Access { address, width: Width::Byte, at: Cycles::new(self.now), pc: Address::ZERO }
    }

    pub fn read(&mut self, address: u32) -> u8 {
        self.bus.read(self.access(address)).expect("a register answers") as u8
    }

    pub fn write(&mut self, address: u32, value: u8) {
        self.bus.write(self.access(address), value.into()).expect("a register takes it");
    }

    pub fn pass(&mut self, cycles: u64) {
        self.now += cycles;
        self.bus.run_events(Cycles::new(self.now), Address::ZERO);
    }

    pub fn stimulate(&mut self, after: u64, stimulus: Stimulus) {
        let at = Cycles::new(self.now + after);
        self.bus.peripherals.stimulate(at, stimulus, &mut self.bus.shared.events);
    }

    pub fn gaps(&self) -> Vec<&str> {
        let all = self.bus.shared.gaps.all().iter();
        all.filter(|gap| gap.kind == GapKind::Setting).map(|gap| gap.name.as_str()).collect()
    }
}
