//! From an image to a machine: is it for this part at all?

use cyclescope_image::{Architecture, Image};

use super::{Kind, LoadError, Machine, Settings};
use crate::part::{Core, Part};

/// The generation of AVR that the parts here are of: 8 to 64 KiB of flash, with a hardware multiplier and JMP.
const AVR5: u8 = 5;

/// Names of the end of an AVR image's variables, as avr-libc and others call it.
const VARIABLES_END: [&str; 3] = ["__heap_start", "_end", "__bss_end"];

impl Machine {
    /// `part` with `image` in it, reset and about to run its first instruction.
    ///
    /// # Errors
    /// [`LoadError`] where the image is for another kind of core or, as far as it says so, for another part, and where the
    /// part could not start it.
    pub fn load(part: &Part, settings: Settings, image: &Image) -> Result<Self, LoadError> {
        let architecture = image.architecture();
        let fits = match part.core {
            Core::CortexM(_) => architecture == Architecture::Arm,
            Core::Avr(_) => matches!(architecture, Architecture::Avr(0 | AVR5)),
            Core::Riscv(_) => architecture == Architecture::Riscv,
            Core::Xtensa(_) => architecture == Architecture::Xtensa,
        };
        if !fits {
            return Err(LoadError::Architecture {
                image: architecture.to_string(),
                part: part.name.to_string(),
                core: part.core.name(),
            });
        }
        if let (Core::Avr(own), Some(device)) = (&part.core, image.device())
            && !device.eq_ignore_ascii_case(own.name)
        {
            return Err(LoadError::Device { device: device.to_owned(), part: own.name.to_owned() });
        }
        let main = image.segments().filter(|segment| architecture.is_main_memory(segment.address.get()));
        let mut machine =
            Self::entered(part, settings, Some(image.entry()), main.map(|segment| (segment.address, segment.bytes)))?;
        if let Kind::Avr(machine) = &mut machine.kind {
            for segment in image.segments() {
                if let Some(offset) = architecture.eeprom_offset(segment.address.get()) {
                    machine.bus.peripherals.load_eeprom(offset, segment.bytes);
                }
            }
            let end = VARIABLES_END.iter().find_map(|name| image.find_symbol(name));
            if let Some(end) = end {
                machine.set_stack_floor(end.address);
            }
        }
        Ok(machine)
    }
}
