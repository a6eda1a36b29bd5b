//! Observed calls as records.

use cyclescope_chips::Machine;
use cyclescope_image::{Image, SectionKind, size};
use cyclescope_machine::units::Bytes;
use cyclescope_records::stats::Summary;
use cyclescope_records::{Record, Unit};
use cyclescope_scope::Cost;

use super::error::CallError;
use super::recorder::{Call, Occurrence, Recorder};
use crate::{RunError, subject};

/// The metric of the whole call, from the trap to the instruction behind it.
pub const WHOLE: &str = "call";
/// From the trap instruction to the driver.
pub const TRAP_TO_DRIVER: &str = "trap_to_driver";
/// From the first instruction of the trap's vector to the driver.
pub const VECTOR_TO_DRIVER: &str = "vector_to_driver";
/// From the driver's end to the instruction behind the trap.
pub const DRIVER_TO_BACK: &str = "driver_to_back";
/// Begins the parts' metrics.
pub const PART: &str = "part.";
/// Ends a metric that counts instructions and not cycles.
pub const INSTRUCTIONS: &str = ".instructions";
/// Ends the metric of a part of functions inside others, which count it.
pub const WITHIN: &str = ".within";
/// The bytes of text among the constants.
pub const STRINGS: &str = "strings";

/// Tells if `machine` has no timing of its core, so that its cycles are instructions.
pub fn counts_instructions(machine: &Machine) -> bool {
    machine.riscv().is_some_and(|core| core.cpu().config.timing.core == "instructions")
}

/// The records of all calls but their first `warmup` times each, beginning with `base`.
///
/// # Errors
/// [`CallError::Unaccounted`] if the parts of one do not sum to it.
pub fn of_calls(
    base: &Record,
    calls: &[Call],
    recorder: &Recorder<'_>,
    warmup: usize,
    cycles: bool,
) -> Result<Vec<Record>, RunError> {
    let mut records = Vec::new();
    for (call, tracker) in calls.iter().zip(&recorder.trackers) {
        let counted = tracker.occurrences.get(warmup..).unwrap_or_default();
        if counted.is_empty() {
            continue;
        }
        for one in counted {
            let whole = one.end().since(one.from);
            if one.parts.iter().copied().sum::<Cost>() != whole {
                let (call, at) = (call.name.clone(), one.from.at.get());
                return Err(CallError::Unaccounted { call, at }.into());
            }
        }
        let mut base = base.clone();
        base.params.insert("call".to_owned(), call.name.as_str().into());
        let mut record = |metric: &str, of: &dyn Fn(&Occurrence) -> Option<Cost>| {
            // One that lacks a moment has no such metric, and then none of them has.
            let Some(costs) = counted.iter().map(of).collect::<Option<Vec<Cost>>>() else { return Ok(()) };
            let instructions: Vec<u64> = costs.iter().map(|cost| cost.instructions.get()).collect();
            let name = format!("{metric}{INSTRUCTIONS}");
            records.push(base.with_metric(&name, Unit::Instructions, Summary::of_integers(&instructions)?));
            if cycles {
                let cycles: Vec<u64> = costs.iter().map(|cost| cost.cycles.get()).collect();
                records.push(base.with_metric(metric, Unit::Cycles, Summary::of_integers(&cycles)?));
            }
            Ok::<_, RunError>(())
        };
        record(TRAP_TO_DRIVER, &|one| Some(one.to.since(one.from)))?;
        record(VECTOR_TO_DRIVER, &|one| Some(one.to.since(one.vector?)))?;
        record(DRIVER_TO_BACK, &|one| Some(one.back?.since(one.left?)))?;
        record(WHOLE, &|one| Some(one.back?.since(one.from)))?;
        for (index, name) in recorder.parts().names().iter().enumerate() {
            record(&format!("{PART}{name}"), &|one| one.parts.get(index).copied())?;
            if counted.iter().any(|one| one.within.get(index) != Some(&Cost::default())) {
                record(&format!("{PART}{name}{WITHIN}"), &|one| one.within.get(index).copied())?;
            }
        }
    }
    Ok(records)
}

/// The records of what `image` takes.
pub fn of_image(base: &Record, image: &Image) -> Vec<Record> {
    let strings = [(STRINGS, Unit::Bytes, text_bytes(image).get())];
    let sizes = subject::sizes(image).into_iter().chain(strings);
    sizes.map(|(metric, unit, value)| subject::exact(base, metric, unit, value)).collect()
}

/// The bytes of text among the constants: runs of four printable characters or more in `.rodata`. Format strings are text; so
/// are names, paths for panics and messages, which an ELF does not tell apart.
fn text_bytes(image: &Image) -> Bytes {
    let constant = |text: &size::StringData| {
        let section = image.sections().iter().find(|section| section.contains(text.address));
        section.is_some_and(|section| section.kind == SectionKind::Rodata)
    };
    size::strings(image).iter().filter(|text| constant(text)).map(size::StringData::size).sum()
}
