//! Flash memory interface of STM32L4 (RM0351, RM0394) and L4+ (RM0432), "Embedded flash memory (FLASH)": two lines of
//! [`super::flash_double`], with two banks on the larger parts. Reads are of 64 bits: parts that can have one bank of 128 bits
//! leave the factory with two.

use cyclescope_machine::TimingRow;

use super::flash_double::{Line, told_limit};
use crate::Modelled;
use crate::bank::{all, but, some};

/// The modelled registers and fields, with the values after reset (RM0351, "FLASH register map").
pub const MODEL: &[Modelled] = &[
    but("ACR", 0x0000_0600, &["RUN_PD", "SLEEP_PD"]),
    all("KEYR", 0),
    all("OPTKEYR", 0),
    all("SR", 0),
    but("CR", 0xC000_0000, &["OPTSTRT", "FSTPG", "RDERRIE", "OBL_LAUNCH"]),
    but("ECCR", 0, &["ECCIE"]),
    // RM0351, "User and read protection option bytes": no protection, boot from main flash, two banks where there can be.
    some("OPTR", 0xFFEF_F8AA, &["RDP", "N_BOOT0", "N_BOOT1", "N_SWBOOT0", "IDWG_SW", "WWDG_SW", "BFB", "DUALBANK"]),
    some("PCROP1SR", 0x0000_FFFF, &[]).and(&["PCROP2SR"]),
    some("WRP1AR", 0x0000_00FF, &[]).and(&["WRP1BR", "WRP2AR", "WRP2BR"]),
];

/// The times of programming and erasing, and the sizes of the read path.
pub const ROWS: &[TimingRow] = &[
    TimingRow::assumed(
        "flash.program",
        "programming a double word, in periods of 16 MHz",
        1_307,
        "81.69 us typical (DS10198, Flash memory characteristics, to be checked)",
    ),
    TimingRow::assumed(
        "flash.erase_page",
        "erasing a page, in periods of 16 MHz",
        352_320,
        "22.02 ms typical (DS10198, Flash memory characteristics, to be checked)",
    ),
    TimingRow::assumed(
        "flash.erase_bank",
        "erasing a bank or both, in periods of 16 MHz",
        354_080,
        "22.13 ms typical (DS10198, Flash memory characteristics, to be checked)",
    ),
    TimingRow::assumed(
        "flash.instruction_lines",
        "lines of the instruction cache",
        32,
        "RM0351, Instruction cache memory: 32 lines of 4 x 64 bits, least recently used; to be checked in its text",
    ),
    TimingRow::assumed(
        "flash.data_lines",
        "lines of the data cache",
        8,
        "RM0351, Data cache memory: 8 rows of 4 x 64 bits; to be checked in its text",
    ),
    TimingRow::assumed(
        "flash.reads_per_line",
        "reads of 64 bits that fill a line of a cache; each is kept, and makes room, by itself",
        4,
        "RM0351, Adaptive real-time memory accelerator: each read gives 64 bits and the line read is copied, from which it is \
             derived that a miss does not fill the rest",
    ),
    TimingRow::assumed(
        "flash.prefetched_lines_cached",
        "whether a line that was read ahead enters the instruction cache when it is wanted: 1 if so",
        0,
        "RM0351, Instruction cache memory: a line is copied there if it is missing in the current line, the prefetched line and the cache; to be checked in its text",
    ),
];

const TABLE: &str = "RM0351, Number of wait states according to CPU clock (HCLK) frequency";
const PLUS_TABLE: &str = "RM0432, Number of wait states according to CPU clock (HCLK) frequency";

/// The fastest HCLK of STM32L4 in range 1 with each number of wait states.
pub const NORMAL: &[TimingRow] = &[
    told_limit("flash.range1_MHz_with_0_wait_states", 16, TABLE),
    told_limit("flash.range1_MHz_with_1_wait_state", 32, TABLE),
    told_limit("flash.range1_MHz_with_2_wait_states", 48, TABLE),
    told_limit("flash.range1_MHz_with_3_wait_states", 64, TABLE),
    told_limit("flash.range1_MHz_with_4_wait_states", 80, TABLE),
];

