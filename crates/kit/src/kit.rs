//! The kit of one board.

use std::collections::{BTreeMap, BTreeSet};

use cyclescope_avr::timing::CoreTiming as AvrTiming;
use cyclescope_chips::{Core, CortexMModel, Part, PartError};
use cyclescope_cortex_m::timing::{CORTEX_M0PLUS, CORTEX_M3, CORTEX_M4F, CoreTiming};
use cyclescope_machine::TimingRow;
use thiserror::Error;

use crate::assembly::{self, Target, arm_function};
use crate::expression::{ExpressionError, evaluate};
use crate::sequence::{Sequence, Subject, digest};
use crate::stepped::{self, BY_RULES};
use crate::table::{File, Filled, Home, Memory, Run, Span};

/// The files of sequences: name and content.
const FILES: [(&str, &str); 4] = [
    ("cortex-m0plus.toml", include_str!("../sequences/cortex-m0plus.toml")),
    ("cortex-m3-m4.toml", include_str!("../sequences/cortex-m3-m4.toml")),
    ("flash.toml", include_str!("../sequences/flash.toml")),
    ("avr.toml", include_str!("../sequences/avr.toml")),
];

/// A board that has a kit.
#[derive(Debug)]
pub struct BoardKit {
    /// The name in `firmware/images.toml`, which is also the chip's name.
    pub name: &'static str,
    /// The core's name in the same file.
    pub core: &'static str,
    /// Boards with the same die or with like registers, and traits of the die: their entries in sequences apply to this
    /// board too.
    like: &'static [&'static str],
    /// Values for `<…>` in sequences.
    words: Words,
    /// The memory of sequences that name none.
    home: Home,
}

impl BoardKit {
    /// Tells whether its core is a Cortex-M0+.
    fn is_small(&self) -> bool {
        self.core == "m0plus"
    }
}

/// The words of a board: values for `<…>` in sequences. The addresses are of registers that can be read and written without
/// effect. `NAME.row` and `NAME.cost` are the row of an access to the register of that name, and its part of a sum; `interrupt7` is
/// the handler of that interrupt, `flash_wait` and `from_code` are what a load from flash takes more, and one from RAM behind one
/// from the code's memory.
type Words = &'static [(&'static str, &'static str)];

/// TIM3_ARR, and GPIOA_ODR on the core's I/O port.
const STM32C031: Words = &[
    ("apb1", "0x4000042c"),
    ("apb1.read.row", "apb"),
    ("apb1.read.cost", "(apb - 1)"),
    ("apb1.write.row", "apb"),
    ("apb1.write.cost", "(apb - 1)"),
    ("gpio", "0x50000014"),
    ("line", "8"),
    ("ram_target", "0"),
];

/// WATCHDOG_SCRATCH0, and GPIO_OUT of SIO.
const RP2040: Words = &[
    ("apb1", "0x4005800c"),
    ("apb1.read.row", "apb_read"),
    ("apb1.read.cost", "apb_read"),
    ("apb1.write.row", "apb_write"),
    ("apb1.write.cost", "apb_write"),
    ("gpio", "0xd0000010"),
    ("ram_target", "0"),
];

/// TIM2_ARR, TIM1_ARR, GPIOA_ODR, CRC_IDR.
const STM32F103: Words = &[
    ("flash_wait", "0"),
    ("from_code", "0"),
    ("apb1", "0x4000002c"),
    ("apb1.row", "apb"),
    ("apb1.cost", "(apb - 1)"),
    ("apb2", "0x40012c2c"),
    ("apb2.row", "apb"),
    ("apb2.cost", "(apb - 1)"),
    ("gpio", "0x4001080c"),
    ("gpio.row", "apb"),
    ("gpio.cost", "(apb - 1)"),
    ("line", "line"),
    ("ram_target", "system"),
    ("ahb", "0x40023004"),
    ("ahb.row", "ahb"),
    ("ahb.cost", "ahb"),
];

