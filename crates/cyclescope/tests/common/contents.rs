//! An ELF's bytes in files without symbols.

use object::LittleEndian;
use object::read::elf::{ElfFile32, ProgramHeader};

/// The loaded bytes of an ELF, by physical address.
pub fn loaded(bytes: &[u8]) -> Vec<(u32, Vec<u8>)> {
    let file = ElfFile32::<LittleEndian>::parse(bytes).expect("it is whole");
    let headers = file.elf_program_headers().iter().filter(|header| header.p_filesz(LittleEndian) > 0);
    let data = |header: &object::elf::ProgramHeader32<LittleEndian>| {
        (header.p_paddr(LittleEndian), header.data(LittleEndian, bytes).expect("it is in the file").to_vec())
    };
    headers.map(data).collect()
}

/// An Intel HEX file of `runs`.
pub fn intel_hex(runs: &[(u32, Vec<u8>)]) -> String {
    let record = |kind: u8, address: u16, data: &[u8]| {
        let mut bytes = vec![data.len() as u8, (address >> 8) as u8, address as u8, kind];
        bytes.extend_from_slice(data);
        bytes.push(bytes.iter().fold(0u8, |sum, byte| sum.wrapping_add(*byte)).wrapping_neg());
        let digits: String = bytes.iter().map(|byte| format!("{byte:02X}")).collect();
        format!(":{digits}\n")
    };
    let mut text = String::new();
    for (address, bytes) in runs {
        for (at, chunk) in (*address..).step_by(16).zip(bytes.chunks(16)) {
            text += &record(4, 0, &((at >> 16) as u16).to_be_bytes());
            text += &record(0, at as u16, chunk);
        }
    }
    text + &record(1, 0, &[])
}
