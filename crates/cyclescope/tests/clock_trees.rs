//! Clock trees: for each setting of a board's clocks (firmware/suites/hal, `clocks`) the frequencies that the HAL computes, which
//! the guest prints, are those of the model at that moment.

use std::collections::BTreeMap;

use cyclescope_chips::{Clocks, Machine, MemorySetting, Part, Settings, Source};
use cyclescope_image::Image;
use cyclescope_machine::units::Cycles;
use cyclescope_machine::{Channel, GapKind, Stop};

use crate::common::suite;

/// The model's counterpart of a clock that the HAL has a frequency of.
#[derive(Clone, Copy)]
enum Counterpart {
    /// A source, at each setting.
    Is(Source),
    /// A source behind a multiplexer, at the settings that select the clock. Settings are counted from 0.
    At(Source, &'static [usize]),
    /// The clock of USB. The HAL has it only where it is 48 MHz.
    Usb,
    /// None: the HAL leaves the clock out.
    LeftOut,
    /// None: no block with a model has the clock.
    Unmodelled,
}

use Counterpart::{At, Is, LeftOut, Unmodelled, Usb};

type Rows = &'static [(&'static str, Counterpart)];

/// Clocks of all boards.
const COMMON: Rows = &[
    ("sys", Is(Source::Sysclk)),
    ("hclk1", Is(Source::Hclk)),
    ("hclk2", Is(Source::Hclk)),
    ("hclk3", Is(Source::Hclk)),
    ("pclk1", Is(Source::Pclk)),
    ("pclk1_tim", Is(Source::Timer)),
    ("pclk2", Is(Source::Pclk2)),
    ("pclk2_tim", Is(Source::Timer2)),
    ("rtc", Is(Source::Rtc)),
    ("hse", Is(Source::Hse)),
];
const F1: Rows = &[("usb", Usb)];
/// CLK48SEL and I2SSRC, or their likes, stay as they are after reset. The other outputs feed SAI and SPDIFRX.
const F4: Rows = &[
    ("pll1_q", Is(Source::Clk48)),
    ("pll1_r", Unmodelled),
    ("plli2s1_p", Unmodelled),
    ("plli2s1_q", Unmodelled),
    ("plli2s1_r", Is(Source::I2s)),
    ("pllsai1_p", Unmodelled),
    ("pllsai1_q", Unmodelled),
];
const C0: Rows = &[("hsiker", Is(Source::HsiKernel))];
/// No clock is at the pin of I2S.
const G4: Rows =
    &[("hsi48", At(Source::Clk48, &[0, 1, 2, 4, 5])), ("i2s_ckin", LeftOut), ("pll1_q", At(Source::Clk48, &[3]))];
const L4: Rows = &[
    ("lse", Is(Source::Lse)),
    ("lsi", Is(Source::Lsi)),
    ("msi", At(Source::Sysclk, &[0, 1, 2, 8])),
    ("msi", At(Source::Clk48, &[2])),
    ("pll1_q", At(Source::Clk48, &[5, 7])),
    ("pllsai1_p", Unmodelled),
    ("pllsai1_q", At(Source::Clk48, &[6, 10])),
    ("pllsai2_p", Unmodelled),
    ("sai1_extclk", Unmodelled),
    ("sai2_extclk", Unmodelled),
];
/// The part has no HSI48.
const L476: Rows = &[("hsi48", LeftOut)];
const L4PLUS: Rows = &[("hsi48", At(Source::Clk48, &[0, 1, 3, 4, 8, 9])), ("pllsai1_r", At(Source::Converters, &[6]))];
const HSI: Rows = &[("hsi", Is(Source::HsiKernel))];
const PLL: Rows = &[("pll1_p", Is(Source::PllP)), ("pll1_q", Is(Source::PllQ))];
const NO_SLOW: Rows = &[("lse", LeftOut), ("lsi", LeftOut)];

/// A board, and what is its own.
struct Board {
    chip: &'static str,
    settings: usize,
    rows: &'static [Rows],
    /// The settings at which MSI, locked to LSE, is behind SYSCLK: its frequency to the HAL, which keeps the round number, and the
    /// multiple of LSE that it is (RM0351, RM0432, "Hardware auto calibration with LSE (PLL-mode)"; DS10198, MSI oscillator
    /// characteristics).
    locked: &'static [(usize, u64, u64)],
    /// Frequencies that the HAL has wrong: the setting, the clock, and the right one.
    wrong: &'static [(usize, &'static str, u64)],
    /// Settings that manuals forbid and the HAL makes all the same.
    gaps: &'static [&'static str],
}

