//! The result of a build.

/// The facts that a build reports besides its ELF.
pub struct Built {
    /// The contender's version, unless it is the compiler's.
    pub version: Option<String>,
    pub libraries: Vec<(String, String)>,
    pub flags: Vec<String>,
    /// Settings read from the build itself.
    pub settings: Vec<(String, String)>,
}
