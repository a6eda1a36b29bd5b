//! The only place that writes: standard output, standard error, and files that are replaced whole.

use std::fs::{self, OpenOptions};
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use cyclescope_guest::gaps::Shown;
use cyclescope_guest::tell::{Tell, USUAL as USUAL_LINE};
use cyclescope_image::Image;
use cyclescope_records::{Record, RecordFile};
use cyclescope_report::{ReportError, Surface, Table, csv, markdown, once, terminal, visible, wrap};

use terminal_size::{Height, Width, terminal_size_of};

use crate::TOOL;
use crate::cli::shared::{ColorChoice, Format, ResultArguments};
use crate::error::CliError;
use crate::status;
use crate::unfinished::Unfinished;

/// Standard output and standard error, and what they can show.
#[derive(Debug)]
pub struct Console {
    surface: Surface,
    stderr_colour: bool,
}

impl Console {
    /// Looks at what the streams are. `NO_COLOR` (no-color.org) and `TERM=dumb` turn colours off unless `--color`
    /// says otherwise; a line is as long as the terminal is wide, or as `COLUMNS` says.
    pub fn detect(color: ColorChoice) -> Self {
        let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let colour = |seen: bool| match color {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => seen && !set("NO_COLOR") && !dumb,
        };
        let seen = io::stdout().is_terminal();
        Self {
            surface: Surface { width: columns(seen, terminal_size_of(io::stdout())), colour: colour(seen) },
            stderr_colour: colour(io::stderr().is_terminal()),
        }
    }

    /// Writes bytes to standard output at once.
    ///
    /// # Errors
    /// [`CliError::Stdout`]; see [`CliError::is_broken_pipe`].
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), CliError> {
        status::hide();
        let mut stdout = io::stdout().lock();
        stdout.write_all(bytes).and_then(|()| stdout.flush()).map_err(CliError::Stdout)
    }

    /// Writes bytes to standard error at once.
    pub fn write_stderr(&mut self, bytes: &[u8]) {
        status::hide();
        // Nobody can be told that standard error is closed.
        let _ = io::stderr().lock().write_all(bytes);
    }

    /// The surface that standard output is.
    pub fn surface(&self) -> Surface {
        self.surface
    }

    /// Writes a warning or a piece of news, one line, to standard error.
    pub fn note(&mut self, text: &str) {
        tell(text);
    }

    /// Writes an error of `command`, and what to do about it, to standard error.
    pub fn report(&mut self, error: &CliError, command: &str) {
        self.problem(&error.to_string(), error.help(command).as_deref());
    }

    /// Writes a problem in the words given, and what to do about it, to standard error.
    pub fn problem(&mut self, message: &str, help: Option<&str>) {
        let (bold, off) = if self.stderr_colour { ("\x1b[1;31m", "\x1b[0m") } else { ("", "") };
        let error = fitted(&format!("error: {}", visible(message)));
        status::hide();
        let _ = writeln!(io::stderr(), "{bold}error{off}{}", error.trim_start_matches("error"));
        if let Some(help) = help {
            self.note(&format!("help: {help}"));
        }
    }

    /// Writes the text of results to `file`, or without one to standard output. `text` makes it for the surface.
    ///
    /// # Errors
    /// [`CliError::Write`] and [`CliError::Stdout`], and those of `text`.
    pub fn results(
        &mut self,
        file: Option<OutFile>,
        what: &str,
        text: impl FnOnce(Surface) -> Result<String, CliError>,
    ) -> Result<(), CliError> {
        match file {
            Some(file) => file.put(text(Surface::default())?.as_bytes(), what, self),
            None => self.write(text(self.surface)?.as_bytes()),
        }
    }

    /// Shows `tables` or `records`, as `format` asks, on standard output.
    ///
    /// # Errors
    /// [`CliError::Stdout`], or [`CliError::Report`] for records that cannot be rendered.
    pub fn show(&mut self, format: Format, tables: &[Table], records: Vec<Record>) -> Result<(), CliError> {
        let text = render(format, tables, records, self.surface)?;
        self.write(text.as_bytes())
    }
}

