use crate::asm::*;
use crate::machine::{Machine, set};
use cyclescope_chips::avr::{ATMEGA32U4, ATMEGA328P};
use cyclescope_machine::{GapKind, Stop};
use std::collections::BTreeSet;

const PARTS: [&cyclescope_chips::avr::AvrPart; 2] = [&ATMEGA328P, &ATMEGA32U4];

#[test]
fn every_bit_is_declared_once_and_every_block_s_register_is_declared() {
    for part in PARTS {
        let mut last = 0;
        for register in part.map.registers {
            assert!(register.offset > last && (0x20..=0xFF).contains(&register.offset), "{}", register.name);
            last = register.offset;
            let mut bits = 0;
            for field in register.fields {
                assert_eq!(bits & field.mask(), 0, "{}.{}", register.name, field.name);
                bits |= field.mask();
            }
            assert!(bits != 0 && bits <= 0xFF, "{}", register.name);
        }
        let mut used = BTreeSet::new();
        for instance in part.instances {
            for register in instance.registers.iter().filter(|register| register.address != 0) {
                assert!(part.register(register.address).is_some(), "{}: {:#x}", instance.name, register.address);
                assert!(used.insert(register.address), "{}: {:#x} is another's", instance.name, register.address);
            }
        }
    }
}

#[test]
fn vectors_are_their_blocks_own() {
    // The block's name, and what its vectors are called, in the block's order.
    let expected: &[(&str, &str, &[&str])] = &[
        ("atmega328p", "EXINT", &["INT0", "INT1"]),
        ("atmega328p", "PCINT", &["PCINT0", "PCINT1", "PCINT2"]),
        ("atmega328p", "TC0", &["TIMER0_OVF", "TIMER0_COMPA", "TIMER0_COMPB"]),
        ("atmega328p", "TC1", &["TIMER1_OVF", "TIMER1_COMPA", "TIMER1_COMPB", "", "TIMER1_CAPT"]),
        ("atmega328p", "TC2", &["TIMER2_OVF", "TIMER2_COMPA", "TIMER2_COMPB"]),
        ("atmega328p", "USART0", &["USART_RX", "USART_UDRE", "USART_TX"]),
        ("atmega328p", "SPI", &["SPI_STC"]),
        ("atmega328p", "TWI", &["TWI"]),
        ("atmega328p", "ADC", &["ADC"]),
        ("atmega328p", "AC", &["ANALOG_COMP"]),
        ("atmega328p", "EEPROM", &["EE_READY"]),
        ("atmega328p", "SPM", &["SPM_Ready"]),
        ("atmega328p", "WDT", &["WDT"]),
        ("atmega32u4", "EXINT", &["INT0", "INT1", "INT2", "INT3", "", "", "INT6"]),
        ("atmega32u4", "PCINT", &["PCINT0"]),
        ("atmega32u4", "TC0", &["TIMER0_OVF", "TIMER0_COMPA", "TIMER0_COMPB"]),
        ("atmega32u4", "TC1", &["TIMER1_OVF", "TIMER1_COMPA", "TIMER1_COMPB", "TIMER1_COMPC", "TIMER1_CAPT"]),
        ("atmega32u4", "TC3", &["TIMER3_OVF", "TIMER3_COMPA", "TIMER3_COMPB", "TIMER3_COMPC", "TIMER3_CAPT"]),
        ("atmega32u4", "TC4", &["TIMER4_OVF", "TIMER4_COMPA", "TIMER4_COMPB", "TIMER4_COMPD", "TIMER4_FPF"]),
        ("atmega32u4", "USART1", &["USART1_RX", "USART1_UDRE", "USART1_TX"]),
        ("atmega32u4", "SPI", &["SPI_STC"]),
        ("atmega32u4", "TWI", &["TWI"]),
        ("atmega32u4", "ADC", &["ADC"]),
        ("atmega32u4", "AC", &["ANALOG_COMP"]),
        ("atmega32u4", "EEPROM", &["EE_READY"]),
        ("atmega32u4", "SPM", &["SPM_READY"]),
        ("atmega32u4", "WDT", &["WDT"]),
    ];
    for (part, block, names) in expected {
        let part = PARTS.into_iter().find(|known| known.name == *part).expect("it is one of the two");
        let instance = part.instances.iter().find(|instance| instance.name == *block).expect("the part has it");
        for (index, name) in names.iter().enumerate() {
            let vector = if name.is_empty() { Some(0) } else { part.vector(name) };
            assert_eq!(Some(instance.vectors[index]), vector, "{} {block} {name}", part.name);
        }
    }
}

