//! Options of `image`.

use std::path::PathBuf;

use clap::Args;

use crate::cli::shared::ListFormat;

/// Arguments of `image`.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  cyclescope list images
  cyclescope image button-freertos-interrupt-s-stm32c031c6
  cyclescope image button-freertos-interrupt-s-stm32c031c6 --out button.elf
  cyclescope exec button.elf --chip stm32c031c6 --max-cycles 48000000")]
pub struct ImageArguments {
    /// The image, as `cyclescope list images` names it
    #[arg(value_name = "NAME")]
    pub name: String,
    /// Write the program to this file (ELF)
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// The format of what is known of it
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "table", conflicts_with = "out")]
    pub format: ListFormat,
}
