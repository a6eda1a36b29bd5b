//! The name that was probably meant.

/// The candidate nearest to `name` by optimal string alignment distance (a swap of neighbours counts one), if it is
/// near enough to be a typing error: at most half of the letters, at least one, or an unfinished word of two
/// letters and more. Of equally near ones, the first.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let name = name.to_lowercase();
    let allowed = (name.chars().count() / 2).max(1);
    candidates
        .into_iter()
        .filter_map(|candidate| {
            let lower = candidate.to_lowercase();
            let distance = strsim::osa_distance(&name, &lower);
            let unfinished = name.len() > 1 && lower.starts_with(&name);
            (distance <= allowed && distance < name.chars().count() || unfinished).then_some((distance, candidate))
        })
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn typing_errors_find_their_word_and_strangers_none() {
        let names = ["primes", "latency", "stm32c031c6", "cortex-m0plus"];
        let find = |name| nearest(name, names);
        assert_eq!(find("prmies"), Some("primes"));
        assert_eq!(find("PRIME"), Some("primes"));
        assert_eq!(find("stm32c031"), Some("stm32c031c6"));
        assert_eq!(find("cortex-m0"), Some("cortex-m0plus"));
        assert_eq!(find("xyz"), None);
        assert_eq!(find(""), None);
        assert_eq!(nearest("z", ["s", "3"]), None, "nothing in common");
    }
}