/// TIM2_ARR, TIM1_ARR, GPIOA_ODR, CRC_IDR.
const STM32L476: Words = &[
    ("flash_wait", "0"),
    ("from_code", "0"),
    ("interrupt7", "EXTI1_IRQHandler"),
    ("apb1", "0x4000002c"),
    ("apb1.row", "apb"),
    ("apb1.cost", "(apb - 1)"),
    ("apb2", "0x40012c2c"),
    ("apb2.row", "apb"),
    ("apb2.cost", "(apb - 1)"),
    ("gpio", "0x48000014"),
    ("gpio.row", "ahb"),
    ("gpio.cost", "ahb"),
    ("line", "line"),
    ("ram_target", "system"),
    ("ahb", "0x40023004"),
    ("ahb.row", "ahb"),
    ("ahb.cost", "ahb"),
];

/// TIM2_ARR, TIM1_ARR, GPIOA_ODR, CRC_IDR.
const STM32F446: Words = &[
    ("flash_wait", "0"),
    ("from_code", "0"),
    ("interrupt7", "EXTI1_IRQHandler"),
    ("apb1", "0x4000002c"),
    ("apb1.row", "apb"),
    ("apb1.cost", "(apb - 1)"),
    ("apb2", "0x4001002c"),
    ("apb2.row", "apb"),
    ("apb2.cost", "(apb - 1)"),
    ("gpio", "0x40020014"),
    ("gpio.row", "ahb"),
    ("gpio.cost", "ahb"),
    ("line", "line"),
    ("ram_target", "system"),
    ("ahb", "0x40023004"),
    ("ahb.row", "ahb"),
    ("ahb.cost", "ahb"),
];

/// PIT_LDVAL0, GPIOB_PDOR.
const MK20: Words = &[
    ("flash_wait", "0"),
    ("from_code", "0"),
    ("apb1", "0x40037100"),
    ("apb1.row", "aips"),
    ("apb1.cost", "(aips - 1)"),
    ("gpio", "0x400ff040"),
    ("gpio.row", "gpio"),
    ("gpio.cost", "gpio"),
    ("line", "line_fmc"),
    ("ram_target", "0"),
];

/// TIMER0's CC0, P0.OUT.
const NRF52840: Words = &[
    ("flash_wait", "wait_nvmc"),
    ("from_code", "change"),
    ("interrupt7", "SAADC_IRQHandler"),
    ("apb1", "0x40008540"),
    ("apb1.row", "pclk"),
    ("apb1.cost", "pclk"),
    ("gpio", "0x50000504"),
    ("gpio.row", "gpio"),
    ("gpio.cost", "gpio"),
    ("line", "line_nvmc"),
    ("ram_target", "system"),
];

/// Returns a board whose flash has no wait states as reset leaves it.
const fn board(name: &'static str, core: &'static str, like: &'static [&'static str], words: Words) -> BoardKit {
    BoardKit { name, core, like, words, home: Home::Flash }
}

/// All boards with a kit.
pub const BOARDS: &[BoardKit] = &[
    board("stm32c031c6", "m0plus", &[], STM32C031),
    board("stm32g071rb", "m0plus", &["stm32c031c6"], STM32C031),
    board("stm32f103c8", "m3", &["counts in sleep"], STM32F103),
    board("stm32f446ze", "m4f", &["counts in sleep", "two srams"], STM32F446),
    board("stm32f446re", "m4f", &["stm32f446ze", "counts in sleep", "two srams"], STM32F446),
    board("stm32f411ce", "m4f", &["stm32f446ze", "counts in sleep"], STM32F446),
    board("stm32l476rg", "m4f", &["counts in sleep"], STM32L476),
    board("stm32g431kb", "m4f", &["stm32l476rg", "counts in sleep"], STM32L476),
    BoardKit { home: Home::CodeRam, ..board("nrf52840", "m4f", &[], NRF52840) },
    BoardKit { home: Home::Ram, ..board("rp2040", "m0plus", &[], RP2040) },
    board("mk20dx256", "m4", &["counts in sleep"], MK20),
    board("atmega328p", "avr5", &[], &[]),
];

