//! Register maps as Rust tables, by words: what the bus sees. Narrower registers that share a word become its fields,
//! each under its own register's name.

use cyclescope_peripherals_generate_tables::{self as tables, Access, Field, Register, registers};

use crate::corrections;
use crate::describe::Peripheral;

/// One map: the words of one peripheral or of several alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Module {
    /// The module's name: the first peripheral's.
    pub name: String,
    /// The kind of block.
    pub kind: String,
    words: Vec<Register>,
}

/// All maps, and which peripheral has which.
pub struct Modules {
    /// The maps.
    pub distinct: Vec<Module>,
    /// For each peripheral the name of its map.
    pub of: Vec<(String, String)>,
}

/// The maps of `peripherals`; those with the same words share one.
pub fn modules(peripherals: &[Peripheral]) -> Modules {
    let mut distinct: Vec<Module> = Vec::new();
    let mut of = Vec::new();
    for peripheral in peripherals {
        let words = words(peripheral);
        let kind = corrections::kind(&peripheral.name).to_lowercase();
        let known = distinct.iter().find(|module| module.kind == kind && module.words == words);
        let name = match known {
            Some(known) => known.name.clone(),
            None => {
                let name = peripheral.name.to_lowercase();
                distinct.push(Module { name: name.clone(), kind, words });
                name
            }
        };
        of.push((peripheral.name.clone(), name));
    }
    distinct.sort_by(|a, b| a.name.cmp(&b.name));
    Modules { distinct, of }
}

/// The registers of a peripheral gathered by word; of several views of the same bytes the widest.
fn words(peripheral: &Peripheral) -> Vec<Register> {
    let mut covered: Vec<u32> = Vec::new();
    let mut views: Vec<&Register> = Vec::new();
    for register in &peripheral.registers {
        let bytes: Vec<u32> = (register.offset..register.offset + register.bits / 8).collect();
        if bytes.iter().any(|byte| covered.contains(byte)) {
            continue;
        }
        covered.extend(bytes);
        views.push(register);
    }
    let mut words: Vec<Register> = Vec::new();
    for group in views.chunk_by(|a, b| a.offset / 4 == b.offset / 4) {
        words.push(word(group));
    }
    words
}

fn word(group: &[&Register]) -> Register {
    let offset = group[0].offset & !3;
    let shift = |register: &Register| (register.offset & 3) * 8;
    let mut fields = Vec::new();
    for register in group {
        let own = if register.fields.is_empty() {
            vec![Field::new(register.name.as_str(), 0, register.bits)]
        } else {
            distinct(&register.fields)
        };
        for field in own {
            let name = if group.len() == 1 { field.name } else { format!("{}.{}", register.name, field.name) };
            fields.push(Field::new(name, field.low + shift(register), field.width));
        }
    }
    fields.sort_by_key(|field| field.low);
    let same = |access| group.iter().all(|register| register.access == access);
    let access = if same(Access::ReadOnly) {
        Access::ReadOnly
    } else if same(Access::WriteOnly) {
        Access::WriteOnly
    } else {
        Access::ReadWrite
    };
    let names: Vec<&str> = group.iter().map(|register| register.name.as_str()).collect();
    let reset = group.iter().fold(0, |bits, register| bits | register.reset << shift(register));
    Register { name: names.join("_"), offset, bits: 32, access, alternate: false, reset, fields }
}

/// Fields that do not overlap: of two at one place the first.
fn distinct(fields: &[Field]) -> Vec<Field> {
    let mask = |field: &Field| (u32::MAX >> (32 - field.width)) << field.low;
    let mut seen = 0;
    let mut kept = Vec::new();
    for field in fields {
        if seen & mask(field) == 0 {
            seen |= mask(field);
            kept.push(field.clone());
        }
    }
    kept
}

/// The table of `module`.
pub fn render(module: &Module) -> String {
    let Module { name, kind, words } = module;
    let has_resets = words.iter().any(|word| word.reset != 0);
    let has_fields = words.iter().any(|word| !word.fields.is_empty());
    let mut out = format!(
        "//! {} of the Kinetis K20, written by `crates/peripherals/generate-kinetis`; do not edit.\n\n\
         use crate::bank::{};\n\
         use crate::register::{{Access::*, {}Map, Register}};\n\n\
         /// The declared registers.\n\
         pub const MAP: Map = Map {{ kind: {kind:?}, version: \"k20\", registers: &[\n{}\
         \n/// Values after reset other than 0.\n\
         pub const RESETS: &[Modelled] = &[\n",
        name.to_uppercase(),
        if has_resets { "{Modelled, some}" } else { "Modelled" },
        if has_fields { "Field, " } else { "" },
        registers(words)
    );
    for word in words.iter().filter(|word| word.reset != 0) {
        out += &format!("some({:?}, {:#x}, &[]),\n", word.name, word.reset);
    }
    out + "];\n"
}

/// The index module.
pub fn render_index(modules: &Modules) -> String {
    let names = || modules.distinct.iter().map(|module| module.name.as_str());
    let all: String = names().map(|name| format!("(&{name}::MAP, {name}::RESETS),")).collect();
    format!(
        "//! Register maps written by `crates/peripherals/generate-kinetis`; do not edit.\n\n\
         {}\nuse crate::{{Map, Modelled}};\n\n/// All maps, each with its values after reset.\n\
         pub const ALL: &[(&Map, &[Modelled])] = &[{all}];\n",
        tables::modules(names())
    )
}
