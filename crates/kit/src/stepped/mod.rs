//! Computes the cycles of a sequence in flash with wait states by the rules of docs/timing.md (Flash): it steps the
//! core's fetches, the caches and the array cycle by cycle.
//!
//! It shares no code with the simulator. Row values come from the tables, as in any sum.

mod fetching;
mod flash;
mod program;
#[cfg(test)]
mod tests;

pub(crate) use program::TIMED;

use crate::table::Memory;
use fetching::{Fetching, beside_execution, on_one_bus};
use flash::{Interface, Settings};

/// The `expect` value of sequences whose cycles are computed here.
pub(crate) const BY_RULES: &str = "by the rules of flash";

/// Returns the cycles that the function [`TIMED`] of the assembly `text` measures, with flash set up as `memory` says,
/// on a core with one bus or with fetches beside execution. `row` returns rows of core and part by name.
///
/// # Errors
/// The first instruction that is unknown here or has no row.
pub(crate) fn cycles(
    text: &str,
    one_bus: bool,
    memory: Memory,
    row: &mut dyn FnMut(&str) -> Option<u32>,
) -> Result<u64, String> {
    let executed = program::run(text, memory.passes, row)?;
    let mut need = |name: &str| row(name).ok_or_else(|| name.to_owned());
    let fetching = Fetching { latency: need("fetch latency")?.into(), buffer: need("fetch buffer")? };
    // The empty sequence takes the first reading and an instruction on either side.
    let nothing = need("load")? + 2 * need("data processing")?;
    let interface = Interface::new(settings(memory, row));
    let begun = if one_bus {
        on_one_bus(&executed, fetching, interface)
    } else {
        beside_execution(&executed, fetching, interface)
    };
    let mut readings = executed.iter().zip(begun).filter(|(one, _)| one.reads_counter).map(|(_, begun)| begun).rev();
    let (to, from) = (readings.next(), readings.next());
    to.zip(from).map(|(to, from)| to - from - u64::from(nothing)).ok_or_else(|| "two readings".to_owned())
}

/// Returns the settings of the part's flash for `memory`.
fn settings(memory: Memory, row: &mut dyn FnMut(&str) -> Option<u32>) -> Settings {
    let vendors = ["flash", "fmc", "nvmc", "xip"];
    let mut of = |name: &str| vendors.iter().find_map(|vendor| row(&format!("{vendor}.{name}")));
    let mut lines = |is_on: bool, name| if is_on { of(name).unwrap_or(0) as usize } else { 0 };
    let data_lines = lines(memory.data_cache, "data_lines");
    // In each set of the RP2040's cache two lines of two halves, which are filled apart.
    let instruction_lines = lines(memory.cache, "instruction_lines").max(4 * lines(memory.cache, "sets"));
    let unread = if memory.prefetch { None } else { of("line_bytes_without_prefetch") };
    Settings {
        // The STM32C0's 64 bits (RM0490) have no row.
        line_bytes: unread.or_else(|| of("line_bytes")).or_else(|| of("fill_bytes")).unwrap_or(8),
        wait: memory.wait.into(),
        prefetch: memory.prefetch,
        instruction_lines,
        data_lines,
        caches_prefetched: of("prefetched_lines_cached") == Some(1),
    }
}
