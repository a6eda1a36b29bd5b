//! Each renderer's bytes.

use cyclescope_records::stats::{Number, Summary};
use cyclescope_records::{Model, Record, RecordFile, Rows, Source, Unit};
use cyclescope_report::{Cell, Column, Surface, Table, Tone, csv, markdown, terminal};

fn table() -> Table {
    let columns = [Column::text("framework"), Column::quantity("plain", "ms"), Column::number("one / plain")];
    let mut table = Table::new("What does it cost to yield?", columns);
    table.row(["embassy", "2,101.50", "1.81"]);
    table.row([Cell::from("c|loop"), Cell::toned("1,999.00", Tone::Good)]);
    table.note("memory: equal; the firmware had written latency 1, prefetch off");
    table
}

#[track_caller]
fn check(table: &Table, surface: Surface, expect: &str) {
    let rendered = terminal(table, surface);
    assert_eq!(rendered, expect, "\n{rendered}");
}

#[test]
fn terminals_get_aligned_columns() {
    let expect = "\
What does it cost to yield?
 framework     plain  one / plain
                  ms
──────────────────────────────────
 embassy    2,101.50         1.81
 c|loop     1,999.00
memory: equal; the firmware had written latency 1, prefetch off
";
    check(&table(), Surface::default(), expect);
}

#[test]
fn narrow_terminals_wrap_words_and_keep_numbers_whole() {
    let mut table = table();
    table.row(["a framework with a very long name indeed", "12,345.00", "1.00"]);
    table.row(["another framework with a name", "123,456,789,012.00", "1,234,567.00"]);
    let crowded = terminal(&table, Surface { width: Some(40), colour: false });
    assert!(crowded.contains("123,456,789,012.00") && crowded.contains("1,234,567.00"), "{crowded}");
    let rendered = terminal(&table, Surface { width: Some(56), colour: false });
    assert!(rendered.lines().all(|line| line.chars().count() <= 56), "{rendered}");
    assert!(rendered.contains(" 2,101.50 "), "{rendered}");
    assert!(rendered.contains("latency 1,\n  prefetch"), "{rendered}");
}

#[test]
fn colours_come_only_when_asked_for() {
    assert!(!terminal(&table(), Surface::default()).contains('\x1b'));
    let coloured = terminal(&table(), Surface { width: None, colour: true });
    assert!(coloured.contains("\x1b[1m") && coloured.contains("1,999.00"), "{coloured:?}");
    let mut hostile = table();
    hostile.row(["\x1b]0;title\x07"]);
    assert!(!terminal(&hostile, Surface::default()).contains('\x1b'), "names cannot bring their own");
}

#[test]
fn markdown_escapes_what_it_would_take_for_markup() {
    let mut table = table();
    table.row(["__aeabi_uldivmod", "0", "a*b"]);
    let expect = "\
### What does it cost to yield?

| framework | plain (ms) | one / plain |
| --- | ---: | ---: |
| embassy | 2,101.50 | 1.81 |
| c\\|loop | 1,999.00 |  |
| \\_\\_aeabi_uldivmod | 0 | a\\*b |

memory: equal; the firmware had written latency 1, prefetch off
";
    assert_eq!(markdown(&table), expect);
}

fn record() -> Record {
    let mut rows = Rows::default();
    rows.assumed.extend(["b".to_owned(), "a".to_owned()]);
    let mut record = Record {
        experiment: "primes".into(),
        mode: "one".into(),
        params: [("x".to_owned(), 1u64.into()), ("a".to_owned(), "b,\"c\"".into())].into(),
        contender: "c-loop".into(),
        contender_version: "0.1.0".into(),
        compiler: "gcc 12.2".into(),
        chip: None,
        clock_hz: None,
        settings: [("prefetch".to_owned(), true.into())].into(),
        opt: "3".into(),
        metric: "elapsed".into(),
        unit: Unit::Cycles,
        n: 0,
        mean: Number::ZERO,
        stddev: Number::ZERO,
        min: Number::ZERO,
        median: Number::ZERO,
        p99: Number::ZERO,
        max: Number::ZERO,
        histogram: None,
        layouts: None,
        source: Source::Simulated,
        image_sha256: None,
        model: Some(Model { name: "m".into(), version: "1".into(), timing_rows: rows, gaps: vec![] }),
    };
    record.set_summary(Summary::of_integers(&[3, 4]).expect("two samples"));
    record
}

#[test]
fn csv_has_a_line_a_record_and_quotes_what_it_must() {
    let text = csv(&RecordFile::new("t", vec![record()])).unwrap();
    let mut lines = text.lines();
    assert!(lines.next().unwrap().starts_with("experiment,mode,params,"));
    let expect = concat!(
        r#"primes,one,"a=b,""c"";x=1",c-loop,0.1.0,gcc 12.2,,,prefetch=on,3,elapsed,cycles,"#,
        "2,3.5,0.7071067811865476,3,3.5,4,4,,simulated,,m 1,,,a;b,"
    );
    assert_eq!(lines.next(), Some(expect));
    assert_eq!(lines.next(), None);
}

#[test]
fn json_is_the_file_of_records() {
    let file = RecordFile::new("t", vec![record()]);
    assert_eq!(RecordFile::from_json(&file.to_json().unwrap()).unwrap(), file);
}
