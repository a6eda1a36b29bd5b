//! Registers out of sources that `svd2rust` wrote.
//!
//! Of such a source the lines of documentation count, which have one form in all versions: `0x04 - …` or `0x04..0x10 - …` above
//! a register of a block, `Bit 3 - …` or `Bits 0:7 - …` above a field of a register.

use std::path::{Path, PathBuf};

use cyclescope_peripherals_generate_tables::svd::Peripheral;
use cyclescope_peripherals_generate_tables::{Access, Field, Register, number};

/// Returns all peripherals of the crate whose sources are in `folder`, but those whose names are `absent`.
pub fn read(folder: &Path, absent: &[&str]) -> Vec<Peripheral> {
    let text = text(&folder.join("lib.rs"));
    let interrupts: Vec<(String, u32)> = interrupts(&text);
    let mut peripherals = Vec::new();
    let mut name = None;
    for line in text.lines().map(str::trim) {
        // `pub type UART0 = crate::Periph<uart0::RegisterBlock, 0x3ff4_0000>;`
        let new = line.strip_prefix("pub type ").and_then(|rest| rest.split_once(" = crate::Periph<")).map(|(name, rest)| {
            let (module, rest) = rest.split_once("::").expect("a path has two parts");
            (name.to_owned(), module, rest.rsplit(' ').next().expect("an address").trim_end_matches(">;"))
        });
        // `pub struct UART0 {`, then `pub const PTR: *const uart0::RegisterBlock = 0x6000_0000 as *const _;`
        if let Some(rest) = line.strip_prefix("pub struct ") {
            name = rest.split([' ', '{']).next().map(str::to_owned);
        }
        let old = line.strip_prefix("pub const PTR: *const ").and_then(|rest| {
            let (module, rest) = rest.split_once("::RegisterBlock = ")?;
            Some((name.clone()?, module, rest.split(' ').next()?))
        });
        if let Some((name, module, address)) = new.or(old)
            && !absent.contains(&name.as_str())
        {
            let registers = block(&folder.join(format!("{module}.rs")), &folder.join(module), 0, "");
            let address = number(&address.replace('_', ""));
            let interrupts = interrupts.iter().filter(|(of, _)| *of == name).cloned().collect();
            peripherals.push(Peripheral { name, address, interrupts, registers });
        }
    }
    peripherals
}

/// Returns the variants of the enumeration of interrupts: `UART0 = 34,`.
pub fn interrupts(text: &str) -> Vec<(String, u32)> {
    let after = text.split("pub enum Interrupt {").nth(1).unwrap_or_default();
    let body = after.split('}').next().unwrap_or_default();
    let variants = body.lines().filter_map(|line| line.trim().strip_suffix(',')?.split_once(" = "));
    variants.map(|(name, value)| (name.trim().to_owned(), number(value))).collect()
}

