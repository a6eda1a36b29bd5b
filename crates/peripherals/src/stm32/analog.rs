//! The analog side of ST's converters: what their inputs are, and the number that a voltage becomes.
//!
//! Converters are ideal: no offset, no gain error, no noise, and a source that charges the sampling capacitor whatever the
//! sampling time. The reference is the supply, unless the part makes one.

use cyclescope_machine::{GapKind, Pin};

use crate::{Effect, Env, Instance, Instant, Trigger};

/// The number of channels that a converter may have.
pub(super) const CHANNELS: usize = 24;

/// An internal voltage of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Internal {
    /// The temperature sensor.
    Sensor(Sensor),
    /// The reference, in microvolts.
    Reference(i32),
    /// The battery's voltage, divided by this.
    Battery(i32),
    /// The supply.
    Supply,
    /// Ground.
    Ground,
}

/// A temperature sensor: a straight line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sensor {
    /// Its voltage at [`Self::degrees`], in microvolts.
    pub microvolts: i32,
    /// The temperature there.
    pub degrees: i32,
    /// Microvolts a degree more.
    pub slope: i32,
}

impl Sensor {
    /// The voltage at a temperature in thousandths of a degree, in microvolts.
    pub fn at(self, millidegrees: i32) -> i32 {
        let above = i64::from(millidegrees) - 1_000 * i64::from(self.degrees);
        (i64::from(self.microvolts) + above * i64::from(self.slope) / 1_000) as i32
    }
}

/// The number that `microvolts` becomes with `bits` bits: each step begins half a step before its voltage (DS5319, DS10693,
/// DS13867, "ADC accuracy characteristics", ideal transfer curve).
pub(super) fn code(microvolts: i32, supply: i32, bits: u8) -> u16 {
    let steps = 1i64 << bits;
    let supply = i64::from(supply.max(1));
    let code = (i64::from(microvolts) * steps * 2 + supply).div_euclid(2 * supply);
    code.clamp(0, steps - 1) as u16
}

/// The voltage that the `bits`-bit number `code` becomes, in microvolts.
pub(super) fn voltage(code: u16, supply: i32, bits: u8) -> i32 {
    ((i64::from(code) * i64::from(supply)) >> bits) as i32
}

/// The settings of an oversampler (RM0490, RM0440, RM0351, "Oversampler").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Oversampling {
    /// The conversions that are added up.
    pub(super) ratio: u32,
    /// The bits by which the sum is shifted.
    shift: u32,
    /// True if each conversion has a trigger of its own.
    pub(super) by_trigger: bool,
}

impl Oversampling {
    /// The settings of CFGR2; `None` if the oversampler is off, of which the bits `enable` of CFGR2 decide.
    pub(super) fn new(cfgr2: u32, enable: u32) -> Option<Self> {
        (cfgr2 & enable != 0).then_some(Self {
            ratio: 2 << (cfgr2 >> 2 & 7),
            shift: (cfgr2 >> 5 & 15).min(8),
            by_trigger: cfgr2 & 1 << 9 != 0,
        })
    }

    /// The result of a sum: rounded to the nearest, and its lower sixteen bits.
    pub(super) fn result(self, sum: u32) -> u16 {
        let half = if self.shift == 0 { 0 } else { 1 << (self.shift - 1) };
        (sum.wrapping_add(half) >> self.shift) as u16
    }
}

/// The trigger that the part's metadata connects with the input `number` of those that begin with `input`. A source that is
/// no block's signal, such as the high-resolution timer's, has none.
pub(super) fn trigger(instance: &'static Instance, input: &str, number: usize) -> Option<Trigger> {
    let is = |signal: &str| signal.strip_prefix(input).is_some_and(|found| found.parse() == Ok(number));
    let (_, source) = instance.triggers.iter().find(|(signal, _)| is(signal))?;
    // `TIM1_TRGO2`, `EXTI11_TRG`.
    match source.strip_suffix("_TRG") {
        Some(line) if line.starts_with("EXTI") => Some(("EXTI", line)),
        _ => source.split_once('_').filter(|(block, _)| block.starts_with("TIM")),
    }
}

/// The wire inside the part from a channel of a DAC: no pin of any port.
pub(super) const fn net(dac: u8, channel: u8) -> Pin {
    Pin { port: 0xF0 | dac, number: channel }
}

