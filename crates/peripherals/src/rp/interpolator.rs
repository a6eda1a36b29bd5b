//! The interpolators of a processor (RP-008371-DS, "Interpolator").

/// Offsets from an interpolator's first register.
const ACCUM: [u32; 2] = [0x00, 0x04];
const BASE: [u32; 3] = [0x08, 0x0C, 0x10];
const POP: u32 = 0x14;
const PEEK: u32 = 0x20;
const CTRL: [u32; 2] = [0x2C, 0x30];
const ACCUM_ADD: [u32; 2] = [0x34, 0x38];
const BASE_1AND0: u32 = 0x3C;
/// The bytes of one.
pub const BYTES: u32 = 0x40;

/// CTRL_LANEx.
const SIGNED: u32 = 1 << 15;
const CROSS_INPUT: u32 = 1 << 16;
const CROSS_RESULT: u32 = 1 << 17;
const ADD_RAW: u32 = 1 << 18;
const BLEND: u32 = 1 << 21;
const CLAMP: u32 = 1 << 22;
const OVERF: [u32; 2] = [1 << 23, 1 << 24];
const ANY_OVERF: u32 = 1 << 25;
/// The bits that are written, of lane 0 and lane 1.
const WRITTEN: [u32; 2] = [0x007F_FFFF, 0x001F_FFFF];

/// An interpolator. The first blends, the second clamps.
#[derive(Clone, Copy, Debug)]
pub struct Interpolator {
    second: bool,
    accum: [u32; 2],
    base: [u32; 3],
    ctrl: [u32; 2],
}

/// The results of the lanes and of both, and the shifted and masked values.
struct Results {
    lanes: [u32; 2],
    full: u32,
    raw: [u32; 2],
    over: [bool; 2],
}

impl Interpolator {
    /// The one of number 0 or 1, with zeros.
    pub const fn new(second: bool) -> Self {
        Self { second, accum: [0; 2], base: [0; 3], ctrl: [0; 2] }
    }

    fn input(&self, lane: usize) -> u32 {
        self.accum[if self.ctrl[lane] & CROSS_INPUT != 0 { 1 - lane } else { lane }]
    }

    /// The shifted and masked input of `lane`, without and with its sign, and whether bits above the mask were lost.
    fn shifted(&self, lane: usize) -> (u32, u32, bool) {
        let ctrl = self.ctrl[lane];
        let (low, high) = (ctrl >> 5 & 31, ctrl >> 10 & 31);
        let shifted = self.input(lane) >> (ctrl & 31);
        let up_to = u32::MAX >> (31 - high);
        let value = shifted & up_to & (u32::MAX << low);
        let sign = if value >> high & 1 != 0 { !up_to } else { 0 };
        (value, value | sign, shifted & !up_to != 0)
    }

    fn results(&self) -> Results {
        let [first, second] = [0, 1].map(|lane| self.shifted(lane));
        let signed = |lane: usize| self.ctrl[lane] & SIGNED != 0;
        let value = |lane: usize, (plain, extended, _): (u32, u32, bool)| if signed(lane) { extended } else { plain };
        let raw = [value(0, first), value(1, second)];
        let added = |lane: usize| {
            let added = if self.ctrl[lane] & ADD_RAW != 0 { self.input(lane) } else { raw[lane] };
            self.base[lane].wrapping_add(added)
        };
        let blends = !self.second && self.ctrl[0] & BLEND != 0;
        let clamps = self.second && self.ctrl[0] & CLAMP != 0;
        let [base0, base1, base2] = self.base;
        let lanes = if blends {
            let alpha = raw[1] & 0xFF;
            let between = if signed(1) {
                let (from, to) = (i64::from(base0 as i32), i64::from(base1 as i32));
                (from + (((to - from) * i64::from(alpha)) >> 8)) as u32
            } else {
                let (from, to) = (i64::from(base0), i64::from(base1));
                (from + (((to - from) * i64::from(alpha)) >> 8)) as u32
            };
            [alpha, between]
        } else if clamps {
            let clamped = if signed(0) {
                (raw[0] as i32).max(base0 as i32).min(base1 as i32) as u32
            } else {
                raw[0].max(base0).min(base1)
            };
            [clamped, added(1)]
        } else {
            [added(0), added(1)]
        };
        let both = if blends { raw[0] } else { raw[0].wrapping_add(raw[1]) };
        Results { lanes, full: base2.wrapping_add(both), raw, over: [first.2, second.2] }
    }

