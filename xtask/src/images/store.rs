//! The files that hold ELFs: one for each ELF of the oracle, archives for the product.
//!
//! An archive holds the modes of one experiment, contender, level and board. They differ in a few functions, so packing them
//! together saves a fifth to a half of the space. Unpacking one of them costs at most as much as unpacking all.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::path::PathBuf;

use anyhow::Context;
use lzma_rust2::{XzOptions, XzReader, XzWriter};

use super::list::Shelf;
use super::manifest::{Archived, Image};
use super::places::Place;

impl Place {
    /// The file of an image without an archive.
    fn own_file(&self, name: &str) -> PathBuf {
        self.images.join(format!("{name}.elf.xz"))
    }

    /// The file of an archive.
    fn archive_file(&self, name: &str) -> PathBuf {
        self.images.join(format!("{name}.xz"))
    }

    /// The image's ELF, as kept.
    pub fn elf(&self, image: &Image) -> anyhow::Result<Vec<u8>> {
        let Some(Archived { name, offset, bytes }) = &image.archive else {
            return read(&self.own_file(&image.name));
        };
        let all = read(&self.archive_file(name))?;
        let range = usize::try_from(*offset)?..usize::try_from(offset + bytes)?;
        let elf = all.get(range).with_context(|| format!("the archive {name} ends before {}", image.name))?;
        Ok(elf.to_vec())
    }

    /// Keeps `images`, of which `built` were just built; says in each where it lies, and takes out all other files.
    pub fn keep(&self, images: &mut [Image], built: &BTreeMap<String, (Image, Vec<u8>)>) -> anyhow::Result<()> {
        std::fs::create_dir_all(&self.images)?;
        let mut files = Vec::new();
        match self.shelf {
            Shelf::Oracle => {
                for image in images {
                    let file = self.own_file(&image.name);
                    if let Some((_, elf)) = built.get(&image.name) {
                        std::fs::write(&file, pack(elf)?)?;
                    }
                    files.push(file);
                }
            }
            Shelf::Product => {
                let mut archives: BTreeMap<String, Vec<&mut Image>> = BTreeMap::new();
                for image in images {
                    archives.entry(image.archive_name()).or_default().push(image);
                }
                for (name, members) in archives {
                    self.keep_archive(&name, members, built)?;
                    files.push(self.archive_file(&name));
                }
            }
        }
        for entry in std::fs::read_dir(&self.images)? {
            let path = entry?.path();
            if !files.contains(&path) {
                std::fs::remove_file(&path)?;
            }
        }
        Ok(())
    }

    /// Writes one archive, unless it is as it must be.
    fn keep_archive(
        &self,
        name: &str,
        mut members: Vec<&mut Image>,
        built: &BTreeMap<String, (Image, Vec<u8>)>,
    ) -> anyhow::Result<()> {
        let mut all = Vec::new();
        let mut places = Vec::new();
        for image in &members {
            let elf = match built.get(&image.name) {
                Some((_, elf)) => elf.clone(),
                None => self.elf(image)?,
            };
            places.push(Archived { name: name.to_owned(), offset: all.len() as u64, bytes: elf.len() as u64 });
            all.extend(elf);
        }
        let file = self.archive_file(name);
        if !file.is_file() || read(&file)? != all {
            std::fs::write(&file, pack(&all)?)?;
        }
        for (image, place) in members.iter_mut().zip(places) {
            image.archive = Some(place);
        }
        Ok(())
    }
}

fn read(file: &std::path::Path) -> anyhow::Result<Vec<u8>> {
    let packed = std::fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
    unpack(&packed).with_context(|| format!("{} does not unpack", file.display()))
}

/// XZ, which takes a fifth less than gzip here; one block, so that the same bytes always pack to the same bytes.
fn pack(bytes: &[u8]) -> anyhow::Result<Vec<u8>> {
    let mut encoder = XzWriter::new(Vec::new(), XzOptions::with_preset(9))?;
    encoder.write_all(bytes)?;
    Ok(encoder.finish()?)
}

fn unpack(packed: &[u8]) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    XzReader::new(packed, false).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::super::manifest::Manifest;
    use super::*;

    #[test]
    fn packing_is_repeatable_and_reversible() {
        let data: Vec<u8> = (0..10_000u32).map(|k| ((k * k) >> 7) as u8).collect();
        let packed = pack(&data).unwrap();
        assert_eq!(packed, pack(&data).unwrap());
        assert_eq!(unpack(&packed).unwrap(), data);
    }

    #[test]
    fn archives_follow_what_is_built_and_what_is_listed() {
        let folder = tempfile::tempdir().unwrap();
        let place = Place::new(Shelf::Product, folder.path());
        let like =
            Manifest::read(&super::super::places::Places::new().unwrap().product.manifest).unwrap().images.remove(0);
        let image = |mode: &str, opt: &str| Image {
            name: format!("{mode}-{opt}"),
            mode: mode.to_owned(),
            opt: opt.to_owned(),
            archive: None,
            ..like.clone()
        };
        let built = |elfs: &[(&Image, &[u8])]| -> BTreeMap<String, (Image, Vec<u8>)> {
            elfs.iter().map(|(image, elf)| (image.name.clone(), ((*image).clone(), elf.to_vec()))).collect()
        };
        let (a, b, c) = (image("a", "s"), image("b", "s"), image("a", "3"));
        let mut images = [a.clone(), b.clone(), c.clone()];
        place.keep(&mut images, &built(&[(&a, b"first"), (&b, b"second"), (&c, b"third")])).unwrap();
        let elfs = |images: &[Image]| images.iter().map(|image| place.elf(image).unwrap()).collect::<Vec<_>>();
        assert_eq!(elfs(&images), [b"first".to_vec(), b"second".to_vec(), b"third".to_vec()]);
        assert_eq!(std::fs::read_dir(&place.images).unwrap().count(), 2);

        // One is built again, longer: its neighbour moves.
        images[0].archive = None;
        place.keep(&mut images, &built(&[(&a, b"first again")])).unwrap();
        assert_eq!(elfs(&images), [b"first again".to_vec(), b"second".to_vec(), b"third".to_vec()]);

        // One is listed no longer, and with the last of its archive goes the file.
        place.keep(&mut images[1..2], &built(&[])).unwrap();
        assert_eq!(elfs(&images[1..2]), [b"second".to_vec()]);
        assert_eq!(std::fs::read_dir(&place.images).unwrap().count(), 1);
    }
}
