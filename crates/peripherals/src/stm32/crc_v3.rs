//! CRC calculation unit with programmable polynomial (RM0490, "Cyclic redundancy check calculation unit (CRC)").
//!
//! The wait states that the unit inserts while a calculation runs are not modelled.

use crate::bank::all;
use crate::{Bank, Block, Env, Instance, Modelled, Words, Write};

const DR: u32 = 0x00;
const CR: u32 = 0x08;
const INIT: u32 = 0x10;
const POL: u32 = 0x14;

/// The modelled registers and fields, with the values after reset (RM0490, "CRC register map").
pub const MODEL: &[Modelled] =
    &[all("DR", 0xFFFF_FFFF), all("IDR", 0), all("CR", 0), all("INIT", 0xFFFF_FFFF), all("POL", 0x04C1_1DB7)];

/// The block.
#[derive(Clone, Debug)]
pub struct CrcV3 {
    bank: Bank,
    /// The remainder, in the low bits that POLYSIZE leaves.
    remainder: u32,
}

impl CrcV3 {
    /// The block after reset.
    pub fn new(instance: &Instance) -> Self {
        Self { bank: Bank::new(instance.map, MODEL), remainder: u32::MAX }
    }

    /// The polynomial's width in bits (CR.POLYSIZE: 32, 16, 8, 7).
    fn width(&self) -> u32 {
        [32, 16, 8, 7][(self.bank.get(CR) >> 3 & 3) as usize]
    }

    fn mask(&self) -> u32 {
        u32::MAX >> (32 - self.width())
    }

    fn feed(&mut self, write: Write) {
        let bytes: u32 = (write.lanes.count_ones() / 8).clamp(1, 4);
        let shift = write.lanes.trailing_zeros() & 31;
        let data = write.ones() >> shift;
        // Reversal works on what was written: a byte reverses as a byte, whatever REV_IN's reach.
        let bits = bytes * 8;
        let reach = self.bank.get(CR) >> 5 & 3;
        let data = match (reach, bytes) {
            (0, _) => data,
            (_, 1) => data.reverse_bits() >> 24,
            (1, 2) => (data.reverse_bits() >> 16).swap_bytes() >> 16,
            (_, 2) => data.reverse_bits() >> 16,
            (1, _) => data.reverse_bits().swap_bytes(),
            (2, _) => data.reverse_bits().rotate_right(16),
            _ => data.reverse_bits(),
        };
        let (width, mask, poly) = (self.width(), self.mask(), self.bank.get(POL));
        for bit in (0..bits).rev() {
            let top = (self.remainder >> (width - 1) ^ data >> bit) & 1;
            self.remainder = (self.remainder << 1 ^ if top == 1 { poly } else { 0 }) & mask;
        }
    }
}

impl Block<Words> for CrcV3 {
    fn read(&mut self, offset: u32, env: &mut Env<'_, '_>) -> u32 {
        if offset != DR {
            return self.bank.read(offset, env);
        }
        let reversed = self.bank.get(CR) & 1 << 7 != 0;
        if reversed { self.remainder.reverse_bits() >> (32 - self.width()) } else { self.remainder }
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        if offset == DR {
            self.feed(write);
            return;
        }
        let (_, new) = self.bank.write(offset, write, env);
        match offset {
            CR => {
                if new & 1 != 0 {
                    self.remainder = self.bank.get(INIT) & self.mask();
                }
                self.bank.set(CR, new & !1);
            }
            // Writing the initial value also loads it (RM0490, "CRC initial value").
            INIT => self.remainder = new & self.mask(),
            _ => {}
        }
        self.remainder &= self.mask();
    }

    fn reset(&mut self, _: &mut Env<'_, '_>) {
        self.bank.reset();
        self.remainder = u32::MAX;
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}
