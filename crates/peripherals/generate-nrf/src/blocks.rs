//! Peripherals gathered by address: those that share one are one block, whose registers have the names of each.

use std::collections::BTreeMap;

use cyclescope_peripherals_generate_tables::svd::Peripheral;
use cyclescope_peripherals_generate_tables::{Access, Field, Register};

use crate::corrections::{self, SHARED};

/// One block on the bus.
pub struct Block {
    pub name: String,
    pub kind: String,
    pub address: u32,
    pub interrupt: Option<(String, u32)>,
    pub registers: Vec<Register>,
}

/// Returns the blocks that `peripherals` are, by address.
pub fn of(peripherals: Vec<Peripheral>) -> Vec<Block> {
    let mut by_address: BTreeMap<u32, Vec<Peripheral>> = BTreeMap::new();
    for peripheral in peripherals {
        by_address.entry(peripheral.address).or_default().push(peripheral);
    }
    by_address.into_values().map(block).collect()
}

fn block(mut sharing: Vec<Peripheral>) -> Block {
    let shared = SHARED.iter().find(|(_, names)| names.contains(&sharing[0].name.as_str()));
    if let Some((name, names)) = shared {
        sharing.sort_by_key(|known| names.iter().position(|name| *name == known.name).expect(name));
    }
    let name = shared.map_or(sharing[0].name.as_str(), |(name, _)| name).to_owned();
    let registers = sharing.iter().flat_map(|peripheral| {
        let mut registers = peripheral.registers.clone();
        corrections::correct(&peripheral.name, &mut registers);
        registers
    });
    let registers = merged(registers.map(named).collect());
    let interrupt = sharing.iter().find_map(|peripheral| peripheral.interrupts.first().cloned());
    Block { kind: corrections::kind(&name), address: sharing[0].address, interrupt, registers, name }
}

/// Gives the only field of a register the register's name, if it has that of the array.
fn named(mut register: Register) -> Register {
    let own = register.name.split(['[', '.']).any(|part| register.fields.iter().any(|field| field.name == part));
    if let ([field], true) = (register.fields.as_mut_slice(), own) {
        field.name.clone_from(&register.name);
    }
    register
}

/// Returns `registers` by offset. Of several at one the first has all fields; the others are views of it, unless they are equal.
fn merged(registers: Vec<Register>) -> Vec<Register> {
    let mut by_offset: BTreeMap<u32, Vec<Register>> = BTreeMap::new();
    for register in registers {
        let known = by_offset.entry(register.offset).or_default();
        let again = known.iter_mut().find(|other| other.name == register.name);
        match again {
            Some(other) => other.fields = union(&other.fields, &register.fields),
            None => known.push(register),
        }
    }
    for known in by_offset.values_mut() {
        let all = known.iter().fold(Vec::new(), |all, register| union(&all, &register.fields));
        let same = known.iter().all(|register| register.access == known[0].access);
        let access = if same { known[0].access } else { Access::ReadWrite };
        let reset = known.iter().fold(0, |bits, register| bits | register.reset);
        known.iter_mut().skip(1).for_each(|register| register.alternate = true);
        let first = &mut known[0];
        (first.fields, first.access, first.reset) = (all, access, reset);
    }
    by_offset.into_values().flatten().collect()
}

/// Returns the fields of both that do not overlap, those of the first first, by place; of one that lies partly on others its free
/// bits.
fn union(first: &[Field], second: &[Field]) -> Vec<Field> {
    let mask = |field: &Field| (u32::MAX >> (32 - field.width)) << field.low;
    let mut fields: Vec<Field> = Vec::new();
    for field in first.iter().chain(second) {
        let taken = fields.iter().fold(0, |bits, field| bits | mask(field));
        let mut free = mask(field) & !taken;
        while free != 0 {
            let low = free.trailing_zeros();
            let width = (free >> low).trailing_ones();
            fields.push(Field::new(field.name.as_str(), low, width));
            free &= !mask(fields.last().expect("one was pushed"));
        }
    }
    fields.sort_by_key(|field| field.low);
    fields
}
