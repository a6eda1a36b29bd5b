//! The measured libraries and the compiler of this build.

mod generated {
    include!(concat!(env!("OUT_DIR"), "/built.rs"));
}

/// The compiler and its version.
pub const COMPILER: &str = generated::COMPILER;

/// The optimisation level, as the compiler's flag prints it.
pub const OPT: &str = generated::OPT;

/// Returns the version of a measured library, as pinned in the manifest; without a library, that of the standard
/// library.
///
/// # Panics
/// The manifest does not pin `library`.
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
        for library in [None, Some("tokio"), Some("smol"), Some("embassy-executor")] {
            let version = version(library);
            assert_eq!(version.split('.').count(), 3, "{library:?} {version}");
            assert!(version.starts_with(|first: char| first.is_ascii_digit()), "{library:?} {version}");
        }
    }
}
