//! Facts of the bundled images' manifest beside the records.

use std::collections::BTreeSet;

use cyclescope_records::Record;
use cyclescope_report::page::Facts;

/// Returns the facts of the images that `records` are of.
pub(crate) fn of(records: &[Record]) -> Facts {
    let hashes: BTreeSet<&str> = records.iter().filter_map(|record| record.image_sha256.as_deref()).collect();
    let known = cyclescope_images::images().iter().filter(|image| hashes.contains(image.sha256));
    known
        .map(|image| {
            let libraries: Vec<String> =
                image.libraries().iter().map(|(name, version)| format!("{name} {version}")).collect();
            let libraries = if libraries.is_empty() { "none".to_owned() } else { libraries.join(", ") };
            let facts = vec![
                ("image".to_owned(), image.name.to_owned()),
                ("board".to_owned(), image.board.to_owned()),
                ("libraries".to_owned(), libraries),
                ("flags".to_owned(), image.flags().join(" ")),
            ];
            (image.sha256.to_owned(), facts)
        })
        .collect()
}
