//! The firmware images that cyclescope measures, embedded: real runtimes doing the same work, built, with provenance.
//!
//! Each image is an ELF that flashes and runs as it is on the board it was built for. Symbols and line tables are
//! kept, and in Rust images the types of coroutines, tasks and executors. The list is `manifest.json` of this package, read when first asked for. `cargo xtask images build` writes it from
//! `firmware/images.toml`.

use std::io::Read;
use std::sync::{LazyLock, Mutex, PoisonError};

use lzma_rust2::XzReader;
use serde::Deserialize;
use serde_json::value::RawValue;

/// The packed archives of a package by name, and its manifest.
type Package = (&'static [(&'static str, &'static [u8])], &'static str);

/// The packages that hold images, in the order in which these are listed.
static PACKAGES: [Package; 5] = [
    (include!(concat!(env!("OUT_DIR"), "/archives.rs")), include_str!("../manifest.json")),
    (cyclescope_images_stm32::ARCHIVES, cyclescope_images_stm32::MANIFEST),
    (cyclescope_images_nrf::ARCHIVES, cyclescope_images_nrf::MANIFEST),
    (cyclescope_images_rp::ARCHIVES, cyclescope_images_rp::MANIFEST),
    (cyclescope_images_esp::ARCHIVES, cyclescope_images_esp::MANIFEST),
];

/// All manifests as one, without their lists.
static CATALOGUE: LazyLock<Catalogue> = LazyLock::new(|| {
    let mut all = Catalogue::default();
    for (package, (_, manifest)) in PACKAGES.iter().enumerate() {
        let Manifest { compiler, lists, images, absent, not_on } = serde_json::from_str(manifest).expect(READ);
        all.compilers.push(compiler);
        all.lists.push(lists);
        all.images.extend(images.into_iter().map(|image: Image| Image { package, ..image }));
        all.absent.extend(absent);
        all.not_on.extend(not_on);
    }
    all
});

/// The manifests' lists, a package each. Few commands ask for them, so they are read apart.
static LISTS: LazyLock<Vec<Lists>> =
    LazyLock::new(|| CATALOGUE.lists.iter().map(|lists| serde_json::from_str(lists.get()).expect(READ)).collect());

const READ: &str = "the package's own tests read the manifest";

#[derive(Default)]
struct Catalogue {
    /// The compilers that a package's images name by position.
    compilers: Vec<Vec<&'static str>>,
    lists: Vec<&'static RawValue>,
    images: Vec<Image>,
    absent: Vec<Absent>,
    not_on: Vec<NotOn>,
}

/// The manifest of one package.
#[derive(Deserialize)]
#[serde(bound(deserialize = "'de: 'static"))]
struct Manifest {
    compiler: Vec<&'static str>,
    lists: &'static RawValue,
    images: Vec<Image>,
    absent: Vec<Absent>,
    not_on: Vec<NotOn>,
}

/// The values that many images share, and long ones. An image gives the position in each list.
#[derive(Deserialize)]
#[serde(bound(deserialize = "'de: 'static"))]
struct Lists {
    libraries: Vec<Pairs>,
    settings: Vec<Pairs>,
    flags: Vec<Vec<&'static str>>,
    rows_absent: Vec<Pairs>,
    sections: Vec<Vec<Section>>,
}

/// Names and values, or names and versions.
type Pairs = Vec<(&'static str, &'static str)>;

/// An image with its provenance.
#[derive(Debug, Deserialize)]
#[non_exhaustive]
pub struct Image {
    /// `experiment-contender-mode-opt-board`, unique.
    pub name: &'static str,
    /// The experiment it belongs to, such as `primes`.
    pub experiment: &'static str,
    /// The runtime under test, such as `freertos`.
    pub contender: &'static str,
    /// The contender's version, or the compiler's where it has none of its own, such as `gcc 12.2.1`.
    pub contender_version: &'static str,
    /// The contender's setting in the experiment, such as `plain` in `primes` or `dma` in `button`.
    pub mode: &'static str,
    /// Optimisation level: `s` for size, `3` for speed.
    pub opt: &'static str,
    /// The chip model it is to be measured on, such as `stm32c031c6`.
    pub chip: &'static str,
    /// The board it was built for.
    pub board: &'static str,
    /// Its output: `uart:usart2`, `rtt` (plain), `defmt` (over RTT) or `semihosting`.
    pub channel: &'static str,
    /// SHA-256 of the ELF file, lower-case hex.
    pub sha256: &'static str,
    /// SHA-256, lower-case hex, over what is loaded: for each segment with bytes in the file, in order of load
    /// address, the address and the length (32 bits, little-endian each), then the bytes.
    pub segments_sha256: &'static str,
    /// Lines of code, without blank lines and comments, of the files somebody wrote for this very program; `None` where
    /// its experiment does not ask. Counted by the library `tokei`.
    pub source_lines: Option<u32>,
    /// Blocks, functions and implementations marked `unsafe` in the same files; `None` where they are not Rust or nobody
    /// asks.
    pub unsafe_blocks: Option<u32>,
    compiler: usize,
    settings: usize,
    libraries: usize,
    flags: usize,
    rows_absent: usize,
    sections: usize,
    archive: Place,
    /// The position of its package in [`PACKAGES`].
    #[serde(skip)]
    package: usize,
}