/// An error that leaves no kit.
#[derive(Debug, Error)]
pub enum KitError {
    /// The chip is unknown.
    #[error(transparent)]
    Part(#[from] PartError),
    /// The chip has no kit.
    #[error("the chip {chip} has no kit; chips with one: {}", names())]
    NoKit {
        /// The chip.
        chip: String,
    },
    /// A file of sequences cannot be parsed.
    #[error("experiments/kit/{file}: {error}")]
    File {
        /// The file.
        file: &'static str,
        /// The cause.
        #[source]
        error: Box<toml::de::Error>,
    },
    /// An expected sum cannot be evaluated.
    #[error("{sequence}: {error}")]
    Expected {
        /// The sequence.
        sequence: String,
        /// The cause.
        #[source]
        error: ExpressionError,
    },
    /// A sequence by the rules of flash has an instruction that the rules do not cover.
    #[error("{sequence}: the rules of flash do not cover `{instruction}`")]
    Instruction {
        /// The sequence.
        sequence: String,
        /// The instruction.
        instruction: String,
    },
    /// A sequence contradicts itself or another.
    #[error("{sequence}: {what}")]
    Sequence {
        /// The sequence.
        sequence: String,
        /// The contradiction.
        what: &'static str,
    },
}

fn names() -> String {
    BOARDS.iter().map(|board| board.name).collect::<Vec<_>>().join(", ")
}

/// The sequences of one board.
#[derive(Debug)]
pub struct Kit {
    /// The board.
    pub board: &'static BoardKit,
    /// Its chip.
    pub part: &'static Part,
    /// Its sequences, in the order in which they run.
    pub sequences: Vec<Sequence>,
}

impl Kit {
    /// Returns the kit of the board with the chip `chip`.
    ///
    /// # Errors
    /// [`KitError`] for a chip without a kit; the others are mistakes in the compiled-in files.
    pub fn of(chip: &str) -> Result<Self, KitError> {
        let part = Part::find(chip)?;
        let board = BOARDS.iter().find(|board| board.name == part.name);
        let board = board.ok_or_else(|| KitError::NoKit { chip: part.name.to_string() })?;
        let words = board.words.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let tables = Tables::of(part);
        let names = [&[board.name, board.core], board.like].concat();
        let mut sequences: Vec<Sequence> = Vec::new();
        for (name, text) in FILES {
            let file: File =
                toml::from_str(text).map_err(|error| KitError::File { file: name, error: error.into() })?;
            if !file.core.iter().any(|core| core == board.core) {
                continue;
            }
            for entry in &file.sequence {
                for filled in entry.filled(&words) {
                    if !filled.is_on(&names) {
                        continue;
                    }
                    let mut sequence = sequence(filled, (entry.run, entry.memory), &file.row, &tables)?;
                    if sequence.sum == BY_RULES {
                        let (cycles, rows) = by_rules(&sequence, sequences.last(), board, &tables)?;
                        sequence.expected = Some(cycles);
                        sequence.rows.extend(rows);
                    }
                    if sequences.iter().any(|other| other.name == sequence.name) {
                        let what = "the board has two sequences of this name";
                        return Err(KitError::Sequence { sequence: sequence.name, what });
                    }
                    sequences.push(sequence);
                }
            }
        }
        Ok(Self { board, part, sequences })
    }

    /// Returns the sequences and their table in assembly.
    pub fn assembly(&self) -> String {
        assembly::text(&self.sequences, self.target(), &self.version())
    }

    /// Returns a hash of the assembly. A board's answers belong to exactly this version.
    pub fn version(&self) -> String {
        digest(&assembly::sequences(&self.sequences, self.target()))
    }

