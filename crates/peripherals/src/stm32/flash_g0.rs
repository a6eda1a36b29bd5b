//! Flash memory interface of STM32G0 (RM0444, RM0454, "Embedded flash memory (FLASH)"): a line of [`super::flash_double`], with
//! two banks on STM32G0B0, G0B1 and G0C1.

use cyclescope_machine::TimingRow;

use super::flash_double::{Line, told_limit};
use crate::Modelled;
use crate::bank::{all, but, some};

/// The modelled registers and fields, with the values after reset (RM0444, "FLASH register map").
pub const MODEL: &[Modelled] = &[
    all("ACR", 0x0004_0600),
    all("KEYR", 0),
    all("OPTKEYR", 0),
    all("SR", 0),
    but("CR", 0xC000_0000, &["OPTSTRT", "FSTPG", "RDERRIE", "OBL_LAUNCH", "SEC_PROT"]),
    but("ECCR", 0, &["ECCIE"]).and(&["ECCR2"]),
    // Factory setting: no protection, boot from main flash, two banks where there can be (RM0444, "FLASH option bytes").
    some("OPTR", 0xFFFF_FEAA, &["RDP", "N_BOOT_SEL", "N_BOOT0", "N_BOOT1", "IDWG_SW", "WWDG_SW", "DUAL_BANK"]),
    some("PCROP1ASR", 0x0000_01FF, &[]).and(&["PCROP1BSR", "PCROP2ASR", "PCROP2BSR"]),
    some("WRP1AR", 0x0000_007F, &[]).and(&["WRP1BR", "WRP2AR", "WRP2BR"]),
];

/// The times of programming and erasing, and the sizes of the read path.
pub const ROWS: &[TimingRow] = &[
    TimingRow::assumed(
        "flash.program",
        "programming a double word, in periods of 16 MHz",
        1_360,
        "85 us typical (DS12232, Flash memory characteristics, to be checked)",
    ),
    TimingRow::assumed(
        "flash.erase_page",
        "erasing a page, in periods of 16 MHz",
        352_000,
        "22.0 ms typical (DS12232, Flash memory characteristics, to be checked)",
    ),
    TimingRow::assumed(
        "flash.erase_bank",
        "erasing a bank or both, in periods of 16 MHz",
        353_600,
        "22.1 ms typical (DS12232, Flash memory characteristics, to be checked)",
    ),
    TimingRow::assumed(
        "flash.instruction_lines",
        "lines of 64 bits in the instruction cache",
        2,
        "RM0490 §4.3.3, Cache memory: two lines of 64 bits in STM32C0, whose interface is STM32G0's; RM0444 to be checked",
    ),
    TimingRow::assumed(
        "flash.prefetched_lines_cached",
        "whether a line that was read ahead enters the instruction cache when it is wanted: 1 if so",
        0,
        "RM0490 §4.3.3, Cache memory, of the same interface; RM0444 to be checked",
    ),
];

const RANGE_1: &str = "RM0444, Number of wait states according to flash memory clock (HCLK) frequency, VCORE range 1";
const RANGE_2: &str = "RM0444, Number of wait states according to flash memory clock (HCLK) frequency, VCORE range 2";

/// The fastest HCLK in range 1 with each number of wait states.
pub const NORMAL: &[TimingRow] = &[
    told_limit("flash.range1_MHz_with_0_wait_states", 24, RANGE_1),
    told_limit("flash.range1_MHz_with_1_wait_state", 48, RANGE_1),
    told_limit("flash.range1_MHz_with_2_wait_states", 64, RANGE_1),
];

/// The same in range 2.
pub const LOW: &[TimingRow] = &[
    told_limit("flash.range2_MHz_with_0_wait_states", 8, RANGE_2),
    told_limit("flash.range2_MHz_with_1_wait_state", 16, RANGE_2),
];

/// The names of the rows that decide how long reads take.
pub const READ_ROWS: &[&str] = &[
    "flash.instruction_lines",
    "flash.prefetched_lines_cached",
    "flash.range1_MHz_with_0_wait_states",
    "flash.range1_MHz_with_1_wait_state",
    "flash.range1_MHz_with_2_wait_states",
    "flash.range2_MHz_with_0_wait_states",
    "flash.range2_MHz_with_1_wait_state",
];

/// The line.
pub static LINE: Line = Line {
    model: MODEL,
    times: [&ROWS[0], &ROWS[1], &ROWS[2]],
    caches: [&[&ROWS[3]], &[]],
    limits: [&[], NORMAL, LOW],
    two_banks: &[0x467],
    bank_bytes: 256 << 10,
    bker: 1 << 13,
    second_busy: true,
    configures: true,
    needs_range_1: false,
};
