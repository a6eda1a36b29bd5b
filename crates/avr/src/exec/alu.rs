//! Arithmetic, logic and shifts: DS40002198B chapter 6, "Status Register (SREG) and Boolean Formula" of each.

use crate::cpu::Cpu;

impl Cpu {
    /// Sets N and S as they follow from the result when V is `v`.
    #[inline(always)]
    fn signs(&mut self, result: u8, v: u8) {
        self.n = result;
        self.v = v;
        self.s = result ^ v;
    }

    #[inline(always)]
    pub(super) fn add(&mut self, a: u8, b: u8, carry: bool) -> u8 {
        let wide = u16::from(a) + u16::from(b) + u16::from(carry);
        let result = wide as u8;
        self.c = wide > 0xFF;
        self.h = a ^ b ^ result;
        self.not_z = result;
        self.signs(result, (a ^ result) & (b ^ result));
        result
    }

    /// The flags of a subtraction but for Z.
    #[inline(always)]
    fn subtract(&mut self, a: u8, b: u8, carry: bool) -> u8 {
        let wide = u16::from(a).wrapping_sub(u16::from(b)).wrapping_sub(u16::from(carry));
        let result = wide as u8;
        self.c = wide > 0xFF;
        self.h = a ^ b ^ result;
        self.signs(result, (a ^ b) & (a ^ result));
        result
    }

    #[inline(always)]
    pub(super) fn sub(&mut self, a: u8, b: u8) -> u8 {
        let result = self.subtract(a, b, false);
        self.not_z = result;
        result
    }

    /// With carry: Z stays clear if it was.
    #[inline(always)]
    pub(super) fn sbc(&mut self, a: u8, b: u8) -> u8 {
        let result = self.subtract(a, b, self.c);
        self.not_z |= result;
        result
    }

    #[inline(always)]
    pub(super) fn logic(&mut self, result: u8) -> u8 {
        self.not_z = result;
        self.signs(result, 0);
        result
    }

    #[inline(always)]
    pub(super) fn com(&mut self, a: u8) -> u8 {
        self.c = true;
        self.logic(!a)
    }

    #[inline(always)]
    pub(super) fn inc(&mut self, a: u8) -> u8 {
        let result = a.wrapping_add(1);
        self.not_z = result;
        self.signs(result, !a & result);
        result
    }

    #[inline(always)]
    pub(super) fn dec(&mut self, a: u8) -> u8 {
        let result = a.wrapping_sub(1);
        self.not_z = result;
        self.signs(result, a & !result);
        result
    }

    /// A shift to the right that brings in `top`: C is what falls out, V is N xor C.
    #[inline(always)]
    pub(super) fn shift_right(&mut self, a: u8, top: u8) -> u8 {
        let result = top & 0x80 | a >> 1;
        self.c = a & 1 != 0;
        self.not_z = result;
        self.signs(result, result ^ a << 7);
        result
    }

    #[inline(always)]
    pub(super) fn adiw(&mut self, a: u16, k: u16) -> u16 {
        let result = a.wrapping_add(k);
        let [was, is] = [(a >> 8) as u8, (result >> 8) as u8];
        self.c = was & !is & 0x80 != 0;
        self.word(result, !was & is);
        result
    }

    #[inline(always)]
    pub(super) fn sbiw(&mut self, a: u16, k: u16) -> u16 {
        let result = a.wrapping_sub(k);
        let [was, is] = [(a >> 8) as u8, (result >> 8) as u8];
        self.c = !was & is & 0x80 != 0;
        self.word(result, was & !is);
        result
    }

    #[inline(always)]
    fn word(&mut self, result: u16, v: u8) {
        self.not_z = (result | result >> 8) as u8;
        self.signs((result >> 8) as u8, v);
    }

    /// The product goes to r1:r0; C is its top bit.
    #[inline(always)]
    pub(super) fn multiply(&mut self, product: u16) {
        self.c = product >> 15 != 0;
        self.not_z = (product | product >> 8) as u8;
        self.set_pair(0, product);
    }

    /// The same, shifted left by one; C is what was shifted out.
    #[inline(always)]
    pub(super) fn multiply_fraction(&mut self, product: u16) {
        let result = product << 1;
        self.c = product >> 15 != 0;
        self.not_z = (result | result >> 8) as u8;
        self.set_pair(0, result);
    }

    /// BSET and BCLR but for I.
    pub(super) fn write_flag(&mut self, bit: u8, high: bool) {
        let mask = 1 << (bit & 7);
        let sreg = self.sreg();
        self.set_sreg(if high { sreg | mask } else { sreg & !mask });
    }
}

/// The product of two signed numbers.
#[inline(always)]
pub(super) fn signed(a: u8, b: u8) -> u16 {
    (i16::from(a as i8) * i16::from(b as i8)) as u16
}

/// The product of a signed and an unsigned number.
#[inline(always)]
pub(super) fn mixed(a: u8, b: u8) -> u16 {
    i16::from(a as i8).wrapping_mul(i16::from(b)) as u16
}

#[cfg(test)]
mod tests {
    use crate::cpu::Cpu;
    use crate::cpu::tests::config;

    const H: u8 = 1 << 5;
    const S: u8 = 1 << 4;
    const V: u8 = 1 << 3;
    const N: u8 = 1 << 2;
    const Z: u8 = 1 << 1;
    const C: u8 = 1;