    fn target(&self) -> Target {
        if matches!(self.part.core, Core::Avr(_)) {
            Target::Avr
        } else {
            Target::Arm { small: self.board.is_small(), home: self.board.home }
        }
    }
}

/// The rows that a part's sequences may name, by table.
struct Tables(Vec<(String, Vec<&'static TimingRow>)>);

impl Tables {
    fn of(part: &'static Part) -> Self {
        let arm = |timing: &'static CoreTiming| (timing.core.to_owned(), timing.rows.iter().collect());
        let avr = |timing: &'static AvrTiming| (timing.core.to_owned(), timing.rows.iter().collect());
        let core = match &part.core {
            Core::CortexM(core) => Some(arm(match core.model {
                CortexMModel::M0Plus => &CORTEX_M0PLUS,
                CortexMModel::M3 => &CORTEX_M3,
                // Both share one table; the M4 without floating point never uses those rows.
                CortexMModel::M4 | CortexMModel::M4F => &CORTEX_M4F,
            })),
            Core::Avr(own) => Some(avr(own.timing)),
            Core::Riscv(_) | Core::Xtensa(_) => None,
        };
        Self(core.into_iter().chain([(part.row_table().to_owned(), part.timing_rows())]).collect())
    }

    fn find(&self, name: &str) -> Option<(&str, &'static TimingRow)> {
        self.0.iter().find_map(|(table, rows)| Some((table.as_str(), *rows.iter().find(|row| row.name == name)?)))
    }
}

fn sequence(
    filled: Filled,
    (run, memory): (Run, Memory),
    short: &BTreeMap<String, String>,
    tables: &Tables,
) -> Result<Sequence, KitError> {
    let span = Span::named(&filled.span).ok_or_else(|| KitError::Sequence {
        sequence: filled.name.clone(),
        what: "its span is unknown; use code, entry, urgent, return or chain",
    })?;
    let wait = filled.values.get("wait").and_then(|wait| u8::try_from(*wait).ok()).unwrap_or(memory.wait);
    let memory = Memory { wait, ..memory };
    let mut rows = BTreeSet::new();
    let mut value_of = |name: &str| {
        if name == "wait" {
            return Some(memory.wait.into());
        }
        if let Some(value) = filled.values.get(name) {
            return Some(*value);
        }
        let (_, row) = tables.find(short.get(name)?)?;
        rows.insert(row.name);
        Some(row.cycles.into())
    };
    let mut value = |sum: &String| {
        evaluate(sum, &mut value_of).map_err(|error| KitError::Expected { sequence: filled.name.clone(), error })
    };
    let expected = filled.expect.as_ref().filter(|sum| *sum != BY_RULES).map(&mut value).transpose()?;
    let subject = match (&filled.row, &filled.rule) {
        (Some(row), None) => {
            let found = short.get(row).and_then(|name| tables.find(name));
            let (table, row) = found.ok_or_else(|| KitError::Expected {
                sequence: filled.name.clone(),
                error: ExpressionError::Name(row.clone()),
            })?;
            rows.insert(row.name);
            Subject::Row { table: table.to_owned(), row: row.name }
        }
        (None, Some(rule)) => Subject::Rule(rule.clone()),
        _ => return Err(KitError::Sequence { sequence: filled.name, what: "it needs either a row or a rule" }),
    };
    Ok(Sequence {
        name: filled.name,
        subject,
        code: filled.code,
        setup: filled.setup,
        behind: filled.behind,
        at: filled.at,
        run,
        memory,
        span,
        sum: filled.expect.unwrap_or_default(),
        expected,
        rows,
    })
}

/// Returns the cycles of `sequence` on `board` by the rules of flash, and the rows used. `before`, the sequence placed
/// before it, determines its address.
fn by_rules(
    sequence: &Sequence,
    before: Option<&Sequence>,
    board: &BoardKit,
    tables: &Tables,
) -> Result<(u64, BTreeSet<&'static str>), KitError> {
    let mut rows = BTreeSet::new();
    let mut row = |name: &str| {
        let (_, row) = tables.find(name)?;
        rows.insert(row.name);
        Some(row.cycles)
    };
    let small = board.is_small();
    let text = before.map(|before| arm_function("before", before, small, board.home)).unwrap_or_default()
        + &arm_function(stepped::TIMED, sequence, small, board.home);
    match stepped::cycles(&text, small, sequence.memory, &mut row) {
        Ok(cycles) => Ok((cycles, rows)),
        Err(instruction) => Err(KitError::Instruction { sequence: sequence.name.clone(), instruction }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows of cores without a sequence, and the reasons.
    const UNTIMED: &[(&str, &[&str])] = &[
        ("it ends a run, or hands it to a debugger", &["breakpoint", "undefined", "BREAK", "reserved"]),
        ("the source would be the counter, SysTick", &["late arrival", "wake-up"]),
        ("the part has no such instruction", &["EICALL", "EIJMP", "ELPM"]),
        ("it would write the flash", &["SPM"]),
        ("only a device could tell", &["I/O phase", "data phase", "bit phase", "skip phase"]),
        ("it is of an order, not of a time", &["interrupt delay by SREG"]),
    ];

    /// Checks the sequences in flash of all boards.
    fn check_in_flash(check: impl Fn(&Sequence, &dyn Fn(Option<&Sequence>) -> u64)) {
        for board in BOARDS.iter().filter(|board| board.core != "avr5") {
            let kit = Kit::of(board.name).unwrap();
            let tables = Tables::of(kit.part);
            for one in kit.sequences.iter().filter(|one| one.name.starts_with("flash.")) {
                check(one, &|before| by_rules(one, before, board, &tables).unwrap().0);
            }
        }
    }

    #[test]
    fn the_rules_of_flash_come_to_the_sums_that_are_worked_out_by_hand() {
        check_in_flash(|one, cycles| {
            let by_hand = one.expected.filter(|_| one.sum != BY_RULES);
            assert!(by_hand.is_none_or(|by_hand| by_hand == cycles(None)), "{}: {by_hand:?}", one.name);
        });
    }

    #[test]
    fn where_a_function_stands_decides_nothing() {
        check_in_flash(|one, cycles| {
            // It returns to its first line, which is cached only if it was read ahead.
            if one.name == "flash.prefetch.alternating" {
                return;
            }
            let anywhere = cycles(None);
            for words in 1..8 {
                let before = Sequence { code: "nop; nop;".repeat(words), ..Sequence::empty(Run::Flash) };
                assert_eq!(cycles(Some(&before)), anywhere, "{} {words} words further on", one.name);
            }
        });
    }

    #[test]
    fn every_sequence_runs_on_a_board() {
        let kits: Vec<_> = BOARDS.iter().map(|board| Kit::of(board.name).unwrap()).collect();
        let on_a_board = |name: &str| kits.iter().flat_map(|kit| &kit.sequences).any(|one| one.name == name);
        for (_, text) in FILES {
            let file: File = toml::from_str(text).unwrap();
            for filled in file.sequence.iter().flat_map(|entry| entry.filled(&BTreeMap::new())) {
                assert!(on_a_board(&filled.name), "{}", filled.name);
            }
        }
    }

    #[test]
    fn every_row_of_a_core_is_met_or_has_a_reason() {
        let mut met = BTreeSet::new();
        let mut rows = BTreeSet::new();
        for board in BOARDS {
            let kit = Kit::of(board.name).unwrap();
            let (table, core) = Tables::of(kit.part).0.swap_remove(0);
            rows.extend(core.iter().map(|row| (table.clone(), row.name)));
            met.extend(kit.sequences.iter().flat_map(|one| &one.rows).map(|row| (table.clone(), *row)));
        }
        let reasoned = |row: &str| UNTIMED.iter().any(|(_, rows)| rows.contains(&row));
        let missing: Vec<_> = rows.difference(&met).filter(|(_, row)| !reasoned(row)).collect();
        assert!(missing.is_empty(), "no sequence meets {missing:?}");
        for (_, row) in UNTIMED.iter().flat_map(|(why, rows)| rows.iter().map(move |row| (why, row))) {
            assert!(
                rows.iter().any(|(table, name)| name == row && !met.contains(&(table.clone(), *name))),
                "{row} is met"
            );
        }
    }
}
