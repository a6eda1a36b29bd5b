//! The package's guarantees for its images: each matches its entry, none holds a path of the machine that it was built on,
//! and all together stay small enough to publish.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;
use std::process::Command;

use cyclescope_images::{absent, images, not_on};
use flate2::Compression;
use flate2::write::GzEncoder;
use memchr::memmem;
use object::read::elf::{ElfFile32, ProgramHeader};
use object::{Endianness, Object, ObjectSection, ObjectSymbol, elf};
use sha2::{Digest, Sha256};

/// The registry takes 10 MB; what cargo adds by itself has room below it.
const PACKED_LIMIT: u64 = 9_500_000;

fn hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn package() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn every_file_has_the_hash_of_its_entry() {
    assert!(images().len() >= 150);
    for image in images() {
        assert_eq!(hex(&image.elf().unwrap()), image.sha256, "{}", image.name);
    }
}

#[test]
fn every_program_has_the_hash_and_sections_of_its_entry() {
    for image in images() {
        let bytes = image.elf().unwrap();
        let file = ElfFile32::<Endianness>::parse(&*bytes).unwrap();
        let endian = file.endian();
        let mut loads: Vec<(u32, &[u8])> = file
            .elf_program_headers()
            .iter()
            .filter(|header| header.p_type(endian) == elf::PT_LOAD && header.p_filesz(endian) != 0)
            .map(|header| (header.p_paddr(endian), header.data(endian, &*bytes).unwrap()))
            .collect();
        loads.sort();
        let mut described = Vec::new();
        for (address, data) in loads {
            described.extend(address.to_le_bytes());
            described.extend(u32::try_from(data.len()).unwrap().to_le_bytes());
            described.extend(data);
        }
        assert_eq!(hex(&described), image.segments_sha256, "{}", image.name);

        for section in image.sections() {
            let found = file.section_by_name(section.name).unwrap();
            assert_eq!(
                (found.address(), found.size()),
                (section.address.into(), section.size.into()),
                "{}",
                image.name
            );
        }
    }
}

#[test]
fn every_program_fits_its_board_and_has_the_markers() {
    for image in images() {
        let bytes = image.elf().unwrap();
        let file = ElfFile32::<Endianness>::parse(&*bytes).unwrap();
        let markers = match (image.experiment, image.mode) {
            ("primes" | "switch" | "display", _) => ["cyclescope_start", "cyclescope_stop"],
            ("button", _) => ["cyclescope_button_runs", "cyclescope_button_waits"],
            // FreeRTOS's own instruction for calls takes no labels; those are where its wrapper is called.
            ("syscall", "queue") => ["cyclescope_call_send", "cyclescope_back_send"],
            ("syscall", "yield") => ["cyclescope_trap_yield", "cyclescope_back_yield"],
            ("syscall", _) => ["cyclescope_trap_command", "cyclescope_back_command"],
            ("kit", _) => ["kit_sequences", "kit_version"],
            (other, _) => panic!("{}: an unknown experiment {other}", image.name),
        };
        for marker in markers {
            let count = file.symbols().filter(|symbol| symbol.name() == Ok(marker)).count();
            assert_eq!(count, 1, "{}: {marker}", image.name);
        }
        let (flash, ram) = match image.board {
            "stm32c031c6" => (0x0800_0000..0x0800_8000, 0x2000_0000..0x2000_3000),
            "stm32f103c8" => (0x0800_0000..0x0801_0000, 0x2000_0000..0x2000_5000),
            "stm32f446ze" | "stm32f446re" => (0x0800_0000..0x0808_0000, 0x2000_0000..0x2002_0000),
            "stm32g071rb" => (0x0800_0000..0x0802_0000, 0x2000_0000..0x2000_9000),
            "stm32g431kb" => (0x0800_0000..0x0802_0000, 0x2000_0000..0x2000_5800),
            "stm32l476rg" => (0x0800_0000..0x0810_0000, 0x2000_0000..0x2001_8000),
            "stm32f411ce" => (0x0800_0000..0x0808_0000, 0x2000_0000..0x2002_0000),
            "nrf52840" => (0..0x10_0000, 0x2000_0000..0x2004_0000),
            "rp2040" => (0x1000_0000..0x1020_0000, 0x2000_0000..0x2004_2000),
            // Code lies in instruction RAM; nothing is in flash.
            "esp8266" | "esp8266-160mhz" => (0x4010_0000..0x4010_8000, 0x3FFE_8000..0x3FFF_C000),
            "esp32" => (0x4008_0000..0x400A_0000, 0x3FFB_0000..0x3FFE_0000),
            "mk20dx256" => (0..0x4_0000, 0x1FFF_8000..0x2000_8000),
            // Data stands 0x800000 above where the processor sees it, as avr-libc's linker scripts have it.
            "atmega328p" => (0..0x8000, 0x0080_0100..0x0080_0900),
            "atmega32u4" | "pro-micro" => (0..0x8000, 0x0080_0100..0x0080_0B00),
            "cortex-m3" => (0..0x4_0000, 0x2000_0000..0x2001_0000),
            "ibex" => (0x10_0000..0x20_0000, 0x10_0000..0x20_0000),
            "litex-vexriscv" => (0..0x10_0000, 0x4000_0000..0x5000_0000),
            other => panic!("{}: an unknown board {other}", image.name),
        };
        for section in image.sections() {
            let last = section.address + section.size - 1;
            let inside = |range: &std::ops::Range<u32>| range.contains(&section.address) && range.contains(&last);
            // The nRF52840's RAM has addresses in the code region as well, for what runs there.
            let in_code_ram = image.board == "nrf52840" && inside(&(0x0080_0000..0x0084_0000));
            assert!(inside(&flash) || inside(&ram) || in_code_ram, "{}: {section:?}", image.name);
            assert!(!section.zeroed || inside(&ram), "{}: {section:?}", image.name);
        }
    }
}

