//! Records and runs arranged for the HTML page.
//!
//! An experiment describes its columns and charts ([`Experiment::page_views`]); here they are filled from records.
//! [`cyclescope_report::page`] draws them.

mod build;
mod facts;
pub(crate) mod runs;
mod tasks;
mod transfers;

pub(crate) use facts::of as facts_of;

use std::collections::{BTreeMap, BTreeSet};

use cyclescope_experiments::{Experiment, PageView, Trust, View};
use cyclescope_records::{Record, Source};
use cyclescope_report::format::integer;
use cyclescope_report::page::{Core, Page, Run, Section};

use crate::TOOL;

/// The records of one file.
pub(crate) struct Results {
    /// The name that tells them from those of other files.
    pub(crate) name: String,
    /// The records.
    pub(crate) records: Vec<Record>,
}

/// Everything in `results`, and `runs`, as a page, which makes runs again with `core`.
pub(crate) fn page(results: Vec<Results>, runs: Vec<Run>, core: Option<Core>) -> Page {
    let mut records = Vec::new();
    let mut files = Vec::new();
    for Results { name, records: own } in results {
        files.extend(std::iter::repeat_n(name, own.len()));
        records.extend(own);
    }
    let all = cyclescope_experiments::all();
    let mut names: Vec<&str> = Vec::new();
    for record in &records {
        if !names.contains(&record.experiment.as_str()) {
            names.push(&record.experiment);
        }
    }
    // In the order in which experiments are listed, strangers last.
    names.sort_by_key(|name| all.iter().position(|known| known.name() == *name).unwrap_or(all.len()));
    let mut sections: Vec<Section> = Vec::new();
    for name in names {
        let known = all.iter().find(|known| known.name() == name);
        sections.extend(of_experiment(name, known.map(AsRef::as_ref), &records, &files));
    }
    number_names(&mut sections);
    Page {
        title: title(&sections),
        tool: TOOL.to_owned(),
        summary: summary(&records),
        sections,
        runs,
        facts: facts::of(&records),
        records,
        core,
    }
}

/// The sections of the experiment called `name`: its own, and one for each of its axes.
fn of_experiment(name: &str, known: Option<&dyn Experiment>, records: &[Record], files: &[String]) -> Vec<Section> {
    let own: Vec<usize> = (0..records.len()).filter(|index| records[*index].experiment == name).collect();
    let of: Vec<&Record> = own.iter().map(|index| &records[*index]).collect();
    let views = known.map_or_else(|| vec![PageView::of_metrics(name, &of)], |known| known.page_views(&of));
    let own_firmware = known.is_none() && name == "measure";
    let mut sections: Vec<Section> = views
        .iter()
        .map(|view| build::section(view, records, &own, files))
        .filter(|section| !section.rows.is_empty())
        .collect();
    let Some(first) = sections.first_mut() else { return sections };
    if own_firmware {
        first.question = "How long does each span take?".to_owned();
    }
    if let Some(known) = known {
        if first.question.is_empty() {
            first.question = known.question().to_owned();
        }
        let own: Vec<Record> = own.iter().map(|index| records[*index].clone()).collect();
        first.answer = known.answer(&own).unwrap_or_default();
        first.tables = known.tables(&own, &View { details: true, ..View::default() });
    }
    sections
}

/// The names that the page's own elements have.
const TAKEN: [&str; 11] =
    ["main", "filters", "origin", "status", "data", "library", "theme", "worker", "core", "unpacker", "run-here"];

/// Names are places in the page's address and must be letters, digits and hyphens, each once.
pub(crate) fn number_names(sections: &mut [Section]) {
    let mut taken: BTreeSet<String> = TAKEN.into_iter().map(str::to_owned).collect();
    let mut numbers: BTreeMap<String, usize> = BTreeMap::new();
    for section in sections {
        let base = slug(&section.name);
        let number = numbers.entry(base.clone()).or_insert(1);
        let mut name = base.clone();
        while !taken.insert(name.clone()) {
            *number += 1;
            name = format!("{base}-{number}");
        }
        section.name = name;
    }
}

/// `text` as letters, digits and hyphens.
pub(crate) fn slug(text: &str) -> String {
    let slug: String = text.chars().take(60).map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    let slug = slug.trim_matches('-').to_ascii_lowercase();
    if slug.starts_with(|c: char| c.is_ascii_alphabetic()) { slug } else { format!("x-{slug}") }
}

fn title(sections: &[Section]) -> String {
    match sections {
        [] => "One run".to_owned(),
        [one] if one.name == "measure" => "Measurements".to_owned(),
        [one] => format!("Results of {}", one.name),
        _ => "The cost of concurrency".to_owned(),
    }
}