    /// The result of number `index`, lane 0, lane 1 or both, as a processor sees it.
    fn presented(&self, results: &Results, index: usize) -> u32 {
        match results.lanes.get(index) {
            Some(lane) => lane | (self.ctrl[index] >> 19 & 3) << 28,
            None => results.full,
        }
    }

    /// A read of the register at `offset`.
    pub fn read(&mut self, offset: u32) -> u32 {
        let results = self.results();
        if let Some(lane) = ACCUM.iter().position(|known| *known == offset) {
            return self.accum[lane];
        }
        if let Some(base) = BASE.iter().position(|known| *known == offset) {
            return self.base[base];
        }
        if let Some(lane) = ACCUM_ADD.iter().position(|known| *known == offset) {
            return results.raw[lane];
        }
        match offset {
            POP..PEEK => {
                let value = self.presented(&results, ((offset - POP) / 4) as usize);
                for lane in [0, 1] {
                    let from = if self.ctrl[lane] & CROSS_RESULT != 0 { 1 - lane } else { lane };
                    self.accum[lane] = results.lanes[from];
                }
                value
            }
            PEEK..0x2C => self.presented(&results, ((offset - PEEK) / 4) as usize),
            0x2C => {
                let flags = |lane: usize| if results.over[lane] { OVERF[lane] | ANY_OVERF } else { 0 };
                self.ctrl[0] | flags(0) | flags(1)
            }
            0x30 => self.ctrl[1],
            _ => 0,
        }
    }

    /// A write of `value` to the register at `offset`.
    pub fn write(&mut self, offset: u32, value: u32) {
        if let Some(lane) = ACCUM.iter().position(|known| *known == offset) {
            self.accum[lane] = value;
        } else if let Some(base) = BASE.iter().position(|known| *known == offset) {
            self.base[base] = value;
        } else if let Some(lane) = CTRL.iter().position(|known| *known == offset) {
            let blend = if self.second { BLEND } else { CLAMP };
            self.ctrl[lane] = value & WRITTEN[lane] & !blend;
        } else if let Some(lane) = ACCUM_ADD.iter().position(|known| *known == offset) {
            // A value of 24 bits.
            self.accum[lane] = self.accum[lane].wrapping_add(value & 0x00FF_FFFF);
        } else if offset == BASE_1AND0 {
            for (lane, half) in [value as u16, (value >> 16) as u16].into_iter().enumerate() {
                let signed = self.ctrl[lane] & SIGNED != 0;
                self.base[lane] = if signed { half as i16 as u32 } else { half.into() };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Settings with the mask's bits.
    fn mask(shift: u32, low: u32, high: u32) -> u32 {
        shift | low << 5 | high << 10
    }

    #[test]
    fn lanes_shift_mask_and_add() {
        let mut unit = Interpolator::new(false);
        unit.write(CTRL[0], mask(4, 0, 7));
        unit.write(CTRL[1], mask(8, 4, 11) | CROSS_INPUT);
        unit.write(ACCUM[0], 0x0012_3456);
        unit.write(BASE[0], 0x100);
        unit.write(BASE[1], 0x200);
        unit.write(BASE[2], 0x1000);
        assert_eq!(unit.read(PEEK), 0x145);
        assert_eq!(unit.read(PEEK + 4), 0x200 + 0x230);
        assert_eq!(unit.read(PEEK + 8), 0x1000 + 0x45 + 0x230);
        assert_eq!(unit.read(POP), 0x145);
        assert_eq!([unit.read(ACCUM[0]), unit.read(ACCUM[1])], [0x145, 0x430]);
    }

    #[test]
    fn the_first_blends_and_the_second_clamps() {
        let mut unit = Interpolator::new(false);
        unit.write(CTRL[0], mask(0, 0, 31) | BLEND);
        unit.write(CTRL[1], mask(0, 0, 7) | SIGNED);
        unit.write(BASE[0], -1000i32 as u32);
        unit.write(BASE[1], 1000);
        unit.write(ACCUM[1], 64);
        assert_eq!((unit.read(PEEK + 4) as i32, unit.read(PEEK)), (-500, 64));
        let mut unit = Interpolator::new(true);
        unit.write(CTRL[0], mask(0, 0, 31) | SIGNED | CLAMP);
        unit.write(BASE[0], 0);
        unit.write(BASE[1], 255);
        let clamped = [-5i32, 100, 300].map(|value| {
            unit.write(ACCUM[0], value as u32);
            unit.read(PEEK)
        });
        assert_eq!(clamped, [0, 100, 255]);
    }
}
