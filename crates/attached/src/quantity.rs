//! Values of quantities as users write them.

/// Returns the decimal number `text`, which may end in one of `units`, in parts of `10^-places`; `None` if it is no such number
/// or has more places.
pub(crate) fn decimal(text: &str, units: &[&str], places: usize) -> Option<i64> {
    let text = text.trim();
    let number = units.iter().find_map(|unit| text.strip_suffix(unit)).unwrap_or(text).trim_end();
    let (negative, digits) = match number.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, number.strip_prefix('+').unwrap_or(number)),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let all_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let sound = (1..=9).contains(&(whole.len() + fraction.len())) && fraction.len() <= places;
    if !sound || !all_digits(whole) || !all_digits(fraction) {
        return None;
    }
    let value: i64 = format!("0{whole}{fraction:0<places$}").parse().ok()?;
    Some(if negative { -value } else { value })
}

#[cfg(test)]
mod tests {
    use super::decimal;

    #[test]
    fn numbers_are_scaled_and_all_else_is_none() {
        let celsius = |text| decimal(text, &["°C", "C"], 2);
        for (text, value) in [("21.5", 2150), ("-3", -300), (" +0.05 C", 5), (".5°C", 50), ("7.", 700)] {
            assert_eq!(celsius(text), Some(value), "{text}");
        }
        for text in ["", "C", "1.234", "1e3", "--1", "1.2.3", "0x1", "1234567890", "5 V", "ö"] {
            assert_eq!(celsius(text), None, "{text}");
        }
    }
}
