//! Suggests names for a mistyped one.

use cyclescope_machine::Pin;

/// Returns the three of `candidates` that are nearest to `name`: first those that begin with it, then by edit distance.
pub(crate) fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let name = name.to_lowercase();
    let mut nearest: Vec<&str> = candidates.into_iter().collect();
    nearest.sort_by_cached_key(|candidates| {
        let candidates = candidates.to_lowercase();
        (!candidates.starts_with(&name), strsim::osa_distance(&name, &candidates))
    });
    nearest.truncate(3);
    nearest
}

/// Returns a clause with the `pins` nearest to `pin`, for the end of a message.
pub(crate) fn pins_clause(pin: Pin, pins: &[Pin]) -> String {
    if pins.is_empty() {
        return "; it is a core without pins".to_owned();
    }
    let names: Vec<String> = pins.iter().map(Pin::to_string).collect();
    format!("; the nearest are {}", nearest(&pin.to_string(), names.iter().map(String::as_str)).join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_come_first() {
        assert_eq!(nearest("PG0", ["PA0", "PB10", "PG1", "PG10"]), ["PA0", "PG1", "PG10"]);
        assert_eq!(nearest("exti", ["TIM2", "EXTI0_1"])[0], "EXTI0_1");
        assert_eq!(pins_clause(Pin { port: 0, number: 1 }, &[]), "; it is a core without pins");
    }
}
