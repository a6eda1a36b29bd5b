//! The tools and settings of a contender's images, for the head of a table.

use std::collections::BTreeSet;

use cyclescope_images::Image;
use cyclescope_records::Record;
use cyclescope_report::format;

use crate::table_notes::made_by;

/// More libraries than this are named only where they are the runtime's own.
const MOST_LIBRARIES: usize = 6;

/// Beginnings of flags that decide nothing about the code: definitions, places, warnings.
const SILENT: [&str; 6] = ["-D", "-I", "-L", "-T", "-W", "-g"];

/// One line: version, compiler, flags, libraries, own clock with its resolution.
pub fn line(records: &[&Record], contender: &str) -> String {
    let of: Vec<&Record> = records.iter().filter(|record| record.contender == contender).copied().collect();
    let all = |what: &dyn Fn(&Record) -> String| {
        let values: BTreeSet<String> = of.iter().map(|record| what(record)).collect();
        values.into_iter().collect::<Vec<_>>().join(" or ")
    };
    let images = images(&of);
    let mut text = format!(
        "{}; flags {}; libraries {}",
        made_by(contender, &all(&|record| record.contender_version.clone()), &all(&|record| record.compiler.clone())),
        flags(&images),
        libraries(&images, contender)
    );
    if let Some(clock) = own_clock(&of) {
        text += &format!("; own clock {clock}");
    }
    text + "."
}

/// The bundled images that `records` are of.
fn images(records: &[&Record]) -> Vec<&'static Image> {
    let hashes: BTreeSet<&str> = records.iter().filter_map(|record| record.image_sha256.as_deref()).collect();
    cyclescope_images::images().iter().filter(|image| hashes.contains(image.sha256)).collect()
}

/// The flags that all `images` share and that decide what code is made.
fn flags(images: &[&Image]) -> String {
    let Some((first, others)) = images.split_first() else { return "not stated".to_owned() };
    let mut shared: Vec<&str> = Vec::new();
    for flag in first.flags() {
        let decides = !SILENT.iter().any(|silent| flag.starts_with(silent));
        if decides && others.iter().all(|other| other.flags().contains(flag)) {
            shared.push(flag);
        }
    }
    shared.join(" ") + ", and the optimisation of each row"
}

/// The libraries of all `images`; of many, those that carry the contender's name.
fn libraries(images: &[&Image], contender: &str) -> String {
    let mut all: Vec<(&str, &str)> = Vec::new();
    for library in images.iter().flat_map(|image| image.libraries()) {
        if !all.contains(library) {
            all.push(*library);
        }
    }
    let total = all.len();
    if total > MOST_LIBRARIES {
        let word = contender.split('-').next().unwrap_or(contender);
        all.retain(|(name, _)| name.starts_with(word));
    }
    let named = all.iter().map(|(name, version)| format!("{name} {version}"));
    let mut listed: Vec<String> = named.collect();
    match total - all.len() {
        0 => {}
        more => listed.push(format!("{more} more in manifest.json")),
    }
    if listed.is_empty() { "none".to_owned() } else { listed.join(", ") }
}

/// The own clock: what it is, its rate, and what it moves at once.
fn own_clock(records: &[&Record]) -> Option<String> {
    let value = |metric: &str| {
        let found = records.iter().find(|record| record.metric == metric);
        found.and_then(|record| record.mean.as_integer()).filter(|value| *value > 0)
    };
    let (hz, ticks) = (value("own_clock.hz")?, value("own_clock.resolution")?);
    let what = records.iter().find_map(|record| record.settings.get("own_clock"));
    let what = what.map(|what| format!("{what}, ")).unwrap_or_default();
    let microseconds = format::decimal(ticks as f64 * 1e6 / hz as f64, 3);
    Some(format!("{what}told in {} Hz, resolution {microseconds} µs", format::integer(hz.into())))
}
