//! `docs/silicon.toml`: the figures that others published from boards, the model's figures, and the causes of their
//! differences.

use std::path::Path;

use anyhow::{Context, bail, ensure};
use serde::Deserialize;

/// The path of the file, from the repository's root.
pub const FILE: &str = "docs/silicon.toml";

/// The cause "one step of the board's clock"; it explains one step and no more.
pub const CLOCK_STEP: &str = "clock-step";

/// The file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Silicon {
    /// A row further off than this, in per cent, needs a cause.
    pub limit: f64,
    pub checked: Checked,
    pub kit: Kit,
    pub cause: Vec<Cause>,
    pub writeup: Vec<WriteUp>,
}

/// The version and date of the frozen figures.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Checked {
    pub version: String,
    pub date: String,
}

/// The sequences of the kit that causes may name.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Kit {
    pub sequences: Vec<String>,
}

/// The cause of an error: a mechanism with its source and size, or the measurement that would decide it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cause {
    pub id: String,
    pub says: String,
    #[serde(default)]
    pub source: String,
    #[serde(default)]
    pub size: String,
    #[serde(default)]
    pub kit: Vec<String>,
}

/// The figures that one author published.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WriteUp {
    pub title: String,
    pub source: String,
    pub url: String,
    pub unit: String,
    pub board: Vec<Board>,
}

/// The figures of one board.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Board {
    pub board: String,
    /// The compiler of the published figures, and the model's. For rows with `run`, the record names the model's.
    pub compiler: [String; 2],
    pub memory: String,
    #[serde(default)]
    pub note: String,
    /// The reason why rows without a figure of the model have none.
    #[serde(default = "not_modelled")]
    pub without: String,
    /// One step of the board's clock, in the unit of the write-up.
    #[serde(default)]
    pub step: Option<f64>,
    /// The records of the rows with `run`.
    #[serde(default)]
    pub record: Option<Records>,
    pub row: Vec<Row>,
}

fn not_modelled() -> String {
    "not modelled".to_owned()
}

/// The records of bundled images that rows are taken from; each row says the mode.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Records {
    pub experiment: String,
    pub contender: String,
    pub chip: String,
    pub opt: String,
    pub metric: String,
}

/// One figure.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    pub name: String,
    /// As printed by its author.
    pub published: String,
    /// The model's, frozen.
    #[serde(default)]
    pub model: Option<String>,
    /// The mode of the record that is the model's.
    #[serde(default)]
    pub run: Option<String>,
    #[serde(default)]
    pub sd: Option<[u32; 2]>,
    #[serde(default)]
    pub cause: Vec<String>,
}

impl Silicon {
    /// The file under `root`, checked as far as it can be without a run.
    pub fn load(root: &Path) -> anyhow::Result<Self> {
        let text = std::fs::read_to_string(root.join(FILE)).with_context(|| format!("{FILE} cannot be read"))?;
        Self::parse(&text)
    }

    /// The same of a text.
    pub fn parse(text: &str) -> anyhow::Result<Self> {
        let silicon: Self = toml::from_str(text).with_context(|| format!("{FILE} cannot be read"))?;
        for cause in &silicon.cause {
            let explained = !cause.source.is_empty() && !cause.size.is_empty();
            ensure!(
                explained || !cause.kit.is_empty(),
                "{FILE}: cause {} needs a source and a size, or the kit's sequences that would decide it",
                cause.id
            );
            if let Some(unknown) = cause.kit.iter().find(|name| !silicon.kit.sequences.contains(name)) {
                bail!("{FILE}: cause {} names {unknown}, which [kit] does not list", cause.id);
            }
        }
        for (_, board, row) in silicon.rows() {
            let at = format!("{FILE}: {}, {}", board.board, row.name);
            number(&row.published).with_context(|| at.clone())?;
            if let Some(unknown) = row.cause.iter().find(|id| silicon.cause(id).is_none()) {
                bail!("{at}: no cause is called {unknown}");
            }
            ensure!(row.run.is_none() || row.model.is_none(), "{at}: either a frozen figure or a run");
            ensure!(row.run.is_none() || board.record.is_some(), "{at}: which record?");
            if let Some(model) = &row.model {
                let error = silicon.check(board, row, number(model).with_context(|| at.clone())?)?;
                // What is frozen stays: a cause that explains nothing is a slip.
                ensure!(row.cause.is_empty() || error.abs() > silicon.limit, "{at}: it is not off");
            }
        }
        Ok(silicon)
    }

    /// All rows with where they stand.
    pub fn rows(&self) -> impl Iterator<Item = (&WriteUp, &Board, &Row)> {
        let boards = self.writeup.iter().flat_map(|writeup| writeup.board.iter().map(move |board| (writeup, board)));
        boards.flat_map(|(writeup, board)| board.row.iter().map(move |row| (writeup, board, row)))
    }

    /// The cause called `id`.
    pub fn cause(&self, id: &str) -> Option<&Cause> {
        self.cause.iter().find(|cause| cause.id == id)
    }

    /// Returns the error of `model`, in per cent.
    ///
    /// # Errors
    /// It is further off than the limit, and no cause stands beside it that could explain so much.
    pub fn check(&self, board: &Board, row: &Row, model: f64) -> anyhow::Result<f64> {
        let published = number(&row.published)?;
        let error = (model / published - 1.0) * 100.0;
        if error.abs() > self.limit {
            let at = format!("{FILE}: {}, {} is {error:+.1} % off", board.board, row.name);
            ensure!(!row.cause.is_empty(), "{at} and no cause is named");
            // Figures of the board are cut to its step, ours too: half a step more is still one.
            let one_step = board.step.is_some_and(|step| (model - published).abs() < 1.5 * step);
            ensure!(one_step || row.cause != [CLOCK_STEP], "{at}, which is more than one step of the clock");
        }
        Ok(error)
    }
}

/// A figure as a number.
pub fn number(text: &str) -> anyhow::Result<f64> {
    text.parse().with_context(|| format!("{text:?} is no figure"))
}
