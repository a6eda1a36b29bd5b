//! Known defects of simavr's parts: the tolerance for each, and a program that shows it.

use cyclescope_chips::avr::AvrPart;

use super::programs::{self, Program};
use super::rules::{Allow, Reads, Rules};

/// A defect of the peer, and the tolerance for it.
#[derive(Debug)]
pub struct Tolerance {
    /// The difference.
    pub what: &'static str,
    /// The reason why our result is right.
    pub why: &'static str,
    /// Adds the tolerance to the rules.
    pub(super) allow: fn(&mut Rules, &Addresses),
    /// A program that differs without the tolerance.
    pub(super) shown_by: &'static Program,
}

/// The addresses and vectors of a part that the tolerances need.
#[derive(Debug)]
pub(super) struct Addresses {
    /// The serial port whose output is compared.
    pub(super) serial: u8,
    /// The port's UCSRA.
    ucsra: u8,
    /// The port's vectors.
    usart: [u8; 3],
    /// The vector of EEPROM ready.
    eeprom: u8,
    /// The vector of the converter.
    adc: u8,
    /// The vectors of external interrupts and pin changes.
    pins: &'static [u8],
    timers: &'static [Timer],
}

#[derive(Debug)]
struct Timer {
    /// The address of TCCRnB, which selects the clock.
    clock: u8,
    /// Tells if it selects among Timer 2's clocks.
    second: bool,
    counter: &'static [u8],
    flags: u8,
    vectors: &'static [u8],
}

/// The data address of PLLCSR.
const PLLCSR: usize = 0x49;
/// The data addresses of ADCSRA, SPSR, TWSR and TWCR.
const ADCSRA: usize = 0x7A;
const SPSR: usize = 0x4D;
const TWSR: usize = 0xB9;
const TWCR: usize = 0xBC;
/// The data address of EECR.
const EECR: usize = 0x3F;
/// The bit in EECR that starts a write and stays set until its end.
const EEPE: u8 = 1 << 1;

/// The ATmega328P (8271H §12.4 and §31).
const ATMEGA328P: Addresses = Addresses {
    serial: 0,
    ucsra: 0xC0,
    usart: [18, 19, 20],
    eeprom: 22,
    adc: 21,
    pins: &[1, 2, 3, 4, 5],
    timers: &[
        Timer { clock: 0x45, second: false, counter: &[0x46], flags: 0x35, vectors: &[14, 15, 16] },
        Timer { clock: 0x81, second: false, counter: &[0x84, 0x85], flags: 0x36, vectors: &[10, 11, 12, 13] },
        Timer { clock: 0xB1, second: true, counter: &[0xB2], flags: 0x37, vectors: &[7, 8, 9] },
    ],
};

/// The ATmega32U4 (7766J §9.1 and §31).
const ATMEGA32U4: Addresses = Addresses {
    serial: 1,
    ucsra: 0xC8,
    usart: [25, 26, 27],
    eeprom: 30,
    adc: 29,
    pins: &[1, 2, 3, 4, 7, 9],
    timers: &[
        Timer { clock: 0x45, second: false, counter: &[0x46], flags: 0x35, vectors: &[21, 22, 23] },
        Timer { clock: 0x81, second: false, counter: &[0x84, 0x85], flags: 0x36, vectors: &[16, 17, 18, 19, 20] },
        Timer { clock: 0x91, second: false, counter: &[0x94, 0x95], flags: 0x38, vectors: &[31, 32, 33, 34, 35] },
    ],
};

/// Returns the addresses and vectors of `part`.
pub(super) fn addresses(part: &AvrPart) -> &'static Addresses {
    if part.name == cyclescope_chips::avr::ATMEGA32U4.name { &ATMEGA32U4 } else { &ATMEGA328P }
}

