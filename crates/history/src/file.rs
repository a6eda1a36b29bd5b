//! The file, opened.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use crate::HistoryError;
use crate::schema::{APPLICATION, MIGRATIONS, migrate, version};

/// The time for which a writer waits for others.
const PATIENCE: Duration = Duration::from_secs(60);

/// The first bytes of a database (SQLite's file format, section 1.3).
const MAGIC: &[u8; 16] = b"SQLite format 3\0";

/// A history, open for reading, or for reading and writing.
#[derive(Debug)]
pub struct History {
    pub(crate) database: Connection,
}

impl History {
    /// Opens the file at `path` for reading. It is not changed, unless it has an older schema, which is brought up to date.
    ///
    /// # Errors
    /// [`HistoryError`].
    pub fn read(path: &Path) -> Result<Self, HistoryError> {
        check_header(path, MIGRATIONS.len())?;
        let database = reader(path)?;
        match version(&database, MIGRATIONS.len() as i64)? {
            // A writer was killed before it had made the tables.
            0 => Err(HistoryError::Open(io::Error::new(io::ErrorKind::NotFound, "it is empty"))),
            found if found < MIGRATIONS.len() as i64 => {
                drop(database);
                Self::write_with(path, MIGRATIONS)
            }
            _ => {
                check_pages(&database)?;
                Ok(Self { database })
            }
        }
    }

    /// Opens the file at `path` for writing, and makes it if there is none.
    ///
    /// # Errors
    /// [`HistoryError`].
    pub fn write(path: &Path) -> Result<Self, HistoryError> {
        Self::write_with(path, MIGRATIONS)
    }

    /// The same with other steps between versions.
    pub(crate) fn write_with(path: &Path, migrations: &[&str]) -> Result<Self, HistoryError> {
        match fs::metadata(path) {
            Ok(found) if found.permissions().readonly() => return Err(HistoryError::ReadOnly),
            Ok(_) => check_header(path, migrations.len())?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(HistoryError::Open(error)),
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut database = Connection::open_with_flags(path, flags).map_err(HistoryError::writing)?;
        guard(&database).map_err(HistoryError::writing)?;
        if version(&database, migrations.len() as i64)? > 0 {
            check_pages(&database)?;
        }
        let set = |name: &str, value: &str| -> Result<(), HistoryError> {
            database.pragma_update(None, name, value).map_err(HistoryError::writing)
        };
        // Of several that change a new file's journal at once, SQLite refuses all but one without waiting.
        database.busy_timeout(Duration::ZERO).map_err(HistoryError::writing)?;
        patiently(|| set("journal_mode", "WAL"))?;
        database.busy_timeout(PATIENCE).map_err(HistoryError::writing)?;
        // A commit is on the disk before it is told of.
        set("synchronous", "FULL")?;
        migrate(&mut database, migrations)?;
        Ok(Self { database })
    }
}

/// Does `step` again while others keep the file busy, for as long as a writer waits.
fn patiently<T>(mut step: impl FnMut() -> Result<T, HistoryError>) -> Result<T, HistoryError> {
    let start = Instant::now();
    loop {
        match step() {
            Err(HistoryError::Busy) if start.elapsed() < PATIENCE => thread::sleep(Duration::from_millis(5)),
            done => return done,
        }
    }
}

/// Refuses by its first bytes a file that is no database, another program's, or one of a later version, without having SQLite
/// open it, which would make files beside it.
fn check_header(path: &Path, newest: usize) -> Result<(), HistoryError> {
    let mut header = [0; 100];
    let mut file = fs::File::open(path).map_err(HistoryError::Open)?;
    let mut length = 0;
    while length < header.len() {
        match file.read(&mut header[length..]).map_err(HistoryError::Open)? {
            0 => break,
            count => length += count,
        }
    }
    // An empty file is an empty database; that of a writer which has not come further is one too.
    if length == 0 {
        return Ok(());
    }
    let number =
        |at: usize| i64::from(u32::from_be_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]));
    let (found, application) = (number(60), number(68));
    if length < header.len() || !header.starts_with(MAGIC) || ![0, APPLICATION].contains(&application) {
        return Err(HistoryError::Foreign);
    }
    if application == APPLICATION && found > newest as i64 {
        return Err(HistoryError::Later { found });
    }
    Ok(())
}

