//! The architecture of an image.

use object::elf;

use crate::ImageError;

/// The instruction-set family of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Architecture {
    /// 32-bit Arm, little-endian. The chip determines profile and version.
    Arm,
    /// AVR, with the number of the family's generation in compilers' terms (5 for avr5); 0 if the file has none.
    Avr(u8),
    /// RISC-V with 32-bit registers. The chip determines the extensions.
    Riscv,
    /// Xtensa, little-endian. The chip determines the options.
    Xtensa,
}

/// The address at which AVR tools place EEPROM; fuses, lock bits and signature follow.
const AVR_EEPROM: u32 = 0x81_0000;
/// The end of the addresses for these.
const AVR_END: u32 = 0x100_0000;

impl Architecture {
    /// Returns the architecture of an ELF header.
    ///
    /// # Errors
    /// [`ImageError::Machine`], [`ImageError::Class`] or [`ImageError::BigEndian`] if cyclescope has no core for it.
    pub(crate) fn of_header(machine: u16, class: u8, data: u8, flags: u32) -> Result<Self, ImageError> {
        // The other fields of a big-endian header cannot be read.
        if data == elf::ELFDATA2MSB.0 {
            return Err(ImageError::BigEndian);
        }
        let known = match elf::Machine(machine) {
            elf::EM_ARM => Self::Arm,
            elf::EM_AVR => Self::Avr((flags & elf::EF_AVR_ARCH) as u8),
            elf::EM_RISCV => Self::Riscv,
            elf::EM_XTENSA => Self::Xtensa,
            _ => return Err(ImageError::Machine { machine: machine_name(machine) }),
        };
        if class != elf::ELFCLASS32.0 {
            return Err(ImageError::Class { class });
        }
        if data != elf::ELFDATA2LSB.0 {
            return Err(ImageError::ByteOrder { data });
        }
        Ok(known)
    }

    /// Returns the mask that converts a code symbol's value to the address of its first instruction. On Arm, bit 0 of a
    /// function's value marks Thumb code (AAELF32, "Symbol values").
    pub const fn code_address_mask(self) -> u32 {
        match self {
            Self::Arm => !1,
            Self::Avr(_) | Self::Riscv | Self::Xtensa => !0,
        }
    }

    /// Tells if `address` is in flash or RAM, and not in an AVR's EEPROM, fuses or signature.
    pub const fn is_main_memory(self, address: u32) -> bool {
        match self {
            Self::Arm | Self::Riscv | Self::Xtensa => true,
            Self::Avr(_) => address < AVR_EEPROM || address >= AVR_END,
        }
    }

    /// Returns the offset of `address` in an AVR's EEPROM.
    pub const fn eeprom_offset(self, address: u32) -> Option<u32> {
        match self {
            Self::Avr(_) if address >= AVR_EEPROM && address < AVR_EEPROM + 0x1_0000 => Some(address - AVR_EEPROM),
            _ => None,
        }
    }
}

impl std::fmt::Display for Architecture {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Arm => f.write_str("32-bit little-endian Arm"),
            Self::Avr(0) => f.write_str("AVR"),
            Self::Avr(generation) => write!(f, "AVR (avr{generation})"),
            Self::Riscv => f.write_str("32-bit RISC-V"),
            Self::Xtensa => f.write_str("Xtensa"),
        }
    }
}

/// Returns the usual name of an ELF machine number (ELF gABI, `e_machine`), or the number.
fn machine_name(machine: u16) -> String {
    let name = match elf::Machine(machine) {
        elf::EM_386 => "x86",
        elf::EM_X86_64 => "x86-64",
        elf::EM_AARCH64 => "AArch64 (64-bit Arm)",
        elf::EM_MIPS => "MIPS",
        elf::EM_PPC => "PowerPC",
        elf::EM_PPC64 => "64-bit PowerPC",
        elf::EM_SPARC => "SPARC",
        elf::EM_68K => "68000",
        elf::EM_SH => "SuperH",
        elf::EM_MSP430 => "MSP430",
        elf::EM_RX => "Renesas RX",
        elf::EM_S390 => "S/390",
        elf::EM_LOONGARCH => "LoongArch",
        elf::EM_HEXAGON => "Hexagon",
        elf::EM_BPF => "BPF",
        _ => return format!("machine number {machine}"),
    };
    name.to_owned()
}
