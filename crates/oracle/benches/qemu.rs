//! Measures the process time of our Cortex-M4, interpreted and compiled, and of QEMU's without any timing, on the kernels of
//! `cargo bench -p cyclescope-cortex-m`, and their ratios.
//!
//! `cargo bench -p cyclescope-oracle --bench qemu`; needs qemu-system-arm (Debian: qemu-system-arm).

#[path = "../../cortex-m/benches/programs/mod.rs"]
mod programs;
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
    let part = Part::find("cortex-m4").expect("it is among the parts");
    println!("millions of instructions a second; best of {ROUNDS}; in brackets against plain QEMU");
    println!("{:<12}{:>10}{:>18}{:>18}", "", "QEMU", "interpreter", "compiled");
    let (mut interpreted, mut compiled) = (1.0, 1.0);
    for (name, code, inner, outer) in [
        ("arithmetic", ARITHMETIC, 1_200_000_000, 1),
        ("memory", MEMORY, 0, 24_000_000),
        ("branches", BRANCHES, 0, 1500),
    ] {
        let program = program(code, inner, outer);
        let path = folder.join(name);
        fs::write(&path, &program).expect("the folder is ours");
        let (mut best, mut theirs, mut instructions) = ([f64::INFINITY; 2], f64::INFINITY, 0);
        for _ in 0..ROUNDS {
            theirs = theirs.min(qemu(&path));
            for (best, tier) in best.iter_mut().zip([Tier::Interpreter, Tier::Compiled]) {
                let settings = Settings { tier, ..Settings::default() };
                let before = user_seconds().0;
                let mut machine =
                    Machine::new(part, settings, [(Address::ZERO, &program[..])]).expect("it is for this part");
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
    fs::remove_dir_all(&folder).expect("the folder is ours");
}

/// The seconds that QEMU takes for the program at `path`.
fn qemu(path: &Path) -> f64 {
    let before = user_seconds().1;
    let status = Command::new("qemu-system-arm")
        .args(["-M", "mps2-an386", "-display", "none", "-serial", "null", "-monitor", "none"])
        .args(["-semihosting-config", "enable=on,target=native", "-kernel"])
        .arg(path)
        .stdin(Stdio::null())
        .status()
        .expect("qemu-system-arm is installed (Debian: apt-get install qemu-system-arm)");
    assert!(status.success(), "QEMU: {status}");
    user_seconds().1 - before
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
