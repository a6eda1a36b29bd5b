//! Errors of the command line, each with its exit code.

use std::borrow::Cow;
use std::io;
use std::path::{Path, PathBuf};

use cyclescope_chips::{DescriptionError, LoadPartError};
use cyclescope_guest::chip::ChipError;
use cyclescope_guest::options::{PortsError, SpanTwice};
use cyclescope_guest::variant::VariantError;
use cyclescope_history::{HistoryError, ImportError, ReferenceError};
use cyclescope_image::ImageError;
use cyclescope_layout::MapError;
use cyclescope_machine::figures::integer;
use cyclescope_machine::units::Address;
use cyclescope_records::RecordsError;
use cyclescope_report::ReportError;
use cyclescope_telemetry::TelemetryError;
use thiserror::Error;

use crate::backend::Failure;
use crate::exit::Exit;
use crate::nearest::clause;
use crate::suite::SuiteError;
use cyclescope_attached::DeviceFileError;
use cyclescope_scope::defmt::DefmtError;
use cyclescope_sweep::SweepError;

/// The most bytes of a file that describes a measurement.
pub const MAX_MEASUREMENT: u64 = 1 << 20;

/// A file that describes no measurement.
#[derive(Debug, Error)]
pub enum MeasureFileError {
    /// Not TOML, or with a key that there is not.
    #[error("line {line}: {message}")]
    Toml {
        /// The line, from 1.
        line: usize,
        /// The defect.
        message: String,
    },
    /// More than a measurement could want.
    #[error("the file has more than {} bytes, the most that a file of a measurement may have", integer(MAX_MEASUREMENT.into()))]
    TooLong,
}

