//! The board's memory map, where `link.x` of cortex-m-rt finds it.

use std::path::PathBuf;
use std::{env, fs, io};

/// A board's memories: flash and RAM, each its origin and its length in KiB.
struct Memories {
    feature: &'static str,
    flash: (u32, u32),
    ram: (u32, u32),
}

const BOARDS: [Memories; 13] = [
    Memories { feature: "STM32C031C6", flash: (0x0800_0000, 32), ram: (0x2000_0000, 12) },
    Memories { feature: "STM32F103C8", flash: (0x0800_0000, 64), ram: (0x2000_0000, 20) },
    Memories { feature: "STM32F446ZE", flash: (0x0800_0000, 512), ram: (0x2000_0000, 128) },
    // With the parity check on, which option bytes decide, 32 KiB of its 36 are left.
    Memories { feature: "STM32G071RB", flash: (0x0800_0000, 128), ram: (0x2000_0000, 32) },
    // SRAM1 and SRAM2.
    Memories { feature: "STM32G431KB", flash: (0x0800_0000, 128), ram: (0x2000_0000, 22) },
    // SRAM1.
    Memories { feature: "STM32L476RG", flash: (0x0800_0000, 1024), ram: (0x2000_0000, 96) },
    Memories { feature: "STM32F411CE", flash: (0x0800_0000, 512), ram: (0x2000_0000, 128) },
    // nRF51822.
    Memories { feature: "MICROBIT", flash: (0, 256), ram: (0x2000_0000, 16) },
    Memories { feature: "LM3S6965EVB", flash: (0, 256), ram: (0x2000_0000, 64) },
    // Of the board's 4 MiB of RAM, as much as the C contenders take.
    Memories { feature: "MPS2_AN386", flash: (0, 4096), ram: (0x2000_0000, 64) },
    Memories { feature: "NRF52840", flash: (0, 1024), ram: (0x2000_0000, 256) },
    // Behind the second stage, up to the last whole KiB.
    Memories { feature: "RP2040", flash: (0x1000_0100, 2047), ram: (0x2000_0000, 264) },
    // Half of its RAM lies below 0x20000000.
    Memories { feature: "MK20DX256", flash: (0, 256), ram: (0x1FFF_8000, 64) },
];

/// The Kinetis' flash configuration field, which the part reads at reset: no backdoor key, nothing protected, the part
/// not secured, the fast start (K20P64M72SF1RM, "Flash Configuration Field Description"). Code begins behind it.
const FLASH_CONFIGURATION: &str = "
_stext = 0x410;
SECTIONS
{
  .flash_configuration 0x400 : { LONG(0xFFFFFFFF) LONG(0xFFFFFFFF) LONG(0xFFFFFFFF) LONG(0xFFFFFFFE) } > FLASH
}
INSERT AFTER .vector_table;
";

/// The RP2040's second stage, the first 256 bytes of flash.
const SECOND_STAGE: &str = "
MEMORY
{
  BOOT2 : ORIGIN = 0x10000000, LENGTH = 256
}
SECTIONS
{
  .boot2 ORIGIN(BOOT2) : { KEEP(*(.boot2)); } > BOOT2
}
INSERT BEFORE .vector_table;
";

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(stm32)");
    let chosen = |board: &&Memories| env::var_os(format!("CARGO_FEATURE_{}", board.feature)).is_some();
    let Some(Memories { feature, flash, ram }) = BOARDS.iter().find(chosen) else { return Ok(()) };
    if feature.starts_with("STM32") {
        println!("cargo::rustc-cfg=stm32");
    }
    let mut memory = format!(
        "MEMORY\n{{\n  FLASH : ORIGIN = {:#010x}, LENGTH = {}K\n  RAM   : ORIGIN = {:#010x}, LENGTH = {}K\n}}\n",
        flash.0, flash.1, ram.0, ram.1
    );
    if env::var_os("CARGO_FEATURE_MK20DX256").is_some() {
        memory += FLASH_CONFIGURATION;
    }
    if env::var_os("CARGO_FEATURE_RP2040").is_some() {
        memory += SECOND_STAGE;
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("Cargo sets OUT_DIR for build scripts"));
    fs::write(out.join("memory.x"), memory)?;
    println!("cargo::rustc-link-search={}", out.display());
    Ok(())
}
