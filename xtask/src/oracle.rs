//! `cargo xtask oracle`: the cores against implementations by other hands.

use std::fmt::Display;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use anyhow::Context;
use clap::Subcommand;
use cyclescope_chips::avr::AvrPart;
use cyclescope_cortex_m::decode::Architecture;
use cyclescope_image::Image;
use cyclescope_oracle::arm::Arm;
use cyclescope_oracle::avr::part::{PARTS, PROGRAMS, PartPeer};
use cyclescope_oracle::avr::{self, Avr};
use cyclescope_oracle::lockstep::{self, Peer, World};
use cyclescope_oracle::{Compared, OracleError, Report, Tally, boards, pio, programs, riscv, rp2040, trace, xtensa};

/// The comparison to run.
#[derive(clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    action: Action,
}

/// The programs of a run.
#[derive(clap::Args)]
struct Programs {
    /// Instructions to compare, at least, for each core or architecture.
    #[arg(long, default_value_t = 10_000_000)]
    count: u64,
    /// The seed of the programs.
    #[arg(long, default_value_t = lockstep::DEFAULT_SEED)]
    seed: u64,
    /// Print how often each encoding was executed, and what is left out and why.
    #[arg(long)]
    coverage: bool,
}

#[derive(Subcommand)]
enum Action {
    /// Run random instruction streams here and on QEMU's Cortex-M0, M3 and M4 (libunicorn), random RISC-V programs here and on
    /// its machine `virt`, random and compiled Xtensa programs here and on four cores of its machine `sim`, and compare all
    /// state.
    #[command(alias = "unicorn")]
    Qemu {
        #[command(flatten)]
        programs: Programs,
        /// Only these: armv6m, armv7m, armv7em, armv7emf (with floating point), rv32imac, lx106, de212, dc233c, de233_fpu.
        #[arg(long, value_parser = architecture)]
        only: Vec<Instructions>,
    },
    /// Run random programs on our AVR core and on simavr's, and compare all state and cycles after each instruction.
    Simavr {
        #[command(flatten)]
        programs: Programs,
        /// Instead, compare the first `count` instructions of this program: a flat image of flash, which no device answers.
        #[arg(long)]
        binary: Option<PathBuf>,
    },
    /// Run random programs on a state machine of the RP2040's programmable I/O and on rp2040-pio-emulator's, and compare state and
    /// cycles behind each instruction.
    #[command(mut_arg("count", |count| count.default_value("1000000")))]
    Pio {
        #[command(flatten)]
        programs: Programs,
    },
    /// Run random programs on a core of the RP2040 and on rp2040js's, and compare state and cycles behind each instruction.
    #[command(mut_arg("count", |count| count.default_value("1000000")))]
    Rp2040 {
        #[command(flatten)]
        programs: Programs,
    },
    /// Follow the images of plain loops here and on QEMU's machines, instruction by instruction: what `trace` lists is what
    /// QEMU's log shows.
    Trace {
        /// Only images whose name contains this text.
        #[arg(long, default_value = "")]
        only: String,
        /// Instructions to compare of each image, from reset.
        #[arg(long, default_value_t = 1_000_000)]
        count: usize,
    },
    /// Follow whole programs on our AVR parts with their devices and on simavr's, instruction by instruction: small ones of the
    /// oracle's own, Arduino sketches, and the images of contenders.
    SimavrParts {
        /// Only programs and images whose name contains this text.
        #[arg(long, default_value = "")]
        only: String,
        /// Cycles that an image is followed for.
        #[arg(long, default_value_t = 4_000_000)]
        cycles: u64,
        /// Instead, follow this ELF on the part that `--part` names.
        #[arg(long, requires = "part")]
        elf: Option<PathBuf>,
        /// The part of `--elf`: atmega328p or atmega32u4.
        #[arg(long, value_parser = avr_part)]
        part: Option<&'static AvrPart>,
    },
    /// Run random programs on our RISC-V cores and on their own Verilog under Verilator, and compare all retirements: what is
    /// written, and in which cycle.
    #[command(mut_arg("count", |count| count.default_value("5000000")))]
    Rtl {
        #[command(flatten)]
        programs: Programs,
        /// Only these: picorv32, ibex, vexriscv-min, -lite, -standard, -full, -imac, -secure.
        #[arg(long, value_parser = design)]
        only: Vec<riscv::Design>,
        /// Build the Verilog in this folder and leave it there; where it is built already, use it.
        #[arg(long)]
        keep: Option<PathBuf>,
        /// Instead of random programs, follow the bundled images for these cores whose name contains this text, `count`
        /// instructions of each.
        #[arg(long, num_args = 0..=1, default_missing_value = "")]
        images: Option<String>,
    },
    /// Run random masters, and random programs on VexRiscv, on the bus of `litex-vexriscv` here and in the SoC that LiteX generates,
    /// under Verilator, and compare the acknowledgements of each cycle, and the cores' retirements. `count` is in cycles.
    #[command(mut_arg("count", |count| count.default_value("5000000")))]
    Litex {
        #[command(flatten)]
        programs: Programs,
        /// Only these drivers of the bus: masters, or a core: min, lite, standard, full, imac, secure. In front of each of these names
        /// stands what the system was generated with, if not for `litex-vexriscv`: bursts, sdram, sdram-bursts, as in sdram-imac.
        #[arg(long, value_parser = subject)]
        only: Vec<riscv::litex::Subject>,
        /// Build the Verilog in this folder and leave it there; where it is built already, use it.
        #[arg(long)]
        keep: Option<PathBuf>,
    },
    /// Run programs of the oracle's own on the chip `virt` and on QEMU's machine of that name: what they print, how they end, and
    /// where each instruction begins.
    Virt {
        /// Only programs whose name contains this text.
        #[arg(long, default_value = "")]
        only: String,
    },
    /// Run every bundled image for a board that QEMU has here and there, and programs for the devices of QEMU's STM32 boards, and
    /// compare what they print.
    Programs {
        /// Only programs whose name contains this text.
        #[arg(long, default_value = "")]
        only: String,
    },
}

