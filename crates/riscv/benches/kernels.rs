//! Speed of the core: simulated instructions a second, `cargo bench -p cyclescope-riscv`.

mod programs;

use cyclescope_machine::units::{Address, Cycles};
use cyclescope_machine::{Bus, Memory, WithoutPeripherals};
use cyclescope_riscv::decode::Extensions;
use cyclescope_riscv::timing::{CoreTiming, INSTRUCTIONS};
use cyclescope_riscv::{Config, Core, Misaligned, Privileged, Traps};
use divan::Bencher;
use divan::counter::ItemsCount;
use programs::{ARITHMETIC, BRANCHES, MEMORY};

const CYCLES: u64 = 20_000_000;
const RAM: u32 = 0x8000_0000;

fn main() {
    divan::main();
}

fn machine(timing: &'static CoreTiming, code: &[u32]) -> (Core, Bus<WithoutPeripherals>) {
    let mut memory = Memory::new(Address::ZERO, Vec::new(), Address::new(RAM), 0x1_0000);
    let bytes: Vec<u8> = code.iter().flat_map(|word| word.to_le_bytes()).collect();
    memory.load(Address::new(RAM), &bytes);
    let bus = Bus::new(memory, WithoutPeripherals, 0);
    let config = Config {
        timing,
        extensions: Extensions::IMAC,
        misaligned: Misaligned::Hardware,
        traps: Traps::Privileged(Privileged::plain(16)),
        reset: RAM,
        hart: 0,
        semihosting: false,
    };
    (Core::new(config, &bus), bus)
}

fn run(bencher: Bencher, timing: &'static CoreTiming, code: &[u32]) {
    let count = {
        let (mut core, mut bus) = machine(timing, code);
        core.run(&mut bus, Cycles::new(CYCLES));
        core.instructions().get()
    };
    bencher
        .counter(ItemsCount::new(count))
        .with_inputs(|| machine(timing, code))
        .bench_local_values(|(mut core, mut bus)| core.run(&mut bus, Cycles::new(CYCLES)));
}

#[divan::bench]
fn arithmetic(bencher: Bencher) {
    run(bencher, &INSTRUCTIONS, ARITHMETIC);
}

#[divan::bench]
fn memory(bencher: Bencher) {
    run(bencher, &INSTRUCTIONS, MEMORY);
}

#[divan::bench]
fn branches(bencher: Bencher) {
    run(bencher, &INSTRUCTIONS, BRANCHES);
}

/// The same with hot blocks compiled.
mod compiled {
    use super::*;

    fn run(bencher: Bencher, code: &[u32]) {
        let (mut core, mut bus) = machine(&INSTRUCTIONS, code);
        let mut counted = core.clone();
        counted.run(&mut bus.clone(), Cycles::new(CYCLES));
        core.set_tier(Some(Box::new(cyclescope_compile::Compiled::new(Default::default()))));
        bencher.counter(ItemsCount::new(counted.instructions().get())).bench_local(|| {
            let until = core.now() + Cycles::new(CYCLES);
            core.run(&mut bus, until)
        });
    }

    #[divan::bench]
    fn arithmetic(bencher: Bencher) {
        run(bencher, ARITHMETIC);
    }

    #[divan::bench]
    fn memory(bencher: Bencher) {
        run(bencher, MEMORY);
    }

    #[divan::bench]
    fn branches(bencher: Bencher) {
        run(bencher, BRANCHES);
    }
}
