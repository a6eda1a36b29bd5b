//! One part's instances, interrupts and memories, packed.

use crate::corrections::{self, Part};
use crate::format::{self, Bus};
use crate::map;
use crate::metadata::{BitOffset, BlockItemInner, MemoryRegionKind, Metadata, Peripheral, RccRegister};
use crate::pack::Packer;

/// Blocks that are words of the factory's, in system memory: families list them.
const FACTORY: [&str; 1] = ["vrefintcal"];

/// Adds `part` to the family that `packer` packs.
pub fn pack(part: &Metadata, packer: &mut Packer) {
    let mut dma = Dma { part, next: 0, routes: Vec::new() };
    let mut peripherals: Vec<&Peripheral> = (part.common.peripherals.iter())
        .filter(|known| !FACTORY.contains(&known.kind()) && !corrections::is_repeated(part, known))
        .collect();
    // Of two at one address the one with registers.
    peripherals.sort_by_key(|known| (corrections::address(part, known), known.registers.is_none()));
    peripherals.dedup_by_key(|known| corrections::address(part, known));
    let instances: Vec<u16> = peripherals.into_iter().map(|known| instance(part, known, &mut dma, packer)).collect();
    assert!(dma.next <= 128, "{}: requests are bits of a word of 128", part.name);
    let interrupts: Vec<(&str, u8)> =
        part.common.interrupts.iter().map(|line| (line.name.as_str(), line.number)).collect();
    let part = format::Part {
        name: packer.text(&part.name.to_lowercase()),
        line: packer.text(&part.line),
        memory: memory(part, packer),
        priority_bits: part.priority_bits,
        interrupts: packer.numbered(&interrupts),
        routes: packer.routes.place(dma.routes),
        pins: packer.pins.place(bonded(part)),
        instances,
    };
    packer.parts.push(part);
}

/// The memories; where flash can be split into banks in several ways, as the part leaves the factory.
fn memory(part: &Metadata, packer: &mut Packer) -> Vec<format::Region> {
    let regions = &part.memory[corrections::bank_layout(part)];
    let region = |region: &crate::metadata::MemoryRegion| format::Region {
        name: packer.text(&region.name),
        address: region.address,
        bytes: region.size,
        erased: match region.kind {
            MemoryRegionKind::Ram => 0,
            MemoryRegionKind::Flash | MemoryRegionKind::Eeprom => {
                region.settings.as_ref().expect("flash says how it is erased").erase_size
            }
        },
    };
    regions.iter().filter(|region| region.name != "OTP").map(region).collect()
}

/// The pins that the part's package brings out, one bit each by port. Analog-only ones (`ANA0`) are none.
fn bonded(part: &Metadata) -> Vec<(u8, u32)> {
    let mut ports = [0u32; 26];
    for pin in &part.common.pins {
        let Ok(number) = pin.name[2..].parse::<u8>() else { continue };
        ports[usize::from(pin.name.as_bytes()[1] - b'A')] |= 1 << number;
    }
    (0..).zip(ports).filter(|(_, bits)| *bits != 0).collect()
}

/// The numbers of DMA requests: the multiplexer's input where there is one, else counted through the part.
struct Dma<'a> {
    part: &'a Metadata,
    next: u8,
    /// Request, controller, channel, selector.
    routes: Vec<(u8, u8, u8, u8)>,
}

impl<'a> Dma<'a> {
    /// The requests of `peripheral`.
    fn requests(&mut self, peripheral: &'a Peripheral) -> Vec<(&'a str, u8)> {
        let mut seen: Vec<(&str, u8)> = Vec::new();
        for wired in &peripheral.dma_channels {
            let muxed = wired.request.filter(|_| wired.channel.is_none());
            let known = seen.iter().find(|(signal, _)| *signal == wired.signal).map(|(_, number)| *number);
            let number = muxed.or(known).unwrap_or_else(|| {
                self.next += 1;
                self.next - 1
            });
            if let Some(name) = &wired.channel {
                let channels = &self.part.common.dma_channels;
                let channel = channels.iter().find(|channel| channel.name == *name).expect("it is listed");
                let controller = channel.dma.trim_start_matches("DMA").parse().expect("controllers have numbers");
                self.routes.push((number, controller, channel.channel, wired.request.unwrap_or(0)));
            }
            if known.is_none() {
                seen.push((&wired.signal, number));
            }
        }
        seen
    }
}