impl Tell for Console {
    fn note(&mut self, text: &str) {
        Self::note(self, text);
    }

    fn problem(&mut self, message: &str, help: Option<&str>) {
        Self::problem(self, message, help);
    }

    fn line(&mut self, line: &str) {
        self.write_stderr(format!("{}\n", visible(line)).as_bytes());
    }

    fn columns(&self) -> usize {
        columns_of_stderr()
    }
}

/// Returns the columns of lines on standard error.
fn columns_of_stderr() -> usize {
    width_of_stderr().map_or(USUAL_LINE, usize::from)
}

/// Returns `image` as lines on standard error show it.
pub(crate) fn shown(image: &Image) -> Shown<'_> {
    Shown { image, columns: columns_of_stderr() }
}

/// Writes a line to standard error, on a terminal in lines that fit.
pub(crate) fn tell(text: &str) {
    status::hide();
    // Nobody can be told that standard error is closed.
    let _ = writeln!(io::stderr(), "{}", fitted(&visible(text)));
}

/// Returns the columns of standard error, if that is a terminal.
pub(crate) fn width_of_stderr() -> Option<u16> {
    columns(io::stderr().is_terminal(), terminal_size_of(io::stderr()))
}

/// Breaks `text` at spaces where standard error is a terminal.
fn fitted(text: &str) -> String {
    width_of_stderr().map_or_else(|| text.to_owned(), |width| wrap(text, width.into()))
}

/// Writes the defect of a command line to standard error, as wide as the terminal.
pub(crate) fn usage(text: &str) {
    let width = width_of_stderr().map(usize::from);
    let lines: Vec<String> = text
        .lines()
        .map(|line| {
            // The space before a line sets it apart from the others.
            let words = line.trim_start();
            let (space, _) = line.split_at(line.len() - words.len());
            let own = width.map_or_else(|| words.to_owned(), |width| wrap(words, width.saturating_sub(space.len())));
            own.lines().map(|line| format!("{space}{line}")).collect::<Vec<_>>().join("\n")
        })
        .collect();
    let _ = writeln!(io::stderr(), "{}", lines.join("\n").trim_end());
}

/// Returns the columns of a stream that is a terminal if `seen`: as `COLUMNS` says, or as `measured`, or those of a terminal
/// that does not tell.
fn columns(seen: bool, measured: Option<(Width, Height)>) -> Option<u16> {
    let named = || std::env::var("COLUMNS").ok()?.parse().ok();
    let told = || named().or(measured.map(|(width, _)| width.0)).unwrap_or(USUAL);
    seen.then(|| told().max(NARROWEST))
}

/// The width of a terminal whose size is unknown.
const USUAL: u16 = 80;

/// The least width that is believed.
const NARROWEST: u16 = 40;

/// `tables` or `records` as text, as `format` asks.
///
/// # Errors
/// [`CliError::Report`] for records that cannot be rendered.
pub fn render(format: Format, tables: &[Table], records: Vec<Record>, surface: Surface) -> Result<String, CliError> {
    let joined = |render: &dyn Fn(&Table) -> String| tables.iter().map(render).collect::<Vec<_>>().join("\n");
    Ok(match format {
        Format::Table => {
            let once = once(tables);
            once.iter().map(|table| terminal(table, surface)).collect::<Vec<_>>().join("\n")
        }
        Format::Markdown => joined(&markdown),
        Format::Json => RecordFile::new(TOOL, records).to_json().map_err(ReportError::from)?,
        Format::Csv => csv(&RecordFile::new(TOOL, records))?,
    })
}

/// Checks that `path` is meant as a file's.
///
/// # Errors
/// [`CliError::Usage`] for `-`, which nobody means as one.
pub fn check_name(path: &Path) -> Result<(), CliError> {
    let stdout = "`-` is taken for a file's name; leave out --out to write results to stdout, and use /dev/stdout for other files";
    if path == Path::new("-") { Err(CliError::Usage(stdout)) } else { Ok(()) }
}