impl Board {
    const fn of(chip: &'static str, settings: usize, rows: &'static [Rows]) -> Self {
        Self { chip, settings, rows, locked: &[], wrong: &[], gaps: &[] }
    }
}

const LOCKED: &[(usize, u64, u64)] = &[(8, 4_000_000, 122), (9, 16_000_000, 488)];

const BOARDS: &[Board] = &[
    // RM0008, FLASH_ACR.LATENCY: wait states follow SYSCLK; the HAL takes HCLK.
    Board {
        gaps: &["SYSCLK 48 MHz is too fast for FLASH_ACR.LATENCY=0, which allows 24 MHz"],
        ..Board::of("stm32f103c8", 7, &[F1])
    },
    Board {
        gaps: &["SYSCLK 48 MHz is too fast for FLASH_ACR.LATENCY=0, which allows 24 MHz"],
        ..Board::of("stm32f107vc", 7, &[F1])
    },
    Board::of("stm32f411ce", 6, &[F4, HSI, NO_SLOW]),
    // RM0390, RCC_PLLSAICFGR.PLLSAIM: this loop divides its input itself; the HAL leaves the field 0.
    Board {
        gaps: &["RCC_PLLSAICFGR: PLLM=1 PLLN=192 are not allowed", "RCC_PLLSAICFGR: the VCO would run at 3072 MHz"],
        ..Board::of("stm32f446ze", 6, &[F4, HSI, NO_SLOW])
    },
    // RM0490, "FLASH read access latency": wait states come before a faster clock; the HAL sets HSIDIV first.
    Board {
        gaps: &["HCLK 48 MHz is too fast for FLASH_ACR.LATENCY=0, which allows 24 MHz"],
        ..Board::of("stm32c031c6", 7, &[C0, NO_SLOW])
    },
    Board::of("stm32g071rb", 8, &[HSI, PLL, NO_SLOW]),
    // RM0440, PWR_CR5: R1MODE is bit 8; the HAL writes bit 0.
    Board {
        gaps: &["HCLK 170 MHz is too fast for FLASH_ACR.LATENCY=4 in range 1, which allows 150 MHz"],
        ..Board::of("stm32g431kb", 6, &[HSI, PLL, G4, NO_SLOW])
    },
    Board {
        locked: LOCKED,
        // RM0351, RCC_PLLCFGR: this line has PLLP alone, which is 7 or 17; the HAL divides by PLLPDIV.
        wrong: &[(7, "pll1_p", 160_000_000 / 7)],
        // RM0351 and RM0432, "Read access latency": wait states come before a faster clock; the HAL sets MSIRANGE first.
        gaps: &["HCLK 48 MHz is too fast for FLASH_ACR.LATENCY=0 in range 1, which allows 16 MHz"],
        ..Board::of("stm32l476rg", 10, &[HSI, PLL, L4, L476])
    },
    Board {
        locked: LOCKED,
        gaps: &["HCLK 48 MHz is too fast for FLASH_ACR.LATENCY=0 in range 1, which allows 20 MHz"],
        ..Board::of("stm32l4r5zi", 11, &[HSI, PLL, L4, L4PLUS])
    },
];

/// The setting and the clocks of a line: `3 Clocks { hclk1: MaybeHertz(8000000), … }`, with 0 for a clock that does not run.
fn parse(line: &str) -> Option<(usize, Vec<(&str, u64)>)> {
    fn clock(text: &str) -> Option<(&str, u64)> {
        let (name, hertz) = text.split_once(": MaybeHertz(")?;
        Some((name, hertz.strip_suffix(')')?.parse().ok()?))
    }
    let (index, clocks) = line.strip_suffix(" }")?.split_once(" Clocks { ")?;
    Some((index.parse().ok()?, clocks.split(", ").map(clock).collect::<Option<_>>()?))
}

/// The frequency of the model's counterpart of `clock`, if there is one at the setting `index`.
fn modelled(counterpart: Counterpart, index: usize, clocks: &Clocks) -> Option<u64> {
    match counterpart {
        Is(source) => Some(clocks.frequency(source).get()),
        At(source, settings) => settings.contains(&index).then(|| clocks.frequency(source).get()),
        Usb => Some(Some(clocks.usb().get()).filter(|hertz| *hertz == 48_000_000).unwrap_or(0)),
        LeftOut => Some(0),
        Unmodelled => None,
    }
}

