//! The file: what comes back, and what is refused.

use std::fs;
use std::path::{Path, PathBuf};

use cyclescope_history::{Added, History, HistoryError, Method, SCHEMA};
use cyclescope_records::stats::{Number, Summary};
use rusqlite::Connection;
use tempfile::TempDir;

use crate::common::{at, cycles, times};

fn place() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("there is room");
    let path = folder.path().join("h.sqlite");
    (folder, path)
}

fn filled(path: &Path) -> History {
    let mut history = History::write(path).expect("a new file");
    for number in 0..3 {
        history.add(&at(number, vec![cycles("embassy", "switch", 100 + u64::from(number))])).expect("room");
    }
    history
}

#[test]
fn records_come_back_to_the_last_digit() {
    let (folder, path) = place();
    let mut record = cycles("embassy", "switch", 3);
    record.set_summary(Summary { mean: Number::Real(3.0), p99: Number::Integer(i64::MIN), ..Summary::exact(7) });
    record.params.insert("why".to_owned(), "\u{1b}[31m \"quoted\" \u{202E}".into());
    record.layouts = Some(vec![Number::Integer(1), Number::Real(0.1)]);
    let records = vec![record.clone(), times("elapsed", &[1.5, 2.5]), record, cycles("embassy", "switch", 3)];
    let mut history = History::write(&path).expect("a new file");
    let Added::New(entry, new) = history.add(&at(1, records.clone())).expect("room") else { panic!("it is new") };
    assert_eq!((new, entry.records, entry.id), (3, 4, 1), "equal records are stored once");
    drop(history);
    let history = History::read(&path).expect("it is there");
    assert_eq!(history.records(1).expect("it can be read"), records);
    assert_eq!(history.records(7).expect("it can be read"), []);
    drop(history);
    assert_eq!(fs::read_dir(folder.path()).expect("ours").count(), 1, "nothing is left beside it");
    // The figures are there for queries, exact ones as integers.
    let database = Connection::open(&path).expect("it is there");
    let types = |column: &str| -> Vec<String> {
        let text = format!("SELECT typeof({column}) FROM record ORDER BY id");
        let mut query = database.prepare(&text).expect("there is such a column");
        query.query_map([], |row| row.get(0)).expect("rows").collect::<Result<_, _>>().expect("texts")
    };
    assert_eq!(types("mean"), ["real", "real", "integer"]);
    assert_eq!(types("p99"), ["integer", "real", "integer"]);
}

#[test]
fn the_same_again_is_no_second_entry() {
    let (_folder, path) = place();
    let mut history = filled(&path);
    let again = at(1, vec![cycles("embassy", "switch", 101)]);
    let Added::Same(entry) = history.add(&again).expect("room") else { panic!("it is there") };
    assert_eq!(entry.id, 2);
    // Another time of the same commit is the same entry; without a commit the time decides.
    let later = crate::common::at(9, Vec::new()).time;
    let mut moved = cyclescope_history::Addition { time: later, ..again.clone() };
    assert!(matches!(history.add(&moved).expect("room"), Added::Same(entry) if entry.id == 2));
    moved.commit.clear();
    assert!(matches!(history.add(&moved).expect("room"), Added::New(..)));
    assert!(matches!(history.add(&moved).expect("room"), Added::Same(..)));
    moved.time = again.time;
    assert!(matches!(history.add(&moved).expect("room"), Added::New(..)));
    // Of another branch, or with other records, it is another.
    for other in [
        cyclescope_history::Addition { branch: "next".to_owned(), ..again.clone() },
        cyclescope_history::Addition { records: vec![cycles("embassy", "switch", 102)], ..again },
    ] {
        assert!(matches!(history.add(&other).expect("room"), Added::New(..)));
    }
}

#[test]
fn what_is_removed_takes_only_its_own_records_along() {
    let (_folder, path) = place();
    let mut history = History::write(&path).expect("a new file");
    let shared = cycles("embassy", "flash", 5);
    history.add(&at(1, vec![shared.clone(), cycles("embassy", "switch", 1)])).expect("room");
    history.add(&at(2, vec![shared.clone()])).expect("room");
    assert!(history.remove(1).expect("room"));
    assert!(!history.remove(1).expect("room"), "it is gone");
    assert_eq!(history.records(2).expect("it can be read"), [shared]);
    assert_eq!(history.metrics(None).expect("it can be read").len(), 1);
    let Added::New(entry, _) = history.add(&at(3, Vec::new())).expect("room") else { panic!("it is new") };
    assert_eq!(entry.id, 3, "numbers are not given again");
}

#[test]
fn a_file_of_a_later_version_is_refused_and_untouched() {
    let (folder, path) = place();
    drop(filled(&path));
    let database = Connection::open(&path).expect("it is there");
    database.pragma_update(None, "user_version", SCHEMA + 1).expect("room");
    drop(database);
    let before = fs::read(&path).expect("it is there");
    for opened in [History::read(&path), History::write(&path)] {
        let error = opened.expect_err("it is of a later version");
        assert!(matches!(error, HistoryError::Later { found } if found == SCHEMA + 1), "{error}");
        assert!(error.to_string().contains("use a newer one"), "{error}");
    }
    assert_eq!(fs::read(&path).expect("it is there"), before);
    assert_eq!(fs::read_dir(folder.path()).expect("ours").count(), 1, "nothing is left beside it");
}

