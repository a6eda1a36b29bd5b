//! The file of records.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::Record;

/// The version of the schema that this crate writes, and the newest it reads. It grows by one with each change that a
/// reader of the version before would misunderstand; a field that can be ignored does not change it.
pub const SCHEMA: u32 = 1;

/// `{schema, tool, records}`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecordFile {
    /// The schema's version.
    pub schema: u32,
    /// The program that wrote it, with its version.
    pub tool: String,
    /// The records, in the order of the experiments.
    pub records: Vec<Record>,
}

/// Why a file of records cannot be read or written.
#[derive(Debug, Error)]
pub enum RecordsError {
    /// Not JSON, or not of the schema's shape.
    #[error("this is not a file of cyclescope records: {0}")]
    Json(#[from] serde_json::Error),
    /// Written by a newer cyclescope.
    #[error("the records have schema {found}, but this cyclescope reads schemas up to {SCHEMA}; use a newer one")]
    Schema {
        /// The file's version.
        found: u32,
    },
}

impl RecordFile {
    /// A file of `records` in the present schema, written by `tool` (name and version).
    pub fn new(tool: impl Into<String>, records: Vec<Record>) -> Self {
        Self { schema: SCHEMA, tool: tool.into(), records }
    }

    /// The file as JSON, one record a line, so that a difference between two files names the records that changed.
    ///
    /// # Errors
    /// [`RecordsError::Json`] where a float is not finite, which [`crate::stats::Number::real`] keeps out.
    pub fn to_json(&self) -> Result<String, RecordsError> {
        let tool = serde_json::to_string(&self.tool)?;
        let mut json = format!("{{\n\"schema\": {},\n\"tool\": {tool},\n\"records\": [", self.schema);
        for (index, record) in self.records.iter().enumerate() {
            json.push_str(if index == 0 { "\n" } else { ",\n" });
            json.push_str(&serde_json::to_string(record)?);
        }
        json.push_str(if self.records.is_empty() { "]\n}\n" } else { "\n]\n}\n" });
        Ok(json)
    }

    /// Reads what [`Self::to_json`] wrote, or any JSON of the same shape.
    ///
    /// # Errors
    /// [`RecordsError::Schema`] for a newer schema, [`RecordsError::Json`] for anything else that is not one.
    pub fn from_json(json: &str) -> Result<Self, RecordsError> {
        /// Read first: a newer file may not have the rest.
        #[derive(Deserialize)]
        struct Version {
            schema: u32,
        }
        let Version { schema } = serde_json::from_str(json)?;
        if schema > SCHEMA {
            return Err(RecordsError::Schema { found: schema });
        }
        Ok(serde_json::from_str(json)?)
    }
}
