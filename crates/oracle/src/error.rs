//! Errors of the host, as opposed to differences.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

/// An error that keeps the oracle from running.
#[derive(Debug, Error)]
pub enum OracleError {
    /// A program that the oracle starts is not installed.
    #[error("{program} is not installed; on Debian: apt-get install {packages}")]
    Missing {
        /// The program's name.
        program: String,
        /// The packages that contain it.
        packages: &'static str,
    },
    /// The peer did not compile.
    #[error(
        "the peer does not compile; it needs {library} with its headers (on Debian: apt-get install {packages}):\n{messages}"
    )]
    Compile {
        /// The library that it links.
        library: &'static str,
        /// The packages that it needs.
        packages: &'static str,
        /// The compiler's messages.
        messages: String,
    },
    /// The peer ended or sent an invalid answer.
    #[error("the peer {0}")]
    Peer(&'static str),
    /// A pipe, a process or a file failed.
    #[error("{what}")]
    Io {
        /// The failed action.
        what: &'static str,
        /// The cause.
        #[source]
        source: io::Error,
    },
    /// A file could not be written.
    #[error("cannot write {path}")]
    Write {
        /// The file.
        path: PathBuf,
        /// The cause.
        #[source]
        source: io::Error,
    },
    /// A bundled image cannot be unpacked.
    #[error(transparent)]
    Unpack(#[from] cyclescope_oracle_images::UnpackError),
    /// An embedded image cannot be unpacked.
    #[error(transparent)]
    UnpackEmbedded(#[from] cyclescope_images::UnpackError),
    /// A bundled image names an unknown chip model.
    #[error("{name}: {source}")]
    Part {
        /// The image's name.
        name: &'static str,
        /// The cause.
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
        /// The image's name.
        name: &'static str,
        /// The cause.
        #[source]
        source: cyclescope_image::ImageError,
    },
}

impl OracleError {
    pub(crate) fn io(what: &'static str) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { what, source }
    }

    /// Names the packages if `program` was not found.
    pub(crate) fn start(program: &str, packages: &'static str) -> impl FnOnce(io::Error) -> Self {
        move |source| match source.kind() {
            io::ErrorKind::NotFound => Self::Missing { program: program.to_owned(), packages },
            _ => Self::Io { what: "cannot start a process", source },
        }
    }
}
