//! The part's table.

use cyclescope_peripherals_generate_tables::map::Modules;
use cyclescope_peripherals_generate_tables::svd::Peripheral;

use crate::corrections;

/// Returns the table of the RP2040.
pub fn render(blocks: &[Peripheral], modules: &Modules) -> String {
    let mut interrupts: Vec<(u32, String)> =
        blocks.iter().flat_map(|block| &block.interrupts).map(|(name, line)| (*line, name.clone())).collect();
    interrupts.extend(corrections::SPARE.zip(0..).map(|(line, spare)| (line, format!("SWI_IRQ_{spare}"))));
    interrupts.sort();
    let mut out = String::from(
        "//! RP2040, written by `crates/peripherals/generate-rp`; do not edit.\n\n\
         use cyclescope_machine::Pin;\n\
         use cyclescope_peripherals::rp::generated;\n\
         use cyclescope_peripherals::{AlternateFunction, BusClock, Instance, RccBit, Request, SignalLine};\n\n\
         /// Interrupt lines by number and name.\n\
         pub(crate) const INTERRUPTS: &[(u8, &str)] = &[",
    );
    out.extend(interrupts.iter().map(|(line, name)| format!("({line}, {name:?}),")));
    out += "];\n\n\
            /// The bit of RESETS that ends the reset of a block: the block answers while RESET_DONE has it.\n\
            const fn done(bit: u8) -> Option<RccBit> {\n    Some(RccBit { offset: 8, bit })\n}\n\n\
            /// The bit of RESETS that resets a block.\n\
            const fn reset(bit: u8) -> Option<RccBit> {\n    Some(RccBit { offset: 0, bit })\n}\n\n\
            /// An interrupt line of a block.\n\
            const fn line(signal: &'static str, line: u8) -> SignalLine {\n    SignalLine { signal, line }\n}\n\n\
            /// A DMA request of a block.\n\
            const fn dreq(signal: &'static str, number: u8) -> Request {\n    Request { signal, number }\n}\n\n\
            /// A signal of a block at a pin of bank 0.\n\
            const fn pin(signal: &'static str, pin: u8, function: u8) -> AlternateFunction {\n\
            AlternateFunction { signal, port: Pin::GPIO, pin, function }\n}\n\n\
            /// The peripherals, by address.\npub(crate) const PERIPHERALS: &[Instance] = &[\n";
    for block in blocks {
        let name = &block.name;
        let module = &modules.of.iter().find(|(of, _)| of == name).expect("each has a map").1;
        let bit = corrections::reset_bit(name);
        let of_bit = |function: &str| bit.map_or("None".to_owned(), |bit| format!("{function}({bit})"));
        let interrupts: String =
            block.interrupts.iter().map(|(signal, number)| format!("line({signal:?}, {number}),")).collect();
        let requests: String =
            corrections::requests(name).iter().map(|(signal, number)| format!("dreq({signal:?}, {number}),")).collect();
        let pins: String = corrections::pins(name)
            .iter()
            .map(|(signal, at, function)| format!("pin({signal:?}, {at}, {function}),"))
            .collect();
        let clock = corrections::clock(name);
        let (enable, reset) = (of_bit("done"), of_bit("reset"));
        out += &format!(
            "Instance {{ name: {name:?}, address: {:#x}, map: &generated::{module}::MAP, clock: BusClock::{clock}, \
             enable: {enable}, reset: {reset}, interrupts: &[{interrupts}], requests: &[{requests}], triggers: &[], \
             remap: None, pins: &[{pins}] }},\n",
            block.address
        );
    }
    out + "];\n"
}
