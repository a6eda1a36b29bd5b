//! The boards that people have, by their part.

use std::borrow::Cow;

use cyclescope_machine::Pin;
use cyclescope_machine::units::Hertz;

use crate::part::Board;

/// A board: its part, its name, its high-speed crystal or clock in hertz (0 for none), its low-speed crystal, and the levels
/// that it puts on pins.
type Known = (&'static str, &'static str, u64, u64, &'static [(Pin, bool)]);

/// The user button on PC13: low when pressed.
const PC13_HIGH: &[(Pin, bool)] = &[(Pin { port: 2, number: 13 }, true)];

/// The same, high when pressed.
const PC13_LOW: &[(Pin, bool)] = &[(Pin { port: 2, number: 13 }, false)];

/// The boards. Clocks, buttons and LEDs were compared with Zephyr's device trees of `nucleo_c031c6`, `stm32_min_dev` (blue),
/// `nucleo_f446re` and `nucleo_f446ze`. They differ in one thing: that of the F446ZE has its button low when pressed, those of
/// other boards of the same manual (`nucleo_f429zi`) high, as UM1974 has it.
const BOARDS: &[Known] = &[
    // UM2953: HSE 48 MHz and LSE 32.768 kHz; the user button B1.
    ("stm32c031c6", "Nucleo-C031C6", 48_000_000, 32_768, PC13_HIGH),
    // HSE 8 MHz, LSE 32.768 kHz; an LED from PC13 to the supply, lit when low.
    ("stm32f103c8", "Blue Pill", 8_000_000, 32_768, &[]),
    // UM1974, UM1724: HSE is the 8 MHz clock of the board's ST-LINK; LSE is a crystal.
    ("stm32f446ze", "Nucleo-F446ZE", 8_000_000, 32_768, PC13_LOW),
    ("stm32f446re", "Nucleo-F446RE", 8_000_000, 32_768, PC13_HIGH),
    ("stm32l476rg", "Nucleo-L476RG", 8_000_000, 32_768, PC13_HIGH),
    // WeAct's schematic: HSE 25 MHz, LSE 32.768 kHz, both crystals; the key on PA0 wants the part's pull-up.
    ("stm32f411ce", "Black Pill", 25_000_000, 32_768, &[]),
];

/// The board of the part `name`.
pub(super) fn of(name: &str) -> Option<Board> {
    let (_, board, hse, lse, levels) = BOARDS.iter().find(|(part, ..)| *part == name)?;
    let crystal = |hertz: u64| (hertz > 0).then(|| Hertz::new(hertz));
    Some(Board { name: Cow::Borrowed(board), hse: crystal(*hse), lse: crystal(*lse), levels: Cow::Borrowed(levels) })
}
