//! Measures the process time of our Cortex-M4 and RV32IMAC, interpreted and compiled, and of QEMU's without any timing, on the kernels
//! of `cargo bench -p cyclescope-cortex-m` and `-p cyclescope-riscv`, and their ratios.
//!
//! `cargo bench -p cyclescope-oracle --bench qemu`; needs QEMU (Debian: qemu-system-arm qemu-system-misc).

#[path = "../../cortex-m/benches/programs/mod.rs"]
mod programs;
#[path = "../../riscv/benches/programs/mod.rs"]
mod riscv;
mod seconds;

use std::path::Path;
use std::process::{Command, Stdio};
use std::{env, fs};

use cyclescope_chips::{Machine, Part, Settings, Tier};
use cyclescope_machine::Stop;
use cyclescope_machine::units::{Address, Cycles};
use programs::{ARITHMETIC, BRANCHES, MEMORY};
use seconds::user_seconds;

/// The number of alternating runs; the best of each counts.
const ROUNDS: usize = 3;
/// A limit above the programs' cycles.
const CYCLES: Cycles = Cycles::new(1 << 40);

fn main() {
    // Cargo's tests run benchmarks too; they must not measure then.
    if !env::args().any(|argument| argument == "--bench") {
        return;
    }
    let folder = env::temp_dir().join(format!("cyclescope-bench-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("temporary folders can be made");
    println!("millions of instructions a second; best of {ROUNDS}; in brackets against plain QEMU");
    let arm = [
        ("arithmetic", program(ARITHMETIC, 1_200_000_000, 1)),
        ("memory", program(MEMORY, 0, 24_000_000)),
        ("branches", program(BRANCHES, 0, 1500)),
    ];
    let mps2 = ["-M", "mps2-an386", "-semihosting-config", "enable=on,target=native", "-kernel"];
    compare("cortex-m4", 0, &arm, &folder, "qemu-system-arm", |path| {
        mps2.map(String::from).into_iter().chain([path.display().to_string()]).collect()
    });
    let riscv = [
        ("arithmetic", riscv_program(riscv::ARITHMETIC, 0, 17, 150_000_000)),
        ("memory", riscv_program(riscv::MEMORY, 1, 8, 250_000_000)),
        ("branches", riscv_program(riscv::BRANCHES, 0, 4, 150_000_000)),
    ];
    compare("virt", RISCV_RAM, &riscv, &folder, "qemu-system-riscv32", |path| {
        let loader = format!("loader,file={},addr={RISCV_RAM:#x},cpu-num=0", path.display());
        ["-M", "virt", "-bios", "none", "-device", &loader].map(String::from).to_vec()
    });
    fs::remove_dir_all(&folder).expect("the folder is ours");
}

/// Runs `programs`, which are loaded at the address `at` of the part `name`, here and by `peer` with the arguments that `arguments` gives
/// for the file of a program, and prints a table.
fn compare(
    name: &str,
    at: u32,
    programs: &[(&str, Vec<u8>)],
    folder: &Path,
    peer: &str,
    arguments: impl Fn(&Path) -> Vec<String>,
) {
    let part = Part::find(name).expect("it is among the parts");
    println!("{name:<12}{:>10}{:>18}{:>18}", "QEMU", "interpreter", "compiled");
    let (mut interpreted, mut compiled) = (1.0, 1.0);
    for (name, program) in programs {
        let path = folder.join(name);
        fs::write(&path, program).expect("the folder is ours");
        let (mut best, mut theirs, mut instructions) = ([f64::INFINITY; 2], f64::INFINITY, 0);
        for _ in 0..ROUNDS {
            theirs = theirs.min(qemu(peer, &arguments(&path)));
            for (best, tier) in best.iter_mut().zip([Tier::Interpreter, Tier::Compiled]) {
                let settings = Settings { tier, ..Settings::default() };
                let before = user_seconds().0;
                let mut machine =
                    Machine::new(part, settings, [(Address::new(at), &program[..])]).expect("it is for this part");
                let stop = machine.run(CYCLES);
                assert_eq!(stop, Stop::Exit(0), "{name} as {tier:?}, at {:?}", machine.now());
                *best = best.min(user_seconds().0 - before);
                instructions = machine.instructions().get();
            }
        }
        let millions = |seconds: f64| instructions as f64 / seconds / 1e6;
        let [ours, fast] = best.map(|seconds| theirs / seconds);
        let [slow_rate, fast_rate] = best.map(millions);
        println!("{name:<12}{:>10.0}{slow_rate:>11.0} ({ours:.2}){fast_rate:>11.0} ({fast:.2})", millions(theirs));
        (interpreted, compiled) = (interpreted * ours, compiled * fast);
    }
    println!("{:<22}{:>17.2}{:>18.2}", "geometric mean", f64::cbrt(interpreted), f64::cbrt(compiled));
}

/// The seconds that QEMU, the program `peer`, takes with these arguments.
fn qemu(peer: &str, arguments: &[String]) -> f64 {
    let before = user_seconds().1;
    let status = Command::new(peer)
        .args(["-display", "none", "-serial", "null", "-monitor", "none"])
        .args(arguments)
        .stdin(Stdio::null())
        .status()
        .unwrap_or_else(|error| panic!("{peer} (Debian: apt-get install qemu-system-arm qemu-system-misc): {error}"));
    assert!(status.success(), "QEMU: {status}");
    user_seconds().1 - before
}

/// The beginning of the main memory of `virt`.
const RISCV_RAM: u32 = 0x8000_0000;

/// A program that runs `code` from its word `start` to its word `back`, which leads back there, `turns` times, and exits by the
/// test device.
fn riscv_program(code: &[u32], start: i32, back: i32, turns: u32) -> Vec<u8> {
    /// Bits of `value` from `from` up, at `to`.
    fn bits(value: i32, from: u32, count: u32, to: u32) -> u32 {
        (value as u32 >> from & ((1 << count) - 1)) << to
    }
    let jump = |words: i32| {
        let by = 4 * words;
        bits(by, 20, 1, 31) | bits(by, 1, 10, 21) | bits(by, 11, 1, 20) | bits(by, 12, 8, 12) | 0x6F
    };
    // bnez t3
    let branch = |words: i32| {
        let by = 4 * words;
        bits(by, 12, 1, 31) | bits(by, 5, 6, 25) | 28 << 15 | 1 << 12 | bits(by, 1, 4, 8) | bits(by, 11, 1, 7) | 0x63
    };
    let upper = |register: u32, value: u32| value & 0xFFFF_F000 | register << 7 | 0x37;
    let add = |register: u32, value: u32| (value & 0xFFF) << 20 | register << 15 | register << 7 | 0x13;
    let mut code = code.to_vec();
    let tail = code.len() as i32;
    code[back as usize] = jump(tail - back);
    code.extend([add(28, u32::MAX), branch(start - tail - 1)]);
    // sw t1, (t0): 0x5555 at 0x100000.
    code.extend([upper(5, 0x10_0000), upper(6, 0x5000), add(6, 0x555), 6 << 20 | 5 << 15 | 2 << 12 | 0x23]);
    let prologue = [upper(28, turns.wrapping_add(0x800)), add(28, turns)];
    prologue.into_iter().chain(code).flat_map(u32::to_le_bytes).collect()
}

/// A program that runs `code`, whose last branch leads back to its start, `outer` times with `inner` in r6, and exits.
fn program(code: &[u16], inner: u32, outer: u32) -> Vec<u8> {
    let mut code = code.to_vec();
    let back = code.iter().rposition(|halfword| halfword & 0xFF00 == 0xE700).expect("it goes round");
    let start = (back as i32 + 2) + i32::from((code[back] << 5) as i16 >> 5);
    let branch = |from: usize, to: i32| 0xE000 | (to - from as i32 - 2) as u16 & 0x7FF;
    code.resize(code.len().next_multiple_of(2), 0xBF00);
    code[back] = branch(back, code.len() as i32);
    // `subs.w r8, #1; beq; b`, then SYS_EXIT with ADP_Stopped_ApplicationExit.
    let tail = code.len();
    code.extend([0xF1B8, 0x0801, 0xD000, branch(tail + 3, start)]);
    code.extend([0x2018, 0xF240, 0x0126, 0xF2C0, 0x0102, 0xBEAB]);
    let constant = |register: u16, value: u32| {
        let half = |top: u16, value: u16| {
            [top | value >> 12 | (value >> 11 & 1) << 10, (value >> 8 & 7) << 12 | register << 8 | value & 0xFF]
        };
        [half(0xF240, value as u16), half(0xF2C0, (value >> 16) as u16)].concat()
    };
    let vectors = [0x2000_1000_u32, 9].map(u32::to_le_bytes).concat();
    let code = [constant(6, inner), constant(8, outer), code].concat();
    vectors.into_iter().chain(code.into_iter().flat_map(u16::to_le_bytes)).collect()
}
