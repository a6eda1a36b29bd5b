//! Reads a part's description: registers of the data space and interrupt vectors.

use std::collections::BTreeMap;

use cyclescope_peripherals_generate_tables::{Access, Field, Register, number};

/// The contents of a part's description that the generator uses.
#[derive(Clone, Debug)]
pub struct Part {
    pub registers: Vec<Register>,
    pub vectors: Vec<String>,
}

pub fn read(text: &str) -> Part {
    // The namespaces that the root declares and never uses are of no interest.
    let document = roxmltree::Document::parse(text).expect("the description is XML");
    let mut registers: BTreeMap<u32, Register> = BTreeMap::new();
    let groups = document.descendants().filter(|node| node.has_tag_name("register-group"));
    for group in groups.filter(|group| !["FUSE", "LOCKBIT"].contains(&group.attribute("name").unwrap_or(""))) {
        for node in group.children().filter(|node| node.has_tag_name("register")) {
            for part in bytes(&node) {
                let known =
                    registers.entry(part.offset).or_insert_with(|| Register { fields: Vec::new(), ..part.clone() });
                assert_eq!(known.name, part.name, "one register at an address");
                // A register that several modules share stands in the description of each, with that module's bits.
                for field in part.fields {
                    if !known.fields.contains(&field) {
                        known.fields.push(field);
                    }
                }
                known.fields.sort_by_key(|field| field.low);
            }
        }
    }
    let mut vectors = Vec::new();
    for node in document.descendants().filter(|node| node.has_tag_name("interrupt")) {
        let index = number(node.attribute("index").expect("a vector has its number")) as usize;
        let name = node.attribute("name").expect("a vector has its name");
        vectors.resize(vectors.len().max(index + 1), String::new());
        if !name.starts_with("Reserved") {
            vectors[index] = name.to_owned();
        }
    }
    Part { registers: registers.into_values().collect(), vectors }
}

/// A register of two bytes is two registers, its name with L and H.
fn bytes(node: &roxmltree::Node<'_, '_>) -> Vec<Register> {
    let attribute = |name| node.attribute(name);
    let name = attribute("name").expect("a register has its name");
    let address = number(attribute("offset").expect("a register has its address"));
    let size = number(attribute("size").expect("a register has its size"));
    let mut fields: Vec<Field> = Vec::new();
    for field in node.children().filter(|node| node.has_tag_name("bitfield")) {
        let mask = number(field.attribute("mask").expect("a field has its bits"));
        let title = field.attribute("name").expect("a field has its name");
        fields.extend(runs(title, mask));
    }
    if fields.is_empty() {
        let mask = attribute("mask").map_or((1 << (8 * size)) - 1, number);
        fields.extend(runs(name, mask));
    }
    let register = |name: String, offset: u32, fields: Vec<Field>| {
        let access = Access::ReadWrite;
        Register { name, offset, bits: 8, access, alternate: false, reset: 0, fields }
    };
    if size == 1 {
        return vec![register(name.to_owned(), address, fields)];
    }
    let half = |suffix: char, from: u32| {
        let fields = fields
            .iter()
            .filter(|field| field.low + field.width > from && field.low < from + 8)
            .map(|field| {
                let low = field.low.max(from);
                let high = (field.low + field.width).min(from + 8);
                let name = if field.name == name { format!("{name}{suffix}") } else { field.name.clone() };
                Field::new(name, low - from, high - low)
            })
            .collect();
        register(format!("{name}{suffix}"), address + from / 8, fields)
    };
    vec![half('L', 0), half('H', 8)]
}

/// A field as its runs of neighbouring bits; all but the lowest with the run's place behind the name.
fn runs(name: &str, mask: u32) -> Vec<Field> {
    let mut runs = Vec::new();
    let mut rest = mask;
    while rest != 0 {
        let low = rest.trailing_zeros();
        let width = (rest >> low).trailing_ones();
        let name = if runs.is_empty() { name.to_owned() } else { format!("{name}_{low}") };
        runs.push(Field::new(name, low, width));
        rest &= !(((1u64 << width) - 1) as u32) << low;
    }
    runs
}
