//! Several processes on one file, and one that is killed in the middle of its work.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use cyclescope_history::{Added, History};
use cyclescope_records::Record;

use crate::common::{cycles, on};

/// The variable that tells this program that it is a child, and with it the file.
const FILE: &str = "CYCLESCOPE_HISTORY_TEST_FILE";

/// The variable with a child's name, which is its branch too.
const NAME: &str = "CYCLESCOPE_HISTORY_TEST_NAME";

/// The number of a writer's entries.
const ENTRIES: u32 = 20;

/// More records than SQLite's cache holds, so that some of them are in the file before the transaction ends.
fn many() -> Vec<Record> {
    (0..6000).map(|value| cycles("embassy", &format!("m{value}"), value)).collect()
}

/// This program as another process, in [`child`].
fn start(path: &Path, name: &str) -> Child {
    let mut command = Command::new(std::env::current_exe().expect("this program has a path"));
    command.args(["--exact", "processes::child", "--nocapture"]).env(FILE, path).env(NAME, name);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts")
}

/// The work of a child; nothing where this is none.
#[test]
fn child() {
    let (Some(path), Ok(name)) = (std::env::var_os(FILE), std::env::var(NAME)) else { return };
    let wait = |word: &str| {
        println!("\n{word}");
        std::io::stdout().flush().expect("the parent listens");
        std::io::stdin().read_exact(&mut [0]).expect("the parent speaks");
    };
    if name == "slow" {
        let mut history = History::write(Path::new(&path)).expect("the file is sound");
        let mut stop = |stored: usize| {
            if stored == 5000 {
                wait("inside");
            }
        };
        history.add_watched(&on(&name, 1, many()), &mut stop).expect("room");
        return;
    }
    wait("ready");
    for number in 0..ENTRIES {
        let mut history = History::write(Path::new(&path)).expect("the file is sound");
        let added = history.add(&on(&name, number, vec![cycles(&name, "switch", number.into())])).expect("room");
        assert!(matches!(added, Added::New(..)));
    }
}

/// Waits for `child` to say `word`.
fn until(child: &mut Child, word: &str) {
    let out = child.stdout.as_mut().expect("a pipe");
    let found = BufReader::new(out).lines().map_while(Result::ok).any(|line| line == word);
    assert!(found, "it ended without `{word}`");
}

#[test]
fn writers_at_once_lose_nothing_not_even_in_a_new_file() {
    let folder = tempfile::tempdir().expect("there is room");
    let path = folder.path().join("h.sqlite");
    let names = ["a", "b", "c", "d"];
    let mut writers: Vec<Child> = names.iter().map(|name| start(&path, name)).collect();
    writers.iter_mut().for_each(|writer| until(writer, "ready"));
    for writer in &mut writers {
        writer.stdin.take().expect("a pipe").write_all(b"x").expect("it waits");
    }
    for mut writer in writers {
        assert!(writer.wait().expect("it ends").success());
    }
    let history = History::read(&path).expect("the file is sound");
    for name in names {
        let entries = history.entries(Some(name)).expect("it can be read");
        assert_eq!(entries.len(), ENTRIES as usize, "{name}");
        for (value, entry) in (0..).zip(entries) {
            assert_eq!(history.records(entry.id).expect("it can be read"), [cycles(name, "switch", value)]);
        }
    }
}

#[test]
fn a_writer_that_is_killed_inside_its_transaction_leaves_what_was_saved() {
    let folder = tempfile::tempdir().expect("there is room");
    let path = folder.path().join("h.sqlite");
    let saved = vec![cycles("embassy", "switch", 1)];
    History::write(&path).expect("a new file").add(&on("main", 1, saved.clone())).expect("room");
    let mut writer = start(&path, "slow");
    until(&mut writer, "inside");
    let log = std::fs::metadata(folder.path().join("h.sqlite-wal")).expect("it writes there").len();
    assert!(log > 1_000_000, "{log} bytes: nothing of the entry is in the file, so that this shows nothing");
    // Others read meanwhile.
    let entries = |history: &History| history.entries(None).expect("it can be read").len();
    assert_eq!(entries(&History::read(&path).expect("it can be read")), 1);
    writer.kill().expect("it waits");
    writer.wait().expect("it ends");
    for opened in [History::read(&path), History::write(&path)] {
        let history = opened.expect("the file is sound");
        assert_eq!(entries(&history), 1);
        assert_eq!(history.records(1).expect("it can be read"), saved);
        assert_eq!(history.metrics(None).expect("it can be read").len(), 1, "no record without an entry");
    }
    // The same comes in whole.
    let mut writer = start(&path, "slow");
    until(&mut writer, "inside");
    writer.stdin.take().expect("a pipe").write_all(b"x").expect("it waits");
    assert!(writer.wait().expect("it ends").success());
    let history = History::read(&path).expect("the file is sound");
    assert_eq!((entries(&history), history.records(2).expect("it can be read").len()), (2, 6000));
}
