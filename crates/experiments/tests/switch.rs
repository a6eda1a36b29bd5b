//! The rows over USB beside those over the UART, and what follows from the frames by hand.

use cyclescope_chips::MemorySetting;
use cyclescope_experiments::{Experiment, Selection, View, Watch, all};
use cyclescope_records::{Record, Scalar};

fn switch() -> Box<dyn Experiment> {
    all().into_iter().find(|experiment| experiment.name() == "switch").expect("there is one")
}

/// The records of a contender on the ATmega32U4, optimised 3.
fn records(contender: &str) -> Vec<Record> {
    let selection = Selection {
        chips: vec!["atmega32u4".into()],
        contenders: vec![contender.into()],
        opts: vec!["3".into()],
        memory: vec![MemorySetting::Equal],
        ..Selection::default()
    };
    let jobs = switch().jobs(&selection);
    assert!(!jobs.is_empty());
    jobs.iter().flat_map(|job| switch().run(job, Watch::NOBODY).expect("it runs")).collect()
}

/// The value of `metric` of a row.
fn of(records: &[Record], mode: &str, row: &str, metric: &str, exception: Option<&str>) -> Option<f64> {
    let text = |record: &Record, name: &str| record.params.get(name).map(Scalar::to_string);
    let found = records.iter().find(|record| {
        (record.mode.as_str(), record.metric.as_str()) == (mode, metric)
            && text(record, "row").as_deref() == Some(row)
            && text(record, "exception").as_deref() == exception
    });
    found.map(|record| record.mean.as_f64())
}

/// Cycles from one start of frame to the next.
const FRAME: f64 = 16_000.0;

#[test]
fn each_frame_interrupts_the_rows_over_usb_once_and_is_the_whole_difference() {
    for contender in ["c-loop", "freertos", "ply"] {
        let records = records(contender);
        let rows: Vec<&str> = match contender {
            "freertos" => vec!["EmptyLoop", "CoroutineScheduling"],
            _ => vec!["EmptyLoop", "DirectScheduling", "CoroutineScheduling"],
        };
        for row in rows {
            let value = |mode: &str, metric: &str, exception: Option<&str>| of(&records, mode, row, metric, exception);
            let [plain, usb] = ["plain", "usb"].map(|mode| value(mode, "elapsed", None).expect("the row ran"));
            let frames = value("usb", "interrupts", Some("USB_GEN")).expect("frames interrupt");
            assert!((frames - usb / FRAME).abs() <= 1.0, "{contender} {row}: {frames} frames in {usb} cycles");
            assert_eq!(value("plain", "interrupts", Some("USB_GEN")), None, "{contender} {row}");
            assert_eq!(value("usb", "interrupts", Some("USB_COM")), None, "{contender} {row}: the port is at rest");
            // Beside the handler, entry and return: a JMP at the vector among 5 + 3 cycles, RETI 4 or 5, and an interrupt more or
            // less of Timer 0, whose phase is another.
            let handlers = value("usb", "interrupts.handlers", Some("USB_GEN")).expect("they take time");
            let (low, high) = (handlers, handlers + 16.0 * frames);
            let timer = 2.0 * 80.0;
            let longer = usb - plain;
            assert!((low - timer..=high + timer).contains(&longer), "{contender} {row}: {longer} and {handlers}");
        }
    }
}

#[test]
fn both_boards_stand_in_one_table_and_the_digest_has_the_first() {
    let records = records("ply");
    let host = |record: &&Record| record.params.contains_key("attach.01");
    assert!(records.iter().filter(host).all(|record| record.mode.starts_with("usb")));
    assert!(records.iter().filter(|record| record.mode == "usb").all(|record| host(&record)));
    let switch = switch();
    let tables = switch.tables(&records, &View::default());
    let [result, sizes] = &tables[..] else { panic!("{} tables", tables.len()) };
    let column = |table: &cyclescope_report::Table, column: usize| -> Vec<String> {
        table.rows.iter().map(|row| row[column].text.clone()).collect()
    };
    assert_eq!(
        column(result, 2),
        [
            "EmptyLoop",
            "EmptyLoop (usb)",
            "DirectScheduling",
            "DirectScheduling (usb)",
            "DirectSchedulingWithProfiler",
            "DirectSchedulingWithProfiler (usb-profiled)",
            "CoroutineScheduling",
            "CoroutineScheduling (usb)",
            "CoroutineSchedulingWithProfiler",
            "CoroutineSchedulingWithProfiler (usb-profiled)",
        ]
    );
    assert_eq!(column(sizes, 1), ["3", "3 (usb)"]);
    // The order of the records decides nothing.
    let plain = switch.digest(&records).expect("a digest");
    let backwards: Vec<Record> = records.iter().rev().cloned().collect();
    assert_eq!(switch.digest(&backwards).expect("a digest").conclusion, plain.conclusion);
    let chips = vec!["atmega32u4".to_owned()];
    let digested = Selection { digest: true, chips, memory: vec![MemorySetting::Equal], ..Selection::default() };
    let modes: Vec<String> =
        switch.jobs(&digested).iter().map(|job| job.image().expect("on a chip").mode.clone()).collect();
    assert!(!modes.is_empty() && modes.iter().all(|mode| mode == "plain"), "{modes:?}");
}
