//! Small ELF files to order.

use object::build::elf::{Builder, SectionData};
use object::{Endianness, elf};

/// An image whose `.text` holds the functions named, one after the other, each of its size.
pub fn image(functions: &[(&str, u64)]) -> Vec<u8> {
    build(functions, &[])
}

/// A RISC-V image of the words `code` from `base` up, in which the functions named begin at these offsets and are so long.
pub fn riscv(base: u32, code: &[u32], functions: &[(&str, u64, u64)]) -> Vec<u8> {
    words(elf::EM_RISCV, base, code, functions, Vec::new())
}

/// The same with this section `.debug_frame`.
pub fn riscv_with_frames(base: u32, code: &[u32], functions: &[(&str, u64, u64)], frames: Vec<u8>) -> Vec<u8> {
    words(elf::EM_RISCV, base, code, functions, frames)
}

/// A section `.debug_frame` with the address, the length and the instructions of each function. Offsets count 4 bytes down.
pub fn debug_frame(return_column: u8, functions: &[(u32, u32, &[u8])]) -> Vec<u8> {
    let entry = |mut content: Vec<u8>| {
        content.resize(content.len().next_multiple_of(4), 0);
        [(content.len() as u32).to_le_bytes().to_vec(), content].concat()
    };
    // Version 3, no augmentation, factors 1 and -4.
    let common = [&u32::MAX.to_le_bytes()[..], &[3, 0, 1, 0x7C, return_column]].concat();
    let function = |(address, length, instructions): &(u32, u32, &[u8])| {
        let head = [0, *address, *length].map(u32::to_le_bytes).concat();
        entry([&head, *instructions].concat())
    };
    std::iter::once(entry(common)).chain(functions.iter().map(function)).collect::<Vec<_>>().concat()
}

/// The same for Arm.
pub fn arm(base: u32, code: &[u32], functions: &[(&str, u64, u64)]) -> Vec<u8> {
    words(elf::EM_ARM, base, code, functions, Vec::new())
}

/// The same with this section `.debug_frame`.
pub fn arm_with_frames(base: u32, code: &[u32], functions: &[(&str, u64, u64)], frames: Vec<u8>) -> Vec<u8> {
    words(elf::EM_ARM, base, code, functions, frames)
}

/// An AVR's image of the halfwords `code` from the start of flash, in which the functions named begin at these offsets and are so
/// long.
pub fn avr(code: &[u16], functions: &[(&str, u64, u64)]) -> Vec<u8> {
    let code = code.iter().flat_map(|word| word.to_le_bytes()).collect();
    written(elf::EM_AVR, 0, code, functions, &[], Vec::new())
}

fn words(machine: elf::Machine, base: u32, code: &[u32], functions: &[(&str, u64, u64)], frames: Vec<u8>) -> Vec<u8> {
    let bytes: Vec<u8> = code.iter().flat_map(|word| word.to_le_bytes()).collect();
    let symbols: Vec<_> =
        functions.iter().map(|(name, offset, size)| (*name, u64::from(base) + offset, *size)).collect();
    written(machine, base.into(), bytes, &symbols, &[], frames)
}

/// An image with defmt strings: each symbol's address is its frame's index.
pub fn defmt(strings: &[(&str, u64)]) -> Vec<u8> {
    build(&[("main", 4)], strings)
}

fn build(functions: &[(&str, u64)], strings: &[(&str, u64)]) -> Vec<u8> {
    let size = 16 + functions.iter().map(|(_, size)| size).sum::<u64>();
    let mut address = 0x0800_0010;
    let mut symbols = Vec::new();
    for (name, size) in functions {
        symbols.push((*name, address, *size));
        address += size;
    }
    written(elf::EM_ARM, 0x0800_0000, vec![0; size as usize], &symbols, strings, Vec::new())
}

fn written(
    machine: elf::Machine,
    base: u64,
    code: Vec<u8>,
    functions: &[(&str, u64, u64)],
    strings: &[(&str, u64)],
    frames: Vec<u8>,
) -> Vec<u8> {
    let size = code.len() as u64;
    let mut builder = Builder::new(Endianness::Little, false);
    builder.header.e_type = elf::ET_EXEC;
    builder.header.e_machine = machine;
    builder.header.e_phoff = 0x34;
    builder.header.e_entry = base;
    let text = builder.sections.add();
    text.name = ".text".into();
    text.sh_type = elf::SHT_PROGBITS;
    text.sh_flags = elf::SHF_ALLOC.with(elf::SHF_EXECINSTR);
    text.sh_addr = base;
    text.sh_addralign = 4;
    text.sh_offset = 0x100;
    text.sh_size = size;
    text.data = SectionData::Data(code.into());
    let text = text.id();
    let mut symbols: Vec<_> =
        functions.iter().map(|(name, address, size)| (*name, text, *address, *size, elf::STT_FUNC)).collect();
    if !strings.is_empty() {
        let section = builder.sections.add();
        section.name = ".defmt".into();
        section.sh_type = elf::SHT_PROGBITS;
        section.sh_addralign = 1;
        section.sh_size = 64;
        section.data = SectionData::Data(vec![0; 64].into());
        let section = section.id();
        symbols.extend(strings.iter().map(|(name, index)| (*name, section, *index, 1, elf::STT_OBJECT)));
    }
    for (name, section, value, size, kind) in symbols {
        let symbol = builder.symbols.add();
        symbol.name = name.into();
        symbol.section = Some(section);
        symbol.st_value = value;
        symbol.st_size = size;
        symbol.set_st_info(elf::STB_GLOBAL, kind);
    }
    if !frames.is_empty() {
        let section = builder.sections.add();
        section.name = ".debug_frame".into();
        section.sh_type = elf::SHT_PROGBITS;
        section.sh_addralign = 4;
        section.sh_size = frames.len() as u64;
        section.data = SectionData::Data(frames.into());
    }
    for (name, kind, data) in [
        (".symtab", elf::SHT_SYMTAB, SectionData::Symbol),
        (".strtab", elf::SHT_STRTAB, SectionData::String),
        (".shstrtab", elf::SHT_STRTAB, SectionData::SectionString),
    ] {
        let section = builder.sections.add();
        section.name = name.into();
        section.sh_type = kind;
        section.sh_addralign = 4;
        section.data = data;
    }
    builder.set_section_sizes();
    let segment = builder.segments.add();
    segment.p_type = elf::PT_LOAD;
    segment.p_flags = elf::PF_R;
    segment.p_offset = 0x100;
    segment.p_vaddr = base;
    segment.p_paddr = base;
    segment.p_filesz = size;
    segment.p_memsz = size;
    segment.p_align = 4;
    segment.sections.push(text);
    let mut out = Vec::new();
    builder.write(&mut out).expect("the parts fit together");
    out
}
