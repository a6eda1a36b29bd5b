//! The calibration of the BME280, and the raw values for given quantities: the data sheet's compensation, inverted.

/// The words of calibration. They are those of one real sensor: of temperature and pressure the ones that Bosch's data sheets
/// compute examples with, of humidity usual ones.
pub(super) struct Calibration {
    t: [i64; 3],
    p: [i64; 9],
    h: [i64; 6],
}

/// The sensor's own.
pub(super) const CALIBRATION: Calibration = Calibration {
    t: [27_504, 26_435, -1_000],
    p: [36_477, -10_685, 3_024, 2_855, 140, -7, 15_500, -14_600, 6_000],
    h: [75, 362, 0, 324, 50, 30],
};

/// The greatest raw values.
const MOST_20: i64 = 0xF_FFFF;
const MOST_16: i64 = 0xFFFF;

impl Calibration {
    /// The register 0x88 to 0xA1 and 0xE1 to 0xE7; 0 for others ("Trimming parameter readout").
    pub fn register(&self, register: u8) -> u8 {
        let word = |value: i64, high: bool| (value >> if high { 8 } else { 0 }) as u8;
        let high = register & 1 != 0;
        match register {
            0x88..=0x8D => word(self.t[usize::from(register - 0x88) / 2], high),
            0x8E..=0x9F => word(self.p[usize::from(register - 0x8E) / 2], high),
            0xA1 => self.h[0] as u8,
            0xE1 => word(self.h[1], false),
            0xE2 => word(self.h[1], true),
            0xE3 => self.h[2] as u8,
            0xE4 => (self.h[3] >> 4) as u8,
            0xE5 => (self.h[3] & 15) as u8 | ((self.h[4] & 15) << 4) as u8,
            0xE6 => (self.h[4] >> 4) as u8,
            0xE7 => self.h[5] as u8,
            _ => 0,
        }
    }

    /// The fine temperature of a raw one ("Compensation formulas"): 5,120 parts a degree.
    fn fine(&self, raw: i64) -> i64 {
        let linear = (((raw >> 3) - (self.t[0] << 1)) * self.t[1]) >> 11;
        let offset = (raw >> 4) - self.t[0];
        linear + ((((offset * offset) >> 12) * self.t[2]) >> 14)
    }

    /// Hundredths of a degree of a raw temperature.
    pub fn temperature(&self, raw: i64) -> i64 {
        (self.fine(raw) * 5 + 128) >> 8
    }

    /// Pascals, in parts of 1/256, of a raw pressure at a raw temperature.
    pub fn pressure(&self, raw: i64, temperature: i64) -> i64 {
        let [p1, p2, p3, p4, p5, p6, p7, p8, p9] = self.p;
        let fine = self.fine(temperature) - 128_000;
        let square = fine * fine;
        let offset = square * p6 + ((fine * p5) << 17) + (p4 << 35);
        let scale = ((square * p3) >> 8) + ((fine * p2) << 12);
        let scale = (((1 << 47) + scale) * p1) >> 33;
        if scale == 0 {
            return 0;
        }
        let linear = ((((1_048_576 - raw) << 31) - offset) * 3_125) / scale;
        let part = linear >> 13;
        ((linear + ((p9 * part * part) >> 25) + ((p8 * linear) >> 19)) >> 8) + (p7 << 4)
    }

    /// Per cent of relative humidity, in parts of 1/1024, of a raw one at a raw temperature.
    pub fn humidity(&self, raw: i64, temperature: i64) -> i64 {
        let [h1, h2, h3, h4, h5, h6] = self.h;
        let fine = self.fine(temperature) - 76_800;
        let offset = ((raw << 14) - (h4 << 20) - h5 * fine + 16_384) >> 15;
        let by_temperature = (((fine * h6) >> 10) * (((fine * h3) >> 11) + 32_768)) >> 10;
        let value = offset * (((by_temperature + 2_097_152) * h2 + 8_192) >> 14);
        let root = value >> 15;
        let value = value - ((((root * root) >> 7) * h1) >> 4);
        value.clamp(0, 419_430_400) >> 12
    }

