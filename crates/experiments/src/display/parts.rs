//! Whose an instruction is: the parts of a frame's time, by the functions and files of its code.

use std::collections::BTreeMap;

use cyclescope_image::{Frame, Image};
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
    /// Words in names of functions.
    #[serde(default)]
    pub functions: Vec<String>,
    /// Words in paths of files.
    #[serde(default)]
    pub files: Vec<String>,
}

/// Returns the index of the part that code with these frames, innermost first, belongs to.
fn part_of(parts: &[PartText], frames: &[Frame]) -> Option<usize> {
    let holds = |words: &[String], text: &str| words.iter().any(|word| text.contains(word.as_str()));
    let by_function = |part: &PartText| {
        frames.iter().filter_map(|frame| frame.function.as_deref()).any(|name| holds(&part.functions, name))
    };
    parts.iter().position(by_function).or_else(|| {
        let files = frames.iter().filter_map(|frame| frame.line.as_ref());
        files.map(|line| &line.file).find_map(|file| parts.iter().position(|part| holds(&part.files, file)))
    })
}

/// Returns the cycles of each part of `account`, which sum to its total: those of `parts` in their order, [`ASLEEP`], [`REST`].
pub fn split(parts: &[PartText], account: &Account, image: &Image) -> Vec<(String, Cycles)> {
    let mut cycles = vec![Cycles::ZERO; parts.len()];
    // Code that is inlined in the same way has the same part; most instructions share their frames with their neighbours.
    let mut known: BTreeMap<u32, Option<usize>> = BTreeMap::new();
    for instruction in &account.instructions {
        let part = *known.entry(instruction.pc.get()).or_insert_with(|| part_of(parts, &image.frames(instruction.pc)));
        if let Some(part) = part {
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
    use super::part_of;
    use cyclescope_image::Frame;

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
        part_of(&parts, &frames).map(|part| parts[part].name.clone())
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
        assert_eq!(part(&["copy rust/library/core/src/slice/mod.rs", flush]), name("driver"));
        let pixels = "next registry/embedded-graphics-0.8.2/src/primitives/line/points.rs";
        assert_eq!(part(&["step rust/library/core/src/iter/range.rs", pixels, flush]), name("drawing"));
        assert_eq!(part(&["wire_send firmware/display/c/stm32f446ze/wire.c"]), name("hal"));
        assert_eq!(part(&["display_flush firmware/display/c/display.c"]), name("driver"));
        assert_eq!(part(&["memset newlib/memset.c"]), None);
        assert_eq!(part(&[]), None);
    }
}
