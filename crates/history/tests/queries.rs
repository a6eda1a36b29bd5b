//! References to entries, and series over them.

use cyclescope_history::{Addition, Entry, History, HistoryError, Reference, ReferenceError};
use cyclescope_records::Statistic;
use cyclescope_records::stats::Number;

use crate::common::{at, cycles, on, times};

fn memory(additions: impl IntoIterator<Item = Addition>) -> (tempfile::TempDir, History) {
    let folder = tempfile::tempdir().expect("there is room");
    let mut history = History::write(&folder.path().join("h.sqlite")).expect("a new file");
    additions.into_iter().for_each(|addition| drop(history.add(&addition).expect("room")));
    (folder, history)
}

#[test]
fn references_are_branches_commits_days_and_steps_back() {
    // Added in another order than that of their times.
    let main = [3, 1, 2, 0, 4].map(|number| at(number, Vec::new()));
    let (_folder, history) = memory(main.into_iter().chain([on("next", 10, Vec::new()), on("next", 11, Vec::new())]));
    let find = |text: &str, branch: &str| -> Result<Entry, ReferenceError> {
        text.parse::<Reference>().expect("a reference").find(&history, branch)
    };
    let commit = |number: u32| on("main", number, Vec::new()).commit;
    for (text, number) in [
        ("main", 4),
        ("main~0", 4),
        ("main~", 3),
        ("main~4", 0),
        ("", 4),
        ("~2", 2),
        ("00000002", 2),
        (&commit(1), 1),
        ("00000003~2", 1),
        ("#1", 3),
        ("#1~1", 2),
        ("2023-11-14", 4),
        ("2023-11-14T22:15:25Z", 2),
        ("2023-11-14T22:15:25Z~1", 1),
    ] {
        let found = find(text, "main").unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(found.commit, commit(number), "{text}");
    }
    assert!(find("next", "main").is_ok_and(|entry| entry.branch == "next"));
    assert!(matches!(find("main~5", "main"), Err(ReferenceError::TooFar { back: 5, before: 4, .. })));
    assert!(matches!(find("2020-01-01", "main"), Err(ReferenceError::Before { .. })));
    assert!(matches!(find("0000", "main"), Err(ReferenceError::Ambiguous { count: 7, .. })));
    for unknown in ["mian", "000", "#99", "#x", "99999999", "é000"] {
        let error = find(unknown, "main").expect_err(unknown);
        assert!(matches!(&error, ReferenceError::Unknown { branches, .. } if branches == &["main", "next"]), "{error}");
    }
    assert!("main~x".parse::<Reference>().is_err() && "main~-1".parse::<Reference>().is_err());
    assert!("main~99999999999999999999".parse::<Reference>().is_err());
}

#[test]
fn configurations_are_followed_as_comparisons_pair_them() {
    let entry = |number: u32| {
        let mut worst = cycles("embassy", "latency", u64::from(100 + number));
        // Found by the run, not set: it makes no other series.
        worst.params.insert("worst_arrival".to_owned(), u64::from(number * 7).into());
        let row = |name: &str, value: u32| {
            let mut record = cycles("embassy", "switch", value.into());
            record.params.insert("row".to_owned(), name.into());
            record
        };
        let mut records = vec![worst, row("a", 1), row("b", number)];
        // One that is not always there.
        if number != 2 {
            records.push(cycles("rtic", "latency", 9));
        }
        at(number, records)
    };
    let (_folder, history) = memory((0..5).map(entry));
    let entries = history.entries(Some("main")).expect("it can be read");
    let names = history.metrics(Some("main")).expect("it can be read");
    assert_eq!(names.iter().map(|name| name.metric.as_str()).collect::<Vec<_>>(), ["latency", "switch"]);
    let of = |place: usize| history.series(&names[place], &entries, Statistic::Mean).expect("it can be read");
    let told = |place: usize| -> Vec<(String, usize, usize)> {
        of(place).iter().map(|s| (s.record.contender.clone(), s.points.len(), s.changes.len())).collect()
    };
    assert_eq!(told(0), [("embassy".to_owned(), 5, 4), ("rtic".to_owned(), 4, 0)]);
    assert_eq!(told(1), [("embassy".to_owned(), 5, 0), ("embassy".to_owned(), 5, 4)]);
    let rtic = &of(0)[1];
    assert_eq!(rtic.points.iter().map(|point| point.entry).collect::<Vec<_>>(), [0, 1, 3, 4]);
    assert!(history.record(rtic.points[0].record).expect("it can be read").model.is_some());
    assert!(matches!(history.record(999), Err(HistoryError::Damaged(_))));
    // Of the last three entries.
    let last = history.series(&names[0], &entries[2..], Statistic::Mean).expect("it can be read");
    assert_eq!(last[1].points.iter().map(|point| point.entry).collect::<Vec<_>>(), [1, 2]);
}

#[test]
fn noisy_series_follow_the_statistic() {
    let entry = |number: u32| {
        let base = if number < 8 { 100.0 } else { 130.0 };
        at(number, vec![times("elapsed", &[base, base + 4.0, base + f64::from(number % 3)])])
    };
    let (_folder, history) = memory((0..16).map(entry));
    let entries = history.entries(None).expect("it can be read");
    let names = history.metrics(None).expect("it can be read");
    for (statistic, first) in [(Statistic::Min, 100.0), (Statistic::Max, 104.0)] {
        let series = history.series(&names[0], &entries, statistic).expect("it can be read");
        assert!(!series[0].exact);
        assert_eq!(series[0].points[0].value, Number::Real(first));
        assert_eq!(series[0].changes.iter().map(|change| change.at).collect::<Vec<_>>(), [8], "{statistic:?}");
    }
}
