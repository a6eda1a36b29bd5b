//! ATmega32U4 on a board with a crystal of 16 MHz (7766J; the register summary is chapter 31).

use cyclescope_avr::decode::Extensions;
use cyclescope_machine::Pin;
use cyclescope_machine::units::Hertz;
use cyclescope_peripherals::avr::Sections;
use cyclescope_peripherals::avr::adc::Model;
use cyclescope_peripherals::avr::generated::atmega32u4::{MAP, VECTORS};
use cyclescope_peripherals::avr::timer::timer4::TIMER4_32U4;
use cyclescope_peripherals::avr::timer::wiring;
use cyclescope_peripherals::avr::{Instance, Kind, PowerBit, Reg, pin, plain};

use super::{
    EEPROM, GTCCR, SPMCSR, STORAGE, STORED, WDTCSR, adc, adc_registers, comparator, pins, port, port_registers, spi,
    spi_lines, twi, twi_lines, usart_registers,
};
use crate::avr::{AvrPart, Fuses};

/// As the Arduino Leonardo has them: crystal, 16K CK and 65 ms; boot section of 4 KiB, reset goes there; brown-out at 2.6 V.
const FUSES: Fuses = Fuses { low: 0xFF, high: 0xD8, extended: 0xCB };

/// 7766J §27.8, tables 27-7 to 27-9; pages of 64 words.
const SECTIONS: Sections = Sections { page: 128, boot: 0x8000 - FUSES.boot_bytes(512), no_read_while_write: 0x7000 };

/// SCK, MOSI, MISO, SS.
const SPI: &[Option<Pin>; 4] = &[pin(b'B', 1), pin(b'B', 2), pin(b'B', 3), pin(b'B', 0)];

/// SCL, SDA.
const TWI: &[Option<Pin>; 2] = &[pin(b'D', 0), pin(b'D', 1)];

/// 7766J chapter 24.
static ADC: Model = Model {
    pins: &[
        pin(b'F', 0),
        pin(b'F', 1),
        None,
        None,
        pin(b'F', 4),
        pin(b'F', 5),
        pin(b'F', 6),
        pin(b'F', 7),
        pin(b'D', 4),
        pin(b'D', 6),
        pin(b'D', 7),
        pin(b'B', 4),
        pin(b'B', 5),
        pin(b'B', 6),
    ],
    reference: 2_560_000,
    differential: true,
    // 7766J table 24-6.
    triggers: &[0, 28, 1, 21, 23, 18, 20, 16, 41, 38, 39, 40],
};

/// AIN0, no AIN1, and ADC0 on.
const COMPARED: &[Option<Pin>; 10] = &[
    pin(b'E', 6),
    None,
    pin(b'F', 0),
    pin(b'F', 1),
    None,
    None,
    pin(b'F', 4),
    pin(b'F', 5),
    pin(b'F', 6),
    pin(b'F', 7),
];

static INSTANCES: &[Instance] = &[
    plain(
        "CPU",
        Kind::System { shift: FUSES.clock_shift() },
        &[Reg::all(0x54), Reg::all(0x55), Reg::all(0x61), Reg::all(0x64), Reg::all(0x65)],
    ),
    port("PORTB", b'B', &port_registers(0x23)),
    port("PORTC", b'C', &port_registers(0x26)),
    port("PORTD", b'D', &port_registers(0x29)),
    port("PORTE", b'E', &port_registers(0x2C)),
    port("PORTF", b'F', &port_registers(0x2F)),
    Instance {
        vectors: &[1, 2, 3, 4, 0, 0, 7, 0],
        inputs: &[pin(b'D', 0), pin(b'D', 1), pin(b'D', 2), pin(b'D', 3), None, None, pin(b'E', 6), None],
        ..plain(
            "EXINT",
            // 7766J §11.1: edges of INT3 to INT0 are detected without clkI/O.
            Kind::ExternalInterrupts { asynchronous: 0x0F },
            &[Reg::all(0x69), Reg::all(0x6A), Reg::all(0x3D), Reg::all(0x3C)],
        )
    },
    Instance {
        vectors: &[9],
        inputs: &pins::<8>(&[(b'B', 0xFF)]),
        ..plain("PCINT", Kind::PinChangeInterrupts, &[Reg::all(0x68), Reg::all(0x3B), Reg::all(0x6B)])
    },
    Instance { vectors: &[12], ..plain("WDT", Kind::Watchdog { always_on: FUSES.watchdog_always_on() }, WDTCSR) },
    plain("GTCCR", Kind::Prescaler, GTCCR),
    wiring::TIMER0_32U4,
    wiring::TIMER1_32U4,
    wiring::TIMER3_32U4,
    TIMER4_32U4,
    Instance {
        number: 1,
        vectors: &[25, 26, 27],
        outputs: &[pin(b'D', 3), pin(b'D', 2)],
        power: Some(PowerBit { register: 1, bit: 0 }),
        ..plain("USART1", Kind::Usart, &usart_registers(0xC8))
    },
    spi(SPI, const { &spi_lines(SPI) }, &[24]),
    twi(TWI, const { &twi_lines(TWI) }, &[36]),
    adc(&ADC, const { &adc_registers(Reg::all(0x7D)) }, &[29]),
    comparator(COMPARED, &[28]),
    Instance { vectors: &[30], ..plain("EEPROM", Kind::Eeprom { bytes: 1024 }, EEPROM) },
    Instance { vectors: &[37], ..plain("SPM", Kind::SelfProgramming(SECTIONS), SPMCSR) },
    plain("GPIOR", Kind::Storage(STORED), STORAGE),
    plain("PLL", Kind::Pll, &[Reg::all(0x49), Reg::all(0x52)]),
    Instance {
        vectors: &[10, 11],
        ..plain(
            "USB",
            Kind::Usb,
            &Reg::all_of([
                0xD7, 0xD8, 0xD9, 0xDA, 0xE0, 0xE1, 0xE2, 0xE3, 0xE4, 0xE5, 0xE6, 0xE8, 0xE9, 0xEA, 0xEB, 0xEC, 0xED,
                0xEE, 0xEF, 0xF0, 0xF1, 0xF2, 0xF3, 0xF4,
            ]),
        )
    },
];

/// ATmega32U4.
pub static ATMEGA32U4: AvrPart = AvrPart {
    name: "atmega32u4",
    timing: &cyclescope_avr::timing::ATMEGA32U4,
    extensions: Extensions::NONE,
    rampz: Some(0x5B),
    eind: Some(0x5C),
    signature: [0x1E, 0x95, 0x87],
    vectors: VECTORS,
    map: &MAP,
    // CLKSEL0 with its crystal, CLKSTA.
    reset_values: &[(0xC5, 0x35), (0xC7, 0x01)],
    instances: INSTANCES,
    flash_bytes: 0x8000,
    ram_start: 0x100,
    ram_bytes: 0xA00,
    sections: SECTIONS,
    fuses: FUSES,
    crystal: Hertz::new(16_000_000),
    bonded: &[(1, 0xFF), (2, 0xC0), (3, 0xFF), (4, 0x44), (5, 0xF3)],
};