/// The pins of a converter's channels.
#[derive(Clone, Copy, Debug)]
pub(super) struct Channels([Option<Pin>; CHANNELS]);

impl Channels {
    /// The pins `IN0`, `IN1`, … of `instance`.
    pub(super) fn new(instance: &Instance) -> Self {
        Self::of(instance, "IN", 0)
    }

    /// The pins of `instance` whose signals are `name` and a number, `above` more than the channel's.
    pub(super) fn of(instance: &Instance, name: &str, above: usize) -> Self {
        let mut channels = [None; CHANNELS];
        for wired in instance.pins {
            let number = wired.signal.strip_prefix(name).and_then(|number| number.parse::<usize>().ok());
            let channel = number.and_then(|number| number.checked_sub(above));
            if let Some(place) = channel.and_then(|channel| channels.get_mut(channel)) {
                *place = instance.analog(wired.signal);
            }
        }
        Self(channels)
    }

    /// Finds the voltage that `channel` had at `sampled`: at once if it is internal (`Ok`), else the block is told.
    pub(super) fn measure(
        &self,
        channel: u8,
        internal: Option<Internal>,
        sampled: Instant,
        env: &mut Env<'_, '_>,
    ) -> Option<i32> {
        let die = env.wires.outside.die();
        let supply = env.wires.outside.supply();
        match internal {
            Some(Internal::Sensor(sensor)) => return Some(sensor.at(die.millidegrees)),
            Some(Internal::Reference(microvolts)) => return Some(microvolts),
            Some(Internal::Battery(divider)) => return Some(die.battery / divider.max(1)),
            Some(Internal::Supply) => return Some(supply),
            Some(Internal::Ground) => return Some(0),
            None => {}
        }
        let Some(pin) = self.0.get(usize::from(channel)).copied().flatten() else {
            let name = env.name();
            env.gap(GapKind::Setting, format_args!("{name}: channel {channel} is connected to nothing, and reads 0 V"));
            return Some(0);
        };
        let at = env.picoseconds_before(env.now().since(sampled));
        env.effect(Effect::Measure { pin, at });
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_begin_half_a_step_before_their_voltage() {
        let supply = 4_096_000;
        assert_eq!([0, 499, 500, 1_499, 1_500].map(|uv| code(uv, supply, 12)), [0, 0, 1, 1, 2]);
        assert_eq!(
            [-5, i32::MIN, 4_095_499, 5_000_000, i32::MAX].map(|uv| code(uv, supply, 12)),
            [0, 0, 4_095, 4_095, 4_095]
        );
        assert_eq!(code(2_048_000, supply, 6), 32);
        assert_eq!((voltage(0, supply, 12), voltage(4_095, supply, 12)), (0, 4_095_000));
        assert!((0..4_096).all(|number| code(voltage(number, 3_300_000, 12), 3_300_000, 12) == number));
    }

    #[test]
    fn a_sensor_is_a_straight_line() {
        let sensor = Sensor { microvolts: 760_000, degrees: 25, slope: 2_500 };
        assert_eq!([25_000, 26_000, -40_000, 25_001].map(|at| sensor.at(at)), [760_000, 762_500, 597_500, 760_002]);
    }

    #[test]
    fn sums_are_shifted_and_rounded() {
        let of = |ovsr: u32, ovss: u32| Oversampling::new(1 | ovsr << 2 | ovss << 5, 1).expect("it is on");
        assert_eq!((of(0, 0).ratio, of(7, 0).ratio), (2, 256));
        // RM0490's table: 0xFFF sixteen times, without shift, by 1 and by 4; 256 times by 8, and without shift only the lower bits.
        assert_eq!([of(3, 0), of(3, 1), of(3, 4)].map(|set| set.result(16 * 0xFFF)), [0xFFF0, 0x7FF8, 0x0FFF]);
        assert_eq!([of(7, 8), of(7, 0)].map(|set| set.result(256 * 0xFFF)), [0x0FFF, 0xFF00]);
        assert_eq!([of(0, 1).result(3), of(0, 1).result(2), of(0, 15).result(256)], [2, 1, 1]);
        assert_eq!((Oversampling::new(0, 1), Oversampling::new(1, 2)), (None, None));
    }
}