/// Runs the chore; fails when anything differs.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let passed = match &arguments.action {
        Action::Qemu { programs, only } => {
            let all = NAMES.map(|(_, instructions)| instructions);
            let only = if only.is_empty() { &all[..] } else { only };
            all_pass(only, |instructions| match instructions {
                Instructions::Arm(architecture) => {
                    in_lockstep(&format!("{architecture:?}"), Arm(*architecture), programs)
                }
                Instructions::Rv32Imac => rv32imac(programs),
                Instructions::Xtensa(machine) => xtensa(machine, programs),
            })?
        }
        Action::Simavr { programs, binary: Some(path) } => simavr_program(path, programs.count)?,
        Action::Simavr { programs, binary: None } => in_lockstep("AVRe+", Avr, programs)?,
        Action::Pio { programs } => pio(programs)?,
        Action::Rp2040 { programs } => rp2040(programs)?,
        Action::SimavrParts { cycles, elf: Some(path), part: Some(part), .. } => {
            let elf = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
            let name = path.display().to_string();
            follow_image(&mut PartPeer::start()?, (&name, part, &elf), *cycles)?
        }
        Action::SimavrParts { only, cycles, .. } => simavr_parts(only, *cycles)?,
        Action::Rtl { programs, only, keep, images } => {
            let only = if only.is_empty() { &riscv::Design::ALL[..] } else { only };
            all_pass(only, |design| match images {
                Some(text) => rtl_images(*design, programs.count, text, keep.as_deref()),
                None => rtl(*design, programs, keep.as_deref()),
            })?
        }
        Action::Litex { programs, only, keep } => {
            let only = if only.is_empty() { riscv::litex::Subject::all().collect() } else { only.clone() };
            let soc = riscv::litex::Soc::fetch(keep.as_deref())?;
            all_pass(&only, |subject| litex(&soc, *subject, programs))?
        }
        Action::Virt { only } => virt(only)?,
        Action::Trace { only, count } => traces(only, *count)?,
        Action::Programs { only } => whole_programs(only)?,
    };
    Ok(if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn design(name: &str) -> Result<riscv::Design, String> {
    let found = riscv::Design::ALL.into_iter().find(|design| design.name() == name);
    found.ok_or_else(|| format!("one of {}", riscv::Design::ALL.map(riscv::Design::name).join(", ")))
}

fn subject(name: &str) -> Result<riscv::litex::Subject, String> {
    let all = riscv::litex::Subject::all;
    let names = || all().map(riscv::litex::Subject::name).collect::<Vec<_>>().join(", ");
    all().find(|subject| subject.name() == name).ok_or_else(|| format!("one of {}", names()))
}

/// Calls `passes` with each of `all` and tells if all passed.
fn all_pass<T>(all: &[T], mut passes: impl FnMut(&T) -> anyhow::Result<bool>) -> anyhow::Result<bool> {
    all.iter().try_fold(true, |passed, one| Ok(passes(one)? && passed))
}

/// Compares random programs by `run`, which gets the seed, the number of instructions and a receiver of the progress, and
/// prints the report. `traps` names the counted exceptions.
fn random_programs<C: AsRef<Tally> + Display>(
    names: (&str, &str, &str),
    programs: &Programs,
    run: impl FnOnce(u64, u64, &mut dyn FnMut(u64)) -> Result<Report<C>, OracleError>,
) -> anyhow::Result<bool> {
    random_runs(names, "instructions in", programs, run)
}

/// The same for runs that are counted by another `unit`.
fn random_runs<C: AsRef<Tally> + Display>(
    (name, peer, traps): (&str, &str, &str),
    unit: &str,
    programs: &Programs,
    run: impl FnOnce(u64, u64, &mut dyn FnMut(u64)) -> Result<Report<C>, OracleError>,
) -> anyhow::Result<bool> {
    let Programs { count, seed, coverage } = *programs;
    let started = Instant::now();
    let mut shown = 0;
    let report = run(seed, count, &mut |done| {
        let percent = done * 100 / count.max(1);
        if percent > shown && std::io::stderr().is_terminal() {
            shown = percent;
            eprint!("\r{:>3} %", percent.min(100));
        }
    })?;
    if shown > 0 {
        eprint!("\r     \r");
    }
    if coverage {
        print!("{}", report.coverage);
    }
    if let Some(difference) = &report.difference {
        print!("{difference}");
    }
    let tally = report.coverage.as_ref();
    for row in tally.missing() {
        println!("{name}: never executed: {row} (a larger --count may reach it)");
    }
    for row in tally.idle_excuses() {
        println!("{name}: executed, though left out of the programs: {row}; take it off its list in crates/oracle");
    }
    for operation in report.never_ran_compiled() {
        println!("{name}: {operation} is lowered but never ran compiled");
    }
    for what in &report.fixed {
        println!("the peer no longer has the defect: {what}; remove it from its defects.rs in crates/oracle");
    }
    for (what, why) in &report.known {
        println!("known difference: {what}: {why}");
    }
    let traps = if traps.is_empty() { String::new() } else { format!(" with {} {traps}", report.traps) };
    let [executed, excused, rows] = tally.totals();
    let compiled = match report.lowered.carried_out() {
        0 => String::new(),
        operations => format!(", {operations} operations compiled"),
    };
    println!(
        "{name}: {}: {} {unit} {} programs{traps} against {peer}, seed {seed}, {executed} of {rows} rows executed, \
         {excused} excused{compiled}, {:.0} s",
        if report.passed() { "no difference" } else { "FAILED" },
        report.instructions,
        report.programs,
        started.elapsed().as_secs_f64()
    );
    Ok(report.passed())
}

/// Compares random programs on the core of `world` and on its peer.
fn in_lockstep<W: World>(name: &str, world: W, programs: &Programs) -> anyhow::Result<bool> {
    let mut peer = Peer::start(world)?;
    let version = peer.version().to_owned();
    random_programs((name, &version, ""), programs, |seed, count, progress| {
        lockstep::run(&mut peer, seed, count, progress)
    })
}

/// Compares random programs on a state machine of the RP2040's programmable I/O and on the peer's.
fn pio(programs: &Programs) -> anyhow::Result<bool> {
    let mut peer = pio::Peer::start()?;
    random_programs(("PIO", peer.version(), ""), programs, |seed, count, progress| {
        pio::run(&mut peer, seed, count, progress)
    })
}

/// Compares random programs on a core of the RP2040 and on the peer's.
fn rp2040(programs: &Programs) -> anyhow::Result<bool> {
    let mut peer = rp2040::Peer::start()?;
    random_programs(("RP2040", peer.version(), ""), programs, |seed, count, progress| {
        rp2040::run(&mut peer, seed, count, progress)
    })
}

/// Compares random programs on a core and on its Verilog.
fn rtl(design: riscv::Design, programs: &Programs, keep: Option<&Path>) -> anyhow::Result<bool> {
    let mut peer = riscv::Peer::start(design, keep)?;
    let (package, version) = design.package();
    let peer_name = format!("{package} {version}");
    random_programs((design.name(), &peer_name, "interrupts"), programs, |seed, count, progress| {
        riscv::run(&mut peer, seed, count, progress)
    })
}

/// Compares the bus of LiteX's SoC, and a core on it, with its Verilog: bundled programs, then random ones.
fn litex(soc: &riscv::litex::Soc, subject: riscv::litex::Subject, programs: &Programs) -> anyhow::Result<bool> {
    for image in riscv::litex::images(subject) {
        let mut peer = riscv::litex::Peer::start(soc, subject)?;
        let report = riscv::litex::follow(&mut peer, image.name, &image.elf()?)?;
        let riscv::litex::ImageReport { cycles, retirements, difference } = report;
        let what = format!("{}: {retirements:>6} instructions, {cycles:>6} cycles", subject.name());
        if !show(image.name, &what, difference)? {
            return Ok(false);
        }
    }
    let mut peer = riscv::litex::Peer::start(soc, subject)?;
    let name = format!("LiteX's bus, {}", subject.name());
    let traps = if subject.driver == riscv::litex::Driver::Masters { "" } else { "interrupts" };
    random_runs((&name, "LiteX 2024.12's SoC", traps), "cycles of", programs, |seed, count, progress| {
        riscv::litex::run(&mut peer, seed, count, progress)
    })
}

/// Compares images on a core and on its Verilog.
fn rtl_images(design: riscv::Design, count: u64, text: &str, keep: Option<&Path>) -> anyhow::Result<bool> {
    let images: Vec<_> = riscv::images(design).filter(|image| image.name.contains(text)).collect();
    if images.is_empty() {
        println!("{}: no bundled image has {text:?} in its name", design.name());
        return Ok(true);
    }
    let count = usize::try_from(count).context("too many instructions")?;
    let mut peer = riscv::Peer::start(design, keep)?;
    all_pass(&images, |image| {
        let report = riscv::follow(&mut peer, image.name, &image.elf()?, count)?;
        let riscv::ImageReport { retirements, cycles, traps, end, difference } = report;
        let what = format!("{retirements:>9} instructions, {cycles:>9} cycles, {traps:>6} traps, {end}");
        show(image.name, &what, difference)
    })
}

/// Prints the result of a whole program and tells if both sides were the same.
fn show(name: &str, what: &str, difference: Option<impl Display>) -> anyhow::Result<bool> {
    println!("{} {name:<44} {what}", if difference.is_none() { "same     " } else { "DIFFERENT" });
    if let Some(difference) = &difference {
        println!("{difference}");
    }
    std::io::stdout().flush().context("cannot write to the terminal")?;
    Ok(difference.is_none())
}

/// Prints the comparison of two paths.
fn show_path(name: &str, Compared { instructions, difference }: Compared) -> anyhow::Result<bool> {
    show(name, &format!("{instructions:>9} instructions compared"), difference)
}

/// Calls `passes` with each of `programs`, which `kind` names, and tells if all passed; fails if there is none.
fn whole<T>(
    kind: &str,
    programs: impl Iterator<Item = T>,
    mut passes: impl FnMut(T) -> anyhow::Result<bool>,
) -> anyhow::Result<bool> {
    let (mut compared, mut same) = (0, 0);
    for program in programs {
        compared += 1;
        same += usize::from(passes(program)?);
    }
    anyhow::ensure!(compared > 0, "no {kind} has this text in its name");
    println!("{same} of {compared} are the same: {kind}");
    Ok(same == compared)
}

fn virt(only: &str) -> anyhow::Result<bool> {
    let programs = riscv::VIRT_PROGRAMS.iter().filter(|program| program.name.contains(only));
    whole("program here and on QEMU's virt", programs, |program| show_path(program.name, riscv::virt(program)?))
}

/// The instruction sets that QEMU is compared on.
#[derive(Clone, Copy, Debug)]
enum Instructions {
    Arm(Architecture),
    Rv32Imac,
    Xtensa(&'static xtensa::Machine),
}

const NAMES: [(&str, Instructions); 9] = [
    ("armv6m", Instructions::Arm(Architecture::Armv6M)),
    ("armv7m", Instructions::Arm(Architecture::Armv7M)),
    ("armv7em", Instructions::Arm(Architecture::Armv7EM)),
    ("armv7emf", Instructions::Arm(Architecture::Armv7EMF)),
    ("rv32imac", Instructions::Rv32Imac),
    ("lx106", Instructions::Xtensa(&xtensa::LX106)),
    ("de212", Instructions::Xtensa(&xtensa::DE212)),
    ("dc233c", Instructions::Xtensa(&xtensa::DC233C)),
    ("de233_fpu", Instructions::Xtensa(&xtensa::DE233_FPU)),
];

fn architecture(name: &str) -> Result<Instructions, String> {
    let found = NAMES.iter().find(|(other, _)| *other == name);
    found.map(|(_, architecture)| *architecture).ok_or_else(|| {
        let names = NAMES.map(|(name, _)| name);
        format!("one of {}", names.join(", "))
    })
}

/// Compares random programs on our RISC-V core and on QEMU's `virt`.
fn rv32imac(programs: &Programs) -> anyhow::Result<bool> {
    random_programs(("RV32IMAC", "QEMU's virt", "exceptions"), programs, |seed, count, progress| {
        riscv::lockstep(seed, count, progress)
    })
}

/// Compares random programs on our Xtensa core and on one of QEMU's, then compiled ones.
fn xtensa(machine: &'static xtensa::Machine, programs: &Programs) -> anyhow::Result<bool> {
    let peer = format!("QEMU's {}", machine.name);
    let random = random_programs(
        (machine.configuration.name, &peer, "exceptions and interrupts"),
        programs,
        |seed, count, progress| xtensa::lockstep(machine, seed, count, progress),
    )?;
    let levels = xtensa::levels(programs.count).iter();
    let suitable = xtensa::COMPILED.iter().filter(|program| program.suits(machine));
    let all = suitable.flat_map(|program| levels.clone().map(move |level| (program, *level)));
    let compiled = whole(&format!("compiled program here and on {peer}"), all, |(program, level)| {
        let report = xtensa::follow_compiled(machine, program, level, programs.count)?;
        let xtensa::CompiledReport { instructions, exceptions, difference } = report;
        let what = format!("{instructions:>9} instructions, {exceptions:>6} exceptions and interrupts");
        show(&format!("{}, -O{level}", program.name), &what, difference)
    })?;
    Ok(random && compiled)
}

/// Compares the images of plain loops with QEMU's log.
fn traces(only: &str, count: usize) -> anyhow::Result<bool> {
    whole("image here and in QEMU's log", trace::images().filter(|image| image.name.contains(only)), |image| {
        let compared = trace::compare(image, count)?;
        anyhow::ensure!(compared.instructions > 0 || compared.difference.is_some(), "{}: nothing ran", image.name);
        show_path(image.name, compared)
    })
}

fn simavr_program(path: &Path, count: u64) -> anyhow::Result<bool> {
    let binary = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let count = u32::try_from(count).context("at most 2^32 instructions of a program are compared")?;
    let difference = avr::program(&mut Peer::start(Avr)?, &binary, count)?;
    match &difference {
        None => println!("AVRe+: no difference: {count} instructions of {} against simavr", path.display()),
        Some(difference) => print!("AVRe+: difference: {difference}"),
    }
    Ok(difference.is_none())
}

fn avr_part(name: &str) -> Result<&'static AvrPart, String> {
    avr::part::part(name).ok_or_else(|| format!("one of {}", PARTS.map(|part| part.name).join(", ")))
}

/// Compares programs of the oracle's own on both parts, then all images; at last whether every exception is needed.
fn simavr_parts(only: &str, cycles: u64) -> anyhow::Result<bool> {
    let mut peer = PartPeer::start()?;
    let programs = PARTS.into_iter().flat_map(|part| PROGRAMS.iter().map(move |program| (part, program)));
    let programs = programs.filter(|(part, program)| program.suits(part) && program.name.contains(only));
    let images = avr::part::images().filter(|image| image.name.contains(only));
    let all = programs.map(Ok).chain(images.map(Err));
    let mut passed = whole("program on our parts and on simavr's", all, |one| match one {
        Ok((part, program)) => {
            let report = avr::part::program(&mut peer, part, program)?;
            followed(&format!("{} on {}", program.name, part.name), report)
        }
        Err(image) => follow_image(&mut peer, (image.name, image.part, &image.elf()?), cycles),
    })?;
    for part in PARTS {
        for tolerance in avr::part::unneeded(&mut peer, part)? {
            passed = false;
            println!(
                "on {}, a tolerance is no longer needed: {}; remove it from crates/oracle/src/avr/part/tolerances.rs",
                part.name, tolerance.what
            );
        }
    }
    for tolerance in avr::part::TOLERANCES {
        println!("tolerance: {}: {}", tolerance.what, tolerance.why);
    }
    Ok(passed)
}

fn follow_image(
    peer: &mut PartPeer,
    (name, part, elf): (&str, &'static AvrPart, &[u8]),
    cycles: u64,
) -> anyhow::Result<bool> {
    let image = Image::parse(elf).with_context(|| format!("cannot read {name}"))?;
    followed(name, avr::part::follow(peer, part, &image, cycles, &[])?)
}

fn followed(name: &str, report: avr::part::Report) -> anyhow::Result<bool> {
    for (vector, tally) in report.vectors.iter().filter(|(_, tally)| tally.apart > 0) {
        println!(
            "          {vector}: {} of {} at another time, simavr up to {} cycles before and {} behind",
            tally.apart.min(tally.taken),
            tally.taken,
            -tally.early,
            tally.late
        );
    }
    let what = format!(
        "{:>9} instructions, {:>5} interrupts, {:>4} bytes sent, {} registers read differently",
        report.instructions,
        report.interrupts,
        report.sent.len(),
        report.forced
    );
    show(name, &what, report.difference)
}

fn whole_programs(only: &str) -> anyhow::Result<bool> {
    let images = programs::images().filter(|image| image.name.contains(only)).map(Ok);
    let devices = boards::PROGRAMS.iter().filter(|program| program.name.contains(only)).map(Err);
    let mut passed = whole("program here and under QEMU", images.chain(devices), |program| {
        let comparison = program.map_or_else(boards::compare, programs::compare)?;
        show(comparison.name, &format!("{:>11} instructions", comparison.instructions), comparison.difference())
    })?;
    if boards::PROGRAMS.iter().any(|program| program.name.contains(only)) {
        for defect in boards::unseen()? {
            passed = false;
            println!("not seen: {}; look at it in crates/oracle/src/boards.rs", defect.what);
        }
        for defect in boards::DEFECTS {
            println!("defect of QEMU's: {}: {}", defect.what, defect.why);
        }
    }
    Ok(passed)
}
