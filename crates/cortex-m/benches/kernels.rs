//! Millions of instructions a second, with full timing: `cargo bench -p cyclescope-cortex-m`.
//!
//! On the Cortex-M0+ three kernels (arithmetic; words and bytes of memory; data-dependent branches and calls through
//! pointers), each on flash without wait states and on flash as on an STM32C031 at 48 MHz. On the Cortex-M3 and M4F the
//! same and one of Armv7-M's own, on flash without wait states and on that of an STM32F446 at 180 MHz with its accelerator
//! on; on the M4F also one of floating point.

mod programs;

use cyclescope_cortex_m::decode::Architecture;
use cyclescope_cortex_m::timing::{CORTEX_M0PLUS, CORTEX_M3, CORTEX_M4F};
use cyclescope_cortex_m::{Config, Core};
use cyclescope_machine::units::{Address, Cycles};
use cyclescope_machine::{AtZero, Bus, FlashTiming, Memory, Stop, WithoutPeripherals};
use divan::Bencher;
use divan::counter::ItemsCount;
use programs::{ARITHMETIC, BRANCHES, MEMORY};

/// `1: ldm umull mla ubfx bfi eor-ror cmp ite addhi subls cbz udiv stm and tbb`, then one of three tails, back to 1.
#[rustfmt::skip] // As assembled.
const THUMB2: &[u16] = &[
    0xf240, 0x4000, 0xf2c2, 0x0000, 0x2101, 0xe890, 0x00f0, 0xfba1, 0x8904, 0xfb01, 0x9105, 0xf3c1, 0x2203, 0xf362, 0x160b, 0xea87,
    0x17f6, 0x2a07, 0xbf8c, 0xf101, 0x010d, 0xeba1, 0x0187, 0xb10a, 0xfbb7, 0xf5f2, 0xe880, 0x00f0, 0xf001, 0x0303, 0xe8df, 0xf003,
    0x0402, 0x0207, 0x3101, 0xe7e0, 0xfa91, 0xf1a1, 0xe7dd, 0xfab1, 0xf381, 0xe9d0, 0x4502, 0x4419, 0xea41, 0x0145, 0xe7d5,
];

/// Turns the unit on, then over 32 samples: `vldr vmul vadd vmla vcmp vmrs it vsubgt vstr adds subs bne`, and `vdiv`.
#[rustfmt::skip] // As assembled.
const FLOAT: &[u16] = &[
    0xf64e, 0x5088, 0xf2ce, 0x0000, 0xf44f, 0x0170, 0x6001, 0xf3bf, 0x8f4f, 0xf3bf, 0x8f6f, 0xf240, 0x0200, 0xf2c2, 0x0200, 0xf04f,
    0x537c, 0xee00, 0x3a10, 0xeef7, 0x0a00, 0x4614, 0xf04f, 0x0520, 0x2300, 0xee01, 0x3a10, 0xedd4, 0x1a00, 0xee21, 0x2a80, 0xee72,
    0x2a20, 0xee01, 0x1aa2, 0xeeb4, 0x1a60, 0xeef1, 0xfa10, 0xbfc8, 0xee31, 0x1a60, 0xedc4, 0x2a00, 0x3404, 0x3d01, 0xd1eb, 0xee81,
    0x3a20, 0xe7e2,
];

/// Counts primes by trial division: `adds movs`, then `mul cmp bhi udiv mls cbz adds b` and `adds uxth b`.
#[rustfmt::skip] // As assembled.
const DIVISIONS: &[u16] = &[
    0xf240, 0x0001, 0x2600, 0x3002, 0x2103, 0xfb01, 0xf201, 0x4282, 0xd806, 0xfbb0, 0xf3f1, 0xfb01, 0x0313, 0xb113, 0x3102,
    0xe7f4, 0x3601, 0xb280, 0xe7ef,
];

const STM32C031: FlashTiming =
    FlashTiming { wait_states: 1, prefetch: true, instruction_lines: 2, ..FlashTiming::IDEAL };

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

/// The accelerator of an STM32F446 at 180 MHz: lines of 16 bytes, 64 for instructions and 8 for data.
const STM32F446: FlashTiming = FlashTiming {
    line_bytes: 16,
    wait_states: 5,
    prefetch: true,
    instruction_lines: 64,
    data_lines: 8,
    ..FlashTiming::IDEAL
};

const M3: Config = Config {
    architecture: Architecture::Armv7M,
    bit_band: true,
    timing: &CORTEX_M3,
    priority_bits: 4,
    cpuid: 0x412F_C231,
    ..CONFIG
};

const M4F: Config =
    Config { architecture: Architecture::Armv7EMF, timing: &CORTEX_M4F, cpuid: 0x410F_C241, mpu_regions: 8, ..M3 };

/// Cycles a sample runs.
const SAMPLE: u64 = 10_000_000;

fn machine(config: Config, code: &[u16], flash: FlashTiming) -> (Core, Bus<WithoutPeripherals>) {
    let mut image = vec![0; 4096];
    image[..4].copy_from_slice(&0x2000_1000_u32.to_le_bytes());
    image[4..8].copy_from_slice(&0x0800_0009_u32.to_le_bytes());
    for (place, halfword) in image[8..].chunks_exact_mut(2).zip(code) {
        place.copy_from_slice(&halfword.to_le_bytes());
    }
    let mut memory = Memory::new(Address::new(0x0800_0000), image, Address::new(0x2000_0000), 0x1000);
    memory.map_at_zero(AtZero::Flash);
    memory.set_flash_timing(flash);
    let mut bus = Bus::new(memory, WithoutPeripherals, 0);
    let mut core = Core::new(config, &bus);
    core.reset(&mut bus).expect("the vector table is in flash");
    (core, bus)
}