#[test]
fn no_image_tells_of_the_machine_it_was_built_on() {
    for image in images() {
        let bytes = image.elf().unwrap();
        for folder in ["/work/", "/root/", "/tmp/", "/home/", "/build/", "/Users/"] {
            assert!(!holds(&bytes, folder.as_bytes()), "{} holds a path under {folder}", image.name);
        }
        for flag in image.flags() {
            let path = flag.split_once('=').map_or(*flag, |(_, value)| value);
            assert!(!path.starts_with('/'), "{}: {flag}", image.name);
        }
    }
    let text = std::fs::read_to_string(package().join("manifest.json")).unwrap();
    assert!(!text.contains("/work/") && !text.contains("/root/") && !text.contains("/home/"));
}

/// Tells whether the bytes hold a path under `folder`. A relative path with a folder of that name does not count.
fn holds(bytes: &[u8], folder: &[u8]) -> bool {
    let in_a_name = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    memmem::find_iter(bytes, folder).any(|at| !(at > 0 && in_a_name(bytes[at - 1])))
}

#[test]
fn every_contender_has_every_mode_or_a_reason() {
    let experiments: BTreeSet<_> = images().iter().map(|image| image.experiment).collect();
    for experiment in experiments {
        let of_experiment = || images().iter().filter(|image| image.experiment == experiment);
        // What any contender of the experiment is built as, each is.
        let builds: BTreeSet<_> = of_experiment().map(|image| (image.mode, image.opt, image.board)).collect();
        let contenders: BTreeSet<_> = of_experiment().map(|image| image.contender).collect();
        for contender in contenders {
            let own: BTreeSet<_> = of_experiment()
                .filter(|image| image.contender == contender)
                .map(|image| (image.mode, image.opt, image.board))
                .collect();
            for build in &builds {
                let has_mode =
                    !absent().iter().any(|a| (a.experiment, a.contender, a.mode) == (experiment, contender, build.0));
                let is_there =
                    !not_on().iter().any(|n| (n.experiment, n.contender, n.board) == (experiment, contender, build.2));
                assert_eq!(own.contains(build), has_mode && is_there, "{experiment} {contender} {build:?}");
            }
        }
    }
}

#[test]
fn what_there_is_to_write_is_counted_where_it_is_asked_for() {
    for image in images() {
        let counted = matches!(image.experiment, "button" | "display");
        assert_eq!(image.source_lines.is_some(), counted, "{}", image.name);
        let rust = counted && image.compiler().starts_with("rustc");
        assert_eq!(image.unsafe_blocks.is_some(), rust, "{}", image.name);
        assert!(image.source_lines.is_none_or(|lines| (20..2_000).contains(&lines)), "{}", image.name);
    }
}

#[test]
fn the_package_is_small_enough_to_publish() {
    let output = Command::new(env!("CARGO"))
        .args(["package", "--list", "--allow-dirty", "--manifest-path"])
        .arg(package().join("Cargo.toml"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let list = String::from_utf8(output.stdout).unwrap();
    let packed: BTreeSet<_> = list.lines().filter(|file| file.ends_with(".xz")).map(str::to_owned).collect();
    let archives: BTreeSet<_> =
        images().iter().map(|image| format!("images/{}-{}.xz", image.experiment, image.contender)).collect();
    assert_eq!(packed, archives, "the package must hold each archive, and no other");

    // Each file as gzip packs it, which is what a registry counts. The files that cargo itself adds are not in the folder,
    // and small.
    let size = |file: &str| std::fs::read(package().join(file)).map_or(0, |bytes| gzipped(&bytes));
    let total: u64 = list.lines().map(size).sum();
    assert!(total < PACKED_LIMIT, "{total} bytes");
    assert!(total > 500_000, "{total} bytes are too few to be all images");
}

/// Returns the size of `bytes` in bytes after gzip.
fn gzipped(bytes: &[u8]) -> u64 {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).expect("a vector takes all");
    encoder.finish().expect("a vector takes all").len() as u64
}
