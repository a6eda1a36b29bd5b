//! A vendor's description (SVD) as plain data: clusters and arrays laid out, numbers read, inherited registers copied.

use roxmltree::{Document, Node};

use crate::{Access, Field, Register, number};

/// A peripheral.
#[derive(Clone, Debug)]
pub struct Peripheral {
    pub name: String,
    pub address: u32,
    pub interrupts: Vec<(String, u32)>,
    pub registers: Vec<Register>,
}

/// Returns all peripherals but those whose names are `absent`, by address.
pub fn read(text: &str, absent: &[&str]) -> Vec<Peripheral> {
    let document = Document::parse(text).expect("the description is XML");
    let nodes: Vec<Node<'_, '_>> = document.descendants().filter(|node| node.has_tag_name("peripheral")).collect();
    let mut peripherals: Vec<Peripheral> = nodes
        .iter()
        .map(|node| peripheral(*node, &nodes))
        .filter(|peripheral| !absent.contains(&peripheral.name.as_str()))
        .collect();
    peripherals.sort_by_key(|peripheral| peripheral.address);
    peripherals
}

fn text<'a>(node: Node<'a, '_>, tag: &str) -> Option<&'a str> {
    node.children().find(|child| child.has_tag_name(tag))?.text()
}

fn number_of(node: Node<'_, '_>, tag: &str) -> Option<u32> {
    text(node, tag).map(number)
}

/// Returns the access to the register `node`, or the one that all its fields have.
fn access(node: Node<'_, '_>) -> Access {
    let of_fields = || {
        let mut fields = node.descendants().filter(|child| child.has_tag_name("field")).map(|field| text(field, "access"));
        let first = fields.next()?;
        first.filter(|_| fields.all(|other| other == first))
    };
    match text(node, "access").or_else(of_fields) {
        Some("read-only") => Access::ReadOnly,
        Some("write-only") => Access::WriteOnly,
        _ => Access::ReadWrite,
    }
}

fn peripheral(node: Node<'_, '_>, all: &[Node<'_, '_>]) -> Peripheral {
    let name = text(node, "name").expect("each has a name").to_owned();
    let interrupts = node
        .children()
        .filter(|child| child.has_tag_name("interrupt"))
        .map(|child| {
            let name = text(child, "name").expect("each has a name").to_owned();
            (name, number_of(child, "value").expect("each has a number"))
        })
        .filter(|(name, _)| !name.starts_with("Reserved"))
        .collect();
    let parent = node.attribute("derivedFrom").and_then(|from| all.iter().find(|other| text(**other, "name") == Some(from)));
    let own = |node: Node<'_, '_>| node.children().find(|child| child.has_tag_name("registers")).map(|node| elements(node, 0, ""));
    let mut registers = own(node).or_else(|| own(*parent?)).unwrap_or_default();
    registers.sort_by_key(|register| (register.offset, u32::MAX - register.bits));
    Peripheral { name, address: number_of(node, "baseAddress").expect("each has one"), interrupts, registers }
}

/// Returns the registers below `node`, those of clusters with the clusters' names before their own.
fn elements(node: Node<'_, '_>, base: u32, prefix: &str) -> Vec<Register> {
    node.children().filter(Node::is_element).flat_map(|child| element(child, base, prefix)).collect()
}

fn element(node: Node<'_, '_>, base: u32, prefix: &str) -> Vec<Register> {
    if !["register", "cluster"].contains(&node.tag_name().name()) {
        return Vec::new();
    }
    let name = text(node, "name").expect("each has a name");
    let first = base + number_of(node, "addressOffset").expect("each has one");
    let (count, step) = (number_of(node, "dim").unwrap_or(1), number_of(node, "dimIncrement").unwrap_or(0));
    let labels: Vec<String> = match text(node, "dimIndex") {
        Some(list) if list.contains(',') => list.split(',').map(str::to_owned).collect(),
        _ => (0..count).map(|index| index.to_string()).collect(),
    };
    let all = (0..count).flat_map(|index| {
        let name = format!("{prefix}{}", name.replace("%s", &labels[index as usize]));
        let offset = first + index * step;
        if node.has_tag_name("cluster") { elements(node, offset, &format!("{name}.")) } else { vec![register(node, name, offset)] }
    });
    all.collect()
}

fn register(node: Node<'_, '_>, name: String, offset: u32) -> Register {
    let mut fields: Vec<Field> = node.descendants().filter(|child| child.has_tag_name("field")).map(field).collect();
    fields.sort_by_key(|field| field.low);
    let mask = number_of(node, "resetMask").unwrap_or(u32::MAX);
    Register {
        name,
        offset,
        bits: number_of(node, "size").unwrap_or(32),
        access: access(node),
        alternate: false,
        reset: number_of(node, "resetValue").unwrap_or(0) & mask,
        fields,
    }
}

fn field(node: Node<'_, '_>) -> Field {
    let range = text(node, "bitRange").and_then(|range| {
        let (high, low) = range.trim_matches(['[', ']']).split_once(':')?;
        Some((number(high), number(low)))
    });
    let low = range.map(|(_, low)| low).or_else(|| number_of(node, "bitOffset")).or_else(|| number_of(node, "lsb"));
    let low = low.expect("each has one");
    let high = || range.map(|(high, _)| high).or_else(|| number_of(node, "msb"));
    let width = number_of(node, "bitWidth").or_else(|| Some(high()? + 1 - low)).expect("each has one");
    Field { name: text(node, "name").expect("each has a name").to_owned(), low, width }
}
