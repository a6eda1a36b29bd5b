//! The part's table.

use cyclescope_peripherals_generate_tables::map::Modules;
use cyclescope_peripherals_generate_tables::svd::Peripheral;

use crate::corrections;

/// The table of the MK20DX256.
pub fn render(peripherals: &[Peripheral], modules: &Modules) -> String {
    let mut interrupts: Vec<(u32, String)> =
        peripherals.iter().flat_map(|p| p.interrupts.iter().map(|(name, line)| (*line, name.to_uppercase()))).collect();
    interrupts
        .extend(corrections::FURTHER_INTERRUPTS.iter().map(|(line, name)| (u32::from(*line), (*name).to_owned())));
    interrupts.sort();
    interrupts.dedup_by_key(|(line, _)| *line);
    let mut out = String::from(
        "//! MK20DX256, written by `crates/peripherals/generate-kinetis`; do not edit.\n\n\
         use cyclescope_peripherals::kinetis::generated;\n\
         use cyclescope_peripherals::{AlternateFunction, BusClock, Instance, RccBit, Request, SignalLine};\n\n\
         /// Interrupt lines by number and name.\n\
         pub(crate) const INTERRUPTS: &[(u8, &str)] = &[",
    );
    out.extend(interrupts.iter().map(|(line, name)| format!("({line}, {name:?}),")));
    out += "];\n\n/// The peripherals, by address.\npub(crate) const PERIPHERALS: &[Instance] = &[\n";
    let sim = peripherals.iter().find(|p| p.name == "SIM").expect("the part has a SIM");
    for peripheral in peripherals {
        let gate = match corrections::gate(&peripheral.name) {
            None => "None".to_owned(),
            Some((register, field)) => {
                let register = sim.registers.iter().find(|r| r.name == register).expect("SIM has the register");
                let bit = register
                    .fields
                    .iter()
                    .find(|f| f.name == field)
                    .unwrap_or_else(|| panic!("{} has {field}", register.name));
                format!("Some(RccBit {{ offset: {:#x}, bit: {} }})", register.offset, bit.low)
            }
        };
        let lines: String = peripheral
            .interrupts
            .iter()
            .map(|(name, line)| {
                let signal = name.strip_prefix(&peripheral.name).unwrap_or(name).trim_start_matches('_');
                let signal = if signal.is_empty() { "GLOBAL".to_owned() } else { signal.to_uppercase() };
                format!("SignalLine {{ signal: {signal:?}, line: {line} }},")
            })
            .collect();
        let pins: String = corrections::PINS
            .iter()
            .filter(|(of, ..)| *of == peripheral.name)
            .map(|(_, signal, port, pin, function)| {
                format!("AlternateFunction {{ signal: {signal:?}, port: {port}, pin: {pin}, function: {function} }},")
            })
            .collect();
        let requests: String = corrections::REQUESTS
            .iter()
            .filter(|(of, ..)| *of == peripheral.name)
            .map(|(_, signal, number)| format!("Request {{ signal: {signal:?}, number: {number} }},"))
            .collect();
        let module = &modules.of.iter().find(|(of, _)| *of == peripheral.name).expect("each has a map").1;
        let clock = if corrections::counts_core_clock(&peripheral.name) { "Ahb" } else { "Apb1" };
        out += &format!(
            "Instance {{ name: {:?}, address: {:#x}, map: &generated::{module}::MAP, clock: BusClock::{clock}, \
             enable: {gate}, reset: None, interrupts: &[{lines}], requests: &[{requests}], triggers: &[], remap: None, pins: &[{pins}] }},",
            peripheral.name, peripheral.address,
        );
    }
    out + "];\n"
}
