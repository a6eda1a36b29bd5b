//! What can go wrong on the host, as opposed to a difference found.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

/// The oracle could not run.
#[derive(Debug, Error)]
pub enum OracleError {
    /// A program that the oracle starts is not installed.
    #[error("{program} is not installed; on Debian: apt-get install {packages}")]
    Missing {
        /// Its name.
        program: String,
        /// The packages that have it.
        packages: &'static str,
    },
    /// The peer did not compile.
    #[error(
        "the peer does not compile; it needs {library} with its headers (on Debian: apt-get install {packages}):\n{messages}"
    )]
    Compile {
        /// The library that it links.
        library: &'static str,
        /// The packages that have what it needs.
        packages: &'static str,
        /// What the compiler said.
        messages: String,
    },
    /// The peer ended or answered what it must not.
    #[error("the peer {0}")]
    Peer(&'static str),
    /// A pipe, a process or a file failed.
    #[error("{what}")]
    Io {
        /// What was being done.
        what: &'static str,
        /// Why it failed.
        #[source]
        source: io::Error,
    },
    /// A file could not be written.
    #[error("cannot write {path}")]
    Write {
        /// Which.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// A bundled image cannot be unpacked.
    #[error(transparent)]
    Unpack(#[from] cyclescope_oracle_images::UnpackError),
    /// An embedded image cannot be unpacked.
    #[error(transparent)]
    UnpackEmbedded(#[from] cyclescope_images::UnpackError),
    /// A bundled image names a chip model that there is not.
    #[error("{name}: {source}")]
    Part {
        /// Its name.
        name: &'static str,
        /// What is wrong with it.
        #[source]
        source: cyclescope_chips::PartError,
    },
    /// An image is larger than the flash of the part.
    #[error("the image does not fit into the flash of {part}")]
    Fit {
        /// The part's name.
        part: &'static str,
    },
    /// A bundled image is not an ELF file that can be loaded.
    #[error("{name}: {source}")]
    Image {
        /// Its name.
        name: &'static str,
        /// What is wrong with it.
        #[source]
        source: cyclescope_image::ImageError,
    },
}

impl OracleError {
    pub(crate) fn io(what: &'static str) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { what, source }
    }

    /// Names the packages where `program` was not found.
    pub(crate) fn start(program: &str, packages: &'static str) -> impl FnOnce(io::Error) -> Self {
        move |source| match source.kind() {
            io::ErrorKind::NotFound => Self::Missing { program: program.to_owned(), packages },
            _ => Self::Io { what: "cannot start a process", source },
        }
    }
}
