//! The tables of the file, and how older files become newer ones.

use rusqlite::{Connection, Transaction, TransactionBehavior};

use crate::HistoryError;

/// The version of the schema that this crate writes, and the newest it reads.
pub const SCHEMA: i64 = MIGRATIONS.len() as i64;

/// The file's `application_id` (SQLite's file format, offset 68): `CySc`.
pub(crate) const APPLICATION: i64 = 0x4379_5363;

/// The steps from each version to the next, the first from an empty file to version 1. A step that has been released stays as it
/// is; a change of the tables is a step more.
pub(crate) const MIGRATIONS: &[&str] = &[
    // A record's figures have no affinity, so that integers stay integers and floats floats.
    "CREATE TABLE model (
       id INTEGER PRIMARY KEY,
       sha256 BLOB NOT NULL UNIQUE,
       json TEXT NOT NULL
     );
     CREATE TABLE record (
       id INTEGER PRIMARY KEY,
       sha256 BLOB NOT NULL UNIQUE,
       json TEXT NOT NULL,
       model INTEGER REFERENCES model,
       experiment TEXT NOT NULL,
       mode TEXT NOT NULL,
       contender TEXT NOT NULL,
       opt TEXT NOT NULL,
       chip TEXT,
       memory TEXT,
       params TEXT NOT NULL,
       source TEXT NOT NULL,
       metric TEXT NOT NULL,
       unit TEXT NOT NULL,
       n INTEGER NOT NULL,
       mean NOT NULL,
       stddev NOT NULL,
       min NOT NULL,
       median NOT NULL,
       p99 NOT NULL,
       max NOT NULL
     );
     CREATE INDEX record_metric ON record (metric, experiment);
     CREATE TABLE entry (
       id INTEGER PRIMARY KEY AUTOINCREMENT,
       identity BLOB NOT NULL UNIQUE,
       commit_id TEXT NOT NULL,
       branch TEXT NOT NULL,
       time INTEGER NOT NULL,
       source TEXT NOT NULL
     );
     CREATE TABLE entry_record (
       entry INTEGER NOT NULL REFERENCES entry,
       position INTEGER NOT NULL,
       record INTEGER NOT NULL REFERENCES record,
       PRIMARY KEY (entry, position)
     ) WITHOUT ROWID;
     CREATE INDEX entry_record_record ON entry_record (record);",
];

/// The version of the file, which is 0 if it is empty.
///
/// # Errors
/// [`HistoryError::Foreign`] for a database of something else, [`HistoryError::Later`] for one of a later version.
pub(crate) fn version(database: &Connection, newest: i64) -> Result<i64, HistoryError> {
    // What is read belongs together, though others write meanwhile.
    let transaction = database.unchecked_transaction().map_err(HistoryError::reading)?;
    version_inside(&transaction, newest)
}

/// The same inside a transaction.
fn version_inside(database: &Transaction<'_>, newest: i64) -> Result<i64, HistoryError> {
    let number = |name: &str| -> Result<i64, HistoryError> {
        database.pragma_query_value(None, name, |row| row.get(0)).map_err(HistoryError::reading)
    };
    let (application, version) = (number("application_id")?, number("user_version")?);
    let is_empty = || -> Result<bool, HistoryError> {
        let count = database.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get::<_, i64>(0));
        Ok(count.map_err(HistoryError::reading)? == 0)
    };
    match (application, version) {
        (0, 0) if is_empty()? => Ok(0),
        (APPLICATION, found) if found > newest => Err(HistoryError::Later { found }),
        (APPLICATION, found) if found > 0 => Ok(found),
        _ => Err(HistoryError::Foreign),
    }
}

/// Brings the file to the version that `migrations` end with, whole or not at all.
///
/// # Errors
/// As [`version`], and those of writing.
pub(crate) fn migrate(database: &mut Connection, migrations: &[&str]) -> Result<(), HistoryError> {
    let newest = migrations.len() as i64;
    if version(database, newest)? == newest {
        return Ok(());
    }
    let transaction =
        database.transaction_with_behavior(TransactionBehavior::Immediate).map_err(HistoryError::writing)?;
    // Another process may have done it meanwhile.
    let found = version_inside(&transaction, newest)?;
    let steps = usize::try_from(found).ok().and_then(|found| migrations.get(found..)).unwrap_or_default();
    for step in steps {
        transaction.execute_batch(step).map_err(HistoryError::writing)?;
    }
    let set = |name: &str, value: i64| transaction.pragma_update(None, name, value).map_err(HistoryError::writing);
    set("application_id", APPLICATION)?;
    set("user_version", newest)?;
    transaction.commit().map_err(HistoryError::writing)
}
