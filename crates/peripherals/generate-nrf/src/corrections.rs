//! Facts about the nRF52840 that the description lacks, from its product specification (4413_417, v1.7).

use cyclescope_peripherals_generate_tables::Register;

/// Described but no blocks on a bus: information registers are read as memory, and the flash controller keeps those that a user
/// may write. SWI are the lines of EGU without a register.
pub const ABSENT: &[&str] = &["FICR", "UICR", "SWI0", "SWI1", "SWI2", "SWI3", "SWI4", "SWI5"];

/// The peripherals that share a base address, those whose registers have their names first ("Peripherals with shared ID"),
/// and the names of their blocks: the names that `nrf-pac` and its users have.
pub const SHARED: &[(&str, &[&str])] = &[
    ("CLOCK_POWER", &["CLOCK", "POWER", "APPROTECT"]),
    ("UARTE0", &["UARTE0", "UART0"]),
    ("TWISPI0", &["TWIM0", "SPIM0", "TWIS0", "SPIS0", "TWI0", "SPI0"]),
    ("TWISPI1", &["TWIM1", "SPIM1", "TWIS1", "SPIS1", "TWI1", "SPI1"]),
    ("SPI2", &["SPIM2", "SPIS2", "SPI2"]),
    ("CCM_AAR", &["CCM", "AAR"]),
    ("COMP_LPCOMP", &["COMP", "LPCOMP"]),
    ("NVMC", &["NVMC", "ACL"]),
    (
        "CC",
        &[
            "CC_HOST_RGF", "CC_AES", "CC_CHACHA", "CC_CTL", "CC_DIN", "CC_DOUT", "CC_HASH", "CC_MISC", "CC_PKA", "CC_RNG",
            "CC_RNG_SRAM",
        ],
    ),
];

/// Returns the kind of block that a block called `name` is.
pub fn kind(name: &str) -> String {
    match name {
        "P0" | "P1" => "gpio".to_owned(),
        "I2S" => "i2s".to_owned(),
        _ => name.trim_end_matches(|c: char| c.is_ascii_digit()).to_lowercase(),
    }
}

/// Returns how many of the registers CC a timer has ("TIMER — Instances", "RTC — Instances").
fn channels(name: &str) -> u32 {
    match name {
        "RTC0" => 3,
        "TIMER3" | "TIMER4" => 6,
        _ => 4,
    }
}

/// Takes out of `registers` of the peripheral `name` the channels that it does not have.
pub fn correct(name: &str, registers: &mut Vec<Register>) {
    if !["RTC", "TIMER"].iter().any(|timer| name.starts_with(timer)) {
        return;
    }
    let absent: Vec<u32> = (channels(name)..6).collect();
    registers.retain(|register| !absent.iter().any(|index| register.name.ends_with(&format!("[{index}]"))));
    for register in registers {
        let is_absent = |field: &str| {
            absent.iter().any(|index| {
                field.strip_prefix(&format!("COMPARE{index}")).is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
            })
        };
        register.fields.retain(|field| !is_absent(&field.name));
    }
}

/// Tells if a block counts the core's clock: GPIO is a slave of the AHB ("Memory", "Bus and memory map").
pub fn counts_core_clock(name: &str) -> bool {
    matches!(name, "P0" | "P1" | "CRYPTOCELL" | "CC")
}
