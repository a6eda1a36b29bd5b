//! The names that were probably meant.

use std::collections::BTreeSet;

/// The most names that are shown where none is near.
const FEW: usize = 6;

/// The most names that are suggested.
const MOST: usize = 4;

/// Returns the candidates that `name` is a part of, each once, those that begin with it first; where there are none, the
/// [`nearest`] one.
pub fn likely<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str> + Clone) -> Vec<&'a str> {
    let lower = name.to_lowercase();
    let mut seen = BTreeSet::new();
    let with_part = |candidate: &&str| lower.len() > 1 && candidate.to_lowercase().contains(&lower);
    let all = candidates.clone().into_iter().filter(with_part).filter(|candidate| seen.insert(*candidate));
    let mut all: Vec<&str> = all.collect();
    all.sort_by_key(|candidate| !candidate.to_lowercase().starts_with(&lower));
    if all.is_empty() { nearest(name, candidates).into_iter().collect() } else { all }
}

/// Returns a clause for the end of a message on `name`, which is none of `known`: the names that were probably meant, or all if
/// they are few.
pub fn clause<'a>(name: &str, known: impl IntoIterator<Item = &'a str> + Clone) -> String {
    let quoted = |names: &[&str]| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>();
    let likely = likely(name, known.clone());
    match likely.len() {
        0 => {
            let all: BTreeSet<&str> = known.into_iter().collect();
            let few = quoted(&all.into_iter().take(FEW + 1).collect::<Vec<_>>());
            match few.as_slice() {
                [one] => format!("; there is {one}"),
                [first @ .., last] if few.len() <= FEW => format!("; there are {} and {last}", first.join(", ")),
                _ => String::new(),
            }
        }
        1 => format!("; did you mean `{}`?", likely[0]),
        count if count <= MOST => {
            let names = quoted(&likely);
            format!("; did you mean {} or {}?", names[..count - 1].join(", "), names[count - 1])
        }
        count => {
            let names = quoted(&likely[..MOST - 1]);
            format!("; did you mean {} or another of {count}?", names.join(", "))
        }
    }
}

/// The candidate nearest to `name` by optimal string alignment distance (a swap of neighbours counts one), if it is
/// near enough to be a typing error: at most half of the letters, at least one, or an unfinished word of two
/// letters and more. More than one wrong digit is no slip: it is another part. Of equally near ones, the first.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let name = name.to_lowercase();
    let allowed = (name.chars().count() / 2).max(1);
    candidates
        .into_iter()
        .filter_map(|candidate| {
            let lower = candidate.to_lowercase();
            let distance = strsim::osa_distance(&name, &lower);
            let unfinished = name.len() > 1 && lower.starts_with(&name);
            let slip = distance <= allowed
                && distance < name.chars().count()
                && strsim::osa_distance(&digits(&name), &digits(&lower)) <= 1;
            (slip || unfinished).then_some((distance, candidate))
        })
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

fn digits(name: &str) -> String {
    name.chars().filter(char::is_ascii_digit).collect()
}

#[cfg(test)]
mod tests {
    use super::{clause, likely, nearest};

    #[test]
    fn typing_errors_find_their_word_and_strangers_none() {
        let names = ["primes", "latency", "stm32c031c6", "cortex-m0plus"];
        let find = |name| nearest(name, names);
        assert_eq!(find("prmies"), Some("primes"));
        assert_eq!(find("PRIME"), Some("primes"));
        assert_eq!(find("stm32c031"), Some("stm32c031c6"));
        assert_eq!(find("cortex-m0"), Some("cortex-m0plus"));
        assert_eq!(find("stm32c013c6"), Some("stm32c031c6"));
        assert_eq!(nearest("stm32f999", ["stm32f429ag", "stm32f107vc"]), None, "no such part");
        assert_eq!(find("xyz"), None);
        assert_eq!(find(""), None);
        assert_eq!(nearest("z", ["s", "3"]), None, "nothing in common");
    }

    #[test]
    fn all_names_with_a_part_are_likely_and_few_are_all_named() {
        let chips = ["stm32c031c6", "stm32f103c8", "stm32f446ze", "stm32f446re", "cortex-m4"];
        assert_eq!(likely("F446", chips), ["stm32f446ze", "stm32f446re"]);
        assert_eq!(likely("m4", ["a-m4", "m4-b", "c"]), ["m4-b", "a-m4"], "beginnings first");
        assert_eq!(clause("stm32f4", chips), "; did you mean `stm32f446ze` or `stm32f446re`?");
        assert_eq!(clause("stm32f446er", chips), "; did you mean `stm32f446re`?");
        assert_eq!(
            clause("stm", [&chips[..], &["stm8"]].concat()),
            "; did you mean `stm32c031c6`, `stm32f103c8`, `stm32f446ze` or another of 5?"
        );
        assert_eq!(clause("5", ["s", "3", "s"]), "; there are `3` and `s`");
        assert_eq!(clause("five", ["3"]), "; there is `3`");
        assert_eq!(clause("x", ["aa", "bb", "cc", "dd", "ee", "ff", "gg"]), "", "too many");
        assert_eq!(clause("x", []), "");
    }
}