/// Returns the subject of the records, and the trust in them.
fn summary(records: &[Record]) -> String {
    if records.is_empty() {
        return "What happened when, and where the cycles went.".to_owned();
    }
    let count = |n: usize, one: &str| format!("{} {one}{}", integer(n as i128), if n == 1 { "" } else { "s" });
    let chips: BTreeSet<&str> = records.iter().filter_map(|record| record.chip.as_deref()).collect();
    let Trust { checked, assumed, gaps, .. } = Trust::of(records);
    let mut text = count(records.len(), "number");
    if checked > 0 {
        text += &format!(" of {} on {}", count(checked, "program"), count(chips.len(), "chip model"));
    }
    if records.iter().any(|record| record.source == Source::Host) {
        text += if checked > 0 { ", and of runtimes on this host" } else { " of runtimes on this host" };
    }
    text += ".";
    if checked > 0 {
        // Nobody knows what the output of an ELF of the user's should be.
        if !records.iter().any(|record| record.experiment == "measure") {
            text += " Each program's output was checked before it gave a number.";
        }
        text += &format!(
            " Of the timings used, {} assumed; {} met. Every number names its own.",
            match assumed.len() {
                0 => "none is".to_owned(),
                1 => "1 is".to_owned(),
                count => format!("{count} are"),
            },
            match gaps.len() {
                0 => "no model gap was".to_owned(),
                1 => "1 model gap was".to_owned(),
                count => format!("{count} model gaps were"),
            },
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use cyclescope_records::{Record, RecordFile};

    use super::{Results, page, slug};

    #[test]
    fn names_become_places_in_an_address() {
        assert_eq!(slug("dirwalk workers"), "dirwalk-workers");
        assert_eq!(slug("<script>alert(1)</script>"), "script-alert-1---script");
        assert_eq!(slug("9"), "x-9");
        assert_eq!(slug(""), "x-");
    }

    /// Records whose names and numbers are drawn from what exists and what should not.
    fn drawn(seed: u64) -> Vec<Record> {
        const METRICS: [&str; 10] = [
            "elapsed",
            "switch",
            "yield",
            "latency.edge",
            "flash",
            "ram",
            "own_clock.hz",
            "ratio.sync",
            "division",
            "rounds",
        ];
        const MODES: [&str; 8] = ["plain", "one", "two", "two-sliced", "interrupt", "walk", "workers", "?"];
        const NUMBERS: [&str; 6] = ["0", "-7", "9223372036854775807", "-9223372036854775808", "1e308", "0.1"];
        const UNITS: [&str; 4] = ["cycles", "ns", "bytes", "ratio"];
        let mut state = seed;
        let mut draw = |count: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % count
        };
        let names = ["primes", "button", "switch", "dirwalk", "join", "yield", "measure"];
        let records: Vec<String> = (0..60)
            .map(|_| {
                let number = NUMBERS[draw(6)];
                let chip = ["null", "\"stm32c031c6\"", "\"x\""][draw(3)];
                let clock = ["null", "0", "48000000"][draw(3)];
                let stimulus = ["", "presses 1000 of PC13 low from 300ms gap 5ms..205ms seed 1", "none"][draw(3)];
                format!(
                    r#"{{"experiment":"{}","mode":"{}","params":{{"row":"EmptyLoop","workers":{number},"stimulus":"{stimulus}"}},
                    "contender":"{}","contender_version":"","compiler":"","chip":{chip},"clock_hz":{clock},
                    "settings":{{"memory":"equal"}},"opt":"{}","metric":"{}","unit":"{}","n":{},"mean":{number},"stddev":0,
                    "min":{number},"median":{number},"p99":{number},"max":{number},"source":"simulated","image_sha256":null,
                    "model":null}}"#,
                    names[draw(7)],
                    MODES[draw(8)],
                    ["embassy", "(all)", "sync"][draw(3)],
                    ["s", "3", ""][draw(3)],
                    METRICS[draw(10)],
                    UNITS[draw(4)],
                    draw(3),
                )
            })
            .collect();
        let text = format!(r#"{{"schema":1,"tool":"t","records":[{}]}}"#, records.join(","));
        RecordFile::from_json(&text).expect("they are of the schema").records
    }

    #[test]
    fn no_records_make_the_page_panic() {
        for seed in 0..400 {
            let files = [seed, seed + 1000].map(|seed| Results { name: format!("file {seed}"), records: drawn(seed) });
            let page = page(files.into_iter().collect(), Vec::new(), None);
            let cells =
                page.sections.iter().flat_map(|section| &section.rows).flat_map(|row| row.cells.iter().flatten());
            assert!(cells.into_iter().all(|cell| cell.record < page.records.len()));
        }
    }
}