/// A defect of an input file, by the kind of file that was expected.
#[derive(Debug, Error)]
#[error(transparent)]
pub enum FileError {
    /// An image.
    Image(#[from] ImageError),
    /// Records.
    Records(#[from] RecordsError),
    /// The table of defmt in an image.
    Defmt(#[from] DefmtError),
    /// A measurement.
    Measurement(#[from] MeasureFileError),
    /// A linker's map.
    Map(#[from] MapError),
    /// A suite of tests in an image.
    Suite(#[from] SuiteError),
    /// A trace of a runtime on the host.
    Telemetry(#[from] TelemetryError),
    /// A core for browsers.
    Core(#[from] cyclescope_report::page::CoreError),
}

/// An error that ends the command.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CliError {
    /// A name that the catalogue does not have.
    #[error("there is no {kind} `{name}`{nearest}")]
    Unknown {
        /// `experiment`, `chip`, `contender`, `mode`, …
        kind: &'static str,
        /// The name that was given.
        name: String,
        /// The names that may have been meant, as a clause.
        nearest: String,
        /// The command that lists what there is.
        list: Cow<'static, str>,
    },
    /// A name that is no chip's.
    #[error(transparent)]
    ChipName(#[from] ChipError),
    /// A clock that the chip cannot have, or a layout that the image cannot.
    #[error(transparent)]
    Variant(#[from] VariantError),
    /// Serial ports that do not go together.
    #[error(transparent)]
    Ports(#[from] PortsError),
    /// A firmware whose chip nobody named.
    #[error("the chip is not named{}", hint_clause(.hint))]
    NoChip {
        /// The place that names a chip, and the reason why that one does not serve.
        hint: Option<(String, Option<Box<CliError>>)>,
    },
    /// A firmware that is only known to fit the memories of several chips.
    #[error("the chip is not named, and {place} fits {} chips, such as {}", fitting.len(), first(fitting))]
    FitsSeveral {
        /// The place that says the memories.
        place: String,
        /// The names of the chips.
        fitting: Vec<&'static str>,
    },
    /// A binary without the address that it is to be loaded at.
    #[error("{} has no addresses of its own: it is no ELF, Intel HEX or UF2 file", .0.display())]
    NoAddress(PathBuf),
    /// Two files with bytes for the same addresses.
    #[error("{} and {} both have bytes for {from} to {to}", first.display(), second.display())]
    FilesOverlap {
        /// The file that was loaded before.
        first: PathBuf,
        /// The file that is loaded beside it.
        second: PathBuf,
        /// The first address that both have.
        from: Address,
        /// The last of them.
        to: Address,
    },
    /// A file's name that ends in what is no address.
    #[error("there is no file {}, and `{part}` is no address", path.display())]
    NotAnAddress {
        /// The name with its end.
        path: PathBuf,
        /// The end, behind the `@`.
        part: String,
    },
    /// Arguments that do not go together.
    #[error("{0}")]
    Usage(&'static str),
    /// A file that cannot be read.
    #[error("{} cannot be read: {error}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        error: io::Error,
    },
    /// A file that describes no chip, or cannot be read.
    #[error(transparent)]
    Chip(#[from] DescriptionError),
    /// A file that would be written over what is needed, or written twice.
    #[error("{first} and {second} are one file: {}", path.display())]
    OneFile {
        /// The file.
        path: PathBuf,
        /// The first use of the file.
        first: &'static str,
        /// The second use of the file.
        second: &'static str,
    },
    /// A file of a device's bytes that does not serve.
    #[error(transparent)]
    Device(#[from] DeviceFileError),
    /// A file with a defect.
    #[error("{}: {error}", path.display())]
    BadFile {
        /// The file.
        path: PathBuf,
        /// The defect.
        #[source]
        error: FileError,
    },
    /// Two spans of one name.
    #[error(transparent)]
    SpanTwice(#[from] SpanTwice),
    /// A port that cannot be listened on.
    #[error("port {port} of 127.0.0.1 cannot be listened on: {error}")]
    Listen {
        /// The port.
        port: u16,
        /// Why.
        #[source]
        error: io::Error,
    },
    /// A bound that speaks of nothing.
    #[error("no metric matches --fail-on `{bound}`; both sides have {count} metrics in common")]
    IdleBound {
        /// The bound.
        bound: String,
        /// The number of metrics.
        count: usize,
    },
    /// Results of any tool that cannot be read.
    #[error(transparent)]
    Import(#[from] ImportError),
    /// A history that cannot be read or written.
    #[error("{}: {error}", path.display())]
    History {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        error: HistoryError,
    },
    /// A reference to no entry of a history.
    #[error("{}: {error}{}", path.display(), branches_clause(.error))]
    Reference {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        error: ReferenceError,
    },
    /// A file that cannot be written.
    #[error("{} cannot be written: {error}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        error: io::Error,
    },
    /// Standard output that cannot be written.
    #[error("standard output cannot be written: {0}")]
    Stdout(#[source] io::Error),
    /// A page that cannot be put together.
    #[error(transparent)]
    Page(#[from] cyclescope_report::page::PageError),
    /// Records that cannot be rendered.
    #[error(transparent)]
    Report(#[from] ReportError),
    /// Counts that cannot be written as JSON.
    #[error("the results cannot be written as JSON: {0}")]
    Json(#[source] serde_json::Error),
    /// An experiment or a guest that failed.
    #[error(transparent)]
    Failure(#[from] Failure),
    /// A sweep that cannot be planned, run or kept.
    #[error(transparent)]
    Sweep(#[from] SweepError),
    /// A Python that cannot be started.
    #[error("{} cannot be started: {error}", program.display())]
    Python {
        /// The program.
        program: PathBuf,
        /// Why.
        #[source]
        error: io::Error,
    },
    /// A Python without the package of this version.
    #[error("{} has no package cyclescope of version {}", .0.display(), env!("CARGO_PKG_VERSION"))]
    NoPackage(PathBuf),
}

/// The first of `names`, as many as a line has room for.
fn first(names: &[&str]) -> String {
    names.iter().take(4).copied().collect::<Vec<_>>().join(", ")
}

/// The branch that was probably meant, as a clause.
fn branches_clause(error: &ReferenceError) -> String {
    match error {
        ReferenceError::Unknown { base, branches } => clause(base, branches.iter().map(String::as_str)),
        _ => String::new(),
    }
}

fn hint_clause(hint: &Option<(String, Option<Box<CliError>>)>) -> String {
    match hint {
        Some((place, Some(error))) => format!(", and {place} names one that does not serve: {error}"),
        Some((place, None)) => format!(", and {place} names one that does not serve"),
        None => ", and neither the firmware nor its project names it".to_owned(),
    }
}

impl From<LoadPartError> for CliError {
    fn from(error: LoadPartError) -> Self {
        match error {
            LoadPartError::Unknown(error) => Self::ChipName(error.into()),
            LoadPartError::Description(error) => Self::Chip(error),
        }
    }
}

impl CliError {
    /// Returns a maker of the error for the defective file at `path`.
    pub fn bad_file<E: Into<FileError>>(path: &Path) -> impl Fn(E) -> Self + Copy {
        |error| Self::BadFile { path: path.to_owned(), error: error.into() }
    }

    /// Returns a maker of the error for the file at `path`, which cannot be read.
    pub fn unreadable(path: &Path) -> impl Fn(io::Error) -> Self + Copy {
        |error| Self::Read { path: path.to_owned(), error }
    }

    /// Returns a maker of the error for the file at `path`, which cannot be written.
    pub fn unwritable(path: &Path) -> impl Fn(io::Error) -> Self + Copy {
        |error| Self::Write { path: path.to_owned(), error }
    }

    /// Returns a maker of the error for the history at `path`.
    pub fn history(path: &Path) -> impl Fn(HistoryError) -> Self + Copy {
        |error| Self::History { path: path.to_owned(), error }
    }

    /// Returns a maker of the error for a reference to an entry of the history at `path`.
    pub fn reference(path: &Path) -> impl Fn(ReferenceError) -> Self + Copy {
        |error| match error {
            ReferenceError::History(error) => Self::History { path: path.to_owned(), error },
            error => Self::Reference { path: path.to_owned(), error },
        }
    }

    /// Returns the exit of the process for this error.
    pub fn exit(&self) -> Exit {
        match self {
            Self::Unknown { .. }
            | Self::ChipName(_)
            | Self::Ports(_)
            | Self::NoChip { .. }
            | Self::FitsSeveral { .. }
            | Self::NoAddress(_)
            | Self::NotAnAddress { .. }
            | Self::Usage(_)
            | Self::OneFile { .. }
            | Self::SpanTwice(_)
            | Self::Reference { .. }
            | Self::IdleBound { .. } => Exit::Usage,
            Self::Import(error) if error.is_unreadable() => Exit::NoInput,
            Self::Import(_) => Exit::BadInput,
            Self::History { error, .. } => match error {
                HistoryError::Open(_) => Exit::NoInput,
                HistoryError::Foreign | HistoryError::Later { .. } | HistoryError::Damaged(_) => Exit::BadInput,
                HistoryError::ReadOnly | HistoryError::Busy | HistoryError::Write(_) => Exit::NoOutput,
            },
            Self::Read { .. } | Self::Listen { .. } | Self::Device(DeviceFileError::Read { .. }) => Exit::NoInput,
            Self::Device(DeviceFileError::Size { .. }) => Exit::BadInput,
            Self::Chip(DescriptionError::Read { .. }) => Exit::NoInput,
            Self::Chip(_) | Self::BadFile { .. } | Self::FilesOverlap { .. } => Exit::BadInput,
            Self::Write { .. } | Self::Stdout(_) => Exit::NoOutput,
            Self::Page(_) | Self::Report(_) | Self::Json(_) => Exit::Internal,
            Self::Failure(failure) => failure.exit,
            Self::Variant(error) => error.exit(),
            Self::Sweep(error) => error.exit(),
            Self::Python { .. } | Self::NoPackage(_) => Exit::NoInput,
        }
    }

    /// Returns advice for the user of `command`, if the message has none.
    pub fn help(&self, command: &str) -> Option<String> {
        match self {
            Self::Unknown { list, .. } => Some(format!("`cyclescope {list}` shows what there is")),
            Self::ChipName(error) => Some(error.help()),
            Self::Variant(error) => error.help(),
            Self::FitsSeveral { .. } => Some("name it with --chip".to_owned()),
            Self::NoChip { .. } => Some("name it with --chip; `cyclescope list chips` shows what there is".to_owned()),
            Self::NoAddress(path) => Some(format!("give it an address, as in --load {}@0x08020000", path.display())),
            Self::NotAnAddress { path, .. } => {
                let name = path.to_string_lossy();
                let file = name.rsplit_once('@').map_or(&*name, |(file, _)| file);
                Some(format!("write the address behind the @ as a number, as in --load {file}@0x08020000"))
            }
            Self::FilesOverlap { .. } => {
                Some("load one of them at another address, or link it for another place in memory".to_owned())
            }
            Self::OneFile { .. } => Some("give each a file of its own; no file was written".to_owned()),
            Self::Usage(_) | Self::Ports(_) => Some(format!("see `cyclescope {command} --help`")),
            Self::IdleBound { .. } => Some("`cyclescope compare OLD NEW --all` names all metrics".to_owned()),
            Self::Reference { .. } => Some("`cyclescope history list` shows the entries".to_owned()),
            Self::Import(ImportError::Records { .. }) => Some(
                "`cyclescope run --format json --out FILE` writes such a file; hyperfine's --export-json and Criterion's folder \
                 will do too"
                    .to_owned(),
            ),
            Self::History { error: HistoryError::Open(error), .. } if error.kind() == io::ErrorKind::NotFound => {
                Some("`cyclescope history add RESULTS.json` begins one".to_owned())
            }
            Self::History { error: HistoryError::Foreign, .. } => {
                Some("name the history with --file; this file is untouched".to_owned())
            }
            Self::History { error: HistoryError::Later { .. }, .. } => Some("the file is untouched".to_owned()),
            Self::History { error: HistoryError::Damaged(_), .. } => {
                Some("take an earlier copy of the file, or begin another with --file".to_owned())
            }
            Self::History { error: HistoryError::Write(_) | HistoryError::Busy, .. } => {
                Some("what the history had before is untouched; add the results again".to_owned())
            }
            Self::History { error: HistoryError::ReadOnly, .. } => {
                Some("make it writable, or name another with --file".to_owned())
            }
            Self::Write { path, .. } if path.exists() => Some("what was there before is untouched".to_owned()),
            Self::BadFile { error: FileError::Records(_), .. } => {
                Some("`cyclescope run --format json --out FILE` writes such a file".to_owned())
            }
            Self::Failure(failure) => failure.help.clone(),
            Self::Sweep(error) => error.help(),
            Self::Python { .. } | Self::NoPackage(_) => Some(format!(
                "`pip install cyclescope[ray]=={}` brings it; CYCLESCOPE_PYTHON names another Python",
                env!("CARGO_PKG_VERSION")
            )),
            _ => None,
        }
    }

    /// Tells if the reader of standard output has gone, which is no error.
    pub fn is_broken_pipe(&self) -> bool {
        matches!(self, Self::Stdout(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }
}
