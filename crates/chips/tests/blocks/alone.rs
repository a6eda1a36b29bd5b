//! One block without a part around it: the test is its clock control and carries out its effects.

use std::sync::Arc;

use cyclescope_chips::{MemorySetting, Part};
use cyclescope_machine::units::{Address, Cycles, Hertz};
use cyclescope_machine::{Bus, GapKind, Memory, WithoutPeripherals};
use cyclescope_peripherals::{
    Block, Clocks, Device, Effect, Env, Instance, Oscillators, Properties, Slots, Source, Tree, Words, Write,
};

#[derive(Clone)]
pub struct Alone {
    pub bus: Bus<WithoutPeripherals>,
    pub slots: Slots<Words, Device>,
    pub instance: &'static Instance,
    pub now: u64,
}

impl Alone {
    /// The block `name` of `part` after reset, at `hclk` hertz on all buses; `more` adds clocks to the tree.
    pub fn new(part: &str, name: &str, hclk: u64, more: impl FnOnce(&Clocks, Tree) -> Tree) -> Self {
        let part = Part::find(part).expect("the part is known");
        let soc = part.soc().expect("a part with buses of words");
        let instance = soc.instances().find(|instance| instance.name == name).expect("the part has the block");
        let properties = Properties {
            clock: part.clock,
            setting: MemorySetting::Equal,
            flash_bytes: part.flash.bytes.get(),
            sectors: &soc.sectors,
            full_usarts: soc.full_usarts,
            device_id: soc.device_id,
            conditioned_rng: soc.family.conditioned_rng,
        };
        let hz = Hertz::new;
        let oscillators =
            Oscillators { hsi: hz(hclk), lsi: hz(32_000), hse: Some(hz(48_000_000)), lse: Some(hz(32_768)) };
        let mut clocks = Clocks::new(oscillators);
        let tree = more(&clocks, *clocks.tree());
        clocks.switch(Cycles::ZERO, tree);
        let memory = Memory::new(part.flash.base, vec![0xFF; 64], part.ram.base, 64);
        let device = Device::new(instance, &properties);
        let mut alone = Self {
            bus: Bus::new(memory, WithoutPeripherals, 1 << 10),
            slots: Slots::new(Arc::from([instance]), vec![device], clocks),
            instance,
            now: 0,
        };
        alone.with(|device, env| device.reset(env));
        alone
    }

    pub fn with<R>(&mut self, act: impl FnOnce(&mut Device, &mut Env<'_, '_>) -> R) -> R {
        let (_, mut context) = self.bus.with_context(Cycles::new(self.now), Address::ZERO);
        self.slots.with(0, &mut context, act)
    }

    /// The block counts `clock` from now on.
    pub fn kernel(&mut self, clock: Source) {
        self.slots[0].set_kernel_clock(clock);
    }

    /// The clocks change.
    pub fn change(&mut self, change: impl FnOnce(&Clocks, Tree) -> Tree) {
        let old = *self.slots.wires.shared.tree();
        let tree = change(&self.slots.wires.shared, old);
        let (_, mut context) = self.bus.with_context(Cycles::new(self.now), Address::ZERO);
        self.slots.change(old, &mut context, |clocks, context| clocks.switch(context.now, tree));
    }

    pub fn read(&mut self, offset: u32) -> u32 {
        self.with(|device, env| device.read(offset, env))
    }

    pub fn write(&mut self, offset: u32, value: u32) {
        self.with(|device, env| device.write(offset, Write::word(value), env));
    }

    /// Lets `cycles` of HCLK pass.
    pub fn pass(&mut self, cycles: u64) {
        let end = self.now + cycles;
        while let Some((at, id)) = self.bus.shared.events.pop_due(Cycles::new(end)) {
            let (_, mut context) = self.bus.with_context(at, Address::ZERO);
            self.slots.event(id, &mut context);
        }
        self.now = end;
    }

    /// The first cycle from now on, at most `limit` away, at which `bits` of the register at `offset` are `value`.
    pub fn until(&mut self, offset: u32, bits: u32, value: u32, limit: u64) -> Option<u64> {
        let end = self.now + limit;
        while self.read(offset) & bits != value {
            if self.now >= end {
                return None;
            }
            self.pass(1);
        }
        Some(self.now)
    }

