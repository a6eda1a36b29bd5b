//! Reads files of unknown origin.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

/// The greatest file size. Firmware with all its debug information has about a hundredth of it.
const MOST_BYTES: u64 = 1 << 30;

/// Reads the file at `path`, which may be endless.
///
/// # Errors
/// Errors of reading, and [`io::ErrorKind::FileTooLarge`] above 1 GiB.
pub fn read(path: impl AsRef<Path>) -> io::Result<Vec<u8>> {
    let file = File::open(path)?;
    let too_large = || io::Error::new(io::ErrorKind::FileTooLarge, "the file has more than 1 GiB");
    if file.metadata()?.len() > MOST_BYTES {
        return Err(too_large());
    }
    let mut bytes = Vec::new();
    file.take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MOST_BYTES { Err(too_large()) } else { Ok(bytes) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_large_is_not_read() {
        let path = std::env::temp_dir().join(format!("cyclescope-large-{}", std::process::id()));
        let file = File::create(&path).expect("the temporary folder takes files");
        file.set_len(MOST_BYTES + 1).expect("it has holes");
        let error = read(&path).expect_err("nobody reads that");
        std::fs::remove_file(&path).expect("it is ours");
        assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
    }
}
