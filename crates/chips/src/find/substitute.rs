//! Parts that would do in place of one that is not modelled.

use std::fmt;
use std::ops::Range;

/// An answer for a part that is not modelled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Substitute {
    /// A part of the same product line: the same core, peripherals and clock tree.
    Line(&'static str),
    /// A part of the same family: the same core, and peripherals of the same versions for the most part.
    Family(&'static str),
    /// A core without a vendor's peripherals.
    Core(&'static str),
    /// Armv6-M on a core with a shorter pipeline: a Cortex-M0 spends a cycle more on a taken branch (Cortex-M0 Technical
    /// Reference Manual, table 3-1; Cortex-M0+ Technical Reference Manual, table 3-1).
    Armv6M(&'static str),
    /// No part here runs the program.
    None {
        /// The core that would be needed.
        core: &'static str,
    },
}

impl fmt::Display for Substitute {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(part) => write!(
                f,
                "`{part}` would do: it is of the same product line, with other memory sizes or another package"
            ),
            Self::Family(part) => write!(
                f,
                "`{part}` is the nearest: it is of the same family, with the same core; clocks, memories and some \
                 peripherals differ"
            ),
            Self::Core(part) => {
                write!(f, "`{part}` has the same core and no peripherals: it runs code that needs none")
            }
            Self::Armv6M(part) => write!(
                f,
                "`{part}` runs the same instructions, without peripherals; branches of a Cortex-M0 take a cycle more"
            ),
            Self::None { core } => write!(f, "it has {core}, which is not modelled"),
        }
    }
}

/// The core of a family of parts.
#[derive(Clone, Copy)]
enum Model {
    M0,
    M0Plus,
    M3,
    M4,
    Other(&'static str),
}

use Model::{M0, M0Plus, M3, M4, Other};

const M7: Model = Other("a Cortex-M7");
const M33: Model = Other("a Cortex-M33");

/// The beginnings of part numbers, and the core of all parts whose number begins so (the vendors' data sheets).
const CORES: &[(&str, Model)] = &[
    ("stm32c0", M0Plus),
    ("stm32f0", M0),
    ("stm32f1", M3),
    ("stm32f2", M3),
    ("stm32f3", M4),
    ("stm32f4", M4),
    ("stm32f7", M7),
    ("stm32g0", M0Plus),
    ("stm32g4", M4),
    ("stm32h5", M33),
    ("stm32h7", M7),
    ("stm32l0", M0Plus),
    ("stm32l1", M3),
    ("stm32l4", M4),
    ("stm32l5", M33),
    ("stm32n6", Other("a Cortex-M55")),
    ("stm32u0", M0Plus),
    ("stm32u3", M33),
    ("stm32u5", M33),
    ("stm32wba", M33),
    ("stm32wb", M4),
    ("stm32wl", M4),
    ("gd32f1", M3),
    ("gd32f3", M4),
    ("gd32f4", M4),
    ("nrf51", M0),
    ("nrf52", M4),
    ("nrf53", M33),
    ("nrf54", M33),
    ("nrf91", M33),
    ("rp2040", M0Plus),
    ("rp2350", M33),
    ("atsamd2", M0Plus),
    ("atsamd5", M4),
    ("atsame5", M4),
    ("atsam3", M3),
    ("atsam4", M4),
    ("atsame7", M7),
    ("lm3s", M3),
    ("tm4c", M4),
    ("lpc17", M3),
    ("lpc8", M0Plus),
    ("mimxrt", M7),
    ("mkl", M0Plus),
    ("mk2", M4),
    ("mk6", M4),
    ("esp32c", Other("Espressif's RISC-V core")),
    ("esp32", Other("an Xtensa core")),
    ("ch32v", Other("a QingKe RISC-V core")),
    ("attiny", Other("a core of ATtiny parts")),
    ("atmega", Other("more flash, or another AVR core")),
];

/// ATmegas that differ from a modelled one in memory sizes and small things.
const ATMEGA: &[(&str, &str)] =
    &[("48", "atmega328p"), ("88", "atmega328p"), ("168", "atmega328p"), ("328", "atmega328p"), ("16u4", "atmega32u4")];

/// Returns the part among `known` that would do for the part called `name`; `None` if `name` is no part number that is
/// known here, such as one with a typing error.
pub(super) fn substitute(name: &str, known: &[&'static str]) -> Option<Substitute> {
    let name = name.to_ascii_lowercase();
    let name = name.strip_prefix("microchip-").unwrap_or(&name);
    // An unfinished name is none of another part, and neither is a part's name with two letters swapped.
    if known.iter().any(|part| part.starts_with(name) || swapped(name, part)) {
        return None;
    }
    if let Some(rest) = name.strip_prefix("atmega") {
        let number = atmega(rest)?;
        if let Some((_, part)) = ATMEGA.iter().find(|(of, part)| *of == number && known.contains(part)) {
            return Some(Substitute::Family(part));
        }
    }
    // The nRF52 series has blocks in common, at the same addresses.
    if name.starts_with("nrf52")
        && let Some(part) = known.iter().find(|part| part.starts_with("nrf52"))
    {
        return Some(Substitute::Family(part));
    }
    let (_, core) = CORES.iter().find(|(prefix, _)| name.starts_with(prefix))?;
    if let Some(rest) = name.strip_prefix("stm32") {
        if !is_stm32(rest) {
            return None;
        }
        if let Some(part) = of_family(name, known) {
            let line = name.get(..LINE.end);
            let same = line.is_some_and(|line| part.starts_with(line));
            return Some(if same { Substitute::Line(part) } else { Substitute::Family(part) });
        }
    }
    let (wanted, make): (_, fn(&'static str) -> Substitute) = match core {
        M0 => ("cortex-m0plus", Substitute::Armv6M),
        M0Plus => ("cortex-m0plus", Substitute::Core),
        M3 => ("cortex-m3", Substitute::Core),
        M4 => ("cortex-m4", Substitute::Core),
        Other(core) => return Some(Substitute::None { core }),
    };
    known.iter().find(|part| **part == wanted).map(|part| make(part))
}

/// Tells if `name` is `part` with two neighbouring letters swapped: one step where a swap is one, else two.
fn swapped(name: &str, part: &str) -> bool {
    strsim::osa_distance(name, part) == 1 && strsim::levenshtein(name, part) == 2
}

/// The place of the line in the name of an STM32 whose series has two characters: `46` in `stm32f446`.
const LINE: Range<usize> = 7..9;

/// Returns the part of the family of the STM32 called `name` whose line has the nearest number, and of that line's parts the
/// nearest. Lines of one family differ less in core clock and peripherals the nearer their numbers are: an STM32F104 is more of
/// an STM32F103 than of an STM32F100, which is as many letters away.
fn of_family(name: &str, known: &[&'static str]) -> Option<&'static str> {
    let family = name.get(..LINE.start)?;
    let alike = || known.iter().copied().filter(|part| part.starts_with(family));
    let line = |part: &str| u32::from_str_radix(part.get(LINE)?, 36).ok();
    let wanted = line(name)?;
    let distance = |part: &str| line(part).map_or(u32::MAX, |line| line.abs_diff(wanted));
    let least = alike().map(distance).min()?;
    // Of equally near ones the first, so that a name without pins and flash gets the part that is listed first.
    let rest = |name: &str| name.get(LINE.end..).unwrap_or_default().to_owned();
    let size = rest(name);
    alike().filter(|part| distance(part) == least).min_by_key(|part| strsim::osa_distance(&size, &rest(part)))
}

/// Returns the number of an ATmega whose name goes on with `rest`, without the letters of its revision and package.
fn atmega(rest: &str) -> Option<&str> {
    let rest = rest.split('-').next()?;
    let number = rest.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let plain = number.starts_with(|c: char| c.is_ascii_digit());
    (plain && ["", "a", "p", "pa", "pb"].contains(&&rest[number.len()..])).then_some(number)
}

/// Tells if `rest` goes on as the number of an STM32: a series, a line of two digits or letters, pins and flash.
fn is_stm32(rest: &str) -> bool {
    let letters = rest.as_bytes();
    let pins = |letter: &u8| b"fgktscrmvzqialbnjuhxdyp".contains(letter);
    let flash = |letter: &u8| b"0123456789abcdefghijyz".contains(letter);
    let series = letters.iter().position(u8::is_ascii_digit).filter(|at| (1..=3).contains(at));
    let Some(line) = series.map(|at| at + 1).or_else(|| rest.starts_with("wba").then_some(3)) else { return false };
    match letters.get(line..) {
        Some([a, b, rest @ ..]) if a.is_ascii_alphanumeric() && b.is_ascii_alphanumeric() => match rest {
            [] => true,
            [pin] => pins(pin),
            [pin, size, ..] => pins(pin) && flash(size),
        },
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_part_is_of_the_line_with_the_nearest_number() {
        let known = ["stm32f103c8", "stm32f100c4", "stm32f103rb", "stm32f105rc", "stm32f407vg", "stm32f427vg"];
        let cases = [
            ("stm32f104", "stm32f103c8"),
            ("STM32F104RB", "stm32f103rb"),
            ("stm32f106rc", "stm32f105rc"),
            ("stm32f101c4", "stm32f100c4"),
            ("stm32f408vg", "stm32f407vg"),
            ("stm32f426", "stm32f427vg"),
        ];
        for (name, expected) in cases {
            assert_eq!(substitute(name, &known), Some(Substitute::Family(expected)), "{name}");
        }
    }

    #[test]
    fn the_nearest_of_an_nrf52_is_the_one_that_is_there() {
        let known = ["cortex-m4", "nrf52840"];
        for name in ["nrf52832", "nRF52833_xxAA"] {
            assert_eq!(substitute(name, &known), Some(Substitute::Family("nrf52840")), "{name}");
        }
        assert_eq!(substitute("nrf5284", &known), None, "an unfinished name");
    }

    #[test]
    fn a_part_that_is_not_there_has_a_nearest_one_with_a_reason() {
        let known = [
            "cortex-m0plus",
            "cortex-m3",
            "cortex-m4",
            "stm32c031c6",
            "stm32f103c8",
            "stm32f446ze",
            "stm32f446re",
            "atmega328p",
            "atmega32u4",
        ];
        let cases = [
            ("STM32F446VETx", Some(Substitute::Line("stm32f446ze"))),
            ("stm32f446rc", Some(Substitute::Line("stm32f446re"))),
            ("STM32F103RB", Some(Substitute::Line("stm32f103c8"))),
            ("stm32f411ce", Some(Substitute::Family("stm32f446ze"))),
            ("STM32C011F4", Some(Substitute::Family("stm32c031c6"))),
            ("STM32G431KBTx", Some(Substitute::Core("cortex-m4"))),
            ("nRF52840_xxAA", Some(Substitute::Core("cortex-m4"))),
            ("RP2040", Some(Substitute::Core("cortex-m0plus"))),
            ("nRF51822", Some(Substitute::Armv6M("cortex-m0plus"))),
            ("STM32H743ZI", Some(Substitute::None { core: "a Cortex-M7" })),
            ("esp32c3", Some(Substitute::None { core: "Espressif's RISC-V core" })),
            ("atmega168p", Some(Substitute::Family("atmega328p"))),
            ("ATmega328PB", Some(Substitute::Family("atmega328p"))),
            ("atmega2560", Some(Substitute::None { core: "more flash, or another AVR core" })),
            // Typing errors, and strangers.
            ("stm32f446er", None),
            ("stm32c013c6", None),
            ("stm32f130c8", None),
            ("stm32c013c8", Some(Substitute::Family("stm32c031c6"))),
            ("atmega328q", None),
            ("atmega", None),
            ("ATmega168PA-AU", Some(Substitute::Family("atmega328p"))),
            ("atmega16u4", Some(Substitute::Family("atmega32u4"))),
            ("stm32f44", None),
            ("stm32f446", None),
            ("stm32", None),
            ("cortexm4", None),
            ("", None),
            ("stm32f\u{e9}46re", None),
        ];
        for (name, expected) in cases {
            assert_eq!(substitute(name, &known), expected, "{name}");
        }
    }
}
