//! The input sections of a linker's map: of GNU ld (`-Map`) and of LLVM's lld (`--Map`).

use std::collections::HashMap;
use std::sync::Arc;

use thiserror::Error;

use crate::piece::Piece;

/// The most input sections that are read.
const MOST: usize = 1 << 20;

/// The input sections of a program, by address. Debug information has addresses of its own, so that each is kept with the output
/// section that it belongs to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinkerMap {
    sections: Vec<(Piece, String)>,
}

/// The reason why a map cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum MapError {
    /// It names no input section.
    #[error("the file has no input sections as the maps of GNU ld (-Map) and lld (--Map) list them")]
    NoSections,
    /// It names too many.
    #[error("the file has more than {MOST} input sections")]
    TooMany,
}

impl LinkerMap {
    /// Reads a map.
    ///
    /// # Errors
    /// [`MapError`].
    pub fn parse(text: &str) -> Result<Self, MapError> {
        let lld = text.lines().next().is_some_and(|head| head.split_whitespace().take(2).eq(["VMA", "LMA"]));
        let mut sections = if lld { of_lld(text) } else { of_gnu(text) };
        if sections.is_empty() {
            return Err(MapError::NoSections);
        }
        if sections.len() > MOST {
            return Err(MapError::TooMany);
        }
        sections.sort_by_key(|(section, _)| (section.from, section.to));
        Ok(Self { sections })
    }

    /// Returns the input sections of the output section `output` that begin from `from` to before `to`.
    pub(crate) fn within(&self, output: &str, from: u32, to: u32) -> Vec<Piece> {
        let at = |address: u32| self.sections.partition_point(|(section, _)| section.from < address);
        let inside = self.sections[at(from)..at(to).max(at(from))].iter();
        inside.filter(|(_, known)| known == output).map(|(section, _)| section.clone()).collect()
    }
}

/// Returns the input section `name` of `bytes` bytes at `from`.
fn section(name: &str, from: u64, bytes: u64, align: Option<u32>, file: Option<Arc<str>>) -> Option<Piece> {
    let from = u32::try_from(from).ok()?;
    let to = from.checked_add(u32::try_from(bytes).ok()?)?;
    let code = name.starts_with(".text");
    (from < to).then(|| Piece { from, to, name: name.to_owned(), code, align, file })
}

fn hexadecimal(text: &str) -> Option<u64> {
    u64::from_str_radix(text.strip_prefix("0x").unwrap_or(text), 16).ok()
}

/// Lines of four numbers (run address, load address, size, alignment), then at the column `Out` an output section, or at the column
/// `In` `FILE:(SECTION)`.
fn of_lld(text: &str) -> Vec<(Piece, String)> {
    let (mut found, mut output) = (Vec::new(), String::new());
    let column = text.lines().next().and_then(|head| head.find("Out")).unwrap_or_default();
    for line in text.lines().skip(1) {
        if let Some(rest) = line.get(column..).filter(|rest| !rest.starts_with(' ')) {
            rest.trim().clone_into(&mut output);
            continue;
        }
        let mut words = line.split_whitespace();
        let [from, _, bytes] = [(); 3].map(|()| words.next().and_then(hexadecimal));
        let align = words.next().and_then(|word| word.parse().ok()).filter(|align: &u32| align.is_power_of_two());
        let name = line.rsplit_once(":(").and_then(|(_, name)| name.strip_suffix(')'));
        if let (Some(from), Some(bytes), Some(name)) = (from, bytes, name) {
            found.extend(section(name, from, bytes, align, None).map(|section| (section, output.clone())));
        }
    }
    found
}

/// ` SECTION ADDRESS SIZE FILE` behind the head "Linker script and memory map", below the name of the output section; a long name
/// stands on a line of its own.
fn of_gnu(text: &str) -> Vec<(Piece, String)> {
    let (mut found, mut output) = (Vec::new(), String::new());
    let mut files: HashMap<&str, Arc<str>> = HashMap::new();
    let mut name = None;
    for line in text.lines().skip_while(|line| !line.starts_with("Linker script and memory map")) {
        let mut words = line.split_whitespace();
        if line.starts_with('.') {
            output = words.next().unwrap_or_default().to_owned();
            name = None;
            continue;
        }
        let named = line.starts_with(" .");
        if named {
            name = words.next();
        }
        let [from, bytes] = [(); 2].map(|()| words.next().filter(|word| word.starts_with("0x")).and_then(hexadecimal));
        match (name, from, bytes, words.next()) {
            (Some(known), Some(from), Some(bytes), Some(file)) => {
                let file = file.split_once('(').map_or(file, |(archive, _)| archive);
                let file = files.entry(file).or_insert_with(|| Arc::from(file));
                found.extend(
                    section(known, from, bytes, None, Some(Arc::clone(file))).map(|section| (section, output.clone())),
                );
                name = None;
            }
            // Only the line behind a name alone goes on with it.
            (Some(_), None, None, _) if named => {}
            _ => name = None,
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: &[(&str, u32, u32, Option<u32>)]) {
        let map = LinkerMap::parse(text).expect("it has sections");
        let found: Vec<_> =
            map.sections.iter().map(|(one, _)| (one.name.as_str(), one.from, one.to, one.align)).collect();
        assert_eq!(found, expect);
    }

    #[test]
    fn the_map_of_gnu_ld() {
        let text = "\
Archive member included to satisfy reference by file (symbol)

Discarded input sections

 .text          0x00000000       0x10 crt.o

Linker script and memory map

.text           0x08000100      0x200
 *(.text*)
 .text.main     0x08000100       0x2c main.o
                0x08000100                main
 .text.a_function_with_a_long_name
                0x0800012c       0x10 main.o
 *fill*         0x0800013c        0x4
 .text          0x08000140        0x0 empty.o
 .rodata.table  0x08000140        0x8 main.o
";
        check(
            text,
            &[
                (".text.main", 0x0800_0100, 0x0800_012C, None),
                (".text.a_function_with_a_long_name", 0x0800_012C, 0x0800_013C, None),
                (".rodata.table", 0x0800_0140, 0x0800_0148, None),
            ],
        );
    }

    #[test]
    fn the_map_of_lld() {
        let text = "     VMA      LMA     Size Align Out     In      Symbol
 8000100  8000100      200     4 .text
 8000100  8000100       2c     4         app.o:(.text.main)
 8000100  8000100       2c     1                 main
 800012c  800012c       10     2         lib.rlib(x.o):(.text.other)
";
        check(
            text,
            &[(".text.main", 0x0800_0100, 0x0800_012C, Some(4)), (".text.other", 0x0800_012C, 0x0800_013C, Some(2))],
        );
    }

    #[test]
    fn debug_information_is_not_in_the_memory_at_its_addresses() {
        let text = "Linker script and memory map
.text 0x0 0x10
 .text.main     0x00000000       0x10 main.o
.debug_info     0x00000000       0x20
 .debug_info    0x00000000       0x20 main.o
";
        let map = LinkerMap::parse(text).expect("it has sections");
        let names = |output| map.within(output, 0, 0x100).into_iter().map(|one| one.name).collect::<Vec<_>>();
        assert_eq!(names(".text"), [".text.main"]);
        assert_eq!(names(".debug_info"), [".debug_info"]);
    }

    #[test]
    fn other_text_is_no_map() {
        for text in ["", "VMA LMA", "int main(void) { return 0; }", "Linker script and memory map\n .text 0xzz 1"] {
            assert_eq!(LinkerMap::parse(text), Err(MapError::NoSections), "{text:?}");
        }
    }
}
