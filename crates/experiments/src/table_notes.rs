//! The notes below every table: settings, contenders' own settings, rows that are assumed, gaps.

use std::collections::{BTreeMap, BTreeSet};

use cyclescope_records::{Record, Scalar};
use cyclescope_report::Table;

use crate::conditions::distinct;
use crate::{Trust, View};

/// Notes on what `records`, all of one memory setting called `memory`, rest on; contenders' settings and names of timing rows
/// only with details.
pub fn notes(records: &[&Record], memory: &str, view: &View, table: &mut Table) {
    let texts = |key: &str| -> BTreeSet<String> {
        records.iter().filter_map(|record| record.settings.get(key)).map(Scalar::to_string).collect()
    };
    let (wait_states, prefetch, lines) = (or(texts("wait_states")), texts("prefetch"), texts("instruction_lines"));
    let mut setting = format!("Memory {memory}: wait states {wait_states}");
    if !prefetch.is_empty() {
        setting += &format!(", prefetch {}, {} cached lines", or(prefetch), or(lines));
    }
    table.note(setting + ".");
    if view.details {
        for contender in distinct(records, |record| Some(record.contender.as_str())) {
            table.note(contender_note(records, contender));
        }
    }
    let trust = Trust::of(&records.iter().map(|record| (*record).clone()).collect::<Vec<_>>());
    let list = |names: &BTreeSet<String>| names.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
    table.note(match trust.assumed.len() {
        0 => "All timings that these runs used are documented or measured.".to_owned(),
        _ if view.details => format!("Timing rows marked Assumed that these runs executed: {}.", list(&trust.assumed)),
        count => format!("Of the {} timings that these runs used, {count} are assumed (docs/timing.md).", trust.rows),
    });
    match trust.gaps.is_empty() {
        false => table.note(format!("Used, but not modelled: {}.", list(&trust.gaps))),
        true if view.details => table.note("Model gaps met: none."),
        true => table,
    };
}

/// Begins the settings that say why a row is not there.
pub const ABSENT: &str = "absent.";

fn or(values: BTreeSet<String>) -> String {
    values.into_iter().collect::<Vec<_>>().join(" or ")
}

/// Returns the settings that decide fairness for one contender, as its images' manifest and the runs say; a setting that
/// differs between its modes shows all its values.
fn contender_note(records: &[&Record], contender: &str) -> String {
    const SEEN: [&str; 5] = ["memory", "wait_states", "prefetch", "instruction_lines", "data_lines"];
    // Why a row is not there stands where the row would be.
    let seen = |name: &str| SEEN.contains(&name) || name.starts_with(ABSENT);
    let mut settings: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for record in records.iter().filter(|record| record.contender == contender) {
        for (name, value) in record.settings.iter().filter(|(name, _)| !seen(name)) {
            settings.entry(name).or_default().insert(value.to_string());
        }
    }
    let written = settings.remove("flash_written");
    let listed: Vec<String> = settings.into_iter().map(|(name, values)| format!("{name}: {}", or(values))).collect();
    let written = written.map(|values| format!("; the firmware had written: {}", or(values))).unwrap_or_default();
    format!("{contender}: {}{written}.", listed.join("; "))
}
