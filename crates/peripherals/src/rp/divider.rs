//! The integer divider of a processor (RP-008371-DS, "Integer Divider").

use cyclescope_machine::TimingRow;

/// The time of a division.
pub const ROWS: &[TimingRow] = &[TimingRow::documented(
    "sio.divide",
    "cycles from a write of an operand to the result",
    8,
    "RP-008371-DS, Integer Divider: a result is ready after 8 cycles",
)];

/// Offsets in SIO.
pub const UDIVIDEND: u32 = 0x60;
const UDIVISOR: u32 = 0x64;
const SDIVIDEND: u32 = 0x68;
const SDIVISOR: u32 = 0x6C;
const QUOTIENT: u32 = 0x70;
const REMAINDER: u32 = 0x74;
/// The last register.
pub const CSR: u32 = 0x78;

/// CSR.READY and DIRTY.
const READY: u32 = 1 << 0;
const DIRTY: u32 = 1 << 1;

/// The divider.
#[derive(Clone, Copy, Debug, Default)]
pub struct Divider {
    dividend: u32,
    divisor: u32,
    quotient: u32,
    remainder: u32,
    dirty: bool,
    /// The first cycle in which the result is there.
    ready: u64,
}

impl Divider {
    /// A read of the register at `offset` in the cycle `now`.
    pub fn read(&mut self, offset: u32, now: u64) -> u32 {
        match offset {
            UDIVIDEND | SDIVIDEND => self.dividend,
            UDIVISOR | SDIVISOR => self.divisor,
            QUOTIENT => {
                self.dirty = false;
                self.quotient
            }
            REMAINDER => self.remainder,
            _ => (if now >= self.ready { READY } else { 0 }) | if self.dirty { DIRTY } else { 0 },
        }
    }

    /// A write of `value` in the cycle `now`. Results that are written are there at once, for a saved state.
    pub fn write(&mut self, offset: u32, value: u32, now: u64) {
        match offset {
            UDIVIDEND | SDIVIDEND => self.dividend = value,
            UDIVISOR | SDIVISOR => self.divisor = value,
            QUOTIENT => self.quotient = value,
            REMAINDER => self.remainder = value,
            _ => return,
        }
        self.dirty = true;
        if offset >= QUOTIENT {
            self.ready = now;
            return;
        }
        (self.quotient, self.remainder) = divide(self.dividend, self.divisor, offset >= SDIVIDEND);
        self.ready = now + u64::from(ROWS[0].cycles);
    }
}

/// Returns quotient and remainder. A division by zero leaves the dividend, with a quotient as far from zero as there is.
const fn divide(dividend: u32, divisor: u32, signed: bool) -> (u32, u32) {
    match (divisor, signed) {
        (0, false) => (u32::MAX, dividend),
        (0, true) => (if (dividend as i32) < 0 { 1 } else { u32::MAX }, dividend),
        (_, false) => (dividend / divisor, dividend % divisor),
        (_, true) => {
            let (dividend, divisor) = (dividend as i32, divisor as i32);
            (dividend.wrapping_div(divisor) as u32, dividend.wrapping_rem(divisor) as u32)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_after_eight_cycles_with_their_sign() {
        let mut divider = Divider::default();
        divider.write(SDIVIDEND, -7i32 as u32, 100);
        divider.write(SDIVISOR, 2, 101);
        assert_eq!([108, 109].map(|now| divider.read(CSR, now)), [DIRTY, DIRTY | READY]);
        assert_eq!((divider.read(REMAINDER, 110) as i32, divider.read(QUOTIENT, 110) as i32), (-1, -3));
        assert_eq!(divider.read(CSR, 110), READY, "reading the quotient ends it");
        divider.write(UDIVIDEND, 7, 200);
        divider.write(UDIVISOR, 0, 200);
        assert_eq!((divider.read(QUOTIENT, 208), divider.read(REMAINDER, 208)), (u32::MAX, 7));
        assert_eq!(
            [divide(i32::MIN as u32, u32::MAX, true), divide(5, 0, true)],
            [(i32::MIN as u32, 0), (u32::MAX, 5)]
        );
    }
}
