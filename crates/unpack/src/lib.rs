//! Unpacks the core for a browser in a page that carries it. Browsers know gzip, whose window is too short for the many functions of
//! the core that are nearly the same: as an XZ file it is a third smaller.
#![forbid(unsafe_code)]

use std::io::{self, Read};

use lzma_rust2::XzReader;

/// The most bytes that a file may unpack to.
const MOST_BYTES: u64 = 64 << 20;

/// Returns the contents of an XZ file.
///
/// # Errors
/// If it is damaged, or unpacks to more than 64 MiB.
pub fn unpacked(packed: &[u8]) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    XzReader::new(packed, false).take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(io::Error::other("it unpacks to more than 64 MiB"));
    }
    Ok(bytes)
}

#[cfg(target_arch = "wasm32")]
mod interface {
    use wasm_bindgen::prelude::*;

    /// Returns the contents of an XZ file. Throws its error in words.
    #[wasm_bindgen]
    pub fn unpack(packed: &[u8]) -> Result<Vec<u8>, String> {
        crate::unpacked(packed).map_err(|error| error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use lzma_rust2::{XzOptions, XzWriter};

    use super::unpacked;

    #[test]
    fn a_file_is_unpacked_and_a_damaged_one_refused() {
        let text = b"many functions that are nearly the same; ".repeat(5_000);
        let mut writer = XzWriter::new(Vec::new(), XzOptions::with_preset(6)).unwrap();
        writer.write_all(&text).unwrap();
        let packed = writer.finish().unwrap();
        assert_eq!(unpacked(&packed).unwrap(), text);
        assert!(unpacked(&packed[..packed.len() - 9]).is_err(), "cut short");
        let mut damaged = packed.clone();
        damaged[packed.len() / 2] ^= 1;
        assert!(unpacked(&damaged).is_err(), "damaged");
        assert!(unpacked(b"no file").is_err());
    }
}
