//! The state of the part itself that its converters can measure.

/// The part's temperature, and the voltage of its battery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Die {
    /// The temperature in thousandths of a degree Celsius.
    pub millidegrees: i32,
    /// The voltage at VBAT, in microvolts.
    pub battery: i32,
}

impl Die {
    /// The name by which stimuli speak of it.
    pub const NAME: &'static str = "die";

    /// A part at 25 degrees whose VBAT hangs on the supply, of `supply` microvolts.
    pub const fn new(supply: i32) -> Self {
        Self { millidegrees: 25_000, battery: supply }
    }

    /// Gives the quantity `name` the value `value`: `temperature` in degrees Celsius, `vbat` in volts.
    ///
    /// # Errors
    /// A sentence that says which names or values there are.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        match name {
            "temperature" => {
                let degrees = thousandths(value).filter(|value| (-55_000..=150_000).contains(value));
                self.millidegrees = degrees
                    .ok_or_else(|| format!("the temperature `{value}` is no number of degrees from -55 to 150"))?;
            }
            "vbat" => {
                let number = value.strip_suffix('V').unwrap_or(value);
                let millivolts = thousandths(number).filter(|value| (0..=3_600).contains(value));
                self.battery = 1_000
                    * millivolts.ok_or_else(|| format!("the voltage `{value}` is no number of volts from 0 to 3.6"))?;
            }
            _ => return Err(format!("the part has no value `{name}`, but temperature and vbat")),
        }
        Ok(())
    }
}

/// A decimal number of at most three places, times 1000.
fn thousandths(text: &str) -> Option<i32> {
    let (sign, digits) = text.strip_prefix('-').map_or((1, text), |rest| (-1, rest));
    let (whole, places) = digits.split_once('.').unwrap_or((digits, ""));
    let is_number = |text: &str| text.len() <= 6 && text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !is_number(whole) || places.len() > 3 || !is_number(places) {
        return None;
    }
    let places: i32 = format!("{places:0<3}").parse().ok()?;
    Some(sign * (whole.parse::<i32>().ok()? * 1_000 + places))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_have_ranges() {
        let mut die = Die::new(3_300_000);
        assert_eq!(die.set("temperature", "-12.5"), Ok(()));
        assert_eq!(die.set("vbat", "3.05V"), Ok(()));
        assert_eq!(die, Die { millidegrees: -12_500, battery: 3_050_000 });
        for (name, value) in
            [("temperature", "200"), ("temperature", "1e3"), ("vbat", "-1"), ("vbat", ""), ("mass", "1")]
        {
            assert!(die.set(name, value).is_err(), "{name} {value}");
        }
        assert_eq!(thousandths("99999999999"), None);
    }
}
