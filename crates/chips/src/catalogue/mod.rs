//! The parts that come as packed metadata, a file a family: their names at once, everything else when one is asked for.

#[allow(dead_code)]
mod format;

use std::sync::OnceLock;

use cyclescope_peripherals::{
    Access, AlternateFunction, BusClock, Field, Instance, Map, RccBit, Register, Remap, Request, Route, SignalLine,
};
use flate2::read::ZlibDecoder;

use crate::table::{Table, TableRegion};

/// A packed file.
struct Packed {
    name: &'static str,
    bytes: &'static [u8],
    unpacked: OnceLock<Unpacked>,
}

impl Packed {
    const fn new(name: &'static str, bytes: &'static [u8]) -> Self {
        Self { name, bytes, unpacked: OnceLock::new() }
    }
}

static FILES: [Packed; 7] = [
    Packed::new("stm32c0", include_bytes!("../../data/stm32c0.zlib")),
    Packed::new("stm32f1", include_bytes!("../../data/stm32f1.zlib")),
    Packed::new("stm32f4", include_bytes!("../../data/stm32f4.zlib")),
    Packed::new("stm32g0", include_bytes!("../../data/stm32g0.zlib")),
    Packed::new("stm32g4", include_bytes!("../../data/stm32g4.zlib")),
    Packed::new("stm32l4", include_bytes!("../../data/stm32l4.zlib")),
    Packed::new("stm32l4plus", include_bytes!("../../data/stm32l4plus.zlib")),
];

/// A line a part: its file, its name, its product line.
const PARTS: &str = include_str!("../../data/parts.txt");

/// A part that has packed metadata.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// The family's file.
    pub(crate) file: &'static str,
    /// The part's name.
    pub(crate) name: &'static str,
    /// Its product line as the vendor writes it, with `_` for a space.
    pub(crate) line: &'static str,
}

/// All such parts, by family and name.
pub(crate) fn entries() -> impl Iterator<Item = Entry> + Clone {
    PARTS.lines().filter_map(|line| {
        let mut words = line.split(' ');
        Some(Entry { file: words.next()?, name: words.next()?, line: words.next()? })
    })
}

/// The entry of the part `name`.
pub(crate) fn entry(name: &str) -> Option<Entry> {
    entries().find(|entry| entry.name == name)
}

/// A family that somebody asked for. It stays for the rest of the program.
struct Unpacked {
    family: format::Family,
    texts: Vec<&'static str>,
    numbered: Vec<&'static [(&'static str, u8)]>,
    instances: Vec<Instance>,
}

/// The tables of the part of `entry`.
pub(crate) fn table(entry: Entry) -> Table {
    let file = FILES.iter().find(|file| file.name == entry.file).expect("the list names files that there are");
    let unpacked = file.unpacked.get_or_init(|| unpack(file.bytes));
    let text = |place: u16| unpacked.texts[usize::from(place)];
    let part =
        unpacked.family.parts.iter().find(|part| text(part.name) == entry.name).expect("the list names its parts");
    let routes = unpacked.family.routes[usize::from(part.routes)].iter();
    let routes = routes.map(|(request, controller, channel, selector)| Route {
        request: *request,
        controller: *controller,
        channel: *channel,
        selector: *selector,
    });
    let instances = part.instances.iter().map(|place| unpacked.instances[usize::from(*place)]);
    let interrupts = unpacked.numbered[usize::from(part.interrupts)].iter().map(|(name, line)| (*line, *name));
    Table {
        memory: part
            .memory
            .iter()
            .map(|region| TableRegion {
                name: text(region.name),
                address: region.address,
                bytes: region.bytes,
                erased: region.erased,
            })
            .collect(),
        priority_bits: part.priority_bits,
        interrupts: leaked(interrupts.collect()),
        routes: leaked(routes.collect()),
        pins: leaked(unpacked.family.pins[usize::from(part.pins)].clone()),
        peripherals: leaked(instances.collect()),
    }
}

/// A list that stays for the rest of the program.
fn leaked<T>(list: Vec<T>) -> &'static [T] {
    Vec::leak(list)
}

fn unpack(bytes: &'static [u8]) -> Unpacked {
    const OURS: &str = "the package's own tests unpack its files";
    let mut plain = Vec::new();
    std::io::Read::read_to_end(&mut ZlibDecoder::new(bytes), &mut plain).expect(OURS);
    let mut family: format::Family = postcard::from_bytes(&plain).expect(OURS);
    let texts: Vec<&'static str> =
        std::mem::take(&mut family.texts).into_iter().map(|text| &*String::leak(text)).collect();
    let text = |place: u16| texts[usize::from(place)];
    let fields: Vec<&'static [Field]> = (family.fields.iter())
        .map(|list| leaked(list.iter().map(|(name, low, width)| Field::new(text(*name), *low, *width)).collect()))
        .collect();
    let register = |register: &format::Register| Register {
        name: text(register.name),
        offset: register.offset,
        bits: register.bits,
        access: match register.access {
            format::Access::ReadWrite => Access::ReadWrite,
            format::Access::ReadOnly => Access::ReadOnly,
            format::Access::WriteOnly => Access::WriteOnly,
        },
        alternate: register.alternate,
        fields: fields[usize::from(register.fields)],
    };
    let maps: Vec<&'static Map> = (family.maps.iter())
        .map(|map| {
            let registers = leaked(map.registers.iter().map(register).collect());
            &*Box::leak(Box::new(Map { kind: text(map.kind), version: text(map.version), registers }))
        })
        .collect();
    let numbered: Vec<&'static [(&'static str, u8)]> = (family.numbered.iter())
        .map(|list| leaked(list.iter().map(|(name, number)| (text(*name), *number)).collect()))
        .collect();
    let triggers: Vec<&'static [(&'static str, &'static str)]> = (family.triggers.iter())
        .map(|list| leaked(list.iter().map(|(signal, source)| (text(*signal), text(*source))).collect()))
        .collect();
    let functions: Vec<&'static [AlternateFunction]> = (family.functions.iter())
        .map(|list| {
            let function = |(signal, port, pin, function): &(u16, u8, u8, u8)| AlternateFunction {
                signal: text(*signal),
                port: *port,
                pin: *pin,
                function: *function,
            };
            leaked(list.iter().map(function).collect())
        })
        .collect();
    let bit = |(offset, bit): (u16, u8)| RccBit { offset, bit };
    let instances = family
        .instances
        .iter()
        .map(|instance| Instance {
            name: text(instance.name),
            address: instance.address,
            map: maps[usize::from(instance.map)],
            clock: match instance.clock {
                format::Bus::Ahb => BusClock::Ahb,
                format::Bus::Apb1 => BusClock::Apb1,
                format::Bus::Apb2 => BusClock::Apb2,
            },
            enable: instance.enable.map(bit),
            reset: instance.reset.map(bit),
            interrupts: leaked(
                numbered[usize::from(instance.interrupts)]
                    .iter()
                    .map(|(signal, line)| SignalLine { signal, line: *line })
                    .collect(),
            ),
            requests: leaked(
                numbered[usize::from(instance.requests)]
                    .iter()
                    .map(|(signal, number)| Request { signal, number: *number })
                    .collect(),
            ),
            triggers: triggers[usize::from(instance.triggers)],
            remap: instance.remap.map(|(offset, low, width)| Remap { offset, low, width }),
            pins: functions[usize::from(instance.functions)],
        })
        .collect();
    Unpacked { family, texts, numbered, instances }
}
