//! Register maps by words: what the bus sees. Narrower registers that share a word become its fields,
//! each under its own register's name.

use cyclescope_peripherals_generate_tables::map::{self as tables, Modules};
use cyclescope_peripherals_generate_tables::svd::Peripheral;
use cyclescope_peripherals_generate_tables::{Access, Field, Register};

use crate::corrections;

/// The maps of `peripherals`.
pub fn modules(peripherals: &[Peripheral]) -> Modules {
    tables::modules(peripherals.iter().map(|peripheral| {
        let kind = corrections::kind(&peripheral.name).to_lowercase();
        (peripheral.name.clone(), kind, words(peripheral))
    }))
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
