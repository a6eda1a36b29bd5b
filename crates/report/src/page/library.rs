//! The charting library: plotly.js.
//!
//! `assets/plotly.min.js.gz` is plotly.js 3.0.1 (MIT), `resource/plotly.min.js` of the crate `plotly` 0.14.1, packed by
//! `gzip -9n`. It is 4.6 MB of text. A page holds it as base64 of that file, 1.9 MB; the page's own script unpacks it with
//! the browser's DecompressionStream and starts it, which the page's policy allows by its hash.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

const PACKED: &[u8] = include_bytes!("../../assets/plotly.min.js.gz");

/// The SHA-256 of the library's text, as base64.
pub(crate) const HASH: &str = "oy6Be7Eh6eiQFs5M7oXuPxxm9qbJXEtTpfSI93dW16Q=";

/// Returns the library as base64 of a gzip file.
pub(crate) fn packed() -> String {
    STANDARD.encode(PACKED)
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use flate2::read::GzDecoder;

    use super::{HASH, PACKED, packed};
    use crate::page::policy::hash;

    #[test]
    fn the_library_is_plotly_alone_and_its_hash_is_known() {
        let mut source = String::new();
        GzDecoder::new(PACKED).read_to_string(&mut source).unwrap();
        assert!(source.starts_with("/**\n* plotly.js v3.0.1\n"), "{}", &source[..80]);
        assert!(source[..200].contains("MIT license") && !source.contains("MathJax={"));
        assert_eq!(hash(&source), HASH);
        assert!(packed().len() < 2_000_000, "{}", packed().len());
    }
}
