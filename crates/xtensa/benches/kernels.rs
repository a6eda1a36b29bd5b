//! Speed of the LX6: simulated instructions a second, `cargo bench -p cyclescope-xtensa`.

#[path = "../tests/common/asm.rs"]
#[allow(dead_code)] // The tests use all of it.
mod asm;

use asm::{Code, addi, entry, l32i, movi, rst, s32i, special, sr, st8};
use cyclescope_machine::units::{Address, Cycles};
use cyclescope_machine::{Bus, Memory, WithoutPeripherals};
use cyclescope_xtensa::{Config, Core, LX6, timing};
use divan::Bencher;
use divan::counter::ItemsCount;

const CYCLES: u64 = 20_000_000;
const RAM: u32 = 0x3FFB_0000;
const DATA: u32 = RAM + 0x1000;

fn main() {
    divan::main();
}

/// A kernel runs for ever. Windows are in use, no interrupt is enabled, and a2 has the address of data.
type Kernel = fn(Code) -> Code;

/// The first instruction counts, so that no turn of the loop is like another.
fn arithmetic_kernel(code: Code) -> Code {
    let one = [
        rst("ADD", 4, 4, 3),
        rst("XOR", 5, 5, 4),
        rst("SRLI", 6, 3, 5),
        rst("SUB", 7, 7, 6),
        rst("OR", 8, 8, 5),
        rst("ADDX4", 9, 5, 7),
        rst("MULL", 10, 9, 8),
        rst("AND", 11, 8, 5),
    ];
    code.label("turn").add(&[addi(3, 3, 1)]).add(&one).add(&one).to(rst("J", 0, 0, 0), "turn")
}

/// A loop of the loop option within one that branches.
fn memory_kernel(code: Code) -> Code {
    code.label("turn")
        .add(&[movi(3, 100)])
        .to(rst("LOOP", 0, 3, 0), "end")
        .add(&[l32i(4, 2, 0), rst("ADD", 5, 5, 4), s32i(5, 2, 4), st8("L8UI", 2, 6, 8)])
        .add(&[st8("S8I", 2, 6, 9), st8("L16UI", 2, 7, 6), st8("S16I", 2, 7, 7)])
        .label("end")
        .to(rst("J", 0, 0, 0), "turn")
}

/// Calls by windows, and a branch that is taken each other time.
fn calls_kernel(code: Code) -> Code {
    code.label("turn")
        .add(&[addi(3, 3, 1)])
        .to(rst("CALL8", 0, 0, 0), "function")
        .add(&[rst("EXTUI", 4, 0, 3)])
        .to(rst("BEQZ", 0, 4, 0), "turn")
        .to(rst("J", 0, 0, 0), "turn")
        .align()
        .label("function")
        .add(&[entry(1, 32), addi(2, 2, 1), rst("RETW", 0, 0, 0)])
}

fn machine(kernel: Kernel) -> (Core, Bus<WithoutPeripherals>) {
    let code = kernel(Code::at(RAM).add(&[movi(3, 1), rst("SLLI", 3, 3, 14), special("WSR", 3, sr::PS)]));
    let mut memory = Memory::new(Address::ZERO, Vec::new(), Address::new(RAM), 0x1_0000);
    memory.load(Address::new(RAM), &code.build());
    let bus = Bus::new(memory, WithoutPeripherals, 0);
    let config = Config {
        configuration: &LX6,
        timing: &timing::LX6,
        reset: RAM,
        vector_base: RAM,
        processor: 0,
        word_only: &[],
        semihosting: false,
    };
    let mut core = Core::new(config, &bus);
    core.cpu_mut().a[1..3].copy_from_slice(&[DATA + 0x1000, DATA]);
    (core, bus)
}

/// Runs `kernel` on and on, hot blocks `compiled` or not.
fn run(bencher: Bencher, kernel: Kernel, compiled: bool) {
    let (mut core, mut bus) = machine(kernel);
    let mut counted = core.clone();
    counted.run(&mut bus.clone(), Cycles::new(CYCLES));
    assert_eq!(counted.cpu().exceptions_taken, 0, "kernels raise none");
    if compiled {
        core.set_tier(Some(Box::new(cyclescope_compile::Compiled::new(Default::default()))));
    }
    bencher.counter(ItemsCount::new(counted.instructions().get())).bench_local(|| {
        let until = core.now() + Cycles::new(CYCLES);
        core.run(&mut bus, until)
    });
}

#[divan::bench(args = [false, true])]
fn arithmetic(bencher: Bencher, compiled: bool) {
    run(bencher, arithmetic_kernel, compiled);
}

#[divan::bench(args = [false, true])]
fn memory(bencher: Bencher, compiled: bool) {
    run(bencher, memory_kernel, compiled);
}

#[divan::bench(args = [false, true])]
fn calls(bencher: Bencher, compiled: bool) {
    run(bencher, calls_kernel, compiled);
}
