//! Millions of instructions a second, with full timing: `cargo bench -p cyclescope-cortex-m`.
//!
//! Three kernels (arithmetic; words and bytes of memory; data-dependent branches and calls through pointers), each on
//! flash without wait states and on flash as on an STM32C031 at 48 MHz.

use cyclescope_cortex_m::decode::Architecture;
use cyclescope_cortex_m::timing::CORTEX_M0PLUS;
use cyclescope_cortex_m::{Config, Core};
use cyclescope_machine::{Bus, FlashTiming, Memory, Stop, WithoutPeripherals};
use cyclescope_units::{Address, Cycles};
use divan::Bencher;
use divan::counter::ItemsCount;

/// `ldr r0, …; 1: adds eors lsrs adds subs rors orrs muls bics adds cmp bne` over r0 to r6.
const ARITHMETIC: &[u16] = &[
    0x4808, 0x2101, 0x2200, 0x2307, 0x1812, 0x4050, 0x08c4, 0x1864, 0x1b12, 0x41d8, 0x4321, 0x4344, 0x43a2, 0x3501,
    0x42b5, 0xd1f3, 0xe7f2, 0x0000, 0x5678, 0x1234,
];

/// `ldr, add, str, ldrb, adds, strb, ldrh, strh` over two 128-byte buffers.
const MEMORY: &[u16] = &[
    0x4807, 0x4f08, 0x2600, 0x2100, 0x5842, 0x1852, 0x507a, 0x5c43, 0x3301, 0x5443, 0x88bc, 0x80c4, 0x3104, 0x2980,
    0xd1f4, 0xe7f2, 0x0000, 0x2000, 0x0400, 0x2000,
];

/// A linear congruential generator decides two branches and which of two functions is called through a register.
const BRANCHES: &[u16] = &[
    0x480d, 0x4f0e, 0xa609, 0xa50b, 0x3601, 0x3501, 0x4378, 0x3039, 0x0c01, 0x084a, 0xd301, 0x4633, 0xe000, 0x462b,
    0x4798, 0x0082, 0xd400, 0x3401, 0x4291, 0xd9f1, 0x3402, 0xe7ef, 0xb501, 0x1864, 0xbd01, 0x46c0, 0x1a64, 0x4770,
    0xf491, 0x2545, 0x4e6d, 0x41c6,
];

const STM32C031: FlashTiming =
    FlashTiming { line_bytes: 8, wait_states: 1, prefetch: true, instruction_lines: 2, data_lines: 0 };

const CONFIG: Config = Config {
    architecture: Architecture::Armv6M,
    bit_band: false,
    timing: &CORTEX_M0PLUS,
    priority_bits: 2,
    interrupts: 32,
    mpu_regions: 0,
    systick_reference: None,
    systick_calibration: 0,
    cpuid: 0x410C_C601,
    semihosting: false,
};

/// Cycles a sample runs.
const SAMPLE: u64 = 10_000_000;

fn machine(code: &[u16], flash: FlashTiming) -> (Core, Bus<WithoutPeripherals>) {
    let mut image = vec![0; 4096];
    image[..4].copy_from_slice(&0x2000_1000_u32.to_le_bytes());
    image[4..8].copy_from_slice(&0x0800_0009_u32.to_le_bytes());
    for (place, halfword) in image[8..].chunks_exact_mut(2).zip(code) {
        place.copy_from_slice(&halfword.to_le_bytes());
    }
    let mut memory = Memory::new(Address::new(0x0800_0000), image, Address::new(0x2000_0000), 0x1000);
    memory.set_flash_timing(flash);
    let mut bus = Bus::new(memory, WithoutPeripherals, 0);
    let mut core = Core::new(CONFIG, &bus);
    core.reset(&mut bus).expect("the vector table is in flash");
    (core, bus)
}

fn bench(bencher: Bencher, code: &[u16], flash: FlashTiming) {
    let (mut core, mut bus) = machine(code, flash);
    let mut counted = core.clone();
    assert_eq!(counted.run(&mut bus.clone(), Cycles::new(SAMPLE)), Stop::Horizon);
    bencher.counter(ItemsCount::new(counted.instructions().get())).bench_local(|| {
        let until = core.now() + Cycles::new(SAMPLE);
        core.run(&mut bus, until)
    });
}

#[divan::bench]
fn arithmetic(bencher: Bencher) {
    bench(bencher, ARITHMETIC, FlashTiming::IDEAL);
}

#[divan::bench]
fn memory(bencher: Bencher) {
    bench(bencher, MEMORY, FlashTiming::IDEAL);
}

#[divan::bench]
fn branches(bencher: Bencher) {
    bench(bencher, BRANCHES, FlashTiming::IDEAL);
}

#[divan::bench]
fn arithmetic_wait_state(bencher: Bencher) {
    bench(bencher, ARITHMETIC, STM32C031);
}

#[divan::bench]
fn memory_wait_state(bencher: Bencher) {
    bench(bencher, MEMORY, STM32C031);
}

#[divan::bench]
fn branches_wait_state(bencher: Bencher) {
    bench(bencher, BRANCHES, STM32C031);
}

fn main() {
    divan::main();
}
