//! Names that stand for several parts, and boards by name.

use cyclescope_chips::Part;

/// The meaning of a name that is no part's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Likeness {
    /// A name with wildcards, and the parts that it fits.
    Parts(Vec<&'static str>),
    /// A board.
    Board {
        /// The board, as its maker calls it.
        title: &'static str,
        /// Its part.
        chip: &'static str,
    },
}

/// Boards that people have: how they write them, in small letters and digits alone, the board's title, and its part, as
/// PlatformIO's descriptions of boards have it. There are Black Pills with three parts.
const BOARDS: &[(&[&str], &str, &str)] = &[
    (&["bluepill", "bluepillf103c8"], "a Blue Pill", "stm32f103c8"),
    (&["blackpill", "blackpillf411ce"], "a Black Pill with an STM32F411", "stm32f411ce"),
    (&["blackpillf401cc"], "a Black Pill with an STM32F401", "stm32f401cc"),
    (&["blackpillf103c8"], "a Black Pill with an STM32F103", "stm32f103c8"),
    (&["maplemini"], "a Maple Mini", "stm32f103cb"),
    (&["stm32f4discovery", "discof407vg"], "an STM32F4DISCOVERY", "stm32f407vg"),
    (&["teensy31", "teensy32"], "a Teensy 3.2", "mk20dx256"),
    (&["uno", "arduinouno", "nano", "arduinonano", "promini"], "an Arduino Uno or Nano", "atmega328p"),
    (
        &["leonardo", "arduinoleonardo", "micro", "arduinomicro", "promicro"],
        "an Arduino Leonardo or Micro",
        "atmega32u4",
    ),
];

/// Returns the meaning of `name`, if it has one.
pub(super) fn of(name: &str) -> Option<Likeness> {
    if let Some((title, chip)) = board(name) {
        return Some(Likeness::Board { title, chip });
    }
    let lower = name.to_ascii_lowercase();
    let is_part = Part::names().any(|known| known.contains(&lower));
    let fitting = if name.contains(is_wild) && !is_part { parts(name) } else { Vec::new() };
    (!fitting.is_empty()).then_some(Likeness::Parts(fitting))
}

/// Returns the parts whose names have `text` in them. In it `x`, `?` and `*` stand for any letter or digit; at its end they say
/// nothing.
pub(super) fn parts(text: &str) -> Vec<&'static str> {
    let lower = text.to_ascii_lowercase();
    // Of a name such as `mk20dx256` the x is a letter.
    let own: Vec<&str> = Part::names().filter(|name| lower.len() > 1 && name.contains(&lower)).collect();
    let wanted = lower.trim_end_matches(is_wild).as_bytes();
    let letters = wanted.iter().filter(|letter| !is_wild(char::from(**letter))).count();
    if !own.is_empty() || letters < 2 {
        return own;
    }
    let fits = |name: &&str| {
        let alike = |(letter, wanted): (&u8, &u8)| is_wild(char::from(*wanted)) || letter == wanted;
        name.as_bytes().windows(wanted.len()).any(|part| part.iter().zip(wanted).all(alike))
    };
    Part::names().filter(fits).collect()
}

/// Returns the title and the part of the board called `name`.
fn board(name: &str) -> Option<(&'static str, &'static str)> {
    let plain: String = name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
    // Boards of this series have the name of their part.
    if let Some(of) = plain.strip_prefix("nucleo") {
        let part = Part::find(&format!("stm32{of}")).ok()?;
        return Some(("that Nucleo board", part.name.as_ref()));
    }
    BOARDS.iter().find(|(names, ..)| names.contains(&plain.as_str())).map(|(_, title, chip)| (*title, *chip))
}

fn is_wild(letter: char) -> bool {
    matches!(letter, 'x' | '?' | '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wildcards_stand_for_letters_and_the_last_ones_for_the_rest() {
        assert_eq!(parts("stm32f446xx"), parts("F446"));
        assert_eq!(parts("f4xx"), parts("f4"));
        let line = parts("STM32G4x1");
        assert!(line.contains(&"stm32g431kb") && line.contains(&"stm32g491re"), "{line:?}");
        assert!(!line.contains(&"stm32g474re"), "{line:?}");
        assert_eq!(parts("mk20dx256"), ["mk20dx256"], "a letter of its own");
        for stranger in ["", "x", "xxxx", "*", "f9xx", "s?", "\u{e9}x"] {
            assert_eq!(parts(stranger), [""; 0], "{stranger}");
        }
    }

    #[test]
    fn boards_are_known_however_they_are_written() {
        let chip = |name| board(name).map(|(_, chip)| chip);
        assert_eq!(chip("Blue Pill"), Some("stm32f103c8"));
        assert_eq!(chip("NUCLEO-F446RE"), Some("stm32f446re"));
        assert_eq!(chip("nucleo_g431kb"), Some("stm32g431kb"));
        assert_eq!(chip("nucleo-h743zi"), None, "its part is not modelled");
        assert_eq!(chip("nucleo"), None);
        for (_, _, part) in BOARDS {
            assert!(Part::find(part).is_ok(), "{part}");
        }
    }
}
