//! One IP version's registers and fields, as a Rust table.

use std::fmt::Write;

use stm32_metapac::metadata::PeripheralRegisters;
use stm32_metapac::metadata::ir::{Access, Array, BitOffset, Block, BlockItem, BlockItemInner, Field, IR, Register};

use crate::corrections::{self, Part};

/// The module of the table: the IP's kind and version, its block where one version has several, and what tells it
/// from the same version on other parts.
pub fn module_name(part: Part, registers: &PeripheralRegisters) -> String {
    let mut name = format!("{}_{}", registers.kind, registers.version);
    if registers.kind == "timer" {
        write!(name, "_{}", registers.block.to_lowercase()).expect("a string takes all");
    }
    name + corrections::variant(part, registers.kind)
}

struct Declared {
    name: String,
    offset: u32,
    bits: u32,
    access: &'static str,
    alternate: bool,
    fields: Vec<(String, u32, u32)>,
}

/// The table of `registers`, for the module `module`.
pub fn render(part: Part, module: &str, registers: &PeripheralRegisters) -> String {
    let mut declared = Vec::new();
    let block = find_block(registers.ir, registers.block);
    collect(part, registers, block, 0, "", &mut declared);
    for (name, offset, field) in corrections::extra_registers(part, registers.kind) {
        let fields = (0..16).map(|bit| (format!("{field}{bit}"), bit, 1)).collect();
        let (name, offset) = ((*name).to_owned(), *offset);
        declared.push(Declared { name, offset, bits: 32, access: "WriteOnly", alternate: false, fields });
    }
    // Words first where a register has narrower views, so that those become the alternates.
    declared.sort_by_key(|register: &Declared| (register.offset, u32::MAX - register.bits, view_rank(&register.name)));
    for at in 1..declared.len() {
        declared[at].alternate = declared[at].offset == declared[at - 1].offset;
    }
    for register in &declared {
        refuse_overlaps(module, register);
    }
    let shared = shared_fields(&declared);
    let mut out = format!(
        "//! {} version {}, written by `crates/peripherals/generate`; do not edit.\n\n\
         use crate::register::{{Access::*, Field, Map, Register}};\n\n\
         /// The declared registers of {} version {} ({}).\n\
         pub const MAP: Map = Map {{ kind: {:?}, version: {:?}, registers: &[\n",
        registers.kind,
        registers.version,
        registers.kind,
        registers.version,
        registers.block,
        registers.kind,
        registers.version
    );
    for register in &declared {
        let list = list(&register.fields);
        let fields = shared.iter().find(|(_, known)| *known == list).map_or(&list, |(name, _)| name);
        writeln!(
            out,
            "Register {{ name: {:?}, offset: {:#x}, bits: {}, access: {}, alternate: {}, fields: {fields} }},",
            register.name, register.offset, register.bits, register.access, register.alternate,
        )
        .expect("a string takes all");
    }
    out += "] };\n";
    for (name, list) in shared {
        writeln!(out, "\nconst {name}: &[Field] = {list};").expect("a string takes all");
    }
    out
}

/// Fields as a Rust expression.
fn list(fields: &[(String, u32, u32)]) -> String {
    let fields: Vec<String> =
        fields.iter().map(|(name, low, width)| format!("Field::new({name:?}, {low}, {width})")).collect();
    format!("&[{}]", fields.join(", "))
}

/// Lists of fields that several registers have, each under the name of the first of them.
fn shared_fields(declared: &[Declared]) -> Vec<(String, String)> {
    let mut shared: Vec<(String, String)> = Vec::new();
    for (at, register) in declared.iter().enumerate() {
        let again = declared[at + 1..].iter().any(|other| other.fields == register.fields);
        let list = list(&register.fields);
        if again && register.fields.len() > 1 && !shared.iter().any(|(_, known)| *known == list) {
            shared.push((format!("OF_{}", register.name.to_uppercase()), list));
        }
    }
    shared
}

/// Output compare before input capture, so that the latter is the alternate view.
fn view_rank(name: &str) -> u32 {
    u32::from(name.contains("INPUT"))
}

fn find_block<'a>(ir: &'a IR, name: &str) -> &'a Block {
    let wanted = squash(name);
    ir.blocks.iter().find(|block| squash(block.name) == wanted).expect("the metadata holds the block it names")
}

/// Names without case and underscores: the metadata spells `TIM_GP16` and `TimGp16` for the same block.
fn squash(name: &str) -> String {
    name.chars().filter(|c| *c != '_').flat_map(char::to_lowercase).collect()
}

/// Two fields at one bit are two parts' fields: `corrections::has_field` must say which this part has.
fn refuse_overlaps(module: &str, register: &Declared) {
    for (at, (name, low, width)) in register.fields.iter().enumerate() {
        for (other, other_low, _) in &register.fields[at + 1..] {
            if *other_low < low + width {
                panic!("{module} {}: {name} and {other} overlap at bit {other_low}", register.name);
            }
        }
    }
}