    /// The manual's boolean formulas, bit by bit, for a sum and a difference.
    fn flags(a: u8, b: u8, r: u8, add: bool) -> u8 {
        let bit = |value: u8, n: u8| value >> n & 1 != 0;
        let carry = |n| {
            let (a, b, r) = (bit(a, n), bit(b, n), bit(r, n));
            if add { a & b | b & !r | !r & a } else { !a & b | b & r | r & !a }
        };
        let (a7, b7, r7) = (bit(a, 7), bit(b, 7), bit(r, 7));
        let v = if add { a7 & b7 & !r7 | !a7 & !b7 & r7 } else { a7 & !b7 & !r7 | !a7 & b7 & r7 };
        let flag = |condition: bool, mask: u8| if condition { mask } else { 0 };
        flag(carry(3), H) | flag(r7 ^ v, S) | flag(v, V) | flag(r7, N) | flag(r == 0, Z) | flag(carry(7), C)
    }

    #[test]
    fn sums_and_differences_set_the_flags_of_the_manuals_formulas() {
        let mut cpu = Cpu::new(config(), 32768);
        for a in 0..=255u8 {
            for b in 0..=255u8 {
                for carry in [false, true] {
                    let sum = a.wrapping_add(b).wrapping_add(u8::from(carry));
                    cpu.set_sreg(0);
                    assert_eq!(cpu.add(a, b, carry), sum);
                    assert_eq!(cpu.sreg(), flags(a, b, sum, true), "{a} + {b} + {carry}");
                    for zero in [0, Z] {
                        let difference = a.wrapping_sub(b).wrapping_sub(u8::from(carry));
                        cpu.set_sreg(zero | u8::from(carry));
                        assert_eq!(cpu.sbc(a, b), difference);
                        let expected = flags(a, b, difference, false);
                        assert_eq!(cpu.sreg(), expected & !Z | expected & zero, "{a} - {b} - {carry}, Z {zero}");
                    }
                }
                cpu.set_sreg(0);
                let difference = a.wrapping_sub(b);
                assert_eq!((cpu.sub(a, b), cpu.sreg()), (difference, flags(a, b, difference, false)));
            }
        }
    }

    #[test]
    fn one_operand_and_words_set_the_flags_of_the_manuals_formulas() {
        let mut cpu = Cpu::new(config(), 32768);
        let check = |cpu: &Cpu, what: &str, mask: u8, expected: u8| {
            assert_eq!(cpu.sreg() & mask, expected, "{what}: {:02x}", cpu.sreg());
        };
        let flag = |on: bool, mask: u8| if on { mask } else { 0 };
        let sign = |n: bool, v: bool, z: bool| flag(n ^ v, S) | flag(v, V) | flag(n, N) | flag(z, Z);
        let all = S | V | N | Z;
        for a in 0..=255u8 {
            let r = cpu.inc(a);
            check(&cpu, "INC", all, sign(r & 0x80 != 0, r == 0x80, r == 0));
            let r = cpu.dec(a);
            check(&cpu, "DEC", all, sign(r & 0x80 != 0, r == 0x7F, r == 0));
            let r = cpu.com(a);
            check(&cpu, "COM", all | C, sign(r & 0x80 != 0, false, r == 0) | C);
            for top in [0, a, 0x80] {
                let r = cpu.shift_right(a, top);
                assert_eq!(r, a >> 1 | top & 0x80);
                let (n, c) = (r & 0x80 != 0, a & 1 != 0);
                check(&cpu, "LSR, ASR, ROR", all | C, sign(n, n ^ c, r == 0) | u8::from(c));
            }
        }
        for (a, k, sum, flags) in [
            (0x7FFF, 1, 0x8000, V | N),
            (0xFFFF, 1, 0, Z | C),
            (0x8000, 0, 0x8000, N | S),
            (0x00FF, 1, 0x0100, 0),
            (0x0000, 0, 0, Z),
        ] {
            cpu.set_sreg(0);
            assert_eq!((cpu.adiw(a, k), cpu.sreg()), (sum, flags), "{a:x} + {k}");
        }
        for (a, k, difference, flags) in
            [(0x8000, 1, 0x7FFF, V | S), (0x0000, 1, 0xFFFF, N | S | C), (0x0100, 1, 0x00FF, 0), (0x003F, 63, 0, Z)]
        {
            cpu.set_sreg(0);
            assert_eq!((cpu.sbiw(a, k), cpu.sreg()), (difference, flags), "{a:x} - {k}");
        }
    }

    #[test]
    fn products_of_all_kinds() {
        let mut cpu = Cpu::new(config(), 32768);
        for (product, flags) in [(0, Z), (0x7FFF, 0), (0x8000, C)] {
            cpu.set_sreg(0);
            cpu.multiply(product);
            assert_eq!((cpu.pair(0), cpu.sreg()), (product, flags));
        }
        // FMULS of -1 by -1 overflows to -1 (DS40002198B, FMULS).
        cpu.multiply_fraction(super::signed(0x80, 0x80));
        assert_eq!((cpu.pair(0), cpu.sreg()), (0x8000, 0));
        cpu.multiply_fraction(super::mixed(0xFF, 0xFF));
        assert_eq!((cpu.pair(0), cpu.sreg()), (0xFE02, C));
        assert_eq!(super::signed(0xFF, 2), 0xFFFE);
        assert_eq!(super::mixed(0x80, 0xFF), (-128i16 * 255) as u16);
    }
}
