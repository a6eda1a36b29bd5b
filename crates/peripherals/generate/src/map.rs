//! One IP version's registers and fields, as a part has them.

use crate::corrections::{self, Part};
use crate::format::Access;
use crate::metadata::{self as ir, Array, BitOffset, Block, BlockItem, BlockItemInner, Ir, Registers};

/// A named run of bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    pub name: String,
    pub low: u32,
    pub width: u32,
}

impl Field {
    /// The field `name` of `width` bits from `low` on.
    pub fn new(name: impl Into<String>, low: u32, width: u32) -> Self {
        Self { name: name.into(), low, width }
    }

    fn mask(&self) -> u32 {
        u32::MAX >> (32 - self.width) << self.low
    }
}

/// A register of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declared {
    pub name: String,
    pub offset: u32,
    pub bits: u32,
    pub access: Access,
    /// Another view of bytes that another register has.
    pub alternate: bool,
    pub fields: Vec<Field>,
}

/// The registers of a block of `part`, by offset.
pub fn registers(part: &Part<'_>, registers: &Registers, ir: &Ir) -> Vec<Declared> {
    let mut declared = Vec::new();
    let block = find_block(ir, &registers.block);
    Collector { part, registers, ir }.collect(block, 0, "", &mut declared);
    for (name, offset, field) in corrections::extra_registers(part, &registers.kind) {
        let bits = (0..16).filter(|_| !field.is_empty()).map(|bit| Field::new(format!("{field}{bit}"), bit, 1));
        let fields = bits.chain(extra_fields(part, &registers.kind, name)).collect();
        let access = if field.is_empty() { Access::ReadWrite } else { Access::WriteOnly };
        declared.push(register((*name).to_owned(), *offset, 32, access, fields));
    }
    // Words first where a register has narrower views, so that those become the alternates.
    declared.sort_by_key(|register: &Declared| (register.offset, u32::MAX - register.bits, view_rank(&register.name)));
    declared.dedup_by(|second, first| second == first);
    for at in 1..declared.len() {
        declared[at].alternate = declared[at].offset == declared[at - 1].offset;
    }
    declared
}

/// The fields of `register` that the metadata leaves out.
fn extra_fields<'a>(part: &Part<'_>, kind: &str, register: &'a str) -> impl Iterator<Item = Field> + use<'a> {
    let known = corrections::extra_fields(part, kind).iter().filter(move |(of, ..)| *of == register);
    known.map(|(_, field, low, width)| Field::new(*field, *low, *width))
}

/// A register that is the only view of its bytes so far.
fn register(name: String, offset: u32, bits: u32, access: Access, fields: Vec<Field>) -> Declared {
    Declared { name, offset, bits, access, alternate: false, fields }
}

/// Output compare before input capture, so that the latter is the alternate view.
fn view_rank(name: &str) -> u32 {
    u32::from(name.contains("INPUT"))
}

fn find_block<'a>(ir: &'a Ir, name: &str) -> &'a Block {
    let wanted = squash(name);
    ir.blocks.iter().find(|block| squash(&block.name) == wanted).expect("the metadata holds the block it names")
}

/// Names without case and underscores: the metadata spells `TIM_GP16` and `TimGp16` for the same block.
pub fn squash(name: &str) -> String {
    name.chars().filter(|c| *c != '_').flat_map(char::to_lowercase).collect()
}

/// Of two fields at one bit, which are two parts' fields, the one declared first stays whole, and the other where it reaches
/// further.
fn without_overlaps(fields: Vec<Field>) -> Vec<Field> {
    let mut kept: Vec<Field> = Vec::new();
    for field in fields {
        let taken = kept.iter().fold(0, |bits, known| bits | known.mask());
        let mut free = field.mask() & !taken;
        while free != 0 {
            let low = free.trailing_zeros();
            let width = (free >> low).trailing_ones();
            kept.push(Field::new(field.name.clone(), low, width));
            free &= !(u32::MAX >> (32 - width) << low);
        }
    }
    kept.sort_by_key(|field| field.low);
    kept
}

/// The registers of a block, under way.
struct Collector<'a> {
    part: &'a Part<'a>,
    registers: &'a Registers,
    ir: &'a Ir,
}

