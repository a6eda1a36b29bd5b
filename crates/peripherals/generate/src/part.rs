//! One part's instances, interrupts and memories, as Rust tables.

use stm32_metapac::metadata::ir::{BitOffset, BlockItem, BlockItemInner, Field};
use stm32_metapac::metadata::{MemoryRegionKind, Metadata, Peripheral, PeripheralRccRegister};

use crate::corrections::{self, Part};
use crate::map::module_name;

/// The tables of `part`.
pub fn render(described: Part, part: &Metadata) -> String {
    let mut peripherals: Vec<&Peripheral> = part.peripherals.iter().filter(|known| known.registers.is_some()).collect();
    peripherals.sort_by_key(|peripheral| peripheral.address);
    let mut dma = Dma::new(part);
    let instances: String =
        peripherals.into_iter().map(|peripheral| instance(described, part, peripheral, &mut dma)).collect();
    let ram = part.memory[0].iter().find(|region| region.kind == MemoryRegionKind::Ram).expect("each part has RAM");
    let (flash, flash_bytes, sectors) = flash(part);
    let interrupts = part.interrupts.iter().map(|interrupt| format!("({}, {:?}),", interrupt.number, interrupt.name));
    let interrupts: String = interrupts.collect();
    format!(
        "//! {}, written by `crates/peripherals/generate`; do not edit.\n\n\
         use cyclescope_peripherals::stm32::generated;\n\
         #[allow(unused_imports)]\n\
         use cyclescope_peripherals::{{AlternateFunction, BusClock, Instance, RccBit, Remap, Request, Route, SignalLine}};\n\n\
         use crate::table::Table;\n\n\
         /// The metadata of the part.\n\
         pub(crate) const TABLE: Table = Table {{\n\
         flash: ({flash:#x}, {flash_bytes}),\n\
         sectors: &[{sectors}],\n\
         ram: ({:#x}, {}),\n\
         priority_bits: {},\n\
         interrupts: &[{interrupts}],\n\
         routes: &[{}],\n\
         pins: &[{}],\n\
         peripherals: &[\n{instances}],\n}};\n",
        part.name,
        ram.address,
        ram.size,
        part.nvic_priority_bits.expect("the metadata says how many"),
        dma.routes,
        bonded(part),
    )
}

/// The pins that the part's package brings out, one bit each by port. Analog-only ones (`ANA0`) are none.
fn bonded(part: &Metadata) -> String {
    let mut ports = [0u32; 26];
    for pin in part.pins {
        let Ok(number) = pin.name[2..].parse::<u8>() else { continue };
        ports[usize::from(pin.name.as_bytes()[1] - b'A')] |= 1 << number;
    }
    let ports = ports.iter().enumerate().filter(|(_, bits)| **bits != 0);
    ports.map(|(port, bits)| format!("({port}, {bits:#x}),")).collect()
}

/// The main flash: where it begins, how large it is, its sectors.
fn flash(part: &Metadata) -> (u32, u32, String) {
    let flash = || part.memory[0].iter().filter(|region| region.kind == MemoryRegionKind::Flash);
    let begin = flash().next().expect("each part has flash").address;
    let (mut end, mut sectors) = (begin, String::new());
    for region in flash() {
        if region.address == end {
            let sector = region.settings.as_ref().expect("flash says how it is erased").erase_size;
            sectors += &format!("({}, {sector}),", region.size);
            end += region.size;
        }
    }
    (begin, end - begin, sectors)
}

/// The numbers of DMA requests: the multiplexer's input where there is one, else counted through the part.
struct Dma<'a> {
    part: &'a Metadata,
    next: u32,
    routes: String,
}

impl<'a> Dma<'a> {
    fn new(part: &'a Metadata) -> Self {
        Self { part, next: 0, routes: String::new() }
    }

    /// The requests of `peripheral`, as a list of Rust expressions.
    fn requests(&mut self, peripheral: &Peripheral) -> String {
        let mut seen: Vec<(&str, u32)> = Vec::new();
        let mut out = String::new();
        for wired in peripheral.dma_channels {
            let muxed = wired.request.filter(|_| wired.channel.is_none());
            let known = seen.iter().find(|(signal, _)| *signal == wired.signal).map(|(_, number)| *number);
            let number = muxed.or(known).unwrap_or_else(|| {
                self.next += 1;
                self.next - 1
            });
            if let Some(name) = wired.channel {
                let channel = self.part.dma_channels.iter().find(|channel| channel.name == name).expect("it is listed");
                let controller = channel.dma.trim_start_matches("DMA");
                self.routes += &format!(
                    "Route {{ request: {number}, controller: {controller}, channel: {}, selector: {} }},",
                    channel.channel,
                    wired.request.unwrap_or(0)
                );
            }
            if known.is_none() {
                out += &format!("Request {{ signal: {:?}, number: {number} }},", wired.signal);
                seen.push((wired.signal, number));
            }
        }
        out
    }
}

