//! Calls by windows of registers. The assembler for the LX106 knows no such instruction, so `firmware/boards/xtensa/windowed.inc`
//! writes each as CALL0, whose target the linker fills in, and lists its address; here it becomes the call that was meant.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, bail, ensure};
use object::read::elf::{ElfFile32, ProgramHeader};
use object::{LittleEndian, Object, ObjectSection, elf};

use super::toolchain;

/// The section that lists the calls, a word of the address and one of the window's size in fours of registers.
const LIST: &str = ".debug_windowed_calls";
/// CALL0's low six bits; those of CALL4, CALL8 and CALL12 have the window's size in the upper two (ISA manual, RC-2010.1, "CALL0").
const CALL0: u8 = 5;
const OPCODE: u8 = 0x3f;

/// Rewrites the calls of the linked file, and takes their list out by the program `objcopy`.
pub fn finish(path: &Path, objcopy: &str) -> anyhow::Result<()> {
    let mut bytes = std::fs::read(path)?;
    rewrite(&mut bytes).with_context(|| format!("{} is no linked program with windowed calls", path.display()))?;
    std::fs::write(path, bytes)?;
    toolchain::run(Command::new(objcopy).arg("--remove-section").arg(LIST).arg(path)).map(drop)
}

/// Rewrites the calls that the list names. Those of functions that the linker dropped have address 0.
fn rewrite(bytes: &mut [u8]) -> anyhow::Result<()> {
    let mut calls = Vec::new();
    {
        let file = ElfFile32::<LittleEndian>::parse(&*bytes)?;
        let list = file.section_by_name(LIST).context("it has no list of calls")?.data()?;
        ensure!(list.len() % 8 == 0, "the list of calls ends within one");
        for entry in list.chunks_exact(8) {
            let [a, b, c, d, window, ..] = *entry else { bail!("the list of calls ends within one") };
            let address = u32::from_le_bytes([a, b, c, d]);
            ensure!((1..=3).contains(&window), "{window} is no size of a window");
            if address != 0 {
                calls.push((offset(&file, address).with_context(|| format!("no code at {address:#010x}"))?, window));
            }
        }
    }
    for (offset, window) in calls {
        let byte = bytes.get_mut(offset).context("a call lies outside the file")?;
        ensure!(*byte & OPCODE == CALL0, "what is listed at offset {offset:#x} is no call");
        *byte |= window << 4;
    }
    Ok(())
}

/// The place in the file of what is loaded at `address`.
fn offset(file: &ElfFile32<'_, LittleEndian>, address: u32) -> Option<usize> {
    file.elf_program_headers().iter().filter(|header| header.p_type(LittleEndian) == elf::PT_LOAD).find_map(|header| {
        let into = address.checked_sub(header.p_vaddr(LittleEndian))?;
        (into < header.p_filesz(LittleEndian)).then(|| (header.p_offset(LittleEndian) + into) as usize)
    })
}

#[cfg(test)]
mod tests {
    use object::write::elf::{FileHeader, ProgramHeader, SectionHeader, Writer};
    use object::{Endianness, elf};

    use super::{LIST, rewrite};

    /// An ELF of code at 0x40080000 and a list of calls.
    fn program(code: &[u8], list: &[u32]) -> Vec<u8> {
        let list: Vec<u8> = list.iter().flat_map(|word| word.to_le_bytes()).collect();
        let mut bytes = Vec::new();
        let mut writer = Writer::new(Endianness::Little, false, &mut bytes);
        writer.reserve_file_header();
        writer.reserve_program_headers(1);
        let code_at = writer.reserve(code.len() as u64, 4);
        let list_at = writer.reserve(list.len() as u64, 4);
        writer.reserve_null_section_index();
        let name = writer.add_section_name(LIST.as_bytes());
        writer.reserve_section_index();
        writer.reserve_shstrtab_section_index();
        writer.reserve_shstrtab().unwrap();
        writer.reserve_section_headers();
        writer
            .write_file_header(&FileHeader {
                os_abi: elf::ELFOSABI_NONE,
                abi_version: 0,
                e_type: elf::ET_EXEC,
                e_machine: elf::EM_XTENSA,
                e_entry: 0x4008_0000,
                e_flags: Default::default(),
            })
            .unwrap();
        writer.write_align_program_headers();
        writer.write_program_header(&ProgramHeader {
            p_type: elf::PT_LOAD,
            p_flags: elf::PF_R | elf::PF_X,
            p_offset: code_at,
            p_vaddr: 0x4008_0000,
            p_paddr: 0x4008_0000,
            p_filesz: code.len() as u64,
            p_memsz: code.len() as u64,
            p_align: 4,
        });
        writer.write_align(4);
        writer.write(code);
        writer.write_align(4);
        writer.write(&list);
        writer.write_shstrtab();
        writer.write_null_section_header();
        writer.write_section_header(&SectionHeader {
            sh_name: writer.section_name_offset(Some(name)),
            sh_type: elf::SHT_PROGBITS,
            sh_flags: Default::default(),
            sh_addr: 0,
            sh_offset: list_at,
            sh_size: list.len() as u64,
            sh_link: 0,
            sh_info: 0,
            sh_addralign: 1,
            sh_entsize: 0,
        });
        writer.write_shstrtab_section_header();
        bytes
    }

    /// NOP.N, CALL0 to the address after the next, CALL0 back.
    const CODE: [u8; 8] = [0x3d, 0xf0, 0x45, 0x00, 0x00, 0x05, 0xff, 0xff];

    #[test]
    fn a_listed_call_gets_its_window_and_keeps_its_target() {
        let mut elf = program(&CODE, &[0x4008_0002, 2, 0, 3, 0x4008_0005, 1]);
        rewrite(&mut elf).unwrap();
        let expected = [0x3d, 0xf0, 0x65, 0x00, 0x00, 0x15, 0xff, 0xff];
        assert!(elf.windows(CODE.len()).any(|window| window == expected));
    }

    #[test]
    fn what_is_no_call_is_refused() {
        let error = |list: &[u32]| rewrite(&mut program(&CODE, list)).unwrap_err().to_string();
        assert!(error(&[0x4008_0000, 2]).contains("is no call"));
        assert!(error(&[0x4008_0008, 2]).contains("no code at 0x40080008"));
        assert!(error(&[0x4008_0002, 0]).contains("no size of a window"));
        assert!(error(&[0x4008_0002]).contains("ends within one"));
        assert!(rewrite(&mut b"not an ELF".to_vec()).is_err());
    }
}