impl Collector<'_> {
    fn collect(&self, block: &Block, base: u32, suffix: &str, out: &mut Vec<Declared>) {
        let (part, kind) = (self.part, &*self.registers.kind);
        let exists = |item: &&BlockItem| corrections::has_register(part, kind, &self.registers.block, &item.name);
        for item in block.items.iter().filter(exists) {
            for (index, offset) in self.elements(item) {
                let numbered = index.map_or(String::new(), |index| match (kind, &*item.name) {
                    ("pwr", _) => char::from(b'A' + index as u8).to_string(),
                    _ => (index + corrections::first_index(kind, &item.name)).to_string(),
                });
                match &item.inner {
                    BlockItemInner::Block(inner) => {
                        self.collect(find_block(self.ir, &inner.block), base + offset, &numbered, out);
                    }
                    BlockItemInner::Register(declared) => {
                        let name = corrections::register_name(part, kind, &item.name, &numbered, suffix);
                        let fields = self.fields(declared, &name, index.unwrap_or(0));
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

    fn elements(&self, item: &BlockItem) -> Vec<(Option<u32>, u32)> {
        match &item.array {
            None => vec![(None, item.byte_offset)],
            Some(Array::Regular(array)) => {
                (0..corrections::array_len(self.part, &self.registers.kind, &item.name, array.len))
                    .map(|index| (Some(index), item.byte_offset + index * array.stride))
                    .collect()
            }
            Some(Array::Cursed(array)) => {
                (0..).zip(&array.offsets).map(|(index, offset)| (Some(index), item.byte_offset + offset)).collect()
            }
        }
    }

    fn fields(&self, register: &ir::Register, name: &str, register_index: u32) -> Vec<Field> {
        let (part, kind) = (self.part, &*self.registers.kind);
        let Some(set_name) = &register.fieldset else { return vec![Field::new(name, 0, register.bit_size)] };
        let wanted = squash(set_name);
        let set =
            self.ir.fieldsets.iter().find(|set| squash(&set.name) == wanted).expect("the metadata holds the set");
        let mut out = Vec::new();
        for field in &set.fields {
            for (index, shift) in self.field_elements(&set.name, field) {
                let number = index.map(|index| field_number(kind, name, field, register_index, index));
                let base = corrections::field_name(part, kind, &field.name);
                let full = number.map_or(base.clone(), |number| format!("{base}{number}"));
                for (piece, (low, width)) in pieces(field).into_iter().enumerate() {
                    let label = if piece == 0 { full.clone() } else { format!("{full}_{piece}") };
                    if corrections::has_field(part, kind, name, &field.name, low + shift) {
                        let width = corrections::field_width(part, kind, &field.name, width);
                        out.push(Field::new(label, low + shift, width));
                    }
                }
            }
        }
        out.extend(extra_fields(part, kind, name));
        without_overlaps(out)
    }

    fn field_elements(&self, set: &str, field: &ir::Field) -> Vec<(Option<u32>, u32)> {
        match &field.array {
            None => vec![(None, 0)],
            Some(Array::Regular(array)) => {
                (0..corrections::field_len(self.part, &self.registers.kind, set, &field.name, array.len))
                    .map(|index| (Some(index), index * array.stride))
                    .collect()
            }
            Some(Array::Cursed(array)) => {
                (0..).zip(&array.offsets).map(|(index, shift)| (Some(index), *shift)).collect()
            }
        }
    }
}

/// Field arrays go on counting from one register of an array to the next: CCMR2 holds channels 3 and 4.
fn field_number(kind: &str, register: &str, field: &ir::Field, register_index: u32, index: u32) -> u32 {
    let per_register = match &field.array {
        Some(Array::Regular(array)) => array.len,
        Some(Array::Cursed(array)) => array.offsets.len() as u32,
        None => 1,
    };
    let before = corrections::fields_before(kind, register, register_index, per_register);
    corrections::first_index(kind, &field.name) + before + index
}

/// Returns the field's bit ranges, as lowest bit and width: one, or several if the silicon splits the field.
fn pieces(field: &ir::Field) -> Vec<(u32, u32)> {
    match &field.bit_offset {
        BitOffset::Regular(place) => vec![(place.offset, field.bit_size)],
        BitOffset::Cursed(places) => places.ranges.iter().map(|(from, to)| (*from, to - from + 1)).collect(),
    }
}