#[test]
fn registers_hold_their_reset_values() {
    // Of the datasheets' register descriptions, those that are not 0.
    for (part, expected) in [
        (
            &ATMEGA328P,
            &[("UCSR0A", 0x20), ("UCSR0C", 0x06), ("TWSR", 0xF8), ("TWAR", 0xFE), ("TWDR", 0xFF), ("MCUSR", 0x01)][..],
        ),
        (
            &ATMEGA32U4,
            &[
                ("UCSR1A", 0x20),
                ("UCSR1C", 0x06),
                ("TWSR", 0xF8),
                ("OCR4C", 0xFF),
                ("PLLFRQ", 0x04),
                ("MCUSR", 0x01),
                ("USBSTA", 0x02),
            ],
        ),
    ] {
        for register in part.map.registers {
            let [load, address] = lds(16, register.offset as u16);
            let code: &[(u32, &[u16])] = &[(crate::machine::CODE, &[load, address, BREAK])];
            let mut machine = Machine::of(part, code);
            machine.run_to_break();
            let known = expected.iter().find(|(name, _)| *name == register.name);
            // The stack pointer is the core's, OSCCAL each chip's own, the board's crystal is in CLKSEL0 and CLKSTA.
            if ["SPL", "SPH", "OSCCAL", "CLKSEL0", "CLKSTA", "USBCON", "UDCON", "TWAR", "TWDR"].contains(&register.name)
            {
                continue;
            }
            assert_eq!(machine.r(16), known.map_or(0, |(_, value)| *value), "{} {}", part.name, register.name);
        }
    }
}

#[test]
fn what_is_not_modelled_is_named_when_used() {
    // Of the ATmega32U4: RTS of its serial port, and its RC oscillator, which is waited for.
    let [load, address] = lds(17, 0xC7);
    let mut machine = Machine::u4(&[&set(0xCB, 0x01), &[load, address, sbrs(17, 1), rjmp(-4), BREAK]]);
    let (_, stop) = machine.run(10_000);
    assert_eq!(stop, Stop::Horizon, "it waits for ever");
    let gaps = machine.bus.shared.gaps.all();
    let named = |kind, name| gaps.iter().find(|gap| gap.kind == kind && gap.name == name).map(|gap| gap.count);
    assert_eq!(named(GapKind::RegisterWrite, "UCSR1D.RTSEN"), Some(1), "{gaps:?}");
    assert!(named(GapKind::RegisterRead, "CLKSTA") > Some(1000), "{gaps:?}");
}

#[test]
fn bits_beside_modelled_ones_are_stored_and_named_and_reserved_bits_stay() {
    let [load, address] = lds(17, 0x55);
    let [load2, address2] = lds(18, 0x6E);
    let mut machine = Machine::new(&[
        &set(0x55, 0x50),
        &set(0x6E, 0xFF),
        &set(0x62, 1),
        &[load, address, load2, address2, sbi(0x0C, 1), BREAK],
    ]);
    machine.run_to_break();
    // MCUCR: PUD and BODS; TIMSK0 has three bits.
    assert_eq!((machine.r(17), machine.r(18)), (0x50, 0x07));
    assert_eq!(machine.gaps(), ["MCUCR.BODS", "no register at 0x62", "no register at 0x2c"]);
}

#[test]
fn the_config_of_the_core_is_the_parts() {
    let uno = ATMEGA328P.config(true);
    assert_eq!((uno.reset, uno.stack_pointer, uno.vectors), (0x7E00, 0x8FF, 26));
    assert_eq!(ATMEGA328P.config(false).reset, 0);
    let leonardo = ATMEGA32U4.config(true);
    assert_eq!((leonardo.reset, leonardo.stack_pointer, leonardo.vectors), (0x7000, 0xAFF, 43));
}

#[test]
fn timing_rows_have_names_of_their_own() {
    for part in PARTS {
        let mut names: Vec<&str> = part.timing_rows().iter().map(|row| row.name).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