/// Opens the file at `path` for reading only. SQLite may write to it: the last to close a file removes those beside it, which
/// one that was opened for reading would leave.
fn reader(path: &Path) -> Result<Connection, HistoryError> {
    let flags = OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let open = |path: &Path, flags| -> rusqlite::Result<Connection> {
        let database = Connection::open_with_flags(path, flags)?;
        guard(&database)?;
        database.pragma_update(None, "query_only", true)?;
        database.pragma_query_value(None, "user_version", |row| row.get::<_, i64>(0))?;
        Ok(database)
    };
    open(path, flags | OpenFlags::SQLITE_OPEN_READ_WRITE).or_else(|error| {
        // In a folder that cannot be written there is no place for the files that readers share. Without a writer's pages none
        // are needed.
        let code = error.sqlite_error_code();
        let is_alone = fs::metadata(beside(path, "-wal")).map_or(true, |found| found.len() == 0);
        let is_locked_out =
            matches!(code, Some(rusqlite::ErrorCode::CannotOpen | rusqlite::ErrorCode::ReadOnly)) && is_alone;
        let address = is_locked_out.then(|| immutable(path)).flatten().ok_or(error).map_err(HistoryError::reading)?;
        let flags = flags | OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
        open(Path::new(&address), flags).map_err(HistoryError::reading)
    })
}

/// The file that SQLite keeps beside `path` under the same name with `end` behind it.
fn beside(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    PathBuf::from(name)
}

/// `path` as the address of a file that nobody changes (SQLite's URI filenames).
fn immutable(path: &Path) -> Option<String> {
    let whole = fs::canonicalize(path).ok()?;
    let mut address = "file:".to_owned();
    for byte in whole.to_str()?.bytes() {
        match byte {
            b'/' | b'.' | b'-' | b'_' => address.push(char::from(byte)),
            byte if byte.is_ascii_alphanumeric() => address.push(char::from(byte)),
            byte => address.push_str(&format!("%{byte:02X}")),
        }
    }
    Some(address + "?immutable=1")
}

/// Lets a file of strangers do nothing but hold rows.
fn guard(database: &Connection) -> rusqlite::Result<()> {
    database.busy_timeout(PATIENCE)?;
    for (setting, on) in [
        (DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true),
        (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false),
    ] {
        database.set_db_config(setting, on)?;
    }
    database.pragma_update(None, "cell_size_check", true)?;
    database.pragma_update(None, "mmap_size", 0)
}

/// Checks the file's pages, so that nothing is added to a damaged file and nothing wrong is read from one.
fn check_pages(database: &Connection) -> Result<(), HistoryError> {
    let found = database.query_row("PRAGMA quick_check(1)", [], |row| row.get(0));
    let found: String = found.map_err(HistoryError::reading)?;
    if found == "ok" { Ok(()) } else { Err(HistoryError::Damaged(found)) }
}

#[cfg(test)]
mod tests {
    use cyclescope_records::stats::Summary;
    use cyclescope_records::{Record, Source, Unit};

    use super::*;
    use crate::{Added, Addition, Moment};

    fn addition(commit: &str, count: u64) -> Addition {
        let record = |value: u64| {
            Record::empty(Source::Simulated).with_metric(&format!("m{value}"), Unit::Cycles, Summary::exact(value))
        };
        Addition {
            commit: commit.to_owned(),
            branch: "main".to_owned(),
            time: Moment::from_unix(0).expect("it is in range"),
            source: String::new(),
            records: (0..count).map(record).collect(),
        }
    }

