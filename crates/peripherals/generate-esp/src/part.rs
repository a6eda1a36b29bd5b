//! The parts' tables.

use cyclescope_peripherals_generate_tables::map::Modules;
use cyclescope_peripherals_generate_tables::svd::Peripheral;

use crate::corrections;

/// The maker of blocks that DPORT gates.
const GATED: &str = "/// `block`, which DPORT gates and resets by its bit `bit`.\n\
    const fn gated(block: Instance, bit: u8) -> Instance {\n\
    Instance { enable: Some(RccBit { offset: 0xC0, bit }), reset: Some(RccBit { offset: 0xC4, bit }), ..block }\n}\n\n";

/// Returns the table of the part `name`, whose maps are in the module `folder`.
pub fn render(name: &str, folder: &str, peripherals: &[Peripheral], modules: &Modules) -> String {
    let is_gated = peripherals.iter().any(|known| corrections::gate(name, &known.name).is_some());
    let (bits, gated) = if is_gated { (", RccBit", GATED) } else { ("", "") };
    let mut out = format!(
        "//! {}, written by `crates/peripherals/generate-esp`; do not edit.\n\n\
         use cyclescope_peripherals::esp::{{{folder} as generated, pins_of}};\n\
         use cyclescope_peripherals::{{BusClock, Instance, Map{bits}, SignalLine}};\n\n\
         /// The block `name` at `address`, whose registers are `map`.\n\
         const fn block(name: &'static str, address: u32, map: &'static Map, interrupts: &'static [SignalLine]) -> Instance {{\n\
         Instance {{ name, address, map, clock: BusClock::Apb1, enable: None, reset: None, interrupts, requests: &[], \
         triggers: &[], remap: None, pins: pins_of(map, name) }}\n}}\n\n{gated}\
         /// The block's signal `signal` is the source `line` of the part's interrupts.\n\
         const fn line(signal: &'static str, line: u8) -> SignalLine {{\n    SignalLine {{ signal, line }}\n}}\n\n\
         /// The peripherals, by address.\npub(crate) const PERIPHERALS: &[Instance] = &[\n",
        name.to_uppercase(),
    );
    for peripheral in peripherals {
        let module = &modules.of.iter().find(|(of, _)| *of == peripheral.name).expect("each has a map").1;
        let lines = corrections::lines(name, &peripheral.name);
        let lines: Vec<String> = lines.iter().map(|(signal, line)| format!("line({signal:?}, {line})")).collect();
        let block = format!(
            "block({:?}, {:#x}, &generated::{module}::MAP, &[{}])",
            peripheral.name,
            peripheral.address,
            lines.join(", ")
        );
        out += &match corrections::gate(name, &peripheral.name) {
            Some(bit) => format!("gated({block}, {bit}),\n"),
            None => format!("{block},\n"),
        };
    }
    out + "];\n"
}