/// The same in range 2.
pub const LOW: &[TimingRow] = &[
    told_limit("flash.range2_MHz_with_0_wait_states", 6, TABLE),
    told_limit("flash.range2_MHz_with_1_wait_state", 12, TABLE),
    told_limit("flash.range2_MHz_with_2_wait_states", 18, TABLE),
    told_limit("flash.range2_MHz_with_3_wait_states", 26, TABLE),
];

/// The fastest HCLK of STM32L4+ in range 1 boost mode with each number of wait states; range 1 normal mode ends at 80 MHz.
pub const PLUS_BOOST: &[TimingRow] = &[
    told_limit("flash.range1_MHz_with_0_wait_states", 20, PLUS_TABLE),
    told_limit("flash.range1_MHz_with_1_wait_state", 40, PLUS_TABLE),
    told_limit("flash.range1_MHz_with_2_wait_states", 60, PLUS_TABLE),
    told_limit("flash.range1_MHz_with_3_wait_states", 80, PLUS_TABLE),
    told_limit("flash.boost_MHz_with_4_wait_states", 100, PLUS_TABLE),
    told_limit("flash.boost_MHz_with_5_wait_states", 120, PLUS_TABLE),
];

/// The same in range 2.
pub const PLUS_LOW: &[TimingRow] = &[
    told_limit("flash.range2_MHz_with_0_wait_states", 8, PLUS_TABLE),
    told_limit("flash.range2_MHz_with_1_wait_state", 16, PLUS_TABLE),
    told_limit("flash.range2_MHz_with_2_wait_states", 26, PLUS_TABLE),
];

/// The names of the rows that decide how long reads take in STM32L4.
pub const READ_ROWS: &[&str] = &[
    "flash.instruction_lines",
    "flash.data_lines",
    "flash.reads_per_line",
    "flash.prefetched_lines_cached",
    "flash.range1_MHz_with_0_wait_states",
    "flash.range1_MHz_with_1_wait_state",
    "flash.range1_MHz_with_2_wait_states",
    "flash.range1_MHz_with_3_wait_states",
    "flash.range1_MHz_with_4_wait_states",
    "flash.range2_MHz_with_0_wait_states",
    "flash.range2_MHz_with_1_wait_state",
    "flash.range2_MHz_with_2_wait_states",
    "flash.range2_MHz_with_3_wait_states",
];

/// The same in STM32L4+.
pub const PLUS_READ_ROWS: &[&str] = &[
    "flash.instruction_lines",
    "flash.data_lines",
    "flash.reads_per_line",
    "flash.prefetched_lines_cached",
    "flash.range1_MHz_with_0_wait_states",
    "flash.range1_MHz_with_1_wait_state",
    "flash.range1_MHz_with_2_wait_states",
    "flash.range1_MHz_with_3_wait_states",
    "flash.boost_MHz_with_4_wait_states",
    "flash.boost_MHz_with_5_wait_states",
    "flash.range2_MHz_with_0_wait_states",
    "flash.range2_MHz_with_1_wait_state",
    "flash.range2_MHz_with_2_wait_states",
];

/// STM32L4.
pub static LINE: Line = Line {
    model: MODEL,
    times: [&ROWS[0], &ROWS[1], &ROWS[2]],
    caches: [&[&ROWS[3], &ROWS[5]], &[&ROWS[4], &ROWS[5]]],
    limits: [&[], NORMAL, LOW],
    // STM32L471 to L486, and L496 and L4A6.
    two_banks: &[0x415, 0x461],
    bank_bytes: 512 << 10,
    bker: 1 << 11,
    second_busy: false,
    configures: false,
    needs_range_1: true,
};

/// STM32L4+. The part of [`PLUS_BOOST`] up to 80 MHz holds in range 1 normal mode.
pub static PLUS: Line = Line {
    model: MODEL,
    times: [&ROWS[0], &ROWS[1], &ROWS[2]],
    caches: [&[&ROWS[3], &ROWS[5]], &[&ROWS[4], &ROWS[5]]],
    limits: [PLUS_BOOST, PLUS_BOOST.split_at(4).0, PLUS_LOW],
    two_banks: &[0x470, 0x471],
    bank_bytes: 1 << 20,
    bker: 1 << 11,
    second_busy: false,
    configures: false,
    needs_range_1: true,
};
