//! The part's table.

use cyclescope_peripherals_generate_tables::map::Modules;

use crate::blocks::Block;
use crate::corrections;

/// Returns the table of the nRF52840.
pub fn render(blocks: &[Block], modules: &Modules) -> String {
    let mut interrupts: Vec<(u32, &str)> =
        blocks.iter().filter_map(|block| block.interrupt.as_ref()).map(|(name, line)| (*line, name.as_str())).collect();
    interrupts.sort();
    let mut out = String::from(
        "//! nRF52840, written by `crates/peripherals/generate-nrf`; do not edit.\n\n\
         use cyclescope_peripherals::nrf::{generated, pins_of};\n\
         use cyclescope_peripherals::{BusClock, Instance, Map, SignalLine};\n\n\
         /// Interrupt lines by number and name.\n\
         pub(crate) const INTERRUPTS: &[(u8, &str)] = &[",
    );
    out.extend(interrupts.iter().map(|(line, name)| format!("({line}, {name:?}),")));
    out += "];\n\n/// The block `name` at `address`, whose registers are `map`.\n\
            const fn block(name: &'static str, address: u32, map: &'static Map, clock: BusClock, \
            interrupts: &'static [SignalLine]) -> Instance {\n\
            Instance { name, address, map, clock, enable: None, reset: None, interrupts, requests: &[], triggers: &[], \
            remap: None, pins: pins_of(map) }\n}\n\n\
            /// The interrupt line `line` of a block.\n\
            const fn line(line: u8) -> SignalLine {\n    SignalLine { signal: \"GLOBAL\", line }\n}\n\n\
            /// The peripherals, by address.\npub(crate) const PERIPHERALS: &[Instance] = &[\n";
    for block in blocks {
        let module = &modules.of.iter().find(|(of, _)| *of == block.name).expect("each has a map").1;
        let clock = if corrections::counts_core_clock(&block.name) { "Ahb" } else { "Apb1" };
        let line = block.interrupt.as_ref().map_or(String::new(), |(_, line)| format!("line({line})"));
        out += &format!(
            "block({:?}, {:#x}, &generated::{module}::MAP, BusClock::{clock}, &[{line}]),\n",
            block.name, block.address
        );
    }
    out + "];\n"
}
