//! The charting library: plotly.js, as the crate `plotly` carries it.
//!
//! It is 4.6 MB of text. A page holds it compressed and in base64, 1.9 MB; the page's own script unpacks it with the
//! browser's DecompressionStream and starts it, which the page's policy allows by its hash.

use std::io::Write;
use std::sync::OnceLock;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;

/// The library.
pub(crate) struct Library {
    /// Its text.
    pub(crate) source: &'static str,
    /// The same as base64 of a gzip file.
    pub(crate) packed: &'static str,
}

/// The library, made once.
pub(crate) fn library() -> Library {
    static SOURCE: OnceLock<(String, String)> = OnceLock::new();
    let (source, packed) = SOURCE.get_or_init(|| {
        let source = plotly_js(&plotly::Plot::offline_js_sources()).to_owned();
        let packed = STANDARD.encode(gzip(source.as_bytes()));
        (source, packed)
    });
    Library { source, packed }
}

/// The first script of `html`. The crate hands out plotly.js and, after it, MathJax, of which the page has no use.
fn plotly_js(html: &str) -> &str {
    let script =
        html.split_once("<script type=\"text/javascript\">").and_then(|(_, rest)| rest.split_once("</script>"));
    let script = script.map(|(script, _)| script).expect("the crate's scripts are between tags; its version is locked");
    assert!(script.contains("plotly.js v"), "the first script is plotly.js; the crate's version is locked");
    script
}

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).and_then(|()| encoder.finish()).expect("memory takes what is written")
}

#[cfg(test)]
mod tests {
    use super::library;

    #[test]
    fn the_library_is_plotly_alone_and_packs_well() {
        let library = library();
        assert!(library.source.trim_start().starts_with("/**\n* plotly.js v3."), "{}", &library.source[..80]);
        assert!(!library.source.contains("MathJax={") && library.source.len() < 5_000_000);
        assert!(library.packed.len() < 2_000_000, "{}", library.packed.len());
    }
}
