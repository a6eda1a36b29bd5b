//! Whose an instruction is: the parts of a frame's time, by the functions and files of its code.

use std::collections::HashMap;

use cyclescope_image::{Frame, Image, SourceLine};
use cyclescope_machine::units::Cycles;
use cyclescope_scope::Account;
use serde::Deserialize;

/// The part of all that no other has.
pub const REST: &str = "rest";
/// The part of the sleeping core, which another task could have.
pub const ASLEEP: &str = "asleep";

/// A part as words of functions and files.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PartText {
    /// Its name in records.
    pub name: String,
    /// Its name in tables.
    pub title: String,
    /// Words in names of functions; `WORD in PATH` only where the function's file has that in its path, since the debug
    /// information of inlined functions names them without their types; `WORD in PATH:FIRST-LAST` only those lines.
    #[serde(default)]
    pub functions: Vec<String>,
    /// Words in paths of files.
    #[serde(default)]
    pub files: Vec<String>,
}

/// Parts, and what is known of frames, which code shares.
struct Parts<'p> {
    parts: &'p [PartText],
    /// The first part of which a word names the frame's function, and the first of which one is in the path of its file.
    known: HashMap<Frame, [Option<usize>; 2]>,
}

impl<'p> Parts<'p> {
    fn new(parts: &'p [PartText]) -> Self {
        Self { parts, known: HashMap::new() }
    }

    /// Returns the index of the part that code with these frames, innermost first, belongs to.
    fn of(&mut self, frames: Vec<Frame>) -> Option<usize> {
        let parts = self.parts;
        let first = |is: &dyn Fn(&PartText) -> bool| parts.iter().position(is);
        let known: Vec<[Option<usize>; 2]> = frames
            .into_iter()
            .map(|frame| {
                if let Some(known) = self.known.get(&frame) {
                    return *known;
                }
                let by_function = first(&|part| part.functions.iter().any(|word| names(word, &frame)));
                let has = |word: &String| frame.line.as_ref().is_some_and(|line| line.file.contains(word));
                let by_file = first(&|part| part.files.iter().any(has));
                *self.known.entry(frame).or_insert([by_function, by_file])
            })
            .collect();
        let by_function = known.iter().filter_map(|[by_function, _]| *by_function).min();
        by_function.or_else(|| known.iter().find_map(|[_, by_file]| *by_file))
    }
}

/// Tells whether `word`, one of [`PartText::functions`], names the function of `frame`.
fn names(word: &str, frame: &Frame) -> bool {
    let (word, place) = word.split_once(" in ").unwrap_or((word, ""));
    let (path, lines) = place.split_once(':').unwrap_or((place, ""));
    let ends = lines.split_once('-').and_then(|(first, last)| Some(first.parse().ok()?..=last.parse().ok()?));
    let holds =
        |line: &SourceLine| line.file.contains(path) && ends.as_ref().is_none_or(|ends| ends.contains(&line.line));
    let is_there = || place.is_empty() || frame.line.as_ref().is_some_and(holds);
    frame.function.as_ref().is_some_and(|name| name.contains(word)) && is_there()
}

/// Returns the cycles of each part of `account`, which sum to its total: those of `parts` in their order, [`ASLEEP`], [`REST`].
pub fn split(parts: &[PartText], account: &Account, image: &Image) -> Vec<(String, Cycles)> {
    let mut cycles = vec![Cycles::ZERO; parts.len()];
    let mut known = Parts::new(parts);
    for instruction in &account.instructions {
        if let Some(part) = known.of(image.frames(instruction.pc)) {
            cycles[part] += instruction.cost.cycles;
        }
    }
    let asleep = account.asleep();
    let counted = cycles.iter().fold(asleep, |sum, cycles| sum + *cycles);
    let names = parts.iter().map(|part| part.name.clone());
    let rest = [(ASLEEP.to_owned(), asleep), (REST.to_owned(), account.total.cycles.saturating_sub(counted))];
    names.zip(cycles).chain(rest).collect()
}

#[cfg(test)]
mod tests {
    use cyclescope_image::SourceLine;

    use super::super::Display;
    use super::{Parts, names};
    use cyclescope_image::{Frame, Image, SymbolKind};
    use cyclescope_machine::units::Address;

