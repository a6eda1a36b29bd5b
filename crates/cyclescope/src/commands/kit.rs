//! `cyclescope kit` and `cyclescope import --kit`.

use std::error::Error;

use cyclescope_kit::boards::BoardFile;
use cyclescope_kit::{AnswerError, Kit, KitError, Line, Log, LogError, Sequence, Subject, Verdict, verdicts};
use cyclescope_report::{Cell, Column, Table, Tone};

use crate::backend::Failure;
use crate::chip;
use crate::cli::import::ImportArguments;
use crate::cli::kit::KitArguments;
use crate::cli::shared::Format;
use crate::commands::counted;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::{Console, OutFile};

/// Writes the program of a chip's kit, or shows its sequences.
///
/// # Errors
/// [`CliError`] for a chip without a kit and for a file that cannot be written.
pub fn kit(arguments: &KitArguments, console: &mut Console) -> Result<Exit, CliError> {
    let kit = find(&chip::resolve(&arguments.chip)?, "kit".to_owned(), Exit::Usage)?;
    match &arguments.out {
        Some(path) => {
            let file = OutFile::open(path)?;
            let (count, chip, version) = (kit.sequences.len(), &kit.part.name, kit.version());
            file.put(&elf(&kit)?, &format!("the kit for {chip} ({count} sequences, version {version})"), console)?;
        }
        None => {
            console.show(arguments.format.into(), &[sequences(&kit)], Vec::new())?;
        }
    }
    Ok(Exit::Success)
}

/// Sets what a board said of its kit beside the rows, and writes it as a file for docs/boards.
///
/// # Errors
/// [`CliError`] where `text` is not a whole log of the chip's kit.
pub fn import(arguments: &ImportArguments, text: &str, console: &mut Console) -> Result<Exit, CliError> {
    if arguments.results.out.is_some() && arguments.board.is_none() {
        return Err(CliError::Usage(
            "--out writes the answers of a board, which has no name yet; name it with --board",
        ));
    }
    let file = arguments.results.open()?;
    let failed = |error: Box<dyn Error + Send + Sync>, help: Option<&str>, exit| {
        let (subject, help) = (arguments.log.display().to_string(), help.map(str::to_owned));
        CliError::Failure(Failure { subject, error, help, exit })
    };
    let log = Log::read(text).map_err(|error| match error {
        LogError::Nothing => {
            failed(error.into(), Some("if the log is of another bundled program, leave out --kit"), Exit::BadInput)
        }
        _ => failed(
            error.into(),
            Some("reset the board while its serial port is read, so that the log is whole"),
            Exit::WrongOutput,
        ),
    })?;
    let kit = match &arguments.chip {
        Some(chip) => find(&chip::resolve(chip)?, String::new(), Exit::Usage)?,
        // The log names it, so that a wrong name is bad data.
        None => find(&log.chip, arguments.log.display().to_string(), Exit::BadInput)?,
    };
    let board = arguments.board.as_deref().unwrap_or("the board");
    let lines = verdicts(&kit, &log).map_err(|error| match error {
        AnswerError::Chip { .. } => failed(error.into(), None, Exit::Usage),
        AnswerError::Version { .. } => failed(error.into(), None, Exit::BadInput),
        AnswerError::Missing(_) => failed(error.into(), None, Exit::WrongOutput),
    })?;
    console.show(Format::Table, &[answers(&lines, board, &kit)], Vec::new())?;
    match file {
        Some(file) => {
            file.put(BoardFile::of(&kit, &log, board).to_text().as_bytes(), "the board's answers", console)?
        }
        None => console.note("--out FILE writes the board's answers; docs/kit.md says how to send them"),
    }
    Ok(Exit::Success)
}

/// Returns the kit of `chip`, which `subject` names. For a chip without a kit, the command ends as `unknown` says.
fn find(chip: &str, subject: String, unknown: Exit) -> Result<Kit, CliError> {
    Kit::of(chip).map_err(|error| {
        let (help, exit) = match &error {
            KitError::Part(_) => (Some("`cyclescope list chips` shows what there is".to_owned()), unknown),
            KitError::NoKit { .. } => (None, unknown),
            _ => (None, Exit::Internal),
        };
        CliError::Failure(Failure { subject, error: Box::new(error), help, exit })
    })
}

/// The bundled program.
fn elf(kit: &Kit) -> Result<Vec<u8>, CliError> {
    let failed = |error: Box<dyn Error + Send + Sync>| {
        let subject = format!("the kit for {}", kit.part.name);
        CliError::Failure(Failure { subject, error, help: None, exit: Exit::Internal })
    };
    let image = cyclescope_images::images()
        .iter()
        .find(|image| image.experiment == "kit" && image.chip == kit.part.name)
        .ok_or_else(|| failed("its program is not bundled".into()))?;
    image.elf().map_err(|error| failed(Box::new(error)))
}

/// Returns the sum of the rows in cycles.
fn expected(sequence: &Sequence) -> String {
    sequence.expected.map_or_else(|| "open".to_owned(), |cycles| cycles.to_string())
}

/// Code on one line.
fn one_line(code: &str) -> String {
    code.split(['\n', ';']).map(str::trim).filter(|part| !part.is_empty()).collect::<Vec<_>>().join("; ")
}

fn sequences(kit: &Kit) -> Table {
    let columns = [
        Column::text("sequence"),
        Column::text("for"),
        Column::text("code"),
        Column::text("sum"),
        Column::number("cycles"),
    ];
    let mut table = Table::new(format!("What a board with {} times", kit.part.name), columns);
    for sequence in &kit.sequences {
        let (code, sum) = (one_line(&sequence.code), sequence.sum.clone());
        table.row([sequence.name.clone(), sequence.subject.to_string(), code, sum, expected(sequence)]);
    }
    table.note(
        "Sum: the timing rows that a sequence adds up, by their short names in experiments/kit; n and the like stand for its \
         numbers.",
    );
    table.note("By the rules of flash: those of docs/timing.md (Flash), one cycle after another.");
    table
}

fn answers(lines: &[Line<'_>], board: &str, kit: &Kit) -> Table {
    let columns = [
        Column::text("row"),
        Column::text("sequence"),
        Column::text("sum"),
        Column::quantity("model", "cycles"),
        Column::quantity("board", "cycles"),
        Column::text("verdict"),
    ];
    let mut table = Table::new(format!("{board} ({}) beside the timing rows", kit.part.name), columns);
    for line in lines {
        let verdict = line.verdict();
        let tone = match verdict {
            Verdict::Contradicted => Tone::Bad,
            Verdict::Confirmed => Tone::Good,
            Verdict::Open => Tone::Plain,
        };
        let row = match &line.sequence.subject {
            Subject::Row { row, .. } => (*row).to_owned(),
            Subject::Rule(rule) => format!("({rule})"),
        };
        table.row([
            Cell::from(row),
            Cell::from(line.sequence.name.clone()),
            Cell::from(line.sequence.sum.clone()),
            Cell::from(expected(line.sequence)),
            Cell::toned(line.board.to_string(), tone),
            Cell::toned(verdict.name(), tone),
        ]);
    }
    let contradicted = lines.iter().filter(|line| line.verdict() == Verdict::Contradicted).count();
    table.note(format!(
        "{contradicted} of {} contradict{} their rows. In parentheses: a rule of docs/timing.md.",
        counted(lines.len() as u64, "sequence", "sequences"),
        if contradicted == 1 { "s" } else { "" }
    ));
    table
}
