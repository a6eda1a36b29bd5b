//! The notes below every table: settings, contenders' own settings, rows that are assumed, gaps.

use std::collections::{BTreeMap, BTreeSet};

use cyclescope_records::{Record, Scalar};
use cyclescope_report::Table;

use crate::conditions::distinct;
use crate::{Trust, View, luck};

/// Notes on what `records`, all of one memory setting called `memory`, rest on; contenders' settings and names of timing rows
/// only with details.
pub fn notes(records: &[&Record], memory: &str, view: &View, table: &mut Table) {
    if let Some(luck) = luck::note(records) {
        table.note(luck);
    }
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
            if let Some(note) = contender_note(records, contender) {
                table.note(note);
            }
        }
    }
    let trust = Trust::of(&records.iter().map(|record| (*record).clone()).collect::<Vec<_>>());
    let list = |names: &BTreeSet<String>| names.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
    table.note(match trust.assumed.len() {
        0 => "All timings that these runs used are documented or measured.".to_owned(),
        _ if view.details => format!("Timings assumed, not documented (docs/timing.md): {}.", list(&trust.assumed)),
        1 => format!("Of the {} timings that these runs used, 1 is assumed (docs/timing.md).", trust.rows),
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
/// differs between its modes shows all its values. `None` if there are none, as of an image of one's own.
fn contender_note(records: &[&Record], contender: &str) -> Option<String> {
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
    let mut said: Vec<String> = settings.into_iter().map(|(name, values)| format!("{name}: {}", or(values))).collect();
    said.extend(written.map(|values| format!("the firmware had written: {}", or(values))));
    (!said.is_empty()).then(|| format!("{contender}: {}.", said.join("; ")))
}

/// The origin of a contender: its version and its compiler. An image of one's own has no version, and one without `.comment` no compiler.
pub fn made_by(contender: &str, version: &str, compiler: &str) -> String {
    let version = if version.is_empty() { String::new() } else { format!(" {version}") };
    let compiler = if compiler.is_empty() { "its image does not name its compiler" } else { compiler };
    format!("{contender}{version}: {compiler}")
}

#[cfg(test)]
mod tests {
    use cyclescope_records::{Record, Source};

    use super::{contender_note, made_by};

    #[test]
    fn a_contender_without_settings_has_no_note() {
        let mut record = Record { contender: "own.elf".to_owned(), ..Record::empty(Source::Simulated) };
        record.settings.insert("wait_states".to_owned(), 1.into());
        assert_eq!(contender_note(&[&record], "own.elf"), None);
        record.settings.insert("flash_written".to_owned(), "1 wait state".into());
        let written = "own.elf: the firmware had written: 1 wait state.";
        assert_eq!(contender_note(&[&record], "own.elf").as_deref(), Some(written));
        record.settings.insert("tick".to_owned(), "1 kHz".into());
        let both = "own.elf: tick: 1 kHz; the firmware had written: 1 wait state.";
        assert_eq!(contender_note(&[&record], "own.elf").as_deref(), Some(both));
    }

    #[test]
    fn an_origin_that_is_not_known_is_said() {
        assert_eq!(made_by("freertos", "11.1.0", "GCC 15"), "freertos 11.1.0: GCC 15");
        assert_eq!(made_by("own.elf", "", "GCC 15"), "own.elf: GCC 15");
        assert_eq!(made_by("own.elf", "", ""), "own.elf: its image does not name its compiler");
    }
}
