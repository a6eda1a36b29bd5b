//! Adding entries, and removing them.

use cyclescope_records::stats::Number;
use cyclescope_records::{Record, Scalar};
use rusqlite::types::{ToSqlOutput, Value};
use rusqlite::{OptionalExtension, ToSql, Transaction, TransactionBehavior, params};
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::{Entry, History, HistoryError, Moment};

/// The records of one entry, and where they belong.
#[derive(Clone, Debug, PartialEq)]
pub struct Addition {
    /// The commit, as its whole hash or any name without spaces; empty if there is none.
    pub commit: String,
    /// The branch.
    pub branch: String,
    /// The time of the commit, or without one of the measurement.
    pub time: Moment,
    /// The names of the files that the records come from, each with the program that wrote it.
    pub source: String,
    /// The records, in order.
    pub records: Vec<Record>,
}

/// The outcome of an addition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Added {
    /// A new entry, with the number of records that no entry had before.
    New(Entry, usize),
    /// Nothing: this entry of the same commit and branch has the same records.
    Same(Entry),
}

/// A figure, whose column has no affinity.
struct Figure(Number);

impl ToSql for Figure {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Owned(match self.0 {
            Number::Integer(value) => Value::Integer(value),
            Number::Real(value) => Value::Real(value),
        }))
    }
}

impl History {
    /// Adds an entry, whole or not at all. Its identity is the commit, the branch and the records; without a commit the time is
    /// part of it too. Another process that adds at the same time is waited for.
    ///
    /// # Errors
    /// [`HistoryError`]; the file is then as it was.
    pub fn add(&mut self, addition: &Addition) -> Result<Added, HistoryError> {
        self.add_watched(addition, &mut |_| {})
    }

    /// The same; `stored` is told how many records are in place, each time that one more is.
    ///
    /// # Errors
    /// As [`History::add`].
    pub fn add_watched(&mut self, addition: &Addition, stored: &mut dyn FnMut(usize)) -> Result<Added, HistoryError> {
        let mut packed = Vec::with_capacity(addition.records.len());
        let mut all = Sha256::new();
        for record in &addition.records {
            let record = Packed::of(record)?;
            all.update(record.sha256);
            packed.push(record);
        }
        let sha256: [u8; 32] = all.finalize().into();
        let identity = identity(addition, &sha256);
        let transaction =
            self.database.transaction_with_behavior(TransactionBehavior::Immediate).map_err(HistoryError::writing)?;
        let known = transaction.query_row("SELECT id FROM entry WHERE identity = ?1", [identity], |row| row.get(0));
        if let Some(id) = known.optional().map_err(HistoryError::writing)? {
            return Ok(Added::Same(Entry::find(&transaction, id)?));
        }
        let (id, new) = insert(&transaction, addition, &packed, identity, stored).map_err(HistoryError::writing)?;
        let entry = Entry::find(&transaction, id)?;
        transaction.commit().map_err(HistoryError::writing)?;
        Ok(Added::New(entry, new))
    }

    /// Removes the entry with the number `id`, and the records that no other entry has. Returns false if there is no such entry.
    ///
    /// # Errors
    /// [`HistoryError`]; the file is then as it was.
    pub fn remove(&mut self, id: i64) -> Result<bool, HistoryError> {
        let remove = |transaction: &Transaction<'_>| -> rusqlite::Result<bool> {
            transaction.execute("DELETE FROM entry_record WHERE entry = ?1", [id])?;
            let found = transaction.execute("DELETE FROM entry WHERE id = ?1", [id])?;
            transaction.execute("DELETE FROM record WHERE id NOT IN (SELECT record FROM entry_record)", [])?;
            let used = "SELECT model FROM record WHERE model IS NOT NULL";
            transaction.execute(&format!("DELETE FROM model WHERE id NOT IN ({used})"), [])?;
            Ok(found > 0)
        };
        let transaction =
            self.database.transaction_with_behavior(TransactionBehavior::Immediate).map_err(HistoryError::writing)?;
        let found = remove(&transaction).map_err(HistoryError::writing)?;
        transaction.commit().map_err(HistoryError::writing)?;
        Ok(found)
    }
}

