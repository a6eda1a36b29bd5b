//! The origin of a record: the model and the settings of its run.

use std::collections::BTreeMap;

use cyclescope_chips::{Machine, MemorySetting};
use cyclescope_records::{GapNote, Model, Rows, Scalar};

/// Returns the grounds of `machine`'s figures: the timing rows that its run has used and the model gaps it has met so far.
pub fn model(machine: &Machine) -> Model {
    let mut timing_rows = Rows::default();
    for row in machine.timing_used() {
        timing_rows.insert(row);
    }
    Model {
        name: machine.part().name.to_string(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        timing_rows,
        gaps: machine.gaps().iter().map(GapNote::from).collect(),
    }
}

/// Returns the flash settings of `machine`, which was set to `memory`, and those that the firmware had written, as records have
/// it.
pub fn memory_settings(memory: MemorySetting, machine: &Machine) -> BTreeMap<String, Scalar> {
    let mut settings: BTreeMap<String, Scalar> = BTreeMap::new();
    settings.insert("memory".to_owned(), memory.name().into());
    if let Some(written) = machine.flash_settings_written() {
        settings.insert("flash_written".to_owned(), written.into());
    }
    let flash = machine.flash_timing();
    settings.insert("wait_states".to_owned(), u64::from(flash.wait_states).into());
    if flash.wait_states > 0 {
        settings.insert("prefetch".to_owned(), flash.prefetch.into());
        // One cache for both has two ways, and is told of as that of instructions.
        let lines =
            if flash.shared_sets > 0 { 2 * u64::from(flash.shared_sets) } else { flash.instruction_lines as u64 };
        settings.insert("instruction_lines".to_owned(), lines.into());
        settings.insert("data_lines".to_owned(), (flash.data_lines as u64).into());
    }
    settings
}
