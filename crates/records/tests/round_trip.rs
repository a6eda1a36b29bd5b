//! Records read back as they were written, byte for byte the same each time.

use std::num::NonZeroU16;

use cyclescope_machine::{Evidence, Gap, GapKind, TimingRow};
use cyclescope_records::stats::{Histogram, Number, Summary};
use cyclescope_records::{GapNote, Model, Record, RecordFile, RecordsError, Rows, Scalar, Source, Unit};

fn row(name: &'static str, evidence: Evidence) -> TimingRow {
    TimingRow { name, what: "", cycles: 1, evidence, source: "" }
}

fn record() -> Record {
    let mut timing_rows = Rows::default();
    timing_rows.insert(&row("mul", Evidence::Documented));
    timing_rows.insert(&row("alu", Evidence::Documented));
    timing_rows.insert(&row("tail_chain", Evidence::Assumed));
    let gap = Gap {
        kind: GapKind::RegisterWrite,
        name: "RCC_CSR1".into(),
        count: 2,
        pc: Default::default(),
        driver: Default::default(),
        at: Default::default(),
        quiet: false,
        polled: None,
    };
    let mut record = Record {
        experiment: "primes".into(),
        mode: "one".into(),
        params: [("dispatches".to_owned(), 202_346u64.into())].into(),
        contender: "embassy".into(),
        contender_version: "0.10.0".into(),
        compiler: "rustc 1.96.0".into(),
        chip: Some("stm32c031c6".into()),
        clock_hz: Some(48_000_000),
        settings: [
            ("wait_states".to_owned(), 1u64.into()),
            ("memory".to_owned(), "equal".into()),
            ("prefetch".to_owned(), true.into()),
            ("derived".to_owned(), Scalar::Number(Number::Real(0.1))),
        ]
        .into(),
        opt: "s".into(),
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
        image_sha256: Some("00ff".into()),
        model: Some(Model {
            name: "stm32c031c6".into(),
            version: "0.1.0".into(),
            timing_rows,
            gaps: vec![GapNote::from(&gap)],
        }),
    };
    record.set_summary(Summary::exact(101_234_567u64));
    record
}

#[test]
fn fields_and_keys_keep_their_order() {
    let json = RecordFile::new("cyclescope 0.1.0", vec![record()]).to_json().unwrap();
    let expect = concat!(
        "{\n\"schema\": 1,\n\"tool\": \"cyclescope 0.1.0\",\n\"records\": [\n",
        r#"{"experiment":"primes","mode":"one","params":{"dispatches":202346},"contender":"embassy","#,
        r#""contender_version":"0.10.0","compiler":"rustc 1.96.0","chip":"stm32c031c6","clock_hz":48000000,"#,
        r#""settings":{"derived":0.1,"memory":"equal","prefetch":true,"wait_states":1},"opt":"s","#,
        r#""metric":"elapsed","unit":"cycles","n":1,"mean":101234567,"stddev":0,"min":101234567,"#,
        r#""median":101234567,"p99":101234567,"max":101234567,"source":"simulated","image_sha256":"00ff","#,
        r#""model":{"name":"stm32c031c6","version":"0.1.0","timing_rows":{"documented":["alu","mul"],"measured":[],"#,
        r#""assumed":["tail_chain"]},"gaps":[{"kind":"register_write","name":"RCC_CSR1","count":2,"pc":0,"at":0}]}}"#,
        "\n]\n}\n",
    );
    assert_eq!(json, expect);
}

#[test]
fn what_was_written_reads_back() {
    let samples = [3, 4, 4, 9];
    let mut spread = record().with_metric("switch", Unit::Cycles, Summary::of_integers(&samples).unwrap());
    spread.histogram = Some(Histogram::linear(&samples, NonZeroU16::MIN));
    let host = Record { chip: None, clock_hz: None, image_sha256: None, model: None, source: Source::Host, ..record() };
    let file = RecordFile::new("cyclescope 0.1.0", vec![record(), spread, host]);
    let json = file.to_json().unwrap();
    let read = RecordFile::from_json(&json).unwrap();
    assert_eq!(read, file);
    assert_eq!(read.to_json().unwrap(), json);
    assert!(json.contains(r#""chip":null,"clock_hz":null"#), "host rows say null");
    assert!(json.contains(r#""mean":5,"#) && json.contains(r#""median":4,"#), "even means stay exact");
}

#[test]
fn strangers_are_refused_with_a_reason() {
    let message = |json: &str| RecordFile::from_json(json).unwrap_err().to_string();
    assert!(message("hello").contains("not a file of cyclescope records"));
    assert!(message(r#"{"schema":1,"records":[]}"#).contains("tool"));
    let newer = RecordFile::from_json(r#"{"schema":2,"anything":1}"#).unwrap_err();
    assert!(matches!(newer, RecordsError::Schema { found: 2 }));
    assert_eq!(
        RecordFile::new("t", vec![]).to_json().unwrap(),
        "{\n\"schema\": 1,\n\"tool\": \"t\",\n\"records\": []\n}\n"
    );
}