fn bench(bencher: Bencher, code: &[u16], flash: FlashTiming) {
    bench_on(CONFIG, bencher, code, flash);
}

fn bench_on(config: Config, bencher: Bencher, code: &[u16], flash: FlashTiming) {
    let (mut core, mut bus) = machine(config, code, flash);
    let mut counted = core.clone();
    assert_eq!(counted.run(&mut bus.clone(), Cycles::new(SAMPLE)), Stop::Horizon);
    assert_eq!(counted.cpu().exceptions_taken, 0, "nothing faults");
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

mod m3 {
    use super::*;

    #[divan::bench]
    fn arithmetic(bencher: Bencher) {
        bench_on(M3, bencher, ARITHMETIC, FlashTiming::IDEAL);
    }

    #[divan::bench]
    fn memory(bencher: Bencher) {
        bench_on(M3, bencher, MEMORY, FlashTiming::IDEAL);
    }

    #[divan::bench]
    fn branches(bencher: Bencher) {
        bench_on(M3, bencher, BRANCHES, FlashTiming::IDEAL);
    }

    #[divan::bench]
    fn thumb2(bencher: Bencher) {
        bench_on(M3, bencher, THUMB2, FlashTiming::IDEAL);
    }
}

mod m4f {
    use super::*;

    #[divan::bench]
    fn thumb2(bencher: Bencher) {
        bench_on(M4F, bencher, THUMB2, FlashTiming::IDEAL);
    }

    #[divan::bench]
    fn float(bencher: Bencher) {
        bench_on(M4F, bencher, FLOAT, FlashTiming::IDEAL);
    }
}

mod m4f_accelerator {
    use super::*;

    #[divan::bench]
    fn arithmetic(bencher: Bencher) {
        bench_on(M4F, bencher, ARITHMETIC, STM32F446);
    }

    #[divan::bench]
    fn memory(bencher: Bencher) {
        bench_on(M4F, bencher, MEMORY, STM32F446);
    }

    #[divan::bench]
    fn branches(bencher: Bencher) {
        bench_on(M4F, bencher, BRANCHES, STM32F446);
    }

    #[divan::bench]
    fn thumb2(bencher: Bencher) {
        bench_on(M4F, bencher, THUMB2, STM32F446);
    }

    #[divan::bench]
    fn float(bencher: Bencher) {
        bench_on(M4F, bencher, FLOAT, STM32F446);
    }

    #[divan::bench]
    fn divisions(bencher: Bencher) {
        bench_on(M4F, bencher, DIVISIONS, STM32F446);
    }
}

/// The same with hot blocks compiled.
mod compiled {
    use super::*;

    fn bench(bencher: Bencher, config: Config, code: &[u16], flash: FlashTiming) {
        let (mut core, mut bus) = machine(config, code, flash);
        let mut counted = core.clone();
        assert_eq!(counted.run(&mut bus.clone(), Cycles::new(SAMPLE)), Stop::Horizon);
        core.set_tier(Some(Box::new(cyclescope_compile::Compiled::new(Default::default()))));
        bencher.counter(ItemsCount::new(counted.instructions().get())).bench_local(|| {
            let until = core.now() + Cycles::new(SAMPLE);
            core.run(&mut bus, until)
        });
    }

    #[divan::bench]
    fn arithmetic(bencher: Bencher) {
        bench(bencher, M4F, ARITHMETIC, FlashTiming::IDEAL);
    }

    #[divan::bench]
    fn memory(bencher: Bencher) {
        bench(bencher, M4F, MEMORY, FlashTiming::IDEAL);
    }

    #[divan::bench]
    fn branches(bencher: Bencher) {
        bench(bencher, M4F, BRANCHES, FlashTiming::IDEAL);
    }

    #[divan::bench]
    fn thumb2(bencher: Bencher) {
        bench(bencher, M4F, THUMB2, FlashTiming::IDEAL);
    }

    #[divan::bench]
    fn float(bencher: Bencher) {
        bench(bencher, M4F, FLOAT, FlashTiming::IDEAL);
    }

    #[divan::bench]
    fn arithmetic_accelerator(bencher: Bencher) {
        bench(bencher, M4F, ARITHMETIC, STM32F446);
    }

    #[divan::bench]
    fn memory_accelerator(bencher: Bencher) {
        bench(bencher, M4F, MEMORY, STM32F446);
    }

    #[divan::bench]
    fn branches_accelerator(bencher: Bencher) {
        bench(bencher, M4F, BRANCHES, STM32F446);
    }

    #[divan::bench]
    fn thumb2_accelerator(bencher: Bencher) {
        bench(bencher, M4F, THUMB2, STM32F446);
    }

    #[divan::bench]
    fn float_accelerator(bencher: Bencher) {
        bench(bencher, M4F, FLOAT, STM32F446);
    }

    #[divan::bench]
    fn divisions_accelerator(bencher: Bencher) {
        bench(bencher, M4F, DIVISIONS, STM32F446);
    }

    #[divan::bench]
    fn arithmetic_wait_state(bencher: Bencher) {
        bench(bencher, CONFIG, ARITHMETIC, STM32C031);
    }

    #[divan::bench]
    fn memory_wait_state(bencher: Bencher) {
        bench(bencher, CONFIG, MEMORY, STM32C031);
    }

    #[divan::bench]
    fn branches_wait_state(bencher: Bencher) {
        bench(bencher, CONFIG, BRANCHES, STM32C031);
    }
}

fn main() {
    divan::main();
}
