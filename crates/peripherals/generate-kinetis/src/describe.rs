//! The vendor's description as plain data: arrays laid out, numbers read.

use cyclescope_peripherals_generate_tables::{Access, Field, Register, number};
use roxmltree::{Document, Node};

use crate::corrections;

/// A peripheral.
#[derive(Clone, Debug)]
pub struct Peripheral {
    pub name: String,
    pub address: u32,
    pub interrupts: Vec<(String, u32)>,
    pub registers: Vec<Register>,
}

/// All peripherals that the part has and that are not the core's own.
pub fn read(text: &str) -> Vec<Peripheral> {
    let document = Document::parse(text).expect("the description is XML");
    let mut peripherals: Vec<Peripheral> = document
        .descendants()
        .filter(|node| node.has_tag_name("peripheral"))
        .map(peripheral)
        .filter(|peripheral| !corrections::ABSENT.contains(&peripheral.name.as_str()))
        .collect();
    peripherals.sort_by_key(|peripheral| peripheral.address);
    peripherals
}

fn text<'a>(node: Node<'a, '_>, tag: &str) -> Option<&'a str> {
    node.children().find(|child| child.has_tag_name(tag))?.text()
}

fn field_of(node: Node<'_, '_>, tag: &str) -> Option<u32> {
    text(node, tag).map(number)
}

fn access(node: Node<'_, '_>) -> Access {
    match text(node, "access") {
        Some("read-only") => Access::ReadOnly,
        Some("write-only") => Access::WriteOnly,
        _ => Access::ReadWrite,
    }
}

fn peripheral(node: Node<'_, '_>) -> Peripheral {
    let name = text(node, "name").expect("each has a name").to_owned();
    let interrupts = node
        .children()
        .filter(|child| child.has_tag_name("interrupt"))
        .map(|child| {
            let name = text(child, "name").expect("each has a name").to_owned();
            (name, field_of(child, "value").expect("each has a number"))
        })
        .filter(|(name, _)| !name.starts_with("Reserved"))
        .collect();
    let mut registers: Vec<Register> =
        node.descendants().filter(|child| child.has_tag_name("register")).flat_map(elements).collect();
    registers.sort_by_key(|register| (register.offset, u32::MAX - register.bits));
    Peripheral { name, address: field_of(node, "baseAddress").expect("each has one"), interrupts, registers }
}

/// The elements of a register array, or the register.
fn elements(node: Node<'_, '_>) -> Vec<Register> {
    let name = text(node, "name").expect("each has a name");
    let first = field_of(node, "addressOffset").expect("each has one");
    let (count, step) = (field_of(node, "dim").unwrap_or(1), field_of(node, "dimIncrement").unwrap_or(0));
    let labels: Vec<String> = match text(node, "dimIndex") {
        Some(list) if list.contains(',') => list.split(',').map(str::to_owned).collect(),
        _ => (0..count).map(|index| index.to_string()).collect(),
    };
    let fields: Vec<Field> = node.descendants().filter(|child| child.has_tag_name("field")).map(field).collect();
    let mask = field_of(node, "resetMask").unwrap_or(u32::MAX);
    (0..count)
        .map(|index| Register {
            name: name.replace("[%s]", &labels[index as usize]).replace("%s", &labels[index as usize]),
            offset: first + index * step,
            bits: field_of(node, "size").unwrap_or(32),
            access: access(node),
            alternate: false,
            reset: field_of(node, "resetValue").unwrap_or(0) & mask,
            fields: fields.clone(),
        })
        .collect()
}

fn field(node: Node<'_, '_>) -> Field {
    Field {
        name: text(node, "name").expect("each has a name").to_owned(),
        low: field_of(node, "bitOffset").expect("each has one"),
        width: field_of(node, "bitWidth").expect("each has one"),
    }
}
