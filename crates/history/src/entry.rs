//! Entries, and what is in them.

use cyclescope_records::{Model, Record};
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::{History, HistoryError, Moment};

/// One entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its number, from 1 in the order of adding. That of a removed entry is not given again.
    pub id: i64,
    /// The commit; empty if there is none.
    pub commit: String,
    /// The branch.
    pub branch: String,
    /// The time of the commit, or of the measurement.
    pub time: Moment,
    /// The files that its records come from.
    pub source: String,
    /// The number of its records.
    pub records: u64,
}

const COLUMNS: &str = "id, commit_id, branch, time, source, (SELECT count(*) FROM entry_record WHERE entry = entry.id)";

impl Entry {
    /// The first ten characters of the commit, or the entry's number behind a `#`.
    pub fn short(&self) -> String {
        if self.commit.is_empty() { format!("#{}", self.id) } else { self.commit.chars().take(10).collect() }
    }

    fn of(row: &Row<'_>) -> Result<Self, HistoryError> {
        let read = || -> rusqlite::Result<(i64, String, String, i64, String, i64)> {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?, row.get(5)?))
        };
        let (id, commit, branch, time, source, records) = read().map_err(HistoryError::reading)?;
        let time = Moment::from_unix(time)
            .ok_or_else(|| HistoryError::Damaged(format!("the time of entry #{id} is out of range")))?;
        Ok(Self { id, commit, branch, time, source, records: records.unsigned_abs() })
    }

    /// The entry with the number `id`, which is there.
    pub(crate) fn find(database: &Connection, id: i64) -> Result<Self, HistoryError> {
        let mut query =
            database.prepare(&format!("SELECT {COLUMNS} FROM entry WHERE id = ?1")).map_err(HistoryError::reading)?;
        let mut rows = query.query([id]).map_err(HistoryError::reading)?;
        let row = rows.next().map_err(HistoryError::reading)?;
        Self::of(row.ok_or_else(|| HistoryError::Damaged(format!("entry #{id} is not there")))?)
    }
}

impl History {
    /// The entries of `branch`, or of all branches, by time, those of equal times in the order of adding.
    ///
    /// # Errors
    /// [`HistoryError`].
    pub fn entries(&self, branch: Option<&str>) -> Result<Vec<Entry>, HistoryError> {
        let text = format!("SELECT {COLUMNS} FROM entry WHERE ?1 IS NULL OR branch = ?1 ORDER BY time, id");
        let mut query = self.database.prepare(&text).map_err(HistoryError::reading)?;
        let mut rows = query.query(params![branch]).map_err(HistoryError::reading)?;
        let mut entries = Vec::new();
        while let Some(row) = rows.next().map_err(HistoryError::reading)? {
            entries.push(Entry::of(row)?);
        }
        Ok(entries)
    }

    /// The branches, by name.
    ///
    /// # Errors
    /// [`HistoryError`].
    pub fn branches(&self) -> Result<Vec<String>, HistoryError> {
        let read = || -> rusqlite::Result<Vec<String>> {
            let mut query = self.database.prepare("SELECT DISTINCT branch FROM entry ORDER BY branch")?;
            query.query_map([], |row| row.get(0))?.collect()
        };
        read().map_err(HistoryError::reading)
    }

    /// The branch with the entry that was added last; none without entries.
    ///
    /// # Errors
    /// [`HistoryError`].
    pub fn last_branch(&self) -> Result<Option<String>, HistoryError> {
        let found = self.database.query_row("SELECT branch FROM entry ORDER BY id DESC LIMIT 1", [], |row| row.get(0));
        found.optional().map_err(HistoryError::reading)
    }

    /// The records of the entry with the number `id`, as they were added; none if there is no such entry.
    ///
    /// # Errors
    /// [`HistoryError`].
    pub fn records(&self, id: i64) -> Result<Vec<Record>, HistoryError> {
        let rows = || -> rusqlite::Result<Vec<(String, Option<String>)>> {
            let mut query = self.database.prepare(
                "SELECT record.json, model.json FROM entry_record JOIN record ON record.id = entry_record.record \
                 LEFT JOIN model ON model.id = record.model WHERE entry_record.entry = ?1 ORDER BY position",
            )?;
            query.query_map([id], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
        };
        let rows = rows().map_err(HistoryError::reading)?;
        rows.iter().map(|(json, model)| unpacked(json, model.as_deref())).collect()
    }
}

/// The record of `json` with its model.
pub(crate) fn unpacked(json: &str, model: Option<&str>) -> Result<Record, HistoryError> {
    let damaged = |error: serde_json::Error| HistoryError::Damaged(format!("a record cannot be read: {error}"));
    let model: Option<Model> = model.map(serde_json::from_str).transpose().map_err(damaged)?;
    Ok(Record { model, ..serde_json::from_str(json).map_err(damaged)? })
}
