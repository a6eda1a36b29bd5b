//! One IP version's registers and fields, as a Rust table.

use cyclescope_peripherals_generate_tables::{self as tables, Access, Field, Register};
use stm32_metapac::metadata::PeripheralRegisters;
use stm32_metapac::metadata::ir::{self, Array, BitOffset, Block, BlockItem, BlockItemInner, IR};

use crate::corrections::{self, Part};

/// The module of the table: the IP's kind and version, its block where one version has several, and what tells it
/// from the same version on other parts.
pub fn module_name(part: Part, registers: &PeripheralRegisters) -> String {
    let mut name = format!("{}_{}", registers.kind, registers.version);
    if registers.kind == "timer" {
        name += &format!("_{}", registers.block.to_lowercase());
    }
    name + corrections::variant(part, registers.kind)
}

/// The table of `registers`, for the module `module`.
pub fn render(part: Part, module: &str, registers: &PeripheralRegisters) -> String {
    let mut declared = Vec::new();
    let block = find_block(registers.ir, registers.block);
    collect(part, registers, block, 0, "", &mut declared);
    for (name, offset, field) in corrections::extra_registers(part, registers.kind) {
        let fields = (0..16).map(|bit| Field::new(format!("{field}{bit}"), bit, 1)).collect();
        declared.push(register((*name).to_owned(), *offset, 32, Access::WriteOnly, fields));
    }
    // Words first where a register has narrower views, so that those become the alternates.
    declared.sort_by_key(|register: &Register| (register.offset, u32::MAX - register.bits, view_rank(&register.name)));
    for at in 1..declared.len() {
        declared[at].alternate = declared[at].offset == declared[at - 1].offset;
    }
    for register in &declared {
        refuse_overlaps(module, register);
    }
    format!(
        "//! {} version {}, written by `crates/peripherals/generate`; do not edit.\n\n\
         use crate::register::{{Access::*, Field, Map, Register}};\n\n\
         /// The declared registers of {} version {} ({}).\n\
         pub const MAP: Map = Map {{ kind: {:?}, version: {:?}, registers: &[\n{}",
        registers.kind,
        registers.version,
        registers.kind,
        registers.version,
        registers.block,
        registers.kind,
        registers.version,
        tables::registers(&declared)
    )
}

/// A register that is the only view of its bytes so far.
fn register(name: String, offset: u32, bits: u32, access: Access, fields: Vec<Field>) -> Register {
    Register { name, offset, bits, access, alternate: false, reset: 0, fields }
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
fn refuse_overlaps(module: &str, register: &Register) {
    for (at, Field { name, low, width }) in register.fields.iter().enumerate() {
        for other in &register.fields[at + 1..] {
            let (Field { name: other, low: begin, .. }, of) = (other, &register.name);
            assert!(*begin >= low + width, "{module} {of}: {name} and {other} overlap at bit {begin}");
        }
    }
}

fn collect(
    part: Part,
    registers: &PeripheralRegisters,
    block: &Block,
    base: u32,
    suffix: &str,
    out: &mut Vec<Register>,
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
                BlockItemInner::Register(declared) => {
                    let name = corrections::register_name(part, kind, item.name, &numbered, suffix);
                    let fields = fields(part, registers, declared, &name, index.unwrap_or(0));
                    let access = match declared.access {
                        ir::Access::ReadWrite => Access::ReadWrite,
                        ir::Access::Read => Access::ReadOnly,
                        ir::Access::Write => Access::WriteOnly,
                    };
                    out.push(register(name, base + offset, declared.bit_size, access, fields));
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
    register: &ir::Register,
    name: &str,
    register_index: u32,
) -> Vec<Field> {
    let Some(set_name) = register.fieldset else { return vec![Field::new(name, 0, register.bit_size)] };
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
                    out.push(Field::new(label, low + shift, width));
                }
            }
        }
    }
    for (register, field, low, width) in corrections::extra_fields(part, registers.kind) {
        if *register == name {
            out.push(Field::new(*field, *low, *width));
        }
    }
    out.sort_by_key(|field| field.low);
    out
}

/// Field arrays go on counting from one register of an array to the next: CCMR2 holds channels 3 and 4.
fn field_number(kind: &str, register: &str, field: &ir::Field, register_index: u32, index: u32) -> u32 {
    let per_register = match &field.array {
        Some(Array::Regular(array)) => array.len,
        Some(Array::Cursed(array)) => array.offsets.len() as u32,
        None => 1,
    };
    let before = corrections::fields_before(kind, register, register_index, per_register);
    corrections::first_index(kind, field.name) + before + index
}

fn field_elements(part: Part, kind: &str, set: &str, field: &ir::Field) -> Vec<(Option<u32>, u32)> {
    match &field.array {
        None => vec![(None, 0)],
        Some(Array::Regular(array)) => (0..corrections::field_len(part, kind, set, field.name, array.len))
            .map(|index| (Some(index), index * array.stride))
            .collect(),
        Some(Array::Cursed(array)) => (0..).zip(array.offsets).map(|(index, shift)| (Some(index), *shift)).collect(),
    }
}

/// Returns the field's bit ranges, as lowest bit and width: one, or several if the silicon splits the field.
fn pieces(field: &ir::Field) -> Vec<(u32, u32)> {
    match &field.bit_offset {
        BitOffset::Regular(place) => vec![(place.offset, field.bit_size)],
        BitOffset::Cursed(places) => {
            places.ranges.iter().map(|range| (*range.start(), range.end() - range.start() + 1)).collect()
        }
    }
}
