//! ATmegas.

use cyclescope_chips::MemorySetting;
use cyclescope_machine::Pin;
use proptest::prelude::*;

use crate::avr_asm::*;
use crate::{Case, Loop, Scene, Writes, loops, outside};

const Z: u16 = 1;

/// The forms of a look at a register in the low I/O space.
fn look(wait: &Loop) -> Vec<u16> {
    let io = wait.polled as u16 - 0x20;
    if wait.polled < 0x40 && wait.mask.count_ones() == 1 && wait.mask < 0x100 {
        // SBIC or SBIS.
        let skip = if wait.while_zero { 0x9B00 } else { 0x9900 };
        return [&[skip | io << 3 | wait.mask.trailing_zeros() as u16][..], &[rjmp(-2)]].concat();
    }
    let [load, from] = lds(16, wait.polled as u16);
    let nops = vec![NOP; wait.inside];
    // ANDI
    let andi = 0x7000 | (wait.mask as u16 & 0xF0) << 4 | wait.mask as u16 & 0xF;
    let back = -(wait.inside as i16) - 4;
    let branch = if wait.while_zero { brbs(Z, back) } else { brbc(Z, back) };
    [&[load, from][..], &nops, &[andi, branch]].concat()
}

fn write((address, value): &(u32, u32)) -> [u16; 3] {
    let [store, to] = sts(*address as u16, 16);
    [ldi(16, *value as u8), store, to]
}

fn image(wait: &Loop) -> Vec<u8> {
    // Interrupts count in r20.
    let mut vectors: Vec<u16> = vec![inc(20), RETI].into_iter().cycle().take(0x100).collect();
    vectors[..2].copy_from_slice(&jmp(0x200));
    let mut code: Vec<u16> = wait.setup.iter().flat_map(write).collect();
    let again = code.len() as i16;
    code.extend(look(wait));
    code.push(inc(21));
    code.extend(wait.between.iter().flat_map(write));
    code.push(rjmp(again - code.len() as i16 - 1));
    vectors.into_iter().chain(code).flat_map(u16::to_le_bytes).collect()
}

const PINS: &[Pin] = &[
    Pin { port: 1, number: 0 },
    Pin { port: 1, number: 2 },
    Pin { port: 2, number: 4 },
    Pin { port: 3, number: 2 },
    Pin { port: 3, number: 4 },
    Pin { port: 3, number: 6 },
];

const NOISE: Writes = &[
    // DDRB, PORTB, SREG, power reduction.
    (0x24, &[0, 0xFF]),
    (0x25, &[0, 0xFF, 1]),
    (0x5F, &[0x80, 0]),
    (0x64, &[0, 8]),
];

const SCENES: &[Scene] = &[
    // USART0: UBRR0H, UBRR0L, UCSR0A, UCSR0B, UDR0.
    Scene {
        writes: &[
            (0xC5, &[0, 1]),
            (0xC4, &[103, 12]),
            (0xC0, &[0x40, 2]),
            (0xC1, &[0x18, 0x98, 0x58, 8]),
            (0xC6, &[0x41]),
        ],
        polled: &[(0xC0, 0x20), (0xC0, 0x40), (0xC0, 0x80), (0xC6, 0xFF)],
    },
    // Timer 0: TCCR0A, OCR0A, TIMSK0, TIFR0, TCCR0B.
    Scene {
        writes: &[
            (0x44, &[0, 2, 0x42, 3]),
            (0x47, &[7, 200]),
            (0x6E, &[0, 0, 1, 2]),
            (0x35, &[7]),
            (0x45, &[1, 3, 4, 5]),
        ],
        polled: &[(0x35, 1), (0x35, 2), (0x46, 4), (0x46, 0x80)],
    },
    // Timer 1: TCCR1A, OCR1AH, OCR1AL, TIMSK1, TIFR1, TCCR1B.
    Scene {
        writes: &[
            (0x80, &[0, 0, 0x40, 3]),
            (0x89, &[0, 40]),
            (0x88, &[100]),
            (0x6F, &[0, 0, 2, 0x21]),
            (0x36, &[0x27]),
            (0x81, &[1, 0xA, 0xC, 0xD, 0x45, 6]),
        ],
        polled: &[(0x36, 1), (0x36, 2), (0x36, 0x20), (0x84, 4), (0x84, 0x40), (0x85, 1)],
    },
    // EEPROM: EEDR, EECR twice.
    Scene { writes: &[(0x40, &[0x12]), (0x3F, &[4, 2]), (0x3F, &[6, 2])], polled: &[(0x3F, 2), (0x3F, 4)] },
    // SPI: DDRB, SPSR, SPCR, SPDR; SPSR is polled, which a read of SPDR behind it clears.
    Scene {
        writes: &[(0x24, &[0x2C]), (0x4D, &[0, 1]), (0x4C, &[0x50, 0x53, 0x5D, 0xD0]), (0x4E, &[0x41])],
        polled: &[(0x4D, 0x80), (0x4D, 0x40), (0x4C, 0x10), (0x4E, 0xFF)],
    },
    // TWI: TWBR, TWSR, TWDR, TWCR as for a start, a byte, a stop.
    Scene {
        writes: &[
            (0xB8, &[0, 12]),
            (0xB9, &[0, 1]),
            (0xBC, &[0xA4, 0xA5, 0x94, 4]),
            (0xBB, &[0x78]),
            (0xBC, &[0x84, 0xC4, 0x94]),
        ],
        polled: &[(0xBC, 0x80), (0xBC, 0x10), (0xB9, 8), (0xB9, 0x20)],
    },
    // The converter: ADMUX, ADCSRB, ADCSRA; and the comparator: ACSR.
    Scene {
        writes: &[
            (0x7C, &[0x40, 0x4F]),
            (0x7B, &[0, 1, 4]),
            (0x50, &[0, 8, 0x10, 0x40]),
            (0x7A, &[0xC2, 0xE3, 0xCB, 0xA1]),
        ],
        polled: &[(0x7A, 0x40), (0x7A, 0x10), (0x50, 0x20), (0x50, 0x10), (0x78, 1)],
    },
    // External interrupts and pins: EICRA, EIMSK, DDRD, PORTD.
    Scene {
        writes: &[(0x69, &[0, 1, 3]), (0x3D, &[0, 1]), (0x2A, &[0, 2]), (0x2B, &[0, 0xFF])],
        polled: &[(0x3C, 1), (0x29, 4), (0x29, 0x10), (0x23, 1), (0x2A, 2), (0x57, 1), (0x60, 0x10), (0x61, 0x80)],
    },
];

#[test]
fn polls_of_an_atmega_are_skipped_exactly() {
    let cases = (loops(&[], NOISE, SCENES), outside(PINS, 0)).prop_map(|(wait, outside)| Case {
        part: "atmega328p",
        memory: MemorySetting::Equal,
        code: vec![(0, image(&wait))],
        wait,
        outside,
        end: 200_000,
    });
    crate::check(300, &cases);
}
