//! Sizes as records, for JSON and CSV.

use cyclescope_image::size::{Entry, Weight, by_owner, by_section, by_symbol, strings};
use cyclescope_image::{Image, SectionTotals};
use cyclescope_machine::units::Bytes;
use cyclescope_records::stats::Summary;
use cyclescope_records::{Record, Source, Unit};

/// The records of `images`: experiment `size`; mode `total`, `section`, `crate`, `symbol` or `string`, with the part's
/// name in `params`; the file's name as contender; metrics `text`, `rodata`, `data`, `bss`, `unsectioned`, `padding`, `flash`, `ram`.
pub fn records(images: &[(String, Image)]) -> Vec<Record> {
    let mut records = Vec::new();
    for (name, image) in images {
        let origin = origin(name, image);
        let totals = parts(&image.totals());
        records.extend(totals.map(|(metric, size)| sized(&origin, "total", None, metric, size)));
        for (mode, parts) in [
            ("section", by_section(image)),
            ("crate", by_owner(image)),
            ("symbol", by_symbol(image)),
            ("string", string_entries(image)),
        ] {
            for Entry { name, weight } in parts {
                for (metric, size) in [("flash", weight.flash), ("ram", weight.ram)] {
                    if size > Bytes::ZERO {
                        records.push(sized(&origin, mode, Some(&name), metric, size));
                    }
                }
            }
        }
    }
    records
}

fn sized(origin: &Record, mode: &str, name: Option<&str>, metric: &str, size: Bytes) -> Record {
    let mut record = origin.with_metric(metric, Unit::Bytes, Summary::exact(size.get()));
    record.mode = mode.to_owned();
    record.params.extend(name.map(|name| ("name".to_owned(), name.into())));
    record
}

/// Returns the origin of all records of an image. Sizes are read off the image, which is the same on model and silicon.
fn origin(name: &str, image: &Image) -> Record {
    Record {
        experiment: "size".to_owned(),
        contender: name.to_owned(),
        compiler: image.compilers().join("; "),
        image_sha256: Some(image.file_sha256().to_string()),
        ..Record::empty(Source::Silicon)
    }
}

/// The parts of the totals, by name.
pub fn parts(totals: &SectionTotals) -> [(&'static str, Bytes); 8] {
    [
        ("text", totals.text),
        ("rodata", totals.rodata),
        ("data", totals.data),
        ("bss", totals.bss),
        ("unsectioned", totals.unsectioned),
        ("padding", totals.padding),
        ("flash", totals.flash),
        ("ram", totals.ram),
    ]
}

/// Strings as weights: what a text takes in flash (initialised data's copy in RAM is not told apart).
pub fn string_entries(image: &Image) -> Vec<Entry> {
    let weight = |size| Weight { flash: size, ram: Bytes::ZERO };
    strings(image).into_iter().map(|string| Entry { weight: weight(string.size()), name: string.text }).collect()
}
