//! What this build measures, and with what it was built.

mod generated {
    include!(concat!(env!("OUT_DIR"), "/built.rs"));
}

/// The compiler and its version.
pub const COMPILER: &str = generated::COMPILER;

/// The optimisation level, as the compiler's flag prints it.
pub const OPT: &str = generated::OPT;

/// The version of a library that is measured, as the manifest pins it; that of the compiler's own library for none.
///
/// # Panics
/// If the manifest does not pin `library`.
pub fn version(library: Option<&str>) -> &'static str {
    let Some(library) = library else {
        // `rustc 1.95.0 (hash date)`: std has its compiler's version.
        return COMPILER.split(' ').nth(1).unwrap_or(COMPILER);
    };
    let found = generated::PINNED.iter().find(|(name, _)| *name == library);
    found.map_or_else(|| panic!("the manifest pins no {library}"), |(_, version)| version)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_versions() {
        for library in [None, Some("tokio"), Some("smol"), Some("embassy-executor"), Some("async-std")] {
            let version = version(library);
            assert_eq!(version.split('.').count(), 3, "{library:?} {version}");
            assert!(version.starts_with(|first: char| first.is_ascii_digit()), "{library:?} {version}");
        }
    }
}
