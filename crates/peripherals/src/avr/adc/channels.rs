//! The channels and references of the converters of two parts.

use cyclescope_machine::{GapKind, Pin};

use super::{Env, voltage};

/// The bandgap, in microvolts (8271H table 29-16, typical).
const BANDGAP: i32 = 1_100_000;

/// A part's converter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Model {
    /// The pins of ADC0 and those behind it; `None` where the part does not bond it out.
    pub pins: &'static [Option<Pin>],
    /// The internal reference, in microvolts.
    pub reference: i32,
    /// True if pairs of channels can be measured against each other, by MUX5 and a gain stage.
    pub differential: bool,
    /// The vectors whose flags trigger conversions, by ADTS; 0 where there is none.
    pub triggers: &'static [u8],
}

/// The input of a conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// A pin against ground.
    Channel(u8),
    /// A pin against another one.
    Between {
        /// The positive input.
        positive: u8,
        /// The negative input.
        negative: u8,
        /// The gain.
        gain: i32,
    },
    /// The bandgap.
    Bandgap,
    /// Ground.
    Ground,
    /// The sensor of temperature.
    Temperature,
    /// No input.
    Reserved,
}

/// The four positive inputs that several gains have.
const fn upper(mux: u8) -> u8 {
    4 + (mux & 3)
}

impl Model {
    /// The input that MUX5:0 choose (8271H table 24-4, 7766J table 24-4).
    pub(super) const fn source(&self, mux: u8) -> Source {
        if !self.differential {
            return match mux & 15 {
                channel @ 0..8 => Source::Channel(channel),
                8 => Source::Temperature,
                14 => Source::Bandgap,
                15 => Source::Ground,
                _ => Source::Reserved,
            };
        }
        match mux & 0x3F {
            channel @ (0 | 1 | 4..=7) => Source::Channel(channel),
            0x09 => Source::Between { positive: 1, negative: 0, gain: 10 },
            0x0B => Source::Between { positive: 1, negative: 0, gain: 200 },
            0x10 => Source::Between { positive: 0, negative: 1, gain: 1 },
            mux @ 0x14..0x18 => Source::Between { positive: upper(mux), negative: 1, gain: 1 },
            0x1E => Source::Bandgap,
            0x1F => Source::Ground,
            mux @ 0x20..0x26 => Source::Channel(mux - 0x18),
            0x26 => Source::Between { positive: 1, negative: 0, gain: 40 },
            0x27 => Source::Temperature,
            mux @ 0x28..0x40 => {
                let gain = [10, 40, 200][(mux as usize - 0x28) / 8];
                Source::Between { positive: upper(mux), negative: mux >> 2 & 1, gain }
            }
            _ => Source::Reserved,
        }
    }

    fn pin(&self, channel: u8, env: &mut Env<'_, '_>) -> i32 {
        let Some(Some(pin)) = self.pins.get(usize::from(channel)).copied() else {
            env.gap(GapKind::Setting, format_args!("ADC: this part has no pin ADC{channel}, taken as 0 V"));
            return 0;
        };
        if env.voltage(pin).is_none() && !env.wires.shared.is_driven(pin) {
            env.gap(GapKind::Setting, format_args!("ADC: nothing drives {pin} (ADC{channel}), taken as 0 V"));
        }
        voltage(pin, env)
    }

    /// The reference that REFS chooses, in microvolts.
    fn reference(&self, refs: u8, env: &mut Env<'_, '_>) -> i32 {
        match refs & 3 {
            1 => env.wires.outside.supply(),
            3 => self.reference,
            0 => {
                env.gap(
                    GapKind::Setting,
                    format_args!("ADC: its reference is AREF, which nothing drives; taken as AVCC"),
                );
                env.wires.outside.supply()
            }
            _ => {
                env.gap(GapKind::Setting, format_args!("ADC: REFS = 2 is reserved; taken as AVCC"));
                env.wires.outside.supply()
            }
        }
    }

    /// The result of a conversion of what REFS and MUX choose, from the voltages of now: ten bits.
    pub(super) fn convert(&self, (refs, mux): (u8, u8), env: &mut Env<'_, '_>) -> u16 {
        let reference = i64::from(self.reference(refs, env)).max(1);
        let microvolts = match self.source(mux) {
            Source::Channel(channel) => self.pin(channel, env),
            Source::Between { positive, negative, gain } => {
                let between = i64::from(self.pin(positive, env)) - i64::from(self.pin(negative, env));
                let result = (between * i64::from(gain) * 512).div_euclid(reference).clamp(-512, 511);
                return result as u16 & 0x3FF;
            }
            Source::Bandgap => BANDGAP,
            Source::Ground => 0,
            Source::Temperature => {
                if self.differential {
                    let sentence = "ADC: the sensor of temperature is taken as the ATmega328P's";
                    env.gap(GapKind::Setting, format_args!("{sentence}"));
                }
                temperature(env.wires.outside.die().millidegrees)
            }
            Source::Reserved => {
                env.gap(GapKind::Setting, format_args!("ADC: MUX = {mux:#04x} is reserved"));
                0
            }
        };
        (i64::from(microvolts) * 1024 / reference).clamp(0, 1023) as u16
    }
}

/// The voltage of the sensor at a temperature in thousandths of a degree Celsius (8271H table 24-2, lines between its points).
const fn temperature(millidegrees: i32) -> i32 {
    const POINTS: [(i32, i32); 3] = [(-45_000, 242_000), (25_000, 314_000), (85_000, 380_000)];
    let [low, middle, high] = POINTS;
    let (from, to) = if millidegrees < middle.0 { (low, middle) } else { (middle, high) };
    from.1 + (millidegrees - from.0) / 1000 * (to.1 - from.1) / ((to.0 - from.0) / 1000)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Model = Model { pins: &[], reference: BANDGAP, differential: false, triggers: &[] };
    const PAIRS: Model = Model { differential: true, ..PLAIN };

    #[test]
    fn choices_are_those_of_the_tables() {
        assert_eq!(PLAIN.source(3), Source::Channel(3));
        assert_eq!([8, 14, 15, 9].map(|mux| PLAIN.source(mux)), {
            [Source::Temperature, Source::Bandgap, Source::Ground, Source::Reserved]
        });
        let between = |positive, negative, gain| Source::Between { positive, negative, gain };
        for (mux, source) in [
            (0b00_0110, Source::Channel(6)),
            (0b00_0010, Source::Reserved),
            (0b00_1011, between(1, 0, 200)),
            (0b01_0111, between(7, 1, 1)),
            (0b10_0000, Source::Channel(8)),
            (0b10_0101, Source::Channel(13)),
            (0b10_0110, between(1, 0, 40)),
            (0b10_1000, between(4, 0, 10)),
            (0b10_1111, between(7, 1, 10)),
            (0b11_0001, between(5, 0, 40)),
            (0b11_1110, between(6, 1, 200)),
        ] {
            assert_eq!(PAIRS.source(mux), source, "{mux:#08b}");
        }
    }

    #[test]
    fn the_sensor_has_the_table_s_points() {
        assert_eq!([-45_000, 25_000, 85_000].map(temperature), [242_000, 314_000, 380_000]);
    }
}
