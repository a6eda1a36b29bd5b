//! A family's parts, packed.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::ZlibEncoder;

use crate::format;
use crate::map::Declared;
use crate::pool::Pool;

/// A family under way: everything that parts share, kept once.
#[derive(Default)]
pub struct Packer {
    pub texts: Pool<String>,
    fields: Pool<Vec<(format::Text, u8, u8)>>,
    maps: Pool<format::Map>,
    numbered: Pool<Vec<(format::Text, u8)>>,
    triggers: Pool<Vec<(format::Text, format::Text)>>,
    functions: Pool<Vec<(format::Text, u8, u8, u8)>>,
    pub routes: Pool<Vec<(u8, u8, u8, u8)>>,
    pub pins: Pool<Vec<(u8, u32)>>,
    pub instances: Pool<format::Instance>,
    pub parts: Vec<format::Part>,
}

impl Packer {
    /// The place of `text`.
    pub fn text(&mut self, text: &str) -> format::Text {
        self.texts.place(text.to_owned())
    }

    /// The place of a list of names with a number each.
    pub fn numbered(&mut self, list: &[(&str, u8)]) -> format::List {
        let list = list.iter().map(|(name, number)| (self.text(name), *number)).collect();
        self.numbered.place(list)
    }

    /// The place of a list of inputs and sources.
    pub fn triggers(&mut self, list: &[(&str, &str)]) -> format::List {
        let list = list.iter().map(|(signal, source)| (self.text(signal), self.text(source))).collect();
        self.triggers.place(list)
    }

    /// The place of a list of pins.
    pub fn functions(&mut self, list: &[(&str, u8, u8, u8)]) -> format::List {
        let list =
            list.iter().map(|(signal, port, pin, function)| (self.text(signal), *port, *pin, *function)).collect();
        self.functions.place(list)
    }

    /// The place of the map of a block.
    pub fn map(&mut self, kind: &str, version: &str, registers: &[Declared]) -> u16 {
        let registers = registers
            .iter()
            .map(|register| {
                let narrow = |number: u32| u8::try_from(number).expect("registers have at most 32 bits");
                let fields =
                    register.fields.iter().map(|field| (self.text(&field.name), narrow(field.low), narrow(field.width)));
                let fields: Vec<_> = fields.collect();
                format::Register {
                    name: self.text(&register.name),
                    offset: register.offset,
                    bits: narrow(register.bits),
                    access: register.access,
                    alternate: register.alternate,
                    fields: self.fields.place(fields),
                }
            })
            .collect();
        let map = format::Map { kind: self.text(kind), version: self.text(version), registers };
        self.maps.place(map)
    }

    /// The family.
    pub fn family(self) -> format::Family {
        format::Family {
            texts: self.texts.into_values(),
            fields: self.fields.into_values(),
            maps: self.maps.into_values(),
            numbered: self.numbered.into_values(),
            triggers: self.triggers.into_values(),
            functions: self.functions.into_values(),
            routes: self.routes.into_values(),
            pins: self.pins.into_values(),
            instances: self.instances.into_values(),
            parts: self.parts,
        }
    }
}

/// `family` as bytes, compressed.
pub fn packed(family: &format::Family) -> Vec<u8> {
    let plain = postcard::to_allocvec(family).expect("all of it can be written");
    let mut writer = ZlibEncoder::new(Vec::new(), Compression::best());
    writer.write_all(&plain).expect("memory takes bytes");
    let packed = writer.finish().expect("memory takes bytes");
    eprintln!("  {} bytes, {} compressed", plain.len(), packed.len());
    packed
}
