//! The measured libraries and the compiler of this build.

/// The compiler and its version.
pub const COMPILER: &str = env!("BUILT_BY");

/// The optimisation level, as the compiler's flag prints it.
pub const OPT: &str = env!("BUILT_AT_OPT");

/// The measured libraries and their versions. The manifest of `cyclescope-contenders` pins the same, as a test there checks.
pub const LIBRARIES: [(&str, &str); 10] = [
    ("compio", "0.19.2"),
    ("embassy-executor", "0.10.0"),
    ("embassy-sync", "0.8.0"),
    ("futures", "0.3.34"),
    ("ignore", "0.4.34"),
    ("jwalk", "0.9.0"),
    ("monoio", "0.2.4"),
    ("rayon", "1.12.0"),
    ("smol", "2.0.2"),
    ("tokio", "1.54.1"),
];

/// Returns the version of a measured library; without a library, that of the standard library.
///
/// # Panics
/// `library` is not one of [`LIBRARIES`].
pub fn version(library: Option<&str>) -> &'static str {
    let Some(library) = library else {
        // `rustc 1.95.0 (hash date)`: std has its compiler's version.
        return COMPILER.split(' ').nth(1).unwrap_or(COMPILER);
    };
    let found = LIBRARIES.iter().find(|(name, _)| *name == library);
    found.map_or_else(|| panic!("no contender uses {library}"), |(_, version)| version)
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
