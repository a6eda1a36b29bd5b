//! Measures the process time of our ATmega328P, with hot blocks compiled and without, and of simavr's own runner on one program
//! that never sleeps, and their ratios.
//!
//! `cargo bench -p cyclescope-oracle --bench simavr`; needs avr-gcc and simavr (Debian: gcc-avr avr-libc simavr).

mod seconds;

use std::path::Path;
use std::process::{Command, Stdio};
use std::{env, fs};

use cyclescope_chips::{Machine, Part, Settings, Tier};
use cyclescope_image::Image;
use cyclescope_machine::Stop;
use cyclescope_machine::units::Cycles;
use seconds::user_seconds;

/// The number of alternating runs of both; the best of each counts.
const ROUNDS: usize = 5;
/// The iterations of the program's loop: about a hundred seconds of the part's time, beside which compiling takes none.
const TURNS: u32 = 1500;
/// A limit above the program's cycles.
const CYCLES: Cycles = Cycles::new(16_000_000 * 600);

fn main() {
    // Cargo's tests run benchmarks too; they must not measure then.
    if !env::args().any(|argument| argument == "--bench") {
        return;
    }
    let folder = env::temp_dir().join(format!("cyclescope-bench-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("temporary folders can be made");
    let elf = build(&folder);
    let image = Image::parse(&fs::read(&elf).expect("it was just built")).expect("the compiler makes ELF files");
    let part = Part::find("atmega328p").expect("it is among the parts");
    let (mut ours, mut theirs) = ([f64::INFINITY; 2], f64::INFINITY);
    let (mut cycles, mut instructions) = (0, 0);
    for _ in 0..ROUNDS {
        for (seconds, compiles) in ours.iter_mut().zip([false, true]) {
            let before = user_seconds().0;
            let tier = if compiles { Tier::Compiled } else { Tier::Interpreter };
            let settings = Settings { tier, ..Settings::default() };
            let mut machine = Machine::load(part, settings, &image).expect("the program is for this part");
            let stop = machine.run(CYCLES);
            assert!(matches!(stop, Stop::Deadlock(_)), "it ends asleep: {stop:?}");
            *seconds = seconds.min(user_seconds().0 - before);
            let end = (machine.now().get(), machine.instructions().get());
            assert!(!compiles || end == (cycles, instructions), "compiled code takes the same cycles");
            (cycles, instructions) = end;
        }
        let before = user_seconds().1;
        let status = Command::new("simavr")
            .args(["-m", "atmega328p", "-f", "16000000"])
            .arg(&elf)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .expect("simavr is installed (Debian: apt-get install simavr)");
        assert!(status.success(), "simavr: {status}");
        theirs = theirs.min(user_seconds().1 - before);
    }
    fs::remove_dir_all(&folder).expect("the folder is ours");
    let millions = |seconds: f64| instructions as f64 / seconds / 1e6;
    println!("{instructions} instructions, {cycles} cycles of an ATmega328P that never sleeps; best of {ROUNDS}");
    for (name, seconds) in [("cyclescope", ours[0]), ("compiled", ours[1]), ("simavr", theirs)] {
        let ratio = theirs / seconds;
        println!(
            "{name:<10} {seconds:>6.2} s  {:>6.1} million instructions a second  ratio {ratio:>6.2}",
            millions(seconds)
        );
    }
}

fn build(folder: &Path) -> std::path::PathBuf {
    let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("programs/avr");
    let elf = folder.join("work.elf");
    let status = Command::new("avr-gcc")
        .args(["-std=gnu11", "-O2", "-Wall", "-Wextra", "-mmcu=atmega328p", "-DF_CPU=16000000UL"])
        .arg(format!("-DTURNS={TURNS}"))
        .arg("-o")
        .arg(&elf)
        .arg(programs.join("work.c"))
        .status()
        .expect("avr-gcc is installed (Debian: apt-get install gcc-avr avr-libc)");
    assert!(status.success(), "avr-gcc: {status}");
    elf
}