fn instance(described: Part, part: &Metadata, peripheral: &Peripheral, dma: &mut Dma<'_>) -> String {
    let Some(registers) = &peripheral.registers else { return String::new() };
    let rcc = peripheral.rcc.as_ref();
    let named = |bit: Option<&PeripheralRccRegister>| bit.map(|bit| (bit.register, bit.field));
    let enable =
        named(rcc.and_then(|rcc| rcc.enable.as_ref())).filter(|_| corrections::is_gated(described, peripheral.name));
    let enable = rcc_bit(part, enable.or_else(|| corrections::enable(described, peripheral.name)));
    let reset = named(rcc.and_then(|rcc| rcc.reset.as_ref()));
    let reset = rcc_bit(part, reset.or_else(|| corrections::reset(described, peripheral.name)));
    let clock = match rcc.map(|rcc| rcc.bus_clock) {
        Some("PCLK2") => "Apb2",
        Some(clock) if clock.starts_with("PCLK") => "Apb1",
        _ => "Ahb",
    };
    let interrupts: String = peripheral
        .interrupts
        .iter()
        .map(|wired| {
            let line = part.interrupts.iter().find(|line| line.name == wired.interrupt).expect("lines are listed");
            format!("SignalLine {{ signal: {:?}, line: {} }},", wired.signal, line.number)
        })
        .collect();
    format!(
        "Instance {{ name: {:?}, address: {:#x}, map: &generated::{}::MAP, clock: BusClock::{clock}, \
         enable: {enable}, reset: {reset}, interrupts: &[{interrupts}], requests: &[{}], remap: {}, pins: &[{}] }},",
        peripheral.name,
        corrections::address(described, peripheral.name, peripheral.address.into()),
        module_name(described, registers),
        dma.requests(peripheral),
        remap(part, peripheral),
        pins(peripheral),
    )
}

/// The pins of `peripheral`; where a field of the AFIO chooses among them, its value is the function.
fn pins(peripheral: &Peripheral) -> String {
    let mut out = String::new();
    for pin in peripheral.pins {
        let port = pin.pin.as_bytes()[1] - b'A';
        let Ok(number) = pin.pin[2..].parse::<u8>() else { continue };
        let remapped = peripheral.afio.iter().flat_map(|afio| afio.values);
        let chosen = remapped.filter(|value| value.pins.contains(&pin.pin)).map(|value| value.value);
        let functions: Vec<u8> = pin.af.into_iter().chain(chosen).collect();
        if analog(peripheral) {
            out += &analog_pin(pin.signal, port, number);
            continue;
        }
        // An input that the AFIO does not move, on a part whose pins have no alternate function's number.
        let functions = if functions.is_empty() && peripheral.pins.iter().all(|pin| pin.af.is_none()) {
            // RM0008, "Clock-out capability": the clock output is a signal like any other.
            let digital = digital(peripheral) || pin.signal.starts_with("MCO");
            if peripheral.afio.is_some() || !digital { continue } else { vec![0] }
        } else {
            functions
        };
        for function in functions {
            let signal = pin.signal;
            out += &format!(
                "AlternateFunction {{ signal: {signal:?}, port: {port}, pin: {number}, function: {function} }},"
            );
        }
    }
    out
}

/// Tells if the pins of `peripheral` are the inputs or outputs of a converter.
fn analog(peripheral: &Peripheral) -> bool {
    let kind = peripheral.registers.as_ref().map_or("", |registers| registers.kind);
    ["adc", "dac"].contains(&kind)
}

/// A pin that a converter has without any alternate function.
fn analog_pin(signal: &str, port: u8, number: u8) -> String {
    format!("AlternateFunction::analog({signal:?}, {port}, {number}),")
}

/// Tells if the pins of `peripheral` are digital. Analog pins have no alternate function.
fn digital(peripheral: &Peripheral) -> bool {
    let kind = peripheral.registers.as_ref().map_or("", |registers| registers.kind);
    !["adc", "adccommon", "dac", "rcc", "pwr", "gpio"].contains(&kind)
}

/// The field of the AFIO that moves the pins of `peripheral`.
fn remap(part: &Metadata, peripheral: &Peripheral) -> String {
    let Some(afio) = &peripheral.afio else { return "None".to_owned() };
    let (item, field) = find_field(part, "AFIO", afio.register, afio.field);
    let BitOffset::Regular(bit) = &field.bit_offset else { panic!("a remap field is one run of bits") };
    format!("Some(Remap {{ offset: {:#x}, low: {}, width: {} }})", item.byte_offset, bit.offset, field.bit_size)
}

/// The offset and bit of an RCC field that the metadata names.
fn rcc_bit(part: &Metadata, named: Option<(&str, &str)>) -> String {
    let Some((register, field)) = named else { return "None".to_owned() };
    let (item, field) = find_field(part, "RCC", register, field);
    let BitOffset::Regular(bit) = &field.bit_offset else { panic!("enable bits are single") };
    format!("Some(RccBit {{ offset: {:#x}, bit: {} }})", item.byte_offset, bit.offset)
}

/// The register and field of a peripheral, by their names in the metadata.
fn find_field(part: &Metadata, peripheral: &str, register: &str, field: &str) -> (&'static BlockItem, &'static Field) {
    let found = part.peripherals.iter().find(|known| known.name == peripheral).expect("the part has it");
    let ir = found.registers.as_ref().expect("it is described").ir;
    let item = ir.blocks[0]
        .items
        .iter()
        .find(|item| item.name.eq_ignore_ascii_case(register))
        .unwrap_or_else(|| panic!("{peripheral}_{register}"));
    let BlockItemInner::Register(declared) = &item.inner else { panic!("a register, not a block") };
    let set = ir.fieldsets.iter().find(|set| Some(set.name) == declared.fieldset).expect("its fields are described");
    let field = set
        .fields
        .iter()
        .find(|known| known.name.eq_ignore_ascii_case(field))
        .unwrap_or_else(|| panic!("{peripheral}_{register}.{field}"));
    (item, field)
}
