//! The places of images and manifests in the checkout.

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use anyhow::Context;

use super::list::Shelf;

/// The paths of the checkout.
pub struct Places {
    pub root: PathBuf,
    pub product: Place,
    pub stm32: Place,
    pub nrf: Place,
    pub rp: Place,
    pub esp: Place,
    pub oracle: Place,
}

/// A crate that holds images.
pub struct Place {
    pub shelf: Shelf,
    pub images: PathBuf,
    pub manifest: PathBuf,
    /// The archive that was read last, and its content.
    pub unpacked: RefCell<Option<(PathBuf, Vec<u8>)>>,
}

impl Places {
    pub fn new() -> anyhow::Result<Self> {
        let here = std::env::current_dir()?;
        let root = here.ancestors().find(|folder| folder.join("firmware/images.toml").is_file());
        let root = root.context("run this inside the repository: no firmware/images.toml here or above")?.to_owned();
        let place = |shelf, folder| Place::new(shelf, &root.join("firmware").join(folder));
        Ok(Self {
            product: place(Shelf::Product, "images"),
            stm32: place(Shelf::Stm32, "images-stm32"),
            nrf: place(Shelf::Nrf, "images-nrf"),
            rp: place(Shelf::Rp, "images-rp"),
            esp: place(Shelf::Esp, "images-esp"),
            oracle: place(Shelf::Oracle, "oracle-images"),
            root,
        })
    }

    pub fn all(&self) -> [&Place; 6] {
        [&self.product, &self.stm32, &self.nrf, &self.rp, &self.esp, &self.oracle]
    }
}

impl Place {
    pub fn new(shelf: Shelf, package: &Path) -> Self {
        Self {
            shelf,
            images: package.join("images"),
            manifest: package.join("manifest.json"),
            unpacked: RefCell::default(),
        }
    }
}
