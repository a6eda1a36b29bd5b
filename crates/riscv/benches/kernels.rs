//! Speed of the core: simulated instructions a second, `cargo bench -p cyclescope-riscv`.

use cyclescope_machine::units::{Address, Cycles};
use cyclescope_machine::{Bus, Memory, WithoutPeripherals};
use cyclescope_riscv::decode::Extensions;
use cyclescope_riscv::timing::{CoreTiming, INSTRUCTIONS};
use cyclescope_riscv::{Config, Core, Misaligned, Privileged, Traps};
use divan::Bencher;
use divan::counter::ItemsCount;

const CYCLES: u64 = 20_000_000;
const RAM: u32 = 0x8000_0000;

/// `1: addi add xor srli addi sub or and mul` and `add xor srli addi sub or and mul`, then back. The first one counts, so that no
/// turn of the loop is like another.
const ARITHMETIC: &[u32] = &[
    0x0016_8693,
    0x00B5_0533,
    0x00A5_C5B3,
    0x0035_5613,
    0x0015_0513,
    0x40C5_8633,
    0x00C5_6533,
    0x00B6_7633,
    0x02B5_0533,
    0x00B5_0533,
    0x00A5_C5B3,
    0x0035_5613,
    0x0015_0513,
    0x40C5_8633,
    0x00C5_6533,
    0x00B6_7633,
    0x02B5_0533,
    0xFBDF_F06F,
];

/// `lui a5, 0x80001; 1: lw add sw lbu sb lhu sh bnez a5, 1b`
const MEMORY: &[u32] = &[
    0x8000_17B7,
    0x0007_A503,
    0x00A5_8533,
    0x00A7_A223,
    0x0087_C583,
    0x00B7_84A3,
    0x00C7_D603,
    0x00C7_9723,
    0xFE07_92E3,
];

/// `1: addi a0, a0, 1; jal ra, 2f; andi a1, a0, 1; beqz a1, 1b; j 1b; 2: addi a2, a2, 1; ret`
const BRANCHES: &[u32] = &[0x0015_0513, 0x010000EF, 0x0015_7593, 0xFE05_8AE3, 0xFF1F_F06F, 0x0016_0613, 0x0000_8067];

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
