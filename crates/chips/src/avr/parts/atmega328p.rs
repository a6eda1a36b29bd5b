//! ATmega328P on a board with a crystal of 16 MHz (8271H; the register summary is chapter 31).

use cyclescope_avr::decode::Extensions;
use cyclescope_machine::Pin;
use cyclescope_machine::units::Hertz;
use cyclescope_peripherals::avr::Sections;
use cyclescope_peripherals::avr::adc::Model;
use cyclescope_peripherals::avr::generated::atmega328p::{MAP, VECTORS};
use cyclescope_peripherals::avr::timer::wiring;
use cyclescope_peripherals::avr::{Instance, Kind, PowerBit, Reg, pin, plain};

use super::{
    EEPROM, GTCCR, SPMCSR, STORAGE, STORED, WDTCSR, adc, adc_registers, comparator, pins, port, port_registers, spi,
    spi_lines, twi, twi_lines, usart_registers,
};
use crate::avr::{AvrPart, Fuses};

/// As the Arduino Uno has them: crystal, 16K CK and 65 ms; boot section of 512 bytes, reset goes there; brown-out at 2.7 V.
const FUSES: Fuses = Fuses { low: 0xFF, high: 0xDE, extended: 0xFD };

/// 8271H §27.8, tables 27-7 to 27-9; pages of 64 words.
const SECTIONS: Sections = Sections { page: 128, boot: 0x8000 - FUSES.boot_bytes(512), no_read_while_write: 0x7000 };

/// SCK, MOSI, MISO, SS.
const SPI: &[Option<Pin>; 4] = &[pin(b'B', 5), pin(b'B', 3), pin(b'B', 4), pin(b'B', 2)];

/// SCL, SDA.
const TWI: &[Option<Pin>; 2] = &[pin(b'C', 5), pin(b'C', 4)];

/// 8271H chapter 24; ADC6 and ADC7 have pins only in packages that the Uno's is not one of.
static ADC: Model = Model {
    pins: &[pin(b'C', 0), pin(b'C', 1), pin(b'C', 2), pin(b'C', 3), pin(b'C', 4), pin(b'C', 5)],
    reference: 1_100_000,
    differential: false,
    // 8271H table 24-6.
    triggers: &[0, 23, 1, 14, 16, 12, 13, 10],
};

/// AIN0, AIN1, and ADC0 on.
const COMPARED: &[Option<Pin>; 10] = &[
    pin(b'D', 6),
    pin(b'D', 7),
    pin(b'C', 0),
    pin(b'C', 1),
    pin(b'C', 2),
    pin(b'C', 3),
    pin(b'C', 4),
    pin(b'C', 5),
    None,
    None,
];

static INSTANCES: &[Instance] = &[
    plain(
        "CPU",
        Kind::System { shift: FUSES.clock_shift() },
        // BODS and BODSE of MCUCR are not modelled.
        &[Reg::all(0x54), Reg::some(0x55, 0x13), Reg::all(0x61), Reg::all(0x64), Reg::NONE],
    ),
    port("PORTB", b'B', &port_registers(0x23)),
    port("PORTC", b'C', &port_registers(0x26)),
    port("PORTD", b'D', &port_registers(0x29)),
    Instance {
        vectors: &[1, 2],
        inputs: &[pin(b'D', 2), pin(b'D', 3)],
        ..plain(
            "EXINT",
            Kind::ExternalInterrupts { asynchronous: 0 },
            &[Reg::all(0x69), Reg::NONE, Reg::all(0x3D), Reg::all(0x3C)],
        )
    },
    Instance {
        vectors: &[3, 4, 5],
        inputs: &pins::<24>(&[(b'B', 0xFF), (b'C', 0x7F), (b'D', 0xFF)]),
        ..plain(
            "PCINT",
            Kind::PinChangeInterrupts,
            &[Reg::all(0x68), Reg::all(0x3B), Reg::all(0x6B), Reg::all(0x6C), Reg::all(0x6D)],
        )
    },
    Instance { vectors: &[6], ..plain("WDT", Kind::Watchdog { always_on: FUSES.watchdog_always_on() }, WDTCSR) },
    plain("GTCCR", Kind::Prescaler, GTCCR),
    wiring::TIMER0_328P,
    wiring::TIMER1_328P,
    wiring::TIMER2_328P,
    Instance {
        vectors: &[18, 19, 20],
        outputs: &[pin(b'D', 1), pin(b'D', 0)],
        power: Some(PowerBit { register: 0, bit: 1 }),
        ..plain("USART0", Kind::Usart, &usart_registers(0xC0))
    },
    spi(SPI, const { &spi_lines(SPI) }, &[17]),
    twi(TWI, const { &twi_lines(TWI) }, &[24]),
    adc(&ADC, const { &adc_registers(Reg::NONE) }, &[21]),
    comparator(COMPARED, &[23]),
    Instance { vectors: &[22], ..plain("EEPROM", Kind::Eeprom { bytes: 1024 }, EEPROM) },
    Instance { vectors: &[25], ..plain("SPM", Kind::SelfProgramming(SECTIONS), SPMCSR) },
    plain("GPIOR", Kind::Storage(STORED), STORAGE),
];

/// ATmega328P.
pub static ATMEGA328P: AvrPart = AvrPart {
    name: "atmega328p",
    timing: &cyclescope_avr::timing::ATMEGA328P,
    extensions: Extensions::NONE,
    rampz: None,
    eind: None,
    signature: [0x1E, 0x95, 0x0F],
    vectors: VECTORS,
    map: &MAP,
    reset_values: &[],
    instances: INSTANCES,
    flash_bytes: 0x8000,
    ram_start: 0x100,
    ram_bytes: 0x800,
    sections: SECTIONS,
    fuses: FUSES,
    crystal: Hertz::new(16_000_000),
    // PB6 and PB7 carry the crystal, PC6 is RESET.
    bonded: &[(1, 0x3F), (2, 0x3F), (3, 0xFF)],
};
