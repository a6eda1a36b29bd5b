//! One part's instances, interrupts and memories, as Rust tables.

use std::fmt::Write;

use stm32_metapac::metadata::ir::{BitOffset, BlockItemInner};
use stm32_metapac::metadata::{MemoryRegionKind, Metadata, Peripheral, PeripheralRccRegister};

use crate::corrections;
use crate::map::module_name;

/// The tables of `part`.
pub fn render(part: &Metadata) -> String {
    let mut out = format!(
        "//! {}, written by `crates/peripherals/generate`; do not edit.\n\n\
         use cyclescope_peripherals::{{AlternateFunction, Instance, RccBit, Request, SignalLine, generated}};\n\n",
        part.name
    );
    let bytes = |kind: MemoryRegionKind| -> (u32, u32) {
        let region = part.memory[0].iter().find(|region| region.kind == kind).expect("each part has flash and RAM");
        (region.address, region.size)
    };
    let (flash, flash_bytes) = bytes(MemoryRegionKind::Flash);
    let (ram, ram_bytes) = bytes(MemoryRegionKind::Ram);
    write!(
        out,
        "/// Where flash begins and its size in bytes.\npub(crate) const FLASH: (u32, u32) = ({flash:#x}, {flash_bytes});\n\
         /// Where RAM begins and its size in bytes.\npub(crate) const RAM: (u32, u32) = ({ram:#x}, {ram_bytes});\n\
         /// Priority bits of the interrupt controller.\npub(crate) const PRIORITY_BITS: u8 = {};\n\
         /// Interrupt lines by number and name.\npub(crate) const INTERRUPTS: &[(u8, &str)] = &[",
        part.nvic_priority_bits.expect("the metadata says how many")
    )
    .expect("a string takes all");
    for interrupt in part.interrupts {
        write!(out, "({}, {:?}),", interrupt.number, interrupt.name).expect("a string takes all");
    }
    out += "];\n/// The part's peripherals, by address.\npub(crate) const INSTANCES: &[Instance] = &[\n";
    let mut peripherals: Vec<&Peripheral> = part.peripherals.iter().collect();
    peripherals.sort_by_key(|peripheral| peripheral.address);
    for peripheral in peripherals {
        instance(part, peripheral, &mut out);
    }
    out += "];\n";
    out
}

fn instance(part: &Metadata, peripheral: &Peripheral, out: &mut String) {
    let Some(registers) = &peripheral.registers else { return };
    let rcc = peripheral.rcc.as_ref();
    let named = |bit: Option<&PeripheralRccRegister>| bit.map(|bit| (bit.register, bit.field));
    let enable = named(rcc.and_then(|rcc| rcc.enable.as_ref())).or_else(|| corrections::enable(peripheral.name));
    let enable = rcc_bit(part, enable);
    let reset = rcc_bit(part, named(rcc.and_then(|rcc| rcc.reset.as_ref())));
    let interrupts: String = peripheral
        .interrupts
        .iter()
        .map(|wired| {
            let line = part.interrupts.iter().find(|line| line.name == wired.interrupt).expect("lines are listed");
            format!("SignalLine {{ signal: {:?}, line: {} }},", wired.signal, line.number)
        })
        .collect();
    let requests: String = peripheral
        .dma_channels
        .iter()
        .filter_map(|channel| Some((channel.signal, channel.request?)))
        .map(|(signal, number)| format!("Request {{ signal: {signal:?}, number: {number} }},"))
        .collect();
    let pins: String = peripheral
        .pins
        .iter()
        .filter_map(|pin| {
            let port = pin.pin.as_bytes()[1] - b'A';
            let number: u8 = pin.pin[2..].parse().ok()?;
            let function = pin.af?;
            Some(format!(
                "AlternateFunction {{ signal: {:?}, port: {port}, pin: {number}, function: {function} }},",
                pin.signal
            ))
        })
        .collect();
    writeln!(
        out,
        "Instance {{ name: {:?}, address: {:#x}, map: &generated::{}::MAP, enable: {enable}, reset: {reset}, \
         interrupts: &[{interrupts}], requests: &[{requests}], pins: &[{pins}] }},",
        peripheral.name,
        peripheral.address,
        module_name(registers)
    )
    .expect("a string takes all");
}

/// The offset and bit of an RCC field that the metadata names.
fn rcc_bit(part: &Metadata, named: Option<(&str, &str)>) -> String {
    let Some((register_name, field_name)) = named else { return "None".to_owned() };
    let rcc = part.peripherals.iter().find(|peripheral| peripheral.name == "RCC").expect("each part has an RCC");
    let ir = rcc.registers.as_ref().expect("the RCC is described").ir;
    let item = ir.blocks[0]
        .items
        .iter()
        .find(|item| item.name.eq_ignore_ascii_case(register_name))
        .expect("the RCC has the register named");
    let BlockItemInner::Register(register) = &item.inner else { panic!("a register, not a block") };
    let set = ir.fieldsets.iter().find(|set| Some(set.name) == register.fieldset).expect("its fields are described");
    let field = set
        .fields
        .iter()
        .find(|field| field.name.eq_ignore_ascii_case(field_name))
        .expect("the register has the field named");
    let BitOffset::Regular(bit) = &field.bit_offset else { panic!("enable bits are single") };
    format!("Some(RccBit {{ offset: {:#x}, bit: {} }})", item.byte_offset, bit.offset)
}