/// The archive that was read last, as far as it is unpacked. Who asks for one image of a contender often asks for its next.
static UNPACKED: Mutex<Option<Unpacked>> = Mutex::new(None);

/// An archive from its beginning up to the end of the last image that was asked for.
struct Unpacked {
    package: usize,
    name: &'static str,
    bytes: Vec<u8>,
    rest: XzReader<&'static [u8]>,
}

/// A place in an archive: ELFs one after the other, then packed.
#[derive(Debug, Deserialize)]
struct Place {
    name: &'static str,
    /// Bytes before the ELF.
    offset: usize,
    /// Bytes of the ELF.
    bytes: usize,
}

/// A section that takes memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub struct Section {
    /// Its name, such as `.text`.
    pub name: &'static str,
    /// The address at which it runs; `.data` is loaded elsewhere.
    pub address: u32,
    /// Its size in bytes.
    pub size: u32,
    /// True if it takes RAM only, and nothing in flash.
    pub zeroed: bool,
}

/// A mode without an honest counterpart in a contender; tables show n/a with the reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub struct Absent {
    /// The experiment.
    pub experiment: &'static str,
    /// The contender.
    pub contender: &'static str,
    /// The mode.
    pub mode: &'static str,
    /// The reason.
    pub reason: &'static str,
}

/// A board that a contender does not exist for; tables name it with the reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub struct NotOn {
    /// The experiment.
    pub experiment: &'static str,
    /// The contender.
    pub contender: &'static str,
    /// The board.
    pub board: &'static str,
    /// The reason.
    pub reason: &'static str,
}

/// An embedded image did not unpack: the binary itself is damaged.
#[derive(Debug, thiserror::Error)]
#[error("the embedded image {name} does not unpack; the program file is damaged, install it again")]
pub struct UnpackError {
    name: &'static str,
    #[source]
    source: std::io::Error,
}

/// All images, in the order of `firmware/images.toml`.
pub fn images() -> &'static [Image] {
    &CATALOGUE.images
}

/// All modes that have no image, and why.
pub fn absent() -> &'static [Absent] {
    &CATALOGUE.absent
}

/// All boards that contenders do not exist for, and why.
pub fn not_on() -> &'static [NotOn] {
    &CATALOGUE.not_on
}

impl Image {
    /// Returns compiler and linker, as they name themselves.
    pub fn compiler(&self) -> &'static str {
        CATALOGUE.compilers[self.package][self.compiler]
    }

    /// Returns what decides fairness, as name and value in words: memory, clock, stacks, assertions, tick rate.
    pub fn settings(&self) -> &'static [(&'static str, &'static str)] {
        &LISTS[self.package].settings[self.settings]
    }

    /// Returns the foreign libraries as name and version.
    pub fn libraries(&self) -> &'static [(&'static str, &'static str)] {
        &LISTS[self.package].libraries[self.libraries]
    }

    /// Returns the flags of the build; no path of any machine.
    pub fn flags(&self) -> &'static [&'static str] {
        &LISTS[self.package].flags[self.flags]
    }

    /// Returns the rows of its experiment's table that it cannot fill, as name and reason; tables show n/a with the reason.
    pub fn rows_absent(&self) -> &'static [(&'static str, &'static str)] {
        &LISTS[self.package].rows_absent[self.rows_absent]
    }

    /// Returns the sections that take flash or RAM, in the file's order.
    pub fn sections(&self) -> &'static [Section] {
        &LISTS[self.package].sections[self.sections]
    }

    /// Unpacks the ELF file, and what lies before it in its archive. The archive stays in memory until an image of another
    /// one is asked for.
    ///
    /// # Errors
    /// Only when the embedded bytes are damaged.
    pub fn elf(&self) -> Result<Vec<u8>, UnpackError> {
        // An unpacking that panicked leaves nothing behind: it owned what it worked on.
        let mut last = UNPACKED.lock().unwrap_or_else(PoisonError::into_inner);
        let damaged = |source| UnpackError { name: self.name, source };
        let mut archive =
            match last.take().filter(|last| (last.package, last.name) == (self.package, self.archive.name)) {
                Some(unpacked) => unpacked,
                None => Unpacked::new(self.package, self.archive.name)
                    .ok_or_else(|| damaged(std::io::ErrorKind::NotFound.into()))?,
            };
        let elf = archive.get(&self.archive).map_err(damaged)?.to_vec();
        *last = Some(archive);
        Ok(elf)
    }
}

impl Unpacked {
    fn new(package: usize, name: &'static str) -> Option<Self> {
        let (archives, _) = PACKAGES[package];
        let at = archives.binary_search_by_key(&name, |(name, _)| name).ok()?;
        Some(Self { package, name, bytes: Vec::new(), rest: XzReader::new(archives[at].1, false) })
    }

    fn get(&mut self, place: &Place) -> std::io::Result<&[u8]> {
        let end = place.offset.saturating_add(place.bytes);
        let missing = end.saturating_sub(self.bytes.len());
        self.rest.by_ref().take(missing as u64).read_to_end(&mut self.bytes)?;
        self.bytes.get(place.offset..end).ok_or_else(|| std::io::ErrorKind::UnexpectedEof.into())
    }
}