/// All known defects.
pub const TOLERANCES: &[Tolerance] = &[
    Tolerance {
        what: "taking an interrupt costs no cycles",
        why: "four, or five on the ATmega32U4 (8271H §7.7.1, 7766J p. 16); the peer adds them",
        allow: |rules, addresses| rules.entry = if addresses.serial == 0 { 4 } else { 5 },
        shown_by: &programs::OVERFLOW,
    },
    Tolerance {
        what: "a timer's prescaler begins with the write that chooses the clock, its flags come with the count and not a \
               cycle behind it, and an instruction reads its registers when it begins",
        why: "prescalers run freely (8271H §17), flags are set in the cycle after the match (figures 15-8 to 15-11), and \
              registers are accessed in the cycle of the access; a tick of the prescaler and some cycles may lie between",
        allow: |rules, addresses| {
            for timer in addresses.timers {
                for vector in timer.vectors {
                    rules.allow[usize::from(*vector)] =
                        Allow::Tick { clock: timer.clock, second: timer.second, cycles: 8 };
                }
                for counter in timer.counter {
                    rules.reads[usize::from(*counter)] =
                        Reads::Count { clock: timer.clock, second: timer.second, cycles: 4 };
                }
                rules.reads[usize::from(timer.flags)] = Reads::Bits(0x2F);
            }
        },
        shown_by: &programs::OVERFLOW,
    },
    Tolerance {
        what: "the USART counts a parity bit where there is none, and sends from UDR itself",
        why: "a frame of 8N1 has ten bits, and UDR is a buffer before the shift register (8271H §20.4 and §20.6.1); RXC, TXC \
              and UDRE come at other times, the bytes must be the same",
        allow: |rules, addresses| {
            for vector in addresses.usart {
                rules.allow[usize::from(vector)] = Allow::Any;
            }
            rules.reads[usize::from(addresses.ucsra)] = Reads::Bits(0xE0);
        },
        shown_by: &programs::USART,
    },
    Tolerance {
        what: "an edge of a pin asks for its interrupt at once",
        why: "it passes a synchroniser of two flip-flops, a pin change one more (8271H §13.1 and §14.2.4); what that takes, and \
              the rest of the instruction in which it ends, lie between",
        allow: |rules, addresses| {
            for vector in addresses.pins {
                rules.allow[usize::from(*vector)] = Allow::Cycles(6);
            }
        },
        shown_by: &programs::PINS,
    },
    Tolerance {
        what: "EEPE reads as 0 while a byte of the EEPROM is being written, and EE_READY is asked for once, at its end",
        why: "EEPE is cleared when the write has ended, and while EERIE is set a cleared EEPE asks for the interrupt (8271H \
              §8.6.3)",
        allow: |rules, addresses| {
            rules.allow[usize::from(addresses.eeprom)] = Allow::Any;
            rules.reads[EECR] = Reads::Bits(EEPE);
        },
        shown_by: &programs::EEPROM,
    },
    Tolerance {
        what: "an access to the EEPROM does not halt the core",
        why: "it does for two cycles where a write begins and for four where a byte is read (8271H §8.4); the peer waits as long",
        allow: |rules, _| rules.halts = EECR as u8,
        shown_by: &programs::EEPROM,
    },
    Tolerance {
        what: "a conversion ends at another cycle",
        why: "it begins with an edge of the ADC's clock, whose prescaler runs from the write of ADEN on (8271H §24.4)",
        allow: |rules, addresses| {
            // A cycle of the ADC's clock, and the rest of an instruction.
            rules.allow[usize::from(addresses.adc)] = Allow::Cycles(70);
            rules.reads[ADCSRA] = Reads::Bits(0x50);
        },
        shown_by: &programs::ANALOG,
    },
    Tolerance {
        what: "a byte over SPI takes 100 µs whatever the clock, conditions and bytes on I2C take other times than SCL's, and an \
               address that nobody acknowledges is told like a byte of data",
        why: "SPCR and TWBR say how long they take (8271H table 19-5 and §22.5.2), and TWSR is 0x20 then (table 22-2)",
        allow: |rules, _| {
            rules.reads[SPSR] = Reads::Bits(0xC0);
            rules.reads[TWCR] = Reads::Bits(0x90);
            rules.reads[TWSR] = Reads::Bits(0x10);
        },
        shown_by: &programs::WIRES,
    },
    Tolerance {
        what: "the ATmega32U4's PLL has locked as soon as it is enabled",
        why: "that takes a while, which software waits for by PLOCK (7766J §6.11.2)",
        allow: |rules, addresses| {
            if addresses.serial == 1 {
                rules.reads[PLLCSR] = Reads::Bits(1);
            }
        },
        shown_by: &programs::PLL,
    },
    Tolerance {
        what: "TXEN is set after a reset",
        why: "UCSRnB is 0 then (8271H §20.11.3); the peer clears it",
        allow: |rules, addresses| rules.clear = addresses.ucsra + 1,
        shown_by: &programs::RESET,
    },
    Tolerance {
        what: "choosing a timer's clock sets its counter to 0",
        why: "it goes on from where it is (8271H §15.3 to §15.5: only a write, a match or an overflow changes it); programs that \
              are compared choose a clock once, or set the counter after it",
        allow: |_, _| {},
        shown_by: &programs::CLOCK,
    },
    Tolerance {
        what: "reserved bits keep what is written to them",
        why: "they read as 0 (8271H §10.11.1 for those of SMCR); programs that are compared leave them alone",
        allow: |_, _| {},
        shown_by: &programs::RESERVED,
    },
];
