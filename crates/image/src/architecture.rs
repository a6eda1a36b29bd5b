//! Which machines an image may be for.

use object::elf;

use crate::ImageError;

/// The instruction-set family an image is built for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Architecture {
    /// 32-bit Arm, little-endian; which profile and version is the chip's affair.
    Arm,
}

impl Architecture {
    /// The architecture of an ELF header.
    ///
    /// # Errors
    /// [`ImageError::Machine`], [`ImageError::Class`] or [`ImageError::BigEndian`] where cyclescope has no core for it.
    pub(crate) fn of_header(machine: u16, class: u8, data: u8) -> Result<Self, ImageError> {
        let known = match elf::Machine(machine) {
            elf::EM_ARM => Self::Arm,
            _ => return Err(ImageError::Machine { machine: machine_name(machine) }),
        };
        if class != elf::ELFCLASS32.0 {
            return Err(ImageError::Class { class });
        }
        if data != elf::ELFDATA2LSB.0 {
            return Err(ImageError::BigEndian);
        }
        Ok(known)
    }

    /// The mask that takes a code symbol's value to the address of its first instruction. On Arm, bit 0 of a
    /// function's value says that it is Thumb code (AAELF32, "Symbol values").
    pub const fn code_address_mask(self) -> u32 {
        match self {
            Self::Arm => !1,
        }
    }
}

impl std::fmt::Display for Architecture {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Arm => f.write_str("32-bit little-endian Arm"),
        }
    }
}

/// The usual name of an ELF machine number (ELF gABI, `e_machine`), or the number.
fn machine_name(machine: u16) -> String {
    let name = match elf::Machine(machine) {
        elf::EM_386 => "x86",
        elf::EM_X86_64 => "x86-64",
        elf::EM_AARCH64 => "AArch64 (64-bit Arm)",
        elf::EM_RISCV => "RISC-V",
        elf::EM_AVR => "AVR",
        elf::EM_XTENSA => "Xtensa",
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
