//! Corrections of the descriptions: their errors and their gaps.

use cyclescope_peripherals_generate_tables::{Access, Field, Register};

use crate::describe::Part;

/// Bits that a description lists and the part does not have, with the datasheet's place.
const ABSENT: &[(&str, &str, &str)] = &[
    // 7766J §7.9.2 and the register summary: bits 6 and 1 are reserved; the part has no Timer 2 and no USART0.
    ("atmega32u4", "PRR0", "PRTIM2"),
    ("atmega32u4", "PRR0", "PRUSART0"),
    // The core has RAMPZ; that its reserved bits are reserved goes without a field.
    ("atmega32u4", "RAMPZ", "Res"),
];

/// Fields by name, lowest bit and width.
type Fields = &'static [(&'static str, u32, u32)];

/// Registers whose fields a description lumps together, with the fields of the datasheet.
const FIELDS: &[(&str, &str, Fields)] = &[
    // 8271H §13.2.2, §13.2.3, §13.2.4, §13.2.5.
    ("atmega328p", "EIFR", &[("INTF0", 0, 1), ("INTF1", 1, 1)]),
    ("atmega328p", "EIMSK", &[("INT0", 0, 1), ("INT1", 1, 1)]),
    ("atmega328p", "PCIFR", &[("PCIF0", 0, 1), ("PCIF1", 1, 1), ("PCIF2", 2, 1)]),
    ("atmega328p", "PCICR", &[("PCIE0", 0, 1), ("PCIE1", 1, 1), ("PCIE2", 2, 1)]),
    // 7766J §11.1.2 to §11.1.4: of INT4, INT5 and INT7 there is nothing on this part.
    ("atmega32u4", "EIFR", &[("INTF0", 0, 1), ("INTF1", 1, 1), ("INTF2", 2, 1), ("INTF3", 3, 1), ("INTF6", 6, 1)]),
    ("atmega32u4", "EIMSK", &[("INT0", 0, 1), ("INT1", 1, 1), ("INT2", 2, 1), ("INT3", 3, 1), ("INT6", 6, 1)]),
    ("atmega32u4", "EICRB", &[("ISC6", 4, 2)]),
    // 7766J §12.4: PSRASY is there, though nothing hangs on it.
    ("atmega32u4", "GTCCR", &[("PSRSYNC", 0, 1), ("PSRASY", 1, 1), ("TSM", 7, 1)]),
    // WDP3 stands apart from WDP2 to WDP0 (8271H §11.9.2, 7766J §8.2.2).
    ("", "WDTCSR", &[("WDP", 0, 3), ("WDE", 3, 1), ("WDCE", 4, 1), ("WDP3", 5, 1), ("WDIE", 6, 1), ("WDIF", 7, 1)]),
];

/// Registers that software only reads (8271H §24.9.3, 7766J §24.9.3).
const READ_ONLY: &[&str] = &["ADCL", "ADCH"];

/// Corrects what was read of the part `module`. A correction that no longer corrects anything fails.
pub fn apply(module: &str, part: &mut Part) {
    for (_, register, field) in ABSENT.iter().filter(|(of, ..)| *of == module) {
        let register = find(part, register);
        let before = register.fields.len();
        register.fields.retain(|known| known.name != *field);
        assert!(register.fields.len() < before, "{}.{field} is no longer listed", register.name);
    }
    for (_, register, fields) in FIELDS.iter().filter(|(of, ..)| of.is_empty() || *of == module) {
        let register = find(part, register);
        let fields: Vec<Field> = fields.iter().map(|(name, low, width)| Field::new(*name, *low, *width)).collect();
        assert_ne!(register.fields, fields, "{} needs no correction", register.name);
        register.fields = fields;
    }
    for name in READ_ONLY {
        find(part, name).access = Access::ReadOnly;
    }
}

fn find<'a>(part: &'a mut Part, name: &str) -> &'a mut Register {
    part.registers.iter_mut().find(|known| known.name == name).expect("the register is there")
}
