//! Part numbers as people write them: in any case, and with the letters for package, temperature and reel.

/// Returns the name among `known` that `name` spells.
///
/// After a part's own name may follow what its vendor appends: a package and a temperature range (`STM32F446RET6`, also
/// `STM32F446RETx`), a package behind a dash (`ATmega328P-PU`), or a package and a speed (`MK20DX256VLH7`). Other letters
/// make another part (`ATmega328PB`).
pub(crate) fn spelled<'a>(name: &str, known: impl Iterator<Item = &'a str> + Clone) -> Option<&'a str> {
    if let Some(same) = known.clone().find(|known| known.eq_ignore_ascii_case(name)) {
        return Some(same);
    }
    let name = name.to_ascii_lowercase();
    known
        .into_iter()
        .find(|known| name.strip_prefix(&known.to_ascii_lowercase()).is_some_and(|rest| packaged(known, rest)))
}

/// Returns the STM32 among `known` that fit `name`, in which `x`, `?` and `*` stand for any letter of its own. The series and a
/// digit of the line must be written out.
pub(crate) fn fitting<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    const WRITTEN: usize = "stm32f4".len();
    let name = name.to_ascii_lowercase();
    let wild = |letter: u8| matches!(letter, b'x' | b'?' | b'*');
    let fits = |part: &&str| {
        let Some((own, rest)) = name.split_at_checked(part.len()) else { return false };
        own.bytes().zip(part.bytes()).all(|(letter, wanted)| wild(letter) || letter == wanted)
            && (rest.is_empty() || packaged(part, rest))
    };
    let written = name
        .as_bytes()
        .get(..WRITTEN)
        .is_some_and(|start| start.starts_with(b"stm32") && !start.iter().any(|letter| wild(*letter)));
    if written { known.filter(fits).collect() } else { Vec::new() }
}

/// Tells if `rest` is a package that the vendor of `part` appends to the part's name. Both are lower-case.
fn packaged(part: &str, rest: &str) -> bool {
    let rest: Vec<char> = rest.chars().collect();
    let letter = |c: &char| c.is_ascii_lowercase();
    if part.starts_with("stm32") {
        // Package, temperature range or `x`, then options such as `TR` for a reel.
        return match rest.as_slice() {
            [package] => letter(package),
            [package, range, options @ ..] => {
                letter(package)
                    && (range.is_ascii_digit() || *range == 'x')
                    && options.len() <= 3
                    && options.iter().all(letter)
            }
            [] => false,
        };
    }
    if part.starts_with("nrf") {
        // The package behind a dash, or as build systems have it (`nRF52840_xxAA`); the kit (`nrf52840-dk`, `nrf52840dk`).
        let package = match rest.as_slice() {
            ['-' | '_', package @ ..] => package,
            kit => return kit == ['d', 'k'],
        };
        return (2..=4).contains(&package.len()) && package.iter().all(letter);
    }
    if part.starts_with("mk") {
        // Temperature range, package of two letters, speed in tens of MHz.
        return matches!(rest.as_slice(), ['v' | 'c' | 'm', a, b, speed @ ..]
            if letter(a) && letter(b) && (1..=2).contains(&speed.len()) && speed.iter().all(char::is_ascii_digit));
    }
    matches!(rest.as_slice(), ['-', package @ ..] if (1..=4).contains(&package.len()) && package.iter().all(letter))
}

#[cfg(test)]
mod tests {
    use super::spelled;

    #[test]
    fn packages_are_no_part_of_the_name_and_other_letters_are() {
        let known = ["stm32f446ze", "stm32f446re", "mk20dx256", "nrf52840", "atmega328p", "cortex-m4"];
        let cases = [
            ("nRF52840_xxAA", Some("nrf52840")),
            ("nRF52840-QIAA", Some("nrf52840")),
            ("nrf52840-dk", Some("nrf52840")),
            ("nrf52840dk", Some("nrf52840")),
            ("nrf52840x", None),
            ("STM32F446RE", Some("stm32f446re")),
            ("STM32F446RETx", Some("stm32f446re")),
            ("stm32f446ret6tr", Some("stm32f446re")),
            ("STM32F446ZEJ", Some("stm32f446ze")),
            ("MK20DX256VLH7", Some("mk20dx256")),
            ("ATmega328P-PU", Some("atmega328p")),
            ("ATmega328PB", None),
            ("ATmega328PB-AU", None),
            ("STM32F446RE6", None),
            ("STM32F446REtoolong", None),
            ("STM32F446", None),
            ("MK20DX256VLH", None),
            ("cortex-m4f", None),
            ("", None),
            ("stm32f446re\u{e9}", None),
        ];
        for (name, expected) in cases {
            assert_eq!(spelled(name, known.iter().copied()), expected, "{name}");
        }
    }
}