/// A record as it is stored: without its model, which thousands of records share.
struct Packed<'r> {
    record: &'r Record,
    json: String,
    params: String,
    model: Option<(String, [u8; 32])>,
    sha256: [u8; 32],
}

impl<'r> Packed<'r> {
    fn of(record: &'r Record) -> Result<Self, HistoryError> {
        let model = record.model.as_ref().map(json).transpose()?;
        let model = model.map(|text| {
            let sha256: [u8; 32] = Sha256::digest(&text).into();
            (text, sha256)
        });
        let text = json(&Record { model: None, ..record.clone() })?;
        let mut hash = Sha256::new();
        hash.update(&text);
        if let Some((_, sha256)) = &model {
            hash.update(sha256);
        }
        Ok(Self { record, json: text, params: json(&record.params)?, model, sha256: hash.finalize().into() })
    }
}

/// `value` as JSON.
fn json(value: &impl Serialize) -> Result<String, HistoryError> {
    serde_json::to_string(value).map_err(|error| HistoryError::Damaged(error.to_string()))
}

fn identity(addition: &Addition, sha256: &[u8; 32]) -> [u8; 32] {
    let time = if addition.commit.is_empty() { addition.time.to_string() } else { String::new() };
    let mut hash = Sha256::new();
    for part in [&addition.commit, &addition.branch, &time] {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    hash.update(sha256);
    hash.finalize().into()
}

/// Inserts the entry and its records; returns its number, and how many records are new.
fn insert(
    transaction: &Transaction<'_>,
    addition: &Addition,
    records: &[Packed<'_>],
    identity: [u8; 32],
    stored: &mut dyn FnMut(usize),
) -> rusqlite::Result<(i64, usize)> {
    let Addition { commit, branch, time, source, .. } = addition;
    transaction.execute(
        "INSERT INTO entry (identity, commit_id, branch, time, source) VALUES (?1, ?2, ?3, ?4, ?5)",
        params![identity, commit, branch, time.unix(), source],
    )?;
    let entry = transaction.last_insert_rowid();
    let mut new = 0;
    let mut find = transaction.prepare("SELECT id FROM record WHERE sha256 = ?1")?;
    let mut place = transaction.prepare("INSERT INTO entry_record (entry, position, record) VALUES (?1, ?2, ?3)")?;
    for (position, packed) in records.iter().enumerate() {
        let known = find.query_row([packed.sha256], |row| row.get(0)).optional()?;
        let record: i64 = match known {
            Some(id) => id,
            None => {
                new += 1;
                insert_record(transaction, packed)?
            }
        };
        place.execute(params![entry, position as i64, record])?;
        stored(position + 1);
    }
    Ok((entry, new))
}

fn insert_record(transaction: &Transaction<'_>, packed: &Packed<'_>) -> rusqlite::Result<i64> {
    let model = match &packed.model {
        None => None,
        Some((json, sha256)) => {
            transaction.execute("INSERT OR IGNORE INTO model (sha256, json) VALUES (?1, ?2)", params![sha256, json])?;
            Some(
                transaction
                    .query_row("SELECT id FROM model WHERE sha256 = ?1", [sha256], |row| row.get::<_, i64>(0))?,
            )
        }
    };
    let record = packed.record;
    let memory = record.settings.get("memory").map(Scalar::to_string);
    let n = i64::try_from(record.n).unwrap_or(i64::MAX);
    transaction.execute(
        "INSERT INTO record (sha256, json, model, experiment, mode, contender, opt, chip, memory, params, source, metric, \
         unit, n, mean, stddev, min, median, p99, max) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20)",
        params![
            packed.sha256,
            packed.json,
            model,
            record.experiment,
            record.mode,
            record.contender,
            record.opt,
            record.chip,
            memory,
            packed.params,
            record.source.to_string(),
            record.metric,
            record.unit.name(),
            n,
            Figure(record.mean),
            Figure(record.stddev),
            Figure(record.min),
            Figure(record.median),
            Figure(record.p99),
            Figure(record.max),
        ],
    )?;
    Ok(transaction.last_insert_rowid())
}
