//! The chip that a firmware names: in a note for a debug probe, in a device note, or by the register crate it was built
//! with.

use cyclescope_chips::Part;
use cyclescope_image::Image;

/// The section in which `probe-rs-meta` writes the chip's name.
const PROBE_SECTION: &str = ".probe-rs.chip";

/// Sections with the paths of source files, as the compiler saw them.
const PATH_SECTIONS: [&str; 3] = [".debug_line_str", ".debug_line", ".debug_str"];

/// The most bytes of a section that are searched.
const MOST_BYTES: usize = 64 << 20;

/// The longest path that is looked at.
const LONGEST_PATH: usize = 1_000;

/// The longest name of a chip.
const LONGEST: usize = 40;

/// A hint at the chip.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hint {
    /// The chip, as the place names it.
    pub name: Name,
    /// The place, for people: `.cargo/config.toml`.
    pub place: String,
}

/// The chip in a hint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Name {
    /// A part number.
    Part(String),
    /// The beginning of part numbers, as register crates are called: `stm32f446`.
    Line(String),
    /// The first address and the size of flash and of RAM.
    Memories {
        /// Flash.
        flash: (u32, u64),
        /// RAM.
        ram: (u32, u64),
    },
}

impl Name {
    /// Returns the parts that it may be, the likeliest first: of a line, those of which something is shown, then by flash, the
    /// largest first.
    pub fn candidates(&self) -> Vec<&'static str> {
        let names = Part::names();
        let parts = |fits: &dyn Fn(&Part) -> bool| {
            names.clone().filter_map(|name| Part::find(name).ok()).filter(|part| fits(part)).collect::<Vec<_>>()
        };
        let mut found = match self {
            Self::Part(name) => Part::find(name).into_iter().collect(),
            Self::Line(line) => {
                let line = line.to_ascii_lowercase();
                let known = names.filter(|known| known.starts_with(&line));
                known.filter_map(|known| Part::find(known).ok()).collect()
            }
            Self::Memories { flash, ram } => parts(&|part| {
                (part.flash.base.get(), part.flash.bytes.get()) == *flash
                    && (part.ram.base.get(), part.ram.bytes.get()) == *ram
            }),
        };
        let shown = |part: &Part| Part::all().iter().any(|shown| shown.name == part.name);
        found.sort_by_key(|part| (!shown(part), std::cmp::Reverse(part.flash.bytes)));
        found.into_iter().map(|part| part.name.as_ref()).collect()
    }

    /// Returns the name as its place has it; `None` for sizes of memories.
    pub fn written(&self) -> Option<&str> {
        match self {
            Self::Part(name) | Self::Line(name) => Some(name),
            Self::Memories { .. } => None,
        }
    }
}

/// Returns the chip that `feature` means, if it looks like one of the vendors' names.
pub fn chip_of_feature(feature: &str) -> Option<Name> {
    /// The beginnings of names, each with the letters that make a product line; longer names are those of parts.
    const VENDORS: [(&str, usize); 5] = [("stm32", 9), ("nrf5", 8), ("rp2", 6), ("atsam", 9), ("atmega", 9)];
    let (_, line) = VENDORS.iter().find(|(prefix, _)| {
        feature.strip_prefix(prefix).is_some_and(|rest| rest.bytes().skip(1).any(|byte| byte.is_ascii_digit()))
    })?;
    // `stm32f4xx` is a family.
    let plain =
        feature.len() >= *line && !feature.ends_with("xx") && feature.chars().all(|c| c.is_ascii_alphanumeric());
    let name = if feature.len() > *line { Name::Part } else { Name::Line };
    plain.then(|| name(feature.to_owned()))
}

/// Returns the hints of `image`, the surest first.
pub fn hints(image: &Image) -> Vec<Hint> {
    let note = image.section(PROBE_SECTION).map(|section| image.section_bytes(section));
    let note = note.and_then(|bytes| std::str::from_utf8(bytes).ok()).map(|text| text.trim_matches(['\0', ' ']));
    let note = note
        .filter(|name| is_name(name))
        .map(|name| Hint { name: Name::Part(name.to_owned()), place: "the image's note for probe-rs".to_owned() });
    let device = image
        .device()
        .filter(|name| is_name(name))
        .map(|name| Hint { name: Name::Part(name.to_owned()), place: "the image's device note".to_owned() });
    note.into_iter().chain(device).chain(from_paths(image)).collect()
}

/// Returns the hint of the first path of a register crate's file.
fn from_paths(image: &Image) -> Option<Hint> {
    PATH_SECTIONS.iter().find_map(|name| {
        let bytes = image.section(name).map(|section| image.section_bytes(section))?;
        let bytes = bytes.get(..MOST_BYTES).unwrap_or(bytes);
        // Folders and files may be strings of their own.
        let paths = bytes.split(|byte| *byte == 0).filter(|text| text.len() < LONGEST_PATH);
        let name = paths.filter_map(|text| std::str::from_utf8(text).ok()).find_map(of_path)?;
        let place = "the register crate that the image was built with".to_owned();
        Some(Hint { name, place })
    })
}

/// Returns the chip of `path`, if it leads into a register crate: `stm32-metapac-21.0.0/src/chips/stm32c031c6/`,
/// `stm32f4-0.16.0/src/stm32f446/` or `nrf52840-pac-0.12.2/`.
fn of_path(path: &str) -> Option<Name> {
    let folders: Vec<&str> = path.split(['/', '\\']).collect();
    let package = folders.iter().find_map(|folder| {
        let (chip, version) = folder.split_once("-pac-")?;
        version.starts_with(|first: char| first.is_ascii_digit()).then(|| chip_of_feature(chip)).flatten()
    });
    package.or_else(|| {
        let inside = folders.iter().position(|folder| *folder == "src").and_then(|at| folders.get(at + 1..))?;
        match inside {
            ["chips", chip, ..] => chip_of_feature(chip),
            [line, ..] => chip_of_feature(line.trim_end_matches(".rs")).filter(|name| matches!(name, Name::Line(_))),
            [] => None,
        }
    })
}

/// Tells if `text` can be a chip's name.
fn is_name(text: &str) -> bool {
    (1..=LONGEST).contains(&text.len()) && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_register_crates_name_chips_and_others_do_not() {
        let part = |name: &str| Some(Name::Part(name.to_owned()));
        let line = |name: &str| Some(Name::Line(name.to_owned()));
        let cases = [
            ("/home/a/registry/stm32-metapac-21.0.0/src/chips/stm32c031c6/pac.rs", part("stm32c031c6")),
            ("src/chips/stm32f446ze/../../peripherals/rcc_f4.rs", part("stm32f446ze")),
            ("/x/stm32f4-0.16.0/src/stm32f446/rcc", line("stm32f446")),
            ("src/stm32f103.rs", line("stm32f103")),
            ("/x/nrf52840-pac-0.12.2", line("nrf52840")),
            ("/x/stm32f4-0.16.0/src/lib.rs", None),
            ("/x/embassy-stm32-0.4.0/src/time_driver.rs", None),
            ("/x/src/stm32f446ze_board.rs", None),
            ("/x/core/src/ptr", None),
            ("src/main.rs", None),
            ("src/chips", None),
            ("/src/", None),
        ];
        for (path, expected) in cases {
            assert_eq!(of_path(path), expected, "{path}");
        }
    }
}
