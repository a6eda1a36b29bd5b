//! The files that hold ELFs: one for each ELF of the oracle, archives for the product.
//!
//! An archive holds all images of an experiment's contender. They have most of their functions and libraries in common, so one
//! archive takes half the space of one a build, and a rebuilt contender changes no other's. Unpacking one of them costs at most
//! as much as unpacking all.

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
        let file = self.archive_file(name);
        let mut unpacked = self.unpacked.borrow_mut();
        let all = match unpacked.take().filter(|(last, _)| *last == file) {
            Some((_, all)) => all,
            None => read(&file)?,
        };
        let (_, all) = unpacked.insert((file, all));
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
            Shelf::Product | Shelf::Stm32 | Shelf::Nrf | Shelf::Rp | Shelf::Esp => {
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
            self.unpacked.take();
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

/// The most memory, in bytes, that unpacking takes beside the archive itself.
const DICTIONARY: u32 = 16 << 20;

/// XZ, which takes a fifth less than gzip here; one block, so that the same bytes always pack to the same bytes.
fn pack(bytes: &[u8]) -> anyhow::Result<Vec<u8>> {
    let mut options = XzOptions::with_preset(9);
    // A reader sets the whole dictionary aside, so it is no longer than what it may find in it.
    options.lzma_options.dict_size =
        u32::try_from(bytes.len()).map_or(DICTIONARY, |length| length.clamp(4096, DICTIONARY));
    let mut encoder = XzWriter::new(Vec::new(), options)?;
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
        assert_eq!(std::fs::read_dir(&place.images).unwrap().count(), 1);

        // One is built again, longer: its neighbour moves.
        images[0].archive = None;
        place.keep(&mut images, &built(&[(&a, b"first again")])).unwrap();
        assert_eq!(elfs(&images), [b"first again".to_vec(), b"second".to_vec(), b"third".to_vec()]);

        // One of another contender leaves this one's archive as it is.
        let file = place.archive_file(&images[0].archive_name());
        let before = (std::fs::read(&file).unwrap(), std::fs::metadata(&file).unwrap().modified().unwrap());
        let other = Image { name: "other".to_owned(), contender: "other".to_owned(), archive: None, ..a.clone() };
        let mut all: Vec<Image> = images.iter().cloned().chain([other.clone()]).collect();
        place.keep(&mut all, &built(&[(&other, b"fourth")])).unwrap();
        assert_eq!(elfs(&all[2..]), [b"third".to_vec(), b"fourth".to_vec()]);
        assert_eq!((std::fs::read(&file).unwrap(), std::fs::metadata(&file).unwrap().modified().unwrap()), before);

        // One is listed no longer, and with the last of its archive goes the file.
        place.keep(&mut all[1..2], &built(&[])).unwrap();
        assert_eq!(elfs(&all[1..2]), [b"second".to_vec()]);
        assert_eq!(std::fs::read_dir(&place.images).unwrap().count(), 1);
    }
}
