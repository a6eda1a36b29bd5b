//! Speed of the core on code that never sleeps: simulated instructions a second.

use cyclescope_avr::decode::Extensions;
use cyclescope_avr::timing::ATMEGA328P;
use cyclescope_avr::{Config, Core, DATA_SPACE};
use cyclescope_machine::units::{Address, Cycles};
use cyclescope_machine::{Bus, Memory, WithoutPeripherals};
use divan::counter::ItemsCount;

const CYCLES: u64 = 20_000_000;

fn main() {
    divan::main();
}

/// `code` again and again.
fn machine(code: &[u16]) -> (Core, Bus<WithoutPeripherals>) {
    let mut flash: Vec<u8> = code.iter().flat_map(|word| word.to_le_bytes()).collect();
    flash.resize(32768, 0xFF);
    let memory = Memory::new(Address::ZERO, flash, Address::new(DATA_SPACE + 0x100), 2048);
    let bus = Bus::new(memory, WithoutPeripherals, 0);
    let config = Config {
        timing: &ATMEGA328P,
        extensions: Extensions::NONE,
        pc_bytes: 2,
        rampz: None,
        eind: None,
        smcr: 0x53,
        ram_start: 0x100,
        vector_bytes: 4,
        vectors: 26,
        reset: 0,
        stack_pointer: 0x8FF,
        debugger: false,
    };
    (Core::new(config, &bus), bus)
}

fn run(bencher: divan::Bencher, code: &[u16]) {
    let count = {
        let (mut core, mut bus) = machine(code);
        core.run(&mut bus, Cycles::new(CYCLES));
        core.instructions().get()
    };
    bencher
        .counter(ItemsCount::new(count))
        .with_inputs(|| machine(code))
        .bench_local_values(|(mut core, mut bus)| core.run(&mut bus, Cycles::new(CYCLES)));
}

/// Sixteen-bit sums and shifts, 32 instructions between jumps.
fn straight_code() -> Vec<u16> {
    let mut code = [0x0F02, 0x1F13, 0x9626, 0x2F42, 0x9546, 0x2755, 0x5021, 0x4030].repeat(4);
    code.push(0xC000 | (-(code.len() as i16) - 1) as u16 & 0xFFF);
    code
}

/// A loop of four instructions, load, add, count, branch:
/// `ldi r27, 2; ldi r26, 0; ld r16, X; add r17, r16; dec r18; brne .-8; rjmp .-12`.
const SHORT_LOOP: &[u16] = &[0xE0B2, 0xE0A0, 0x910C, 0x0F10, 0x952A, 0xF7E1, 0xCFF9];

/// Calls, the stack, loads and stores: `rcall .+2; rjmp .-4; push r16; push r17; lds r24, 0x200; inc r24; sts 0x200, r24; pop r17;
/// pop r16; ret`.
const CALLS: &[u16] = &[0xD001, 0xCFFE, 0x930F, 0x931F, 0x9180, 0x0200, 0x9583, 0x9380, 0x0200, 0x911F, 0x910F, 0x9508];

#[divan::bench]
fn straight(bencher: divan::Bencher) {
    run(bencher, &straight_code());
}

#[divan::bench]
fn short_loop(bencher: divan::Bencher) {
    run(bencher, SHORT_LOOP);
}

#[divan::bench]
fn calls(bencher: divan::Bencher) {
    run(bencher, CALLS);
}

/// The same with hot blocks compiled.
mod compiled {
    use super::*;

    fn run(bencher: divan::Bencher, code: &[u16]) {
        let (mut core, mut bus) = machine(code);
        let mut counted = core.clone();
        counted.run(&mut bus.clone(), Cycles::new(CYCLES));
        core.set_tier(Some(Box::new(cyclescope_compile::Compiled::new(Default::default()))));
        bencher.counter(ItemsCount::new(counted.instructions().get())).bench_local(|| {
            let until = core.now() + Cycles::new(CYCLES);
            core.run(&mut bus, until)
        });
    }

    #[divan::bench]
    fn straight(bencher: divan::Bencher) {
        run(bencher, &super::straight_code());
    }

    #[divan::bench]
    fn short_loop(bencher: divan::Bencher) {
        run(bencher, SHORT_LOOP);
    }

    #[divan::bench]
    fn calls(bencher: divan::Bencher) {
        run(bencher, CALLS);
    }
}