fn text(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// One accessor of a block: its name, the bytes that it covers, its type, and whether it takes a number.
struct Member {
    name: String,
    from: u32,
    to: Option<u32>,
    of: String,
    numbered: bool,
}

/// Returns the registers of the block or cluster in `file`, whose registers have their files in `folder`.
fn block(file: &Path, folder: &Path, base: u32, prefix: &str) -> Vec<Register> {
    let text = text(file);
    let members = members(&text);
    let mut registers: Vec<Register> = Vec::new();
    for member in &members {
        // Elements of an array have names of their own where the description lists them.
        let listed = member.numbered && members.iter().any(|other| !other.numbered && other.of == member.of);
        if listed {
            continue;
        }
        let count = if member.numbered { lengths(&text, &member.name) } else { 1 };
        let step = member.to.map_or(4, |to| (to - member.from) / count);
        for index in 0..count {
            let number = if member.numbered { index.to_string() } else { String::new() };
            let name = format!("{prefix}{}{number}", member.name.to_uppercase());
            let offset = base + member.from + index * step;
            let own = original(&text, &member.of, folder);
            if self::text(&own.with_extension("rs")).contains("_SPEC;") {
                registers.push(register(&own.with_extension("rs"), name, offset));
            } else {
                registers.extend(block(&own.with_extension("rs"), &own, offset, &format!("{name}_")));
            }
        }
    }
    registers.sort_by_key(|register| register.offset);
    // Of several at one offset the first has the fields of all; the others are views of it.
    let mut merged: Vec<Register> = Vec::new();
    for mut register in registers {
        match merged.iter_mut().rev().find(|first| first.offset == register.offset && !first.alternate) {
            Some(first) if first.name == register.name => continue,
            Some(first) => {
                first.fields = apart(first.fields.iter().chain(&register.fields).cloned().collect());
                register.alternate = true;
            }
            None => {}
        }
        merged.push(register);
    }
    merged
}

/// Returns the folder of the module `module` of a block whose registers are in `folder`. It may be another name for one of those,
/// `pub use uart as spi;`, or of another block's,
/// `pub use crate::other::{date as version, DATE as VERSION};`.
fn original(text: &str, module: &str, folder: &Path) -> PathBuf {
    let end = format!(" as {module};");
    let renamed = text.lines().find_map(|line| line.strip_prefix("pub use ")?.strip_suffix(end.as_str()));
    let shared = text.lines().find_map(|line| {
        let (block, names) = line.strip_prefix("pub use crate::")?.split_once("::{")?;
        let first = names.split(',').next()?;
        let (name, here) = first.split_once(" as ").unwrap_or((first, first));
        (here == module).then(|| folder.with_file_name(block).join(name))
    });
    let own = shared.unwrap_or_else(|| folder.join(renamed.unwrap_or(module)));
    // A keyword of Rust has a line at its end.
    if own.with_extension("rs").exists() { own } else { folder.join(format!("{module}_")) }
}

/// Returns the length of the array `name` in a block: `pin: [PIN; 40],`.
fn lengths(text: &str, name: &str) -> u32 {
    let array = |line: &'_ str| line.trim().strip_prefix(name)?.trim_start_matches('_').strip_prefix(": [").map(str::to_owned);
    let line = text.lines().find_map(array).unwrap_or_else(|| panic!("{name} has an array"));
    number(line.split("; ").nth(1).expect("an array has a length").trim_end_matches("],"))
}

fn members(text: &str) -> Vec<Member> {
    let mut members = Vec::new();
    let mut place = None;
    for line in text.lines().map(str::trim) {
        if let Some(doc) = line.strip_prefix("#[doc = \"") {
            let first = doc.split(" - ").next().expect("a split has a first part");
            if first.starts_with("0x") {
                let (from, to) = first.split_once("..").map_or((first, None), |(from, to)| (from, Some(to)));
                place = Some((number(from), to.map(number)));
            } else if doc.starts_with("Iterator for") {
                place = None;
            }
            continue;
        }
        // `pub const fn status(&self) -> &STATUS {` or `pub const fn pin(&self, n: usize) -> &PIN {`
        let new = line.strip_prefix("pub const fn ").or_else(|| line.strip_prefix("pub fn ")).and_then(|rest| {
            let (name, rest) = rest.split_once('(')?;
            let (arguments, of) = rest.split_once(") -> &")?;
            Some((name, of.trim_end_matches(" {").to_lowercase(), arguments.contains("n: usize")))
        });
        // `pub status: crate::Reg<status::STATUS_SPEC>,`
        let old = line.strip_prefix("pub ").and_then(|rest| {
            let (name, rest) = rest.split_once(": crate::Reg<")?;
            Some((name, rest.split("::").next()?.to_owned(), false))
        });
        if let Some((name, of, numbered)) = new.or(old)
            && let Some((from, to)) = place.take()
        {
            let name = name.trim_start_matches("r#").trim_end_matches('_').to_owned();
            members.push(Member { name, from, to, of, numbered });
        }
    }
    members
}

fn register(file: &Path, name: String, offset: u32) -> Register {
    let text = text(file);
    let is = |what: &str| text.contains(&format!("impl crate::{what} for "));
    let access = match (is("Readable"), is("Writable")) {
        (true, false) => Access::ReadOnly,
        (false, true) => Access::WriteOnly,
        _ => Access::ReadWrite,
    };
    let value = text.split("impl crate::Resettable for ").nth(1).and_then(|rest| {
        let rest = rest.split("RESET_VALUE: u32 = ").nth(1).or_else(|| rest.split("-> Self::Ux {").nth(1))?;
        Some(number(&rest.trim().split([';', '\n', ' ']).next()?.replace('_', "")))
    });
    Register {
        name,
        offset,
        bits: 32,
        access,
        alternate: false,
        reset: value.unwrap_or(0),
        fields: whole(fields(&text)),
    }
}

fn fields(text: &str) -> Vec<Field> {
    let mut fields: Vec<Field> = Vec::new();
    let mut place = None;
    for line in text.lines().map(str::trim) {
        if let Some(doc) = line.strip_prefix("#[doc = \"") {
            let range = doc.strip_prefix("Bits ").or_else(|| doc.strip_prefix("Bit "));
            let range = range.and_then(|rest| rest.split([' ', '"']).next());
            place = range.and_then(|range| {
                let (low, high) = range.split_once(':').unwrap_or((range, range));
                Some((low.parse::<u32>().ok()?, high.parse::<u32>().ok()?))
            });
        }
        if let Some((name, arguments)) = line.strip_prefix("pub fn ").and_then(|rest| rest.split_once('('))
            && let Some((low, high)) = place.take()
            && !arguments.contains("n: u8")
        {
            let name = name.trim_start_matches("r#").trim_end_matches('_').to_uppercase();
            if !fields.iter().any(|known| known.name == name) {
                fields.push(Field::new(name, low, high + 1 - low));
            }
        }
    }
    fields
}

/// Returns `fields` without those that lie partly on narrower ones: descriptions have some for all others together.
fn whole(mut all: Vec<Field>) -> Vec<Field> {
    all.sort_by_key(|field| field.width);
    let mut fields: Vec<Field> = Vec::new();
    let mut taken = 0u32;
    for field in all {
        let bits = (u32::MAX >> (32 - field.width)) << field.low;
        if bits & taken == 0 {
            taken |= bits;
            fields.push(field);
        }
    }
    fields.sort_by_key(|field| field.low);
    fields
}

/// Returns `fields` without those that others, narrower ones, make up: of one that lies partly on others its free bits.
pub fn apart(mut all: Vec<Field>) -> Vec<Field> {
    all.sort_by_key(|field| field.width);
    let mut fields: Vec<Field> = Vec::new();
    let mut taken = 0u32;
    for field in all {
        let mut free = (u32::MAX >> (32 - field.width)) << field.low & !taken;
        while free != 0 {
            let low = free.trailing_zeros();
            let width = (free >> low).trailing_ones();
            let bits = (u32::MAX >> (32 - width)) << low;
            fields.push(Field::new(field.name.as_str(), low, width));
            (free, taken) = (free & !bits, taken | bits);
        }
    }
    fields.sort_by_key(|field| field.low);
    fields
}
