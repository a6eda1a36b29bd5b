//! The parts.

mod atmega328p;
mod atmega32u4;

use cyclescope_machine::Pin;
use cyclescope_peripherals::avr::adc::Model;
use cyclescope_peripherals::avr::{Instance, Kind, PowerBit, Reg, pin, plain};

pub use atmega32u4::ATMEGA32U4;
pub use atmega328p::ATMEGA328P;

/// A port whose PINx is at `address`, with DDRx and PORTx behind it.
const fn port(name: &'static str, letter: u8, registers: &'static [Reg; 3]) -> Instance {
    Instance { number: letter - b'A', ..plain(name, Kind::Port, registers) }
}

/// The pins of pin change interrupts: eight of each port, of which some may be missing.
const fn pins<const COUNT: usize>(ports: &[(u8, u8)]) -> [Option<Pin>; COUNT] {
    let mut pins = [None; COUNT];
    let mut at = 0;
    while at < COUNT {
        let (letter, there) = ports[at / 8];
        let number = (at % 8) as u8;
        if there & 1 << number != 0 {
            pins[at] = pin(letter, number);
        }
        at += 1;
    }
    pins
}

/// The registers of a port whose PINx is at `address`.
const fn port_registers(address: u8) -> [Reg; 3] {
    Reg::all_of([address, address + 1, address + 2])
}

/// The registers of a USART whose UCSRnA is at `address`. MPCM, UMSEL and UCPOL are not modelled.
const fn usart_registers(address: u8) -> [Reg; 6] {
    [
        Reg::some(address, 0xFE),
        Reg::all(address + 1),
        Reg::some(address + 2, 0x3E),
        Reg::all(address + 4),
        Reg::all(address + 5),
        Reg::all(address + 6),
    ]
}

/// SPCR, SPSR, SPDR.
const SPI_REGISTERS: &[Reg] = &Reg::all_of([0x4C, 0x4D, 0x4E]);

/// The SPI with its pins SCK, MOSI, MISO and SS, and its vector.
const fn spi(
    pins: &'static [Option<Pin>; 4],
    signals: &'static [(&'static str, Pin)],
    vectors: &'static [u8],
) -> Instance {
    Instance {
        vectors,
        outputs: pins,
        inputs: pins,
        signals,
        power: Some(PowerBit { register: 0, bit: 2 }),
        ..plain("SPI", Kind::Spi, SPI_REGISTERS)
    }
}

/// The names of the lines of SPI, at `pins`.
const fn spi_lines(pins: &[Option<Pin>; 4]) -> [(&'static str, Pin); 3] {
    let [Some(sck), Some(mosi), Some(miso), _] = *pins else { panic!("the lines have pins") };
    [("SCK", sck), ("MOSI", mosi), ("MISO", miso)]
}

/// The TWI with its pins SCL and SDA, and its vector.
const fn twi(
    pins: &'static [Option<Pin>; 2],
    signals: &'static [(&'static str, Pin)],
    vectors: &'static [u8],
) -> Instance {
    Instance {
        vectors,
        outputs: pins,
        inputs: pins,
        signals,
        power: Some(PowerBit { register: 0, bit: 7 }),
        ..plain("TWI", Kind::Twi, TWI_REGISTERS)
    }
}

/// TWBR, TWSR, TWAR, TWDR, TWCR, TWAMR.
const TWI_REGISTERS: &[Reg] = &Reg::all_of([0xB8, 0xB9, 0xBA, 0xBB, 0xBC, 0xBD]);

/// The names of the lines of TWI, at `pins`.
const fn twi_lines(pins: &[Option<Pin>; 2]) -> [(&'static str, Pin); 2] {
    let [Some(scl), Some(sda)] = *pins else { panic!("the lines have pins") };
    [("SCL", scl), ("SDA", sda)]
}

/// The converter that is as `model` says, and its vector; DIDR2 has only the ATmega32U4.
const fn adc(model: &'static Model, registers: &'static [Reg; 7], vectors: &'static [u8]) -> Instance {
    Instance { vectors, power: Some(PowerBit { register: 0, bit: 0 }), ..plain("ADC", Kind::Adc(model), registers) }
}

/// ADCL, ADCH, ADCSRA, ADCSRB, ADMUX, DIDR0, and DIDR2 at `didr2`.
const fn adc_registers(didr2: Reg) -> [Reg; 7] {
    let [low, high, status, more, admux, didr0] = Reg::all_of([0x78, 0x79, 0x7A, 0x7B, 0x7C, 0x7E]);
    [low, high, status, more, admux, didr0, didr2]
}

/// The analog comparator with the pins AIN0, AIN1 and ADC0 to ADC7, and its vector.
const fn comparator(inputs: &'static [Option<Pin>; 10], vectors: &'static [u8]) -> Instance {
    Instance { vectors, inputs, ..plain("AC", Kind::Comparator, COMPARATOR_REGISTERS) }
}

/// ACSR, DIDR1.
const COMPARATOR_REGISTERS: &[Reg] = &Reg::all_of([0x50, 0x7F]);

/// EECR, EEDR, EEARL, EEARH.
const EEPROM: &[Reg] = &Reg::all_of([0x3F, 0x40, 0x41, 0x42]);

/// SPMCSR.
const SPMCSR: &[Reg] = &[Reg::all(0x57)];

/// WDTCSR.
const WDTCSR: &[Reg] = &[Reg::all(0x60)];

/// GTCCR.
const GTCCR: &[Reg] = &[Reg::all(0x43)];

/// GPIOR0, GPIOR1, GPIOR2, OSCCAL.
const STORAGE: &[Reg] = &Reg::all_of([0x3E, 0x4A, 0x4B, 0x66]);

/// The reset values of the registers in `STORAGE`. OSCCAL's value is each chip's own; this is the middle of its range.
const STORED: &[u8] = &[0, 0, 0, 0x80];