fn instance<'a>(part: &'a Metadata, peripheral: &'a Peripheral, dma: &mut Dma<'a>, packer: &mut Packer) -> u16 {
    let described = Part::new(part, peripheral);
    let rcc = peripheral.rcc.as_ref();
    let enable = rcc.and_then(|rcc| rcc.enable.as_ref()).filter(|_| corrections::is_gated(&described));
    let enable = enable.and_then(|bit| rcc_bit(part, bit));
    let enable = enable.or_else(|| rcc_bit(part, &corrections::enable(&described)?));
    let reset = rcc.and_then(|rcc| rcc.reset.as_ref()).and_then(|bit| rcc_bit(part, bit));
    let reset = reset.or_else(|| rcc_bit(part, &corrections::reset(&described)?));
    let clock = match rcc.map(|rcc| &*rcc.bus_clock) {
        Some("PCLK2") => Bus::Apb2,
        Some(clock) if clock.starts_with("PCLK") => Bus::Apb1,
        _ => Bus::Ahb,
    };
    let lines = &part.common.interrupts;
    let interrupts: Vec<(&str, u8)> = peripheral
        .interrupts
        .iter()
        .map(|wired| {
            let line = lines.iter().find(|line| line.name == wired.interrupt).expect("lines are listed");
            (wired.signal.as_str(), line.number)
        })
        .collect();
    let triggers: Vec<(&str, &str)> =
        peripheral.triggers.iter().map(|wired| (wired.signal.as_str(), wired.source.as_str())).collect();
    let map = match &peripheral.registers {
        Some(registers) => {
            let declared = map::registers(&described, registers, &part.common.registers[&registers.ir]);
            packer.map(&registers.kind, &registers.version, &declared)
        }
        None => packer.map(peripheral.name.trim_end_matches(|c: char| c.is_ascii_digit()), "", &[]),
    };
    let requests = dma.requests(peripheral);
    let instance = format::Instance {
        name: packer.text(&peripheral.name),
        address: corrections::address(part, peripheral),
        map,
        clock,
        enable,
        reset,
        interrupts: packer.numbered(&interrupts),
        requests: packer.numbered(&requests),
        triggers: packer.triggers(&triggers),
        remap: remap(part, peripheral),
        functions: packer.functions(&functions(peripheral)),
    };
    packer.instances.place(instance)
}

/// The function's number of a pin that a converter has without any alternate function.
const ANALOG: u8 = u8::MAX;

/// The pins of `peripheral`: signal, port, pin, function. Where a field of the AFIO chooses among them, its value is the
/// function.
fn functions(peripheral: &Peripheral) -> Vec<(&str, u8, u8, u8)> {
    let mut out = Vec::new();
    for pin in &peripheral.pins {
        let port = pin.pin.as_bytes()[1].wrapping_sub(b'A');
        let Ok(number) = pin.pin[2..].parse::<u8>() else { continue };
        let remapped = peripheral.afio.iter().flat_map(|afio| &afio.values);
        let chosen = remapped.filter(|value| value.pins.contains(&pin.pin)).map(|value| value.value);
        let functions: Vec<u8> = pin.af.into_iter().chain(chosen).collect();
        if analog(peripheral) {
            out.push((pin.signal.as_str(), port, number, ANALOG));
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
        out.extend(functions.into_iter().map(|function| (pin.signal.as_str(), port, number, function)));
    }
    out
}

/// Tells if the pins of `peripheral` are the inputs or outputs of an analog block.
fn analog(peripheral: &Peripheral) -> bool {
    ["adc", "dac"].contains(&peripheral.kind())
}

/// Tells if the pins of `peripheral` are digital. Analog pins have no alternate function.
fn digital(peripheral: &Peripheral) -> bool {
    !["", "adc", "adccommon", "dac", "rcc", "pwr", "gpio"].contains(&peripheral.kind())
}

/// The field of the AFIO that moves the pins of `peripheral`.
fn remap(part: &Metadata, peripheral: &Peripheral) -> Option<(u16, u8, u8)> {
    let afio = peripheral.afio.as_ref()?;
    find_field(part, "AFIO", &afio.register, &afio.field)
}

/// The offset and bit of an RCC field that the metadata names.
fn rcc_bit(part: &Metadata, named: &RccRegister) -> Option<(u16, u8)> {
    find_field(part, "RCC", &named.register, &named.field).map(|(offset, low, _)| (offset, low))
}

/// The offset, lowest bit and width of a field of a peripheral, by their names in the metadata.
fn find_field(part: &Metadata, peripheral: &str, register: &str, field: &str) -> Option<(u16, u8, u8)> {
    let found = part.common.peripherals.iter().find(|known| known.name == peripheral)?;
    let ir = &part.common.registers[&found.registers.as_ref()?.ir];
    let item = ir.blocks[0].items.iter().find(|item| item.name.eq_ignore_ascii_case(register))?;
    let BlockItemInner::Register(declared) = &item.inner else { return None };
    let set = ir.fieldsets.iter().find(|set| Some(&set.name) == declared.fieldset.as_ref())?;
    let field = set.fields.iter().find(|known| known.name.eq_ignore_ascii_case(field));
    let Some(field) = field else {
        eprintln!("{}: {peripheral}_{register} has no field of that name", part.name);
        return None;
    };
    let BitOffset::Regular(bit) = &field.bit_offset else { panic!("such a field is one run of bits") };
    Some((item.byte_offset as u16, bit.offset as u8, field.bit_size as u8))
}