/// Checks that no two of `outputs`, each with its option, are one file, and none of them is `input`, the image.
///
/// # Errors
/// [`CliError::OneFile`]. Devices and pipes take what comes.
pub fn check_apart(input: Option<&Path>, outputs: &[(&'static str, Option<&Path>)]) -> Result<(), CliError> {
    let mut known: Vec<(&str, PathBuf)> = input.map(|input| ("the image", whereabouts(input))).into_iter().collect();
    for (name, path) in outputs {
        let Some(path) = path.filter(|path| fs::metadata(path).map_or(true, |found| found.is_file())) else { continue };
        let place = whereabouts(path);
        if let Some((first, _)) = known.iter().find(|(_, taken)| *taken == place) {
            return Err(CliError::OneFile { path: path.to_owned(), first, second: name });
        }
        known.push((name, place));
    }
    Ok(())
}

/// Returns the place that `path` leads to, even if there is no such file yet.
fn whereabouts(path: &Path) -> PathBuf {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let beside = || Some(fs::canonicalize(parent).ok()?.join(path.file_name()?));
    fs::canonicalize(path).ok().or_else(beside).unwrap_or_else(|| path.to_owned())
}

/// A file that is replaced whole or not at all.
///
/// It is opened before the work, so that a place that cannot be written is found out first. Only [`Self::commit`] puts
/// it at its destination; a run that is killed before leaves nothing.
#[derive(Debug)]
pub struct OutFile {
    /// The path as it was given.
    path: PathBuf,
    destination: PathBuf,
    /// The file beside it; `None` for a device or pipe.
    unfinished: Option<Unfinished>,
}

impl<F: ValueEnum + Send + Sync + 'static> ResultArguments<F> {
    /// Opens the file, if there is to be one.
    ///
    /// # Errors
    /// As [`OutFile::open`].
    pub fn open(&self) -> Result<Option<OutFile>, CliError> {
        self.out.as_deref().map(OutFile::open).transpose()
    }
}

impl OutFile {
    /// Prepares to write `path`. A device or pipe is written directly.
    ///
    /// # Errors
    /// [`CliError::Write`] where nothing can be written there, and that of [`check_name`].
    pub fn open(path: &Path) -> Result<Self, CliError> {
        check_name(path)?;
        let failed = CliError::unwritable(path);
        // Through links to what they lead to; what does not exist yet stays as it is.
        let destination = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        match fs::metadata(&destination) {
            Ok(found) if found.is_dir() => return Err(failed(io::ErrorKind::IsADirectory.into())),
            Ok(found) if !found.is_file() => return Ok(Self { path: path.to_owned(), destination, unfinished: None }),
            Ok(found) if found.permissions().readonly() => return Err(failed(io::ErrorKind::PermissionDenied.into())),
            _ => {}
        }
        let unfinished = Unfinished::new(&destination).map_err(failed)?;
        Ok(Self { path: path.to_owned(), destination, unfinished: Some(unfinished) })
    }

    /// Returns the path as it was given.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes `bytes`, puts the file in its place, and tells that it holds `what`.
    ///
    /// # Errors
    /// As [`OutFile::commit`].
    pub fn put(self, bytes: &[u8], what: &str, console: &mut Console) -> Result<(), CliError> {
        let news = format!("wrote {what} to {}", self.path.display());
        self.commit(bytes)?;
        console.note(&news);
        Ok(())
    }

    /// Writes `bytes` and puts the file in its place.
    ///
    /// # Errors
    /// [`CliError::Write`]; what was there before is then still there.
    pub fn commit(self, bytes: &[u8]) -> Result<(), CliError> {
        let written = match self.unfinished {
            Some(unfinished) => unfinished.finish(bytes),
            None => OpenOptions::new().write(true).open(&self.destination).and_then(|mut file| file.write_all(bytes)),
        };
        written.map_err(CliError::unwritable(&self.destination))
    }
}
