//! The manifest's facts of a built ELF: hashes and sections. An ELF that holds a path of a machine is refused.

use anyhow::{Context, bail};
use object::read::elf::{ElfFile32, ProgramHeader};
use object::{Object, ObjectSection, SectionFlags, SectionKind, elf};
use sha2::{Digest, Sha256};

use super::manifest::Section;

/// The facts of an ELF.
#[derive(Debug)]
pub struct Facts {
    /// Lower-case hex of the file.
    pub sha256: String,
    /// Lower-case hex of what a programmer would load.
    pub segments_sha256: String,
    /// The sections that take memory, in the file's order.
    pub sections: Vec<Section>,
}

/// Folders that only a machine at hand can have put into an ELF.
const FORBIDDEN: [&str; 4] = ["/work/", "/root/", "/tmp/", "/home/"];

/// Reads the facts of an ELF; fails when a path of a machine stands in it.
pub fn facts(bytes: &[u8]) -> anyhow::Result<Facts> {
    for folder in FORBIDDEN {
        if let Some(at) = bytes.windows(folder.len()).position(|window| window == folder.as_bytes()) {
            let end = (at + 100).min(bytes.len());
            let text = String::from_utf8_lossy(&bytes[at..end]);
            bail!("a path of this machine stands in it: {}", text.split('\0').next().unwrap_or_default());
        }
    }
    let file = ElfFile32::<object::Endianness>::parse(bytes).context("it is not a 32-bit ELF")?;
    Ok(Facts { sha256: hex(bytes), segments_sha256: segments_sha256(&file, bytes)?, sections: sections(&file) })
}

/// Hashes the loaded segments in order of their load address: for each the address and the length, 32 bits
/// little-endian, then its bytes in the file. Segments without such bytes are left out.
fn segments_sha256(file: &ElfFile32<'_, object::Endianness>, bytes: &[u8]) -> anyhow::Result<String> {
    let endian = file.endian();
    let mut loads = Vec::new();
    for header in file.elf_program_headers() {
        if header.p_type(endian) == elf::PT_LOAD && header.p_filesz(endian) != 0 {
            let data = header.data(endian, bytes).ok().context("a segment lies outside the file")?;
            loads.push((header.p_paddr(endian), data));
        }
    }
    loads.sort();
    let mut hash = Sha256::new();
    for (address, data) in loads {
        hash.update(address.to_le_bytes());
        hash.update((data.len() as u32).to_le_bytes());
        hash.update(data);
    }
    Ok(to_hex(&hash.finalize()))
}

fn sections(file: &ElfFile32<'_, object::Endianness>) -> Vec<Section> {
    let takes_memory = |flags| matches!(flags, SectionFlags::Elf { sh_flags, .. } if sh_flags.contains(elf::SHF_ALLOC));
    file.sections()
        .filter(|section| takes_memory(section.flags()) && section.size() != 0)
        .map(|section| Section {
            name: section.name().unwrap_or_default().to_owned(),
            address: section.address() as u32,
            size: section.size() as u32,
            zeroed: section.kind() == SectionKind::UninitializedData,
        })
        .collect()
}

/// SHA-256 in lower-case hex.
pub fn hex(bytes: &[u8]) -> String {
    to_hex(&Sha256::digest(bytes))
}

fn to_hex(digest: &[u8]) -> String {
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::{facts, hex};

    #[test]
    fn the_hash_is_sha256() {
        assert_eq!(hex(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }

    #[test]
    fn paths_of_a_machine_and_other_files_are_refused() {
        let error = facts(b"\x7fELF .. /home/somebody/x.c\0rest").unwrap_err().to_string();
        assert!(error.ends_with("/home/somebody/x.c"), "{error}");
        assert!(facts(b"not an ELF at all").unwrap_err().to_string().contains("32-bit ELF"));
    }
}
