//! The firmware images that oracles and tests run, read from the checkout: the contenders of `cyclescope-images`, built
//! for boards that QEMU simulates too. They are no part of the product, so that its package holds only what it measures.
//!
//! `manifest.json` is written by `cargo xtask images build` from `firmware/images.toml`, with each image's whole
//! provenance; here stands what a runner must know.

#![forbid(unsafe_code)]

use std::io::Read;
use std::path::PathBuf;
use std::sync::LazyLock;

use serde::Deserialize;

/// An image.
#[derive(Debug, Deserialize)]
#[non_exhaustive]
pub struct Image {
    /// `experiment-contender-mode-opt-board`, unique.
    pub name: &'static str,
    /// The experiment it belongs to, such as `primes`.
    pub experiment: &'static str,
    /// The runtime it holds, such as `freertos`.
    pub contender: &'static str,
    /// `plain`, `one`, `two` or `two-sliced`; of a sketch for the desk its name.
    pub mode: &'static str,
    /// Optimisation level: `s` for size, `3` for speed.
    pub opt: &'static str,
    /// The chip model that it runs on here, such as `cortex-m3`.
    pub chip: &'static str,
    /// The board it was built for; of contenders' images it is also the name of QEMU's machine, such as `lm3s6965evb`.
    pub board: &'static str,
    /// Its output: `semihosting`, `usb`, or `uart:` with the UART's name.
    pub channel: &'static str,
    /// SHA-256 of the ELF file, lower-case hex.
    pub sha256: &'static str,
}

/// An image cannot be had from the checkout.
#[derive(Debug, thiserror::Error)]
#[error("cannot read the image {}; a whole checkout of the repository holds it", path.display())]
pub struct UnpackError {
    path: PathBuf,
    #[source]
    source: std::io::Error,
}

#[derive(Deserialize)]
#[serde(bound(deserialize = "'de: 'static"))]
struct Manifest {
    images: Vec<Image>,
}

/// Images by what they are for, each in the manifest's order.
struct Images {
    contenders: Vec<Image>,
    sketches: Vec<Image>,
    desk: Vec<Image>,
}

static IMAGES: LazyLock<Images> = LazyLock::new(|| {
    let manifest: Manifest =
        serde_json::from_str(include_str!("../manifest.json")).expect("the manifest's own test reads it");
    let (sketches, others): (Vec<_>, Vec<_>) =
        manifest.images.into_iter().partition(|image| image.experiment == "sketch");
    let (desk, contenders) = others.into_iter().partition(|image| image.experiment == "desk");
    Images { contenders, sketches, desk }
});

/// All images of contenders, in the order of `firmware/images.toml`: each runs under QEMU too.
pub fn images() -> &'static [Image] {
    &IMAGES.contenders
}

/// The images of Arduino sketches that need nothing on their pins: programs of no experiment, for tests of the chips that
/// they are built for. Their boards are called `arduino-uno` and `arduino-leonardo`.
pub fn sketches() -> &'static [Image] {
    &IMAGES.sketches
}

/// The images of Arduino sketches that talk to something on their pins, or over USB.
pub fn desk() -> &'static [Image] {
    &IMAGES.desk
}

impl Image {
    /// Reads and unpacks the ELF file.
    ///
    /// # Errors
    /// When the checkout that this was built in has no such file, or a damaged one.
    pub fn elf(&self) -> Result<Vec<u8>, UnpackError> {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("images/{}.elf.xz", self.name));
        let read = || {
            let mut elf = Vec::new();
            lzma_rust2::XzReader::new(std::fs::File::open(&path)?, false).read_to_end(&mut elf)?;
            Ok(elf)
        };
        read().map_err(|source| UnpackError { path: path.clone(), source })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_listed_image_unpacks_to_an_elf() {
        assert!(!images().is_empty() && !desk().is_empty());
        for image in images().iter().chain(sketches()).chain(desk()) {
            let elf = image.elf().unwrap();
            assert!(elf.starts_with(b"\x7fELF"), "{}", image.name);
        }
    }

    #[test]
    fn a_missing_file_says_which() {
        let missing = Image { name: "no-such-image", ..images()[0] };
        assert!(missing.elf().unwrap_err().to_string().contains("no-such-image.elf.xz"));
    }
}