    fn count(history: &History) -> usize {
        history.entries(None).expect("it can be read").len()
    }

    #[test]
    fn a_full_disk_loses_nothing() {
        let folder = tempfile::tempdir().expect("there is room");
        let path = folder.path().join("h.sqlite");
        let mut history = History::write(&path).expect("a new file");
        history.add(&addition("a", 3)).expect("room");
        // SQLite then does as where the disk has no more room.
        let pages: i64 =
            history.database.pragma_query_value(None, "page_count", |row| row.get(0)).expect("it can be read");
        history
            .database
            .query_row(&format!("PRAGMA max_page_count = {}", pages + 20), [], |_| Ok(()))
            .expect("a limit");
        let error = history.add(&addition("b", 2000)).expect_err("there is no room");
        assert!(matches!(error, HistoryError::Write(_)) && error.to_string().contains("full"), "{error}");
        // The same process goes on, and so does the next.
        assert_eq!(count(&history), 1);
        drop(history);
        let mut history = History::write(&path).expect("it is sound");
        assert_eq!((count(&history), history.records(1).expect("it can be read").len()), (1, 3));
        assert!(matches!(history.add(&addition("b", 2000)), Ok(Added::New(..))));
    }

    /// A later version, that this crate will have some day.
    const LATER: &[&str] = &[
        MIGRATIONS[0],
        "ALTER TABLE entry ADD COLUMN note TEXT NOT NULL DEFAULT 'none'; UPDATE entry SET note = 'of ' || commit_id",
    ];

    #[test]
    fn an_older_file_becomes_a_newer_one_with_all_that_it_has() {
        let folder = tempfile::tempdir().expect("there is room");
        let path = folder.path().join("h.sqlite");
        let records = addition("a", 5).records;
        History::write(&path).expect("a new file").add(&addition("a", 5)).expect("room");
        let mut history = History::write_with(&path, LATER).expect("it is brought up to date");
        assert_eq!(history.records(1).expect("it can be read"), records);
        let note: String =
            history.database.query_row("SELECT note FROM entry", [], |row| row.get(0)).expect("the column is there");
        assert_eq!(note, "of a");
        assert!(matches!(history.add(&addition("a", 5)), Ok(Added::Same(_))));
        assert!(matches!(history.add(&addition("b", 1)), Ok(Added::New(..))));
        drop(history);
        assert_eq!(count(&History::write_with(&path, LATER).expect("nothing is left to do")), 2);
        assert!(matches!(History::read(&path), Err(HistoryError::Later { found: 2 })));
    }

    #[test]
    fn a_step_that_fails_leaves_the_older_file() {
        let folder = tempfile::tempdir().expect("there is room");
        let path = folder.path().join("h.sqlite");
        History::write(&path).expect("a new file").add(&addition("a", 5)).expect("room");
        let failing = [MIGRATIONS[0], "DELETE FROM entry_record; ALTER TABLE none ADD COLUMN x"];
        assert!(History::write_with(&path, &failing).is_err());
        let history = History::read(&path).expect("it is as it was");
        assert_eq!((count(&history), history.records(1).expect("it can be read").len()), (1, 5));
    }

    #[cfg(unix)]
    #[test]
    fn a_file_is_read_where_nothing_can_be_made_beside_it() {
        let folder = tempfile::tempdir().expect("there is room");
        let path = folder.path().join("a b?%#.sqlite");
        History::write(&path).expect("a new file").add(&addition("a", 5)).expect("room");
        let address = immutable(&path).expect("a path of text");
        assert!(address.contains("a%20b%3F%25%23.sqlite?immutable=1"), "{address}");
        // A link that leads nowhere keeps everybody from making the file that readers share.
        std::os::unix::fs::symlink("/nowhere/at/all", beside(&path, "-shm")).expect("there is room");
        assert_eq!(count(&History::read(&path).expect("it is sound")), 1);
    }
}