fn collect(
    part: Part,
    registers: &PeripheralRegisters,
    block: &Block,
    base: u32,
    suffix: &str,
    out: &mut Vec<Declared>,
) {
    let kind = registers.kind;
    for item in block.items.iter().filter(|item| corrections::has_register(part, kind, registers.block, item.name)) {
        for (index, offset) in elements(part, kind, item) {
            let numbered = index.map_or(String::new(), |index| match (kind, item.name) {
                ("pwr", _) => char::from(b'A' + index as u8).to_string(),
                _ => (index + corrections::first_index(kind, item.name)).to_string(),
            });
            match &item.inner {
                BlockItemInner::Block(inner) => {
                    collect(part, registers, find_block(registers.ir, inner.block), base + offset, &numbered, out);
                }
                BlockItemInner::Register(register) => {
                    let name = corrections::register_name(part, kind, item.name, &numbered, suffix);
                    let fields = fields(part, registers, register, &name, index.unwrap_or(0));
                    let access = match register.access {
                        Access::ReadWrite => "ReadWrite",
                        Access::Read => "ReadOnly",
                        Access::Write => "WriteOnly",
                    };
                    let bits = register.bit_size;
                    out.push(Declared { name, offset: base + offset, bits, access, alternate: false, fields });
                }
            }
        }
    }
}

fn elements(part: Part, kind: &str, item: &BlockItem) -> Vec<(Option<u32>, u32)> {
    match &item.array {
        None => vec![(None, item.byte_offset)],
        Some(Array::Regular(array)) => (0..corrections::array_len(part, kind, item.name, array.len))
            .map(|index| (Some(index), item.byte_offset + index * array.stride))
            .collect(),
        Some(Array::Cursed(array)) => {
            (0..).zip(array.offsets).map(|(index, offset)| (Some(index), item.byte_offset + offset)).collect()
        }
    }
}

fn fields(
    part: Part,
    registers: &PeripheralRegisters,
    register: &Register,
    name: &str,
    register_index: u32,
) -> Vec<(String, u32, u32)> {
    let Some(set_name) = register.fieldset else { return vec![(name.to_owned(), 0, register.bit_size)] };
    let wanted = squash(set_name);
    let set = registers.ir.fieldsets.iter().find(|set| squash(set.name) == wanted).expect("the metadata holds the set");
    let mut out = Vec::new();
    for field in set.fields {
        for (index, shift) in field_elements(part, registers.kind, set.name, field) {
            let number = index.map(|index| field_number(registers.kind, name, field, register_index, index));
            let base = corrections::field_name(part, registers.kind, field.name);
            let full = number.map_or(base.clone(), |number| format!("{base}{number}"));
            for (piece, (low, width)) in pieces(field).into_iter().enumerate() {
                let label = if piece == 0 { full.clone() } else { format!("{full}_{piece}") };
                if corrections::has_field(part, registers.kind, name, field.name, low + shift) {
                    let width = corrections::field_width(part, registers.kind, field.name, width);
                    out.push((label, low + shift, width));
                }
            }
        }
    }
    for (register, field, low, width) in corrections::extra_fields(part, registers.kind) {
        if *register == name {
            out.push(((*field).to_owned(), *low, *width));
        }
    }
    out.sort_by_key(|(_, low, _)| *low);
    out
}

/// Field arrays go on counting from one register of an array to the next: CCMR2 holds channels 3 and 4.
fn field_number(kind: &str, register: &str, field: &Field, register_index: u32, index: u32) -> u32 {
    let per_register = match &field.array {
        Some(Array::Regular(array)) => array.len,
        Some(Array::Cursed(array)) => array.offsets.len() as u32,
        None => 1,
    };
    let before = corrections::fields_before(kind, register, register_index, per_register);
    corrections::first_index(kind, field.name) + before + index
}

fn field_elements(part: Part, kind: &str, set: &str, field: &Field) -> Vec<(Option<u32>, u32)> {
    match &field.array {
        None => vec![(None, 0)],
        Some(Array::Regular(array)) => (0..corrections::field_len(part, kind, set, field.name, array.len))
            .map(|index| (Some(index), index * array.stride))
            .collect(),
        Some(Array::Cursed(array)) => (0..).zip(array.offsets).map(|(index, shift)| (Some(index), *shift)).collect(),
    }
}

/// Returns the field's bit ranges, as lowest bit and width: one, or several if the silicon splits the field.
fn pieces(field: &Field) -> Vec<(u32, u32)> {
    match &field.bit_offset {
        BitOffset::Regular(place) => vec![(place.offset, field.bit_size)],
        BitOffset::Cursed(places) => {
            places.ranges.iter().map(|range| (*range.start(), range.end() - range.start() + 1)).collect()
        }
    }
}
