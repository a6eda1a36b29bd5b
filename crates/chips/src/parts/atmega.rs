//! ATmega328P on the Arduino Uno and ATmega32U4 on the Arduino Leonardo, both at 16 MHz.

use std::borrow::Cow;

use cyclescope_machine::units::{Address, Bytes};

use crate::avr::{self, AvrPart};
use crate::part::{Board, Core, Part, Region};

/// The part `own` on a board.
const fn part<const VECTORS: usize>(
    own: &'static AvrPart,
    description: &'static str,
    board: &'static str,
    interrupts: &'static [(u8, &'static str); VECTORS],
) -> Part {
    Part {
        name: Cow::Borrowed(own.name),
        description: Cow::Borrowed(description),
        core: Core::Avr(own),
        clock: own.crystal,
        flash: Region { base: Address::new(0), bytes: Bytes::new(own.flash_bytes as u64) },
        ram: Region {
            base: Address::new(cyclescope_avr::DATA_SPACE + own.ram_start as u32),
            bytes: Bytes::new(own.ram_bytes as u64),
        },
        other_rams: Cow::Borrowed(&[]),
        interrupts,
        bonded: own.bonded,
        board: Board { name: Cow::Borrowed(board), hse: Some(own.crystal), lse: None, levels: Cow::Borrowed(&[]) },
        base: None,
    }
}

/// The vectors of `own` with their numbers.
const fn numbered<const VECTORS: usize>(own: &AvrPart) -> [(u8, &'static str); VECTORS] {
    let mut vectors = [(0, ""); VECTORS];
    let mut number = 0;
    while number < VECTORS {
        vectors[number] = (number as u8, own.vectors[number]);
        number += 1;
    }
    vectors
}

/// ATmega328P.
pub(crate) static ATMEGA328P: Part = part(
    &avr::ATMEGA328P,
    "Microchip ATmega328P (AVRe+): 32 KiB flash, 2 KiB RAM, 16 MHz",
    "Arduino Uno",
    const { &numbered::<26>(&avr::ATMEGA328P) },
);

/// ATmega32U4.
pub(crate) static ATMEGA32U4: Part = part(
    &avr::ATMEGA32U4,
    "Microchip ATmega32U4 (AVRe+): 32 KiB flash, 2.5 KiB RAM, 16 MHz",
    "Arduino Leonardo",
    const { &numbered::<43>(&avr::ATMEGA32U4) },
);