    /// The part of code whose frames are these, `FUNCTION FILE` each, innermost first.
    fn part(frames: &[&str]) -> Option<String> {
        let frames: Vec<Frame> = frames
            .iter()
            .map(|text| {
                let (function, file) = text.split_once(' ').unwrap();
                let line = SourceLine { file: file.to_owned(), line: 1, column: None };
                Frame { function: Some(function.to_owned()), line: Some(line) }
            })
            .collect();
        let parts = Display::bundled().part;
        Parts::new(&parts).of(frames).map(|part| parts[part].name.clone())
    }

    #[test]
    fn code_is_of_the_innermost_known_file_and_waiting_is_of_none() {
        let name = |name: &str| Some(name.to_owned());
        let read = "read registry/stm32-metapac-21.0.0/src/common.rs";
        let volatile = "read_volatile rust/library/core/src/ptr/mod.rs";
        let write = "write_internal registry/embassy-stm32-0.6.0/src/i2c/v2.rs";
        let flush = "flush registry/ssd1306-0.10.0/src/mode/buffered_graphics.rs";
        assert_eq!(part(&[volatile, read, write, flush]), name("hal"));
        let wait = "embassy_stm32::i2c::I2c<M,IM>::wait_txis registry/embassy-stm32-0.6.0/src/i2c/v2.rs";
        assert_eq!(part(&[volatile, read, wait, write, flush]), name("waiting"));
        // Inlined functions are named without their types.
        let bytes = "write_bytes<embassy_stm32::mode::Blocking> registry/embassy-stm32-0.6.0/src/i2c/v1.rs";
        let byte = "send_byte<embassy_stm32::mode::Blocking> registry/embassy-stm32-0.6.0/src/i2c/v1.rs";
        let now = "calc_now registry/embassy-stm32-0.6.0/src/time_driver/gp16.rs";
        let timeout = "check registry/embassy-stm32-0.6.0/src/i2c/mod.rs";
        assert_eq!(part(&[bytes, flush]), name("hal"));
        assert_eq!(part(&[byte, bytes, flush]), name("waiting"));
        assert_eq!(part(&[now, timeout, bytes, flush]), name("waiting"));
        assert_eq!(part(&["checked_add rust/library/core/src/num/mod.rs", bytes]), name("hal"));
        assert_eq!(part(&["copy rust/library/core/src/slice/mod.rs", flush]), name("driver"));
        let pixels = "next registry/embedded-graphics-0.8.2/src/primitives/line/points.rs";
        assert_eq!(part(&["step rust/library/core/src/iter/range.rs", pixels, flush]), name("drawing"));
        assert_eq!(part(&["wire_send firmware/display/c/stm32f446ze/wire.c"]), name("hal"));
        assert_eq!(part(&["display_flush firmware/display/c/display.c"]), name("driver"));
        assert_eq!(part(&["memset newlib/memset.c"]), None);
        assert_eq!(part(&[]), None);
    }

    #[test]
    fn every_word_of_a_part_is_in_a_bundled_image() {
        let parts = Display::bundled().part;
        let functions = parts.iter().flat_map(|part| &part.functions).map(|word| (word, true));
        let files = parts.iter().flat_map(|part| &part.files).map(|word| (word, false));
        let mut missing: Vec<(&String, bool)> = functions.chain(files).collect();
        let bundled = cyclescope_images::images().iter().filter(|image| image.experiment == "display");
        for bundled in bundled.filter(|image| image.opt == "3") {
            let image = Image::parse(&bundled.elf().unwrap()).unwrap();
            let functions = image.symbols().iter().filter(|symbol| symbol.kind == SymbolKind::Function);
            let code = functions.flat_map(|function| {
                let from = function.address.get();
                (from..from + function.size.get() as u32).step_by(2)
            });
            for pc in code {
                let frames = image.frames(Address::new(pc));
                let has = |word: &str, frame: &Frame| frame.line.as_ref().is_some_and(|line| line.file.contains(word));
                missing.retain(|(word, of_function)| {
                    !frames.iter().any(|frame| if *of_function { names(word, frame) } else { has(word, frame) })
                });
            }
        }
        assert!(missing.is_empty(), "{missing:?}");
    }
}