    /// The raw temperature of `hundredths` of a degree.
    pub fn raw_temperature(&self, hundredths: i64) -> i64 {
        nearest(MOST_20, hundredths, |raw| self.temperature(raw))
    }

    /// The raw pressure of `pascals`, in parts of 1/256, at a raw temperature.
    pub fn raw_pressure(&self, pascals: i64, temperature: i64) -> i64 {
        // More raw is less pressure.
        MOST_20 - nearest(MOST_20, pascals, |raw| self.pressure(MOST_20 - raw, temperature))
    }

    /// The raw humidity of `parts`, 1/1024 of a per cent, at a raw temperature.
    pub fn raw_humidity(&self, parts: i64, temperature: i64) -> i64 {
        nearest(MOST_16, parts, |raw| self.humidity(raw, temperature))
    }
}

/// Returns the number from 0 to `most` for which the rising `of` comes nearest to `value`.
fn nearest(most: i64, value: i64, of: impl Fn(i64) -> i64) -> i64 {
    let (mut low, mut high) = (0, most);
    while low < high {
        let middle = (low + high) / 2;
        if of(middle) < value { low = middle + 1 } else { high = middle }
    }
    // Equal values in a row: the middle one.
    let mut last = low;
    while last < most && of(last + 1) == of(low) {
        last += 1;
    }
    let here = (low + last) / 2;
    if low > 0 && (of(low - 1) - value).abs() < (of(low) - value).abs() { low - 1 } else { here }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_data_sheets_example_comes_out() {
        // BMP280 data sheet, "Calculating pressure and temperature": raw 519,888 and 415,148 are 25.08 °C and 100,653 Pa.
        assert_eq!(CALIBRATION.temperature(519_888), 2_508);
        assert_eq!(CALIBRATION.fine(519_888), 128_422);
        assert_eq!(CALIBRATION.pressure(415_148, 519_888) / 256, 100_653);
    }

    #[test]
    fn raw_values_give_the_quantities_again() {
        for hundredths in (-4_000..=8_500).step_by(37) {
            let raw = CALIBRATION.raw_temperature(hundredths);
            assert_eq!(CALIBRATION.temperature(raw), hundredths);
            for pascals in (30_000..=110_000).step_by(4_321) {
                let found = CALIBRATION.pressure(CALIBRATION.raw_pressure(pascals * 256, raw), raw);
                assert!((found - pascals * 256).abs() <= 64, "{pascals} Pa at {hundredths}: {found}");
            }
            for per_cent in (5..=95).step_by(9) {
                let found = CALIBRATION.humidity(CALIBRATION.raw_humidity(per_cent * 1_024, raw), raw);
                assert!((found - per_cent * 1_024).abs() <= 10, "{per_cent} % at {hundredths}: {found}");
            }
        }
    }

    #[test]
    fn the_registers_hold_the_words() {
        let word = |low: u8, high: u8| u16::from_le_bytes([CALIBRATION.register(low), CALIBRATION.register(high)]);
        assert_eq!((word(0x88, 0x89), word(0x8C, 0x8D) as i16), (27_504, -1_000));
        assert_eq!((word(0x8E, 0x8F), word(0x9E, 0x9F)), (36_477, 6_000));
        assert_eq!((CALIBRATION.register(0xA1), word(0xE1, 0xE2)), (75, 362));
        let register = |register| u16::from(CALIBRATION.register(register));
        assert_eq!(register(0xE4) << 4 | register(0xE5) & 15, 324);
        assert_eq!(register(0xE6) << 4 | register(0xE5) >> 4, 50);
        assert_eq!(CALIBRATION.register(0xE7), 30);
    }
}