#[test]
fn other_files_are_refused_and_untouched() {
    let (folder, path) = place();
    let foreign = folder.path().join("other.sqlite");
    let database = Connection::open(&foreign).expect("there is room");
    database.execute_batch("CREATE TABLE entry (id)").expect("room");
    drop(database);
    let foreign = fs::read(&foreign).expect("it is there");
    for bytes in [&b"{\"schema\":1}"[..], &[0; 4096], &foreign, b"SQLite format 3\0"] {
        fs::write(&path, bytes).expect("ours");
        for opened in [History::read(&path), History::write(&path)] {
            assert!(matches!(opened, Err(HistoryError::Foreign)), "{opened:?}");
        }
        assert_eq!(fs::read(&path).expect("it is there"), bytes);
    }
    let missing = History::read(&folder.path().join("none"));
    assert!(matches!(missing, Err(HistoryError::Open(ref error)) if error.kind() == std::io::ErrorKind::NotFound));
}

#[test]
fn a_damaged_file_is_an_error_wherever_it_is_damaged() {
    let (_folder, path) = place();
    let mut history = History::write(&path).expect("a new file");
    for number in 0..30 {
        let records = (0..20).map(|value| cycles("embassy", &format!("m{value}"), u64::from(number * value))).collect();
        history.add(&at(number, records)).expect("room");
    }
    drop(history);
    let whole = fs::read(&path).expect("it is there");
    let mut refused = 0;
    for place in (0..whole.len()).step_by(whole.len() / 150) {
        let mut damaged = whole.clone();
        damaged[place..(place + 40).min(whole.len())].fill(0xA5);
        fs::write(&path, &damaged).expect("ours");
        // Text that became other text is no damage that a file of rows can know of; nothing may panic.
        let Ok(history) = History::read(&path) else {
            refused += 1;
            continue;
        };
        let entries = history.entries(None).unwrap_or_default();
        let read = entries.iter().try_for_each(|entry| history.records(entry.id).map(drop));
        let metrics = history.metrics(None).unwrap_or_default();
        let follow = |name| history.series(name, &entries, cyclescope_records::Statistic::Mean).map(drop);
        let followed = metrics.iter().try_for_each(follow);
        for error in [read.err(), followed.err()].into_iter().flatten() {
            // Pages that are damaged have been found when it was opened.
            assert!(!error.to_string().contains("malformed"), "{place}: {error}");
        }
    }
    assert!(refused > 20, "{refused}");
    fs::write(&path, &whole[..whole.len() / 2]).expect("ours");
    assert!(History::write(&path).is_err(), "half a file takes no entries");
}

#[test]
fn rows_and_tables_that_nobody_here_writes_are_errors() {
    for change in [
        "UPDATE entry SET time = 9223372036854775807",
        "UPDATE entry SET branch = x'FF00', commit_id = 7",
        "UPDATE record SET json = '[[[[[['",
        "DROP TABLE entry_record",
        "ALTER TABLE entry RENAME COLUMN time TO moment",
        // A view in a table's place, which would run what a stranger wrote.
        "ALTER TABLE entry RENAME TO was; CREATE VIEW entry AS SELECT * FROM was",
    ] {
        let (_folder, path) = place();
        drop(filled(&path));
        Connection::open(&path).expect("it is there").execute_batch(change).expect(change);
        let history = History::read(&path).expect("its pages are sound");
        let read = history.entries(None).and_then(|all| all.iter().try_for_each(|e| history.records(e.id).map(drop)));
        assert!(matches!(read, Err(HistoryError::Damaged(_))), "{change}: {read:?}");
    }
}

#[test]
fn a_trigger_in_the_file_does_not_run() {
    let (_folder, path) = place();
    drop(filled(&path));
    let trigger = "CREATE TRIGGER t AFTER INSERT ON entry BEGIN DELETE FROM entry; END";
    Connection::open(&path).expect("it is there").execute_batch(trigger).expect("room");
    let mut history = History::write(&path).expect("its pages are sound");
    history.add(&at(9, Vec::new())).expect("room");
    assert_eq!(history.entries(None).expect("it can be read").len(), 4);
}

#[test]
fn a_read_only_file_is_read_and_not_written() {
    let (_folder, path) = place();
    drop(filled(&path));
    let mut permissions = fs::metadata(&path).expect("it is there").permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&path, permissions).expect("ours");
    assert!(matches!(History::write(&path), Err(HistoryError::ReadOnly)));
    let history = History::read(&path).expect("it can be read");
    assert_eq!(history.entries(None).expect("it can be read").len(), 3);
}

#[test]
fn a_series_names_its_changes() {
    let (_folder, path) = place();
    let history = filled(&path);
    let entries = history.entries(Some("main")).expect("it can be read");
    let names = history.metrics(Some("main")).expect("it can be read");
    let series = history.series(&names[0], &entries, cyclescope_records::Statistic::Mean).expect("it can be read");
    assert!(series.len() == 1 && series[0].exact && series[0].points.len() == 3);
    assert_eq!(series[0].changes.iter().map(|change| change.at).collect::<Vec<_>>(), [1, 2]);
    assert!(series[0].changes.iter().all(|change| change.method == Method::Exact));
}
