//! Bundled programs whole: FreeRTOS of the system calls' experiment on a core in the SoC and on our own.
//!
//! The kernels of that experiment need a PMP of the architecture's rules, which no package of VexRiscv has.

use cyclescope_chips::{Machine, Settings};
use cyclescope_images::Image;
use cyclescope_machine::Width;

use super::super::rtl::Variant;
use super::bridge::Bridges;
use super::program::SLAVES;
use super::{Driver, Follower, Peer, Subject, ours};
use crate::error::OracleError;
use crate::qemu;

/// The chip whose programs these are.
const CHIP: &str = "litex-vexriscv";
const CONTENDER: &str = "freertos";
/// The most cycles of a program; none takes as many to its end, a loop.
const CYCLES: usize = 40_000;
/// SLLI x0, x0, 31, the marker before a semihosting call, which the Verilog does not know.
const CALL: u32 = 0x01F0_1013;
/// The words of main RAM that a program's segments fill.
const WORDS: u32 = 0x1000;

/// The result for one program.
#[derive(Clone, Debug)]
pub struct ImageReport {
    /// Cycles compared.
    pub cycles: usize,
    /// Retirements compared.
    pub retirements: usize,
    /// The first difference.
    pub difference: Option<String>,
}

/// Returns the programs that the core of `subject` has the instructions and registers of. Their stacks are where SDRAM has ended.
pub fn images(subject: Subject) -> impl Iterator<Item = &'static Image> {
    let variant = match subject.driver {
        Driver::Core(variant) if !subject.system.has_sdram() => Some(variant),
        Driver::Core(_) | Driver::Masters => None,
    };
    let runs = move |image: &&Image| match variant {
        Some(Variant::Imac) => !image.opt.ends_with("rv32i"),
        Some(Variant::Full | Variant::Secure) => image.opt.ends_with("rv32i"),
        _ => false,
    };
    let all = cyclescope_images::images().iter();
    all.filter(|image| image.chip == CHIP && image.contender == CONTENDER).filter(runs)
}

/// Follows the program `elf` with the name `name` up to its first semihosting call. The peer has not run anything else, since a reset
/// keeps the core's registers.
///
/// # Errors
/// The peer has ended, or it has no core, or the program cannot be loaded.
pub fn follow(peer: &mut Peer, name: &'static str, elf: &[u8]) -> Result<ImageReport, OracleError> {
    let Subject { system, driver: Driver::Core(core) } = peer.subject() else {
        return Err(OracleError::Fit { part: CHIP });
    };
    let settings = Settings { semihosting: false, halt_on_reset: true, ..Settings::default() };
    let Ok(mut machine) = qemu::load(name, elf, CHIP, settings)? else {
        return Err(OracleError::Fit { part: CHIP });
    };
    let base = machine.part().ram.base.get();
    let pieces = [(base, words(&mut machine, base))];
    let mut cycles = peer.execute(CYCLES, base, &pieces)?;
    let half = |at: u32| pieces[0].1.get((at / 4) as usize).map_or(0, |word| word >> (8 * (at & 2)) & 0xFFFF);
    let is_call = |pc: u32| half(pc.wrapping_sub(base)) | half(pc.wrapping_sub(base).wrapping_add(2)) << 16 == CALL;
    if let Some(end) = cycles.iter().position(|cycle| cycle.retired.is_some_and(is_call)) {
        cycles.truncate(end);
    }
    let (mut follower, mut bridges) = (Follower::new(system, SLAVES, &[]), Bridges::new(core));
    let difference = cycles.iter().find_map(|cycle| {
        let differs = follower.step(cycle.requests, cycle.acknowledged, cycle.retired);
        differs.or_else(|| bridges.step(cycle).map(|what| follower.describe(what)))
    });
    let difference = difference.or_else(|| ours::compare(system, core, &pieces, &cycles));
    let retirements = cycles.iter().filter(|cycle| cycle.retired.is_some()).count();
    Ok(ImageReport { cycles: cycles.len(), retirements, difference })
}

/// The beginning of main RAM at `base`.
fn words(machine: &mut Machine, base: u32) -> Vec<u32> {
    let memory = machine.memory();
    (0..WORDS).map(|word| memory.read(base + 4 * word, Width::Word).unwrap_or(0)).collect()
}