/// The right frequency of `clock`, for which the HAL computes `hertz`.
fn expected(board: &Board, index: usize, clock: &str, hertz: u64, lse: u64) -> u64 {
    if let Some((.., right)) = board.wrong.iter().find(|(setting, of, _)| (*setting, *of) == (index, clock)) {
        return *right;
    }
    let from_msi = !["hse", "hsi", "hsi48", "lse", "lsi", "rtc"].contains(&clock);
    let locked = board.locked.iter().find(|(setting, ..)| *setting == index && from_msi);
    locked.map_or(hertz, |(_, round, multiple)| hertz * multiple * lse / round)
}

/// Compares all settings of `board`, and returns the differences.
fn differences(board: &Board) -> Vec<String> {
    let part = Part::find(board.chip).expect("a known part");
    let elf = std::fs::read(suite(&format!("hal/{}/clocks", board.chip))).expect("it is there");
    let image = Image::parse(&elf).expect("an ELF");
    let settings = Settings { memory: MemorySetting::Shipped, halt_on_reset: true, ..Settings::default() };
    let mut machine = Machine::load(part, settings, &image).expect("it fits");
    let lse = part.board.lse.expect("each has one").get();
    // Clocks that are compared, and the settings at which they ran.
    let (mut different, mut compared, mut done) = (Vec::new(), BTreeMap::new(), 0);
    loop {
        // The crystal of LSE takes seconds.
        let stop = machine.run(machine.now().saturating_add(Cycles::new(2_000_000_000)));
        let printed = String::from_utf8(machine.shared().console.bytes(Channel::Semihosting)).expect("text");
        let lines: Vec<&str> = printed.lines().collect();
        let line = lines.get(done).unwrap_or_else(|| panic!("{}, {done}: {stop:?}: {printed}", board.chip));
        let (index, clocks) = parse(line).unwrap_or_else(|| panic!("{}: {line}", board.chip));
        assert_eq!(index, done, "{}", board.chip);
        done += 1;
        let tree = machine.clocks().expect("a Cortex-M");
        for (clock, hertz) in clocks {
            let rows = board.rows.iter().chain([&COMMON]).flat_map(|rows| rows.iter());
            let rows: Vec<Counterpart> = rows.filter(|(name, _)| *name == clock).map(|(_, row)| *row).collect();
            assert!(!rows.is_empty(), "{}: {clock} has no row", board.chip);
            for model in rows.iter().filter_map(|row| modelled(*row, index, tree)) {
                let expected = expected(board, index, clock, hertz, lse);
                if model != expected {
                    different.push(format!("{}, {index}: {clock} {model} of {expected}", board.chip));
                }
                *compared.entry(clock.to_owned()).or_insert(0) += usize::from(hertz != 0);
            }
        }
        match stop {
            Stop::Reset(cause) => machine.reset(cause),
            Stop::Exit(0) => break,
            other => panic!("{}, {index}: {other:?}: {printed}", board.chip),
        }
    }
    assert_eq!(done, board.settings, "{}", board.chip);
    let left_out = |clock: &str| {
        board.rows.iter().any(|rows| rows.iter().any(|row| matches!(row, (name, LeftOut) if *name == clock)))
    };
    let idle: Vec<&String> =
        compared.iter().filter(|(clock, ran)| **ran == 0 && !left_out(clock)).map(|(clock, _)| clock).collect();
    assert!(idle.is_empty(), "{}: {idle:?} run at no setting", board.chip);
    let gaps = machine.gaps().iter().filter(|gap| gap.kind == GapKind::Setting).map(|gap| &*gap.name);
    let gaps: Vec<&str> = gaps.map(|gap| gap.trim_end_matches(": flash is read as if it were right")).collect();
    if gaps != board.gaps {
        different.push(format!("{}: {gaps:?}, not {:?}", board.chip, board.gaps));
    }
    different
}

/// Fails with all differences of the boards whose chips' names begin with `family`.
fn check(family: &str) {
    let boards: Vec<&Board> = BOARDS.iter().filter(|board| board.chip.starts_with(family)).collect();
    assert!(!boards.is_empty(), "{family}");
    let different: Vec<String> = boards.into_iter().flat_map(differences).collect();
    assert_eq!(different, [""; 0], "the model's of the HAL's");
}

#[test]
fn stm32f1_runs_as_fast_as_the_hal_computes() {
    check("stm32f1");
}

#[test]
fn stm32f4_runs_as_fast_as_the_hal_computes() {
    check("stm32f4");
}

#[test]
fn stm32c0_runs_as_fast_as_the_hal_computes() {
    check("stm32c0");
}

#[test]
fn stm32g0_runs_as_fast_as_the_hal_computes() {
    check("stm32g0");
}

#[test]
fn stm32g4_runs_as_fast_as_the_hal_computes() {
    check("stm32g4");
}

#[test]
fn stm32l4_runs_as_fast_as_the_hal_computes() {
    check("stm32l4");
}
