//! The common parts of comparisons of whole programs with QEMU: our machine, QEMU's log, and what a run shows.

use cyclescope_chips::{Machine, Part, Settings};
use cyclescope_image::Image;
use cyclescope_machine::Stop;

use crate::error::OracleError;

/// The number of instructions shown before a difference.
const SHOWN: usize = 16;

/// The result of a comparison of two paths.
#[derive(Clone, Debug)]
pub struct Compared {
    /// The number of equal instructions; 0 if they are not compared.
    pub instructions: usize,
    /// A description of the difference.
    pub difference: Option<String>,
}

/// Loads the program `elf` with the name `name` on the chip `chip`. The inner error describes a program that cannot start.
pub(crate) fn load(
    name: &'static str,
    elf: &[u8],
    chip: &str,
    settings: Settings,
) -> Result<Result<Machine, String>, OracleError> {
    let image = Image::parse(elf).map_err(|source| OracleError::Image { name, source })?;
    let part = Part::find(chip).map_err(|source| OracleError::Part { name, source })?;
    Ok(Machine::load(part, settings, &image).map_err(|error| error.to_string()))
}

/// Returns the exit code of a program that stopped, or a description if it did not exit.
pub(crate) fn end(stop: Stop) -> Result<i32, String> {
    match stop {
        Stop::Exit(code) => Ok(code),
        other => Err(format!("{other:?}")),
    }
}

/// Returns the instruction's address in a line of QEMU's log. The guest's own output may precede it.
pub(crate) fn address(line: &str) -> Option<u32> {
    let (_, fields) = line.split_once("Trace ")?.1.split_once('[')?;
    fields.split('/').nth(1).and_then(|text| u32::from_str_radix(text, 16).ok())
}

/// Tells if a line of QEMU's log takes the last instruction back: one that stopped before it began is logged again.
pub(crate) fn takes_back(line: &str) -> bool {
    line.starts_with("Stopped execution")
}

/// Describes a difference at the instruction `index` of `ours`; QEMU is at `qemu`, or has ended.
pub(crate) fn parting(index: usize, ours: &[u32], qemu: Option<u32>) -> String {
    let from = index.saturating_sub(SHOWN).min(ours.len());
    let before: Vec<String> = ours[from..index.min(ours.len())].iter().map(|at| format!("{at:08x}")).collect();
    let [ours, qemu] =
        [ours.get(index).copied(), qemu].map(|at| at.map_or("ended".to_owned(), |at| format!("at {at:08x}")));
    format!("instruction {index}: ours {ours}, QEMU {qemu}; before: {}", before.join(" "))
}
