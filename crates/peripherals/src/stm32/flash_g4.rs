//! Flash memory interface of STM32G4 (RM0440, "Embedded flash memory (FLASH)" for devices of category 2, 3 and 4): a line of
//! [`super::flash_double`], with two banks in category 3. Reads are of 64 bits: DBANK stays set, as it is from the factory.

use cyclescope_machine::TimingRow;

use super::flash_double::{Line, limit};
use crate::Modelled;
use crate::bank::{all, but, some};

/// The modelled registers and fields, with the values after reset (RM0440, "FLASH register map").
pub const MODEL: &[Modelled] = &[
    but("ACR", 0x0004_0601, &["RUN_PD", "SLEEP_PD"]),
    all("KEYR", 0),
    all("OPTKEYR", 0),
    all("SR", 0),
    but("CR", 0xC000_0000, &["OPTSTRT", "FSTPG", "RDERRIE", "OBL_LAUNCH", "SEC_PROT1", "SEC_PROT2"]),
    but("ECCR", 0, &["ECCIE"]),
    // RM0440, "User and read protection option bytes": ST production value.
    some("OPTR", 0xFFEF_F8AA, &["RDP", "N_BOOT0", "N_BOOT1", "N_SWBOOT0", "IDWG_SW", "WWDG_SW", "BFB2", "DBANK"]),
    some("PCROP1SR", 0x0000_7FFF, &[]).and(&["PCROP2SR"]),
    some("WRP1AR", 0x0000_007F, &[]).and(&["WRP1BR", "WRP2AR", "WRP2BR"]),
];

/// The times of programming and erasing, and the sizes of the read path.
pub const ROWS: &[TimingRow] = &[
    TimingRow::assumed(
        "flash.program",
        "programming a double word, in periods of 16 MHz",
        1_307,
        "81.7 us typical (DS12589, Flash memory characteristics, to be checked)",
    ),
    TimingRow::assumed(
        "flash.erase_page",
        "erasing a page, in periods of 16 MHz",
        352_320,
        "22.02 ms typical (DS12589, Flash memory characteristics, to be checked)",
    ),
    TimingRow::assumed(
        "flash.erase_bank",
        "erasing a bank or both, in periods of 16 MHz",
        354_080,
        "22.13 ms typical (DS12589, Flash memory characteristics, to be checked)",
    ),
    TimingRow::documented(
        "flash.instruction_lines",
        "lines of the instruction cache",
        32,
        "RM0440 §3.3.4, Instruction cache memory: 32 lines of 4 x 64 bits, least recently used",
    ),
    TimingRow::documented(
        "flash.data_lines",
        "lines of the data cache",
        8,
        "RM0440 §3.3.4, Data cache memory: 8 rows of 4 x 64 bits",
    ),
    TimingRow::assumed(
        "flash.reads_per_line",
        "reads of 64 bits that fill a line of a cache; each is kept, and makes room, by itself",
        4,
        "RM0440 §3.3.4: lines of 4 x 64 bits; each read gives 64 bits and the line read is copied, from which it is derived that a \
             miss does not fill the rest",
    ),
    TimingRow::documented(
        "flash.prefetched_lines_cached",
        "whether a line that was read ahead enters the instruction cache when it is wanted: 1 if so",
        0,
        "RM0440 §3.3.4, Instruction cache memory: a line is copied there if it is missing in the current line, the prefetched line and the cache",
    ),
];

const TABLE: &str = "RM0440 §3.3.3, Number of wait states according to CPU clock (HCLK) frequency";

/// The fastest HCLK in range 1 boost mode with each number of wait states.
pub const BOOST: &[TimingRow] = &[
    limit("flash.boost_MHz_with_0_wait_states", 34, TABLE),
    limit("flash.boost_MHz_with_1_wait_state", 68, TABLE),
    limit("flash.boost_MHz_with_2_wait_states", 102, TABLE),
    limit("flash.boost_MHz_with_3_wait_states", 136, TABLE),
    limit("flash.boost_MHz_with_4_wait_states", 170, TABLE),
];

/// The same in range 1 normal mode.
pub const NORMAL: &[TimingRow] = &[
    limit("flash.range1_MHz_with_0_wait_states", 30, TABLE),
    limit("flash.range1_MHz_with_1_wait_state", 60, TABLE),
    limit("flash.range1_MHz_with_2_wait_states", 90, TABLE),
    limit("flash.range1_MHz_with_3_wait_states", 120, TABLE),
    limit("flash.range1_MHz_with_4_wait_states", 150, TABLE),
];

/// The same in range 2.
pub const LOW: &[TimingRow] = &[
    limit("flash.range2_MHz_with_0_wait_states", 12, TABLE),
    limit("flash.range2_MHz_with_1_wait_state", 24, TABLE),
    limit("flash.range2_MHz_with_2_wait_states", 26, TABLE),
];

/// The names of the rows that decide how long reads take.
pub const READ_ROWS: &[&str] = &[
    "flash.instruction_lines",
    "flash.data_lines",
    "flash.reads_per_line",
    "flash.prefetched_lines_cached",
    "flash.boost_MHz_with_0_wait_states",
    "flash.boost_MHz_with_1_wait_state",
    "flash.boost_MHz_with_2_wait_states",
    "flash.boost_MHz_with_3_wait_states",
    "flash.boost_MHz_with_4_wait_states",
    "flash.range1_MHz_with_0_wait_states",
    "flash.range1_MHz_with_1_wait_state",
    "flash.range1_MHz_with_2_wait_states",
    "flash.range1_MHz_with_3_wait_states",
    "flash.range1_MHz_with_4_wait_states",
    "flash.range2_MHz_with_0_wait_states",
    "flash.range2_MHz_with_1_wait_state",
    "flash.range2_MHz_with_2_wait_states",
];

/// The line.
pub static LINE: Line = Line {
    model: MODEL,
    times: [&ROWS[0], &ROWS[1], &ROWS[2]],
    caches: [&[&ROWS[3], &ROWS[5]], &[&ROWS[4], &ROWS[5]]],
    limits: [BOOST, NORMAL, LOW],
    // STM32G471 to G484.
    two_banks: &[0x469],
    bank_bytes: 256 << 10,
    bker: 1 << 11,
    second_busy: false,
    configures: false,
    needs_range_1: true,
};
