//! Flash memory interface of STM32C0 (RM0490, "Embedded flash memory (FLASH)"): a line of [`super::flash_double`].

use cyclescope_machine::TimingRow;

use super::flash_double::{Line, limit};
use crate::Modelled;
use crate::bank::{all, some};

/// The modelled registers and fields, with the values after reset (RM0490, "FLASH register map").
pub const MODEL: &[Modelled] = &[
    some("ACR", 0x0004_0600, &["LATENCY", "PRFTEN", "ICEN", "ICRST", "EMPTY", "DBG_SWEN"]),
    all("KEYR", 0),
    all("OPTKEYR", 0),
    some(
        "SR",
        0,
        &[
            "EOP", "OPERR", "PROGERR", "WRPERR", "PGAERR", "SIZERR", "PGSERR", "MISERR", "FASTERR", "RDERR", "OPTVERR",
            "BSY", "CFGBSY",
        ],
    ),
    some("CR", 0xC000_0000, &["PG", "PER", "MER", "PNB", "STRT", "EOPIE", "ERRIE", "LOCK", "OPTLOCK"]),
    // Factory setting: no protection, boot from main flash (RM0490, "Option bytes").
    some("OPTR", 0xFFFF_FEAA, &["RDP", "BOREN", "N_BOOT_SEL", "N_BOOT0", "N_BOOT1", "IDWG_SW", "WWDG_SW"]),
    some("PCROP1ASR", 0xFFFF_FFFF, &["PCROP1A_STRT"]),
    some("PCROP1AER", 0x0000_0000, &["PCROP1A_END", "PCROP_RDP"]),
    some("WRP1AR", 0x0000_00FF, &["WRP1A_STRT", "WRP1A_END"]),
    some("WRP1BR", 0x0000_00FF, &["WRP1B_STRT", "WRP1B_END"]),
    some("PCROP1BSR", 0xFFFF_FFFF, &["PCROP1B_STRT"]),
    some("PCROP1BER", 0x0000_0000, &["PCROP1B_END"]),
    some("SECR", 0, &["SEC_SIZE", "BOOT_LOCK"]),
];

/// The times of programming and erasing, and the sizes of the read path.
pub const ROWS: &[TimingRow] = &[
    TimingRow::assumed(
        "flash.program",
        "programming a double word, in periods of 16 MHz",
        1_360,
        "85 us, ST's figure for the same array on STM32G0; DS13867, flash memory characteristics, to be checked",
    ),
    TimingRow::assumed(
        "flash.erase",
        "erasing a page or all pages, in periods of 16 MHz",
        352_000,
        "22 ms, ST's figure for the same array on STM32G0; DS13867, flash memory characteristics, to be checked",
    ),
    TimingRow::documented(
        "flash.instruction_lines",
        "lines of 64 bits in the instruction cache",
        2,
        "RM0490 §4.3.3, Cache memory: two lines of 64 bits, least recently used",
    ),
    TimingRow::documented(
        "flash.prefetched_lines_cached",
        "whether a line that was read ahead enters the instruction cache when it is wanted: 1 if so",
        0,
        "RM0490 §4.3.3, Cache memory: a line is copied there if it is missing in the current line, the prefetched line and the cache",
    ),
];

const LATENCIES: &str = "RM0490, FLASH read access latency; FLASH_ACR.LATENCY";

/// The fastest HCLK with each number of wait states.
pub const LIMITS: &[TimingRow] =
    &[limit("flash.MHz_with_0_wait_states", 24, LATENCIES), limit("flash.MHz_with_1_wait_state", 48, LATENCIES)];

/// The names of the rows that decide how long reads take.
pub const READ_ROWS: &[&str] =
    &["flash.instruction_lines", "flash.MHz_with_0_wait_states", "flash.MHz_with_1_wait_state"];

/// The line.
pub static LINE: Line = Line {
    model: MODEL,
    times: [&ROWS[0], &ROWS[1], &ROWS[1]],
    caches: [&[&ROWS[2]], &[]],
    limits: [&[], LIMITS, &[]],
    two_banks: &[],
    bank_bytes: usize::MAX,
    bker: 0,
    second_busy: false,
    configures: true,
    needs_range_1: false,
};