    /// Tells if the line of the block's interrupt `signal` is high.
    pub fn line(&self, signal: &str) -> bool {
        let line = self.instance.line(signal).expect("the part wires it");
        self.bus.shared.interrupts.is_high(usize::from(line))
    }

    /// The effects since the last call.
    pub fn effects(&mut self) -> Vec<Effect> {
        self.slots.wires.effects.drain(..).map(|(_, effect)| effect).collect()
    }

    pub fn gaps(&self, kind: GapKind) -> Vec<&str> {
        self.bus.shared.gaps.all().iter().filter(|gap| gap.kind == kind).map(|gap| gap.name.as_str()).collect()
    }
}

/// A generator of random numbers (Marsaglia 2003, xorshift64).
struct Random(u64);

impl Random {
    fn of(&mut self, count: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % count
    }
}

/// Accesses, edges and clocks at random; the sum of what was read.
fn hammer(alone: &mut Alone, random: &mut Random, times: u32) -> u64 {
    let last = alone.instance.map.registers.last().map_or(0, |register| register.offset);
    let mut sum = 0u64;
    for _ in 0..times {
        let offset = random.of(u64::from(last) + 4) as u32 & !3;
        let value = match random.of(3) {
            0 => random.of(1 << 32) as u32,
            1 => 1 << random.of(32),
            _ => random.of(8) as u32,
        };
        match random.of(12) {
            0..6 => alone.write(offset, value),
            6..9 => sum = sum.rotate_left(5) ^ u64::from(alone.read(offset)),
            9 if !alone.instance.pins.is_empty() => {
                let index = random.of(alone.instance.pins.len() as u64) as usize;
                alone.with(|device, env| device.input(index, value & 1 != 0, env));
            }
            10 => {
                let low = value & 1 != 0;
                alone.change(|clocks, tree| Tree {
                    pclk: tree.hclk.times(1 + u64::from(value & 3)),
                    lsi: clocks.period(Hertz::new(if low { 0 } else { 32_000 })),
                    clk48: clocks.period(Hertz::new(if low { 48_000_000 } else { 0 })),
                    ..tree
                });
            }
            _ => alone.kernel([Source::Pclk, Source::Lsi, Source::Clk48][value as usize % 3]),
        }
        alone.pass([0, 1, 17, 400][random.of(4) as usize]);
        alone.effects();
    }
    sum
}

#[test]
fn random_accesses_neither_panic_nor_hang_and_a_clone_does_the_same() {
    let blocks = [
        ("stm32l476rg", "RNG"),
        ("stm32g431kb", "RNG"),
        ("stm32l4p5zg", "RNG"),
        ("stm32l476rg", "LPTIM1"),
        ("stm32g071rb", "LPTIM1"),
        ("stm32g431kb", "LPTIM1"),
        ("stm32g431kb", "USB"),
        ("stm32g0b1re", "USB"),
        ("stm32g431kb", "CORDIC"),
        ("stm32g0b1re", "FDCAN1"),
        ("stm32g0b1re", "FDCANRAM2"),
        ("rp2040", "UART0"),
        ("rp2040", "SPI0"),
        ("rp2040", "I2C0"),
        ("rp2040", "PWM"),
        ("rp2040", "ADC"),
        ("rp2040", "RTC"),
        ("rp2040", "USB"),
    ];
    for (part, name) in blocks {
        for seed in 1..=8u64 {
            let mut alone = Alone::new(part, name, 16_000_000, |_, tree| tree);
            let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
            hammer(&mut alone, &mut random, 1_000);
            let mut copy = alone.clone();
            let seed = random.0;
            let sums = [&mut alone, &mut copy].map(|alone| hammer(alone, &mut Random(seed), 500));
            assert_eq!(sums[0], sums[1], "{part} {name}");
            alone.bus.shared.events = Default::default();
            alone.now = u64::MAX / 4;
            let last = alone.instance.map.registers.last().map_or(0, |register| register.offset);
            (0..=last / 4).for_each(|word| {
                alone.read(4 * word);
            });
        }
    }
}
