//! The wiring of two parts' timers, from 8271H and 7766J. Register addresses are from the register summaries, vectors
//! from the tables of interrupt vectors, pins from the alternate functions of ports, and bits from the power reduction
//! registers.

use crate::avr::{Instance, Kind, PowerBit, Reg, pin, plain};

/// The timer of that number, yet to be wired.
pub(super) const fn timer(name: &'static str, number: u8, kind: Kind, registers: &'static [Reg]) -> Instance {
    Instance { number, ..plain(name, kind, registers) }
}

pub(super) const fn power(register: u8, bit: u8) -> Option<PowerBit> {
    Some(PowerBit { register, bit })
}

/// Registers of a timer of eight bits; those from TCCRnA to OCRnB lie together.
const fn eight(first: u8, timsk: u8, tifr: u8, assr: Reg) -> [Reg; 16] {
    let mut registers = [Reg::NONE; 16];
    registers[0] = Reg::all(first);
    registers[1] = Reg::all(first + 1);
    registers[3] = Reg::all(first + 2);
    registers[5] = Reg::all(first + 3);
    registers[7] = Reg::all(first + 4);
    registers[13] = Reg::all(timsk);
    registers[14] = Reg::all(tifr);
    registers[15] = assr;
    registers
}

/// Registers of a timer of sixteen bits; those from TCCRnA to OCRnC lie together, with a hole after TCCRnC.
const fn sixteen(first: u8, channels: u8, timsk: u8, tifr: u8) -> [Reg; 16] {
    let mut registers = [Reg::NONE; 16];
    let mut at = 0;
    while at < 3 {
        registers[at] = Reg::all(first + at as u8);
        at += 1;
    }
    // TCNT and ICR come before the compare registers.
    let words = [(3, 4), (11, 6), (5, 8), (7, 10), (9, 12)];
    let mut word = 0;
    while word < 2 + channels as usize {
        let (place, offset) = words[word];
        registers[place] = Reg::all(first + offset);
        registers[place + 1] = Reg::all(first + offset + 1);
        word += 1;
    }
    registers[13] = Reg::all(timsk);
    registers[14] = Reg::all(tifr);
    registers
}

/// Timer 0 of the ATmega328P.
pub static TIMER0_328P: Instance = Instance {
    vectors: &[16, 14, 15, 0, 0],
    outputs: &[pin(b'D', 6), pin(b'D', 5)],
    inputs: &[pin(b'D', 4), None],
    power: power(0, 5),
    ..timer("TC0", 0, Kind::Timer, &eight(0x44, 0x6E, 0x35, Reg::NONE))
};

/// Timer 1 of the ATmega328P.
pub static TIMER1_328P: Instance = Instance {
    vectors: &[13, 11, 12, 0, 10],
    outputs: &[pin(b'B', 1), pin(b'B', 2)],
    inputs: &[pin(b'D', 5), pin(b'B', 0)],
    power: power(0, 3),
    ..timer("TC1", 1, Kind::Timer, &sixteen(0x80, 2, 0x6F, 0x36))
};

/// Timer 2 of the ATmega328P.
pub static TIMER2_328P: Instance = Instance {
    vectors: &[9, 7, 8, 0, 0],
    outputs: &[pin(b'B', 3), pin(b'D', 3)],
    inputs: &[None, None],
    power: power(0, 6),
    ..timer("TC2", 2, Kind::Timer, &eight(0xB0, 0x70, 0x37, Reg::all(0xB6)))
};

/// Timer 0 of the ATmega32U4.
pub static TIMER0_32U4: Instance = Instance {
    vectors: &[23, 21, 22, 0, 0],
    outputs: &[pin(b'B', 7), pin(b'D', 0)],
    inputs: &[pin(b'D', 7), None],
    power: power(0, 5),
    ..timer("TC0", 0, Kind::Timer, &eight(0x44, 0x6E, 0x35, Reg::NONE))
};

/// Timer 1 of the ATmega32U4.
pub static TIMER1_32U4: Instance = Instance {
    vectors: &[20, 17, 18, 19, 16],
    outputs: &[pin(b'B', 5), pin(b'B', 6), pin(b'B', 7)],
    inputs: &[pin(b'D', 6), pin(b'D', 4)],
    power: power(0, 3),
    ..timer("TC1", 1, Kind::Timer, &sixteen(0x80, 3, 0x6F, 0x36))
};

/// Timer 3 of the ATmega32U4: of its channels only A has a pin, and it has no T3 (7766J §12.3).
pub static TIMER3_32U4: Instance = Instance {
    vectors: &[35, 32, 33, 34, 31],
    outputs: &[pin(b'C', 6), None, None],
    inputs: &[None, pin(b'C', 7)],
    power: power(1, 3),
    ..timer("TC3", 3, Kind::Timer, &sixteen(0x90, 3, 0x71, 0x38))
};
