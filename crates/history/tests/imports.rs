//! Results of Criterion and hyperfine, as these tools write them.

use std::fs;
use std::path::Path;

use cyclescope_history::{CRITERION, HYPERFINE, ImportError, import};
use cyclescope_records::stats::Number;
use cyclescope_records::{Record, RecordFile, Source, Unit};

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().expect("a folder")).expect("ours");
    fs::write(path, text).expect("ours");
}

/// A benchmark as Criterion leaves it below `folder`.
fn criterion(folder: &Path, benchmark: &str, sample: &str) {
    let estimate = |value: f64| {
        format!(
            r#"{{"confidence_interval":{{"confidence_level":0.95,"lower_bound":{},"upper_bound":{}}},"point_estimate":{value},"standard_error":0.1}}"#,
            value - 1.0,
            value + 1.0
        )
    };
    let parts = ["mean", "median", "median_abs_dev", "slope", "std_dev"];
    let parts: Vec<String> = parts.iter().map(|name| format!(r#""{name}":{}"#, estimate(12.0))).collect();
    write(&folder.join("new/benchmark.json"), benchmark);
    write(&folder.join("new/estimates.json"), &format!("{{{}}}", parts.join(",")));
    write(&folder.join("new/sample.json"), sample);
}

const BENCHMARK: &str = r#"{"group_id":"sort","function_id":"quick","value_str":"1000","throughput":{"Elements":1000},
    "full_id":"sort/quick/1000","directory_name":"sort/quick/1000","title":"sort/quick/1000"}"#;
const SAMPLE: &str = r#"{"sampling_mode":"Linear","iters":[1.0,2.0,4.0],"times":[10.0,24.0,56.0]}"#;

#[test]
fn a_folder_of_criterion_s_is_a_record_a_benchmark() {
    let folder = tempfile::tempdir().expect("there is room");
    let all = folder.path().join("criterion");
    criterion(&all.join("sort/quick/1000"), BENCHMARK, SAMPLE);
    let alone = r#"{"group_id":"alone","function_id":null,"value_str":null,"throughput":null,"full_id":"alone"}"#;
    criterion(&all.join("alone"), alone, SAMPLE);
    write(&all.join("sort/quick/1000/base/benchmark.json"), BENCHMARK);
    write(&all.join("report/index.html"), "");
    let imported = import(&all).expect("it is as Criterion leaves it");
    assert_eq!(imported.tool, CRITERION);
    let [first, second] = imported.records.as_slice() else { panic!("two benchmarks: {:?}", imported.records) };
    assert_eq!((first.contender.as_str(), second.contender.as_str()), ("alone", "sort"));
    let Record { experiment, mode, metric, unit, n, mean, stddev, min, max, source, .. } = second;
    assert_eq!((experiment.as_str(), mode.as_str(), metric.as_str()), (CRITERION, "quick", "time"));
    assert_eq!((*unit, *n, *source), (Unit::Nanoseconds, 3, Source::Host));
    let real = Number::Real;
    assert_eq!((*mean, *stddev, *min, *max), (real(12.0), real(2.0), real(10.0), real(14.0)));
    assert_eq!(second.params["value"].to_string(), "1000");
    assert_eq!(second.settings["throughput.elements"].to_string(), "1000");
    for (name, value) in [("slope", 12.0), ("slope.low", 11.0), ("mean.high", 13.0), ("mean.confidence", 0.95)] {
        assert_eq!(second.settings[name], cyclescope_records::Scalar::Number(real(value)), "{name}");
    }
    // A benchmark's own folder will do, and records outlive a file.
    assert_eq!(import(&all.join("sort")).expect("one of them").records.len(), 1);
    let json = RecordFile::new("t", imported.records.clone()).to_json().expect("finite figures");
    assert_eq!(RecordFile::from_json(&json).expect("a file").records, imported.records);
}

#[test]
fn figures_of_criterion_that_mean_nothing_are_errors() {
    for (benchmark, sample, says) in [
        (BENCHMARK, r#"{"iters":[1.0],"times":[1.0,2.0]}"#, "different lengths"),
        (BENCHMARK, r#"{"iters":[0.0],"times":[1.0]}"#, "sample 0 is not a finite number"),
        (BENCHMARK, r#"{"iters":[1.0],"times":[-1.0]}"#, "negative"),
        (BENCHMARK, r#"{"iters":[],"times":[]}"#, "no samples"),
        (BENCHMARK, r#"{"iters":[1e400],"times":[1.0]}"#, "out of range"),
        (BENCHMARK, "{", "sample.json: this is no result of criterion"),
        (r#"{"group_id":7}"#, SAMPLE, "benchmark.json: this is no result of criterion"),
        (&format!("{{\"group_id\":\"x\",\"throughput\":{}", "[".repeat(100_000)), SAMPLE, "recursion limit"),
    ] {
        let folder = tempfile::tempdir().expect("there is room");
        criterion(folder.path(), benchmark, sample);
        let error = import(folder.path()).expect_err(says);
        assert!(error.to_string().contains(says), "{error}");
    }
    let folder = tempfile::tempdir().expect("there is room");
    assert!(matches!(import(folder.path()), Err(ImportError::NoResults(_))));
    assert!(import(&folder.path().join("none")).expect_err("no file").is_unreadable());
}

const HYPERFINE_JSON: &str = r#"{"results":[{"command":"sleep 0.1","mean":0.102,"stddev":0.001,"median":0.102,"user":0.0005,
    "system":0.0015,"min":0.101,"max":0.103,"times":[0.101,0.102,0.103],"memory_usage_byte":[100,300,200],
    "exit_codes":[0,0,1],"parameters":{"delay":"0.1"}}]}"#;

#[test]
fn a_file_of_hyperfine_s_is_records_a_command() {
    let folder = tempfile::tempdir().expect("there is room");
    let path = folder.path().join("bench.json");
    write(&path, HYPERFINE_JSON);
    let imported = import(&path).expect("it is as hyperfine writes it");
    assert_eq!(imported.tool, HYPERFINE);
    let told: Vec<_> = imported.records.iter().map(|record| (record.metric.as_str(), record.unit, record.n)).collect();
    let ns = Unit::Nanoseconds;
    assert_eq!(
        told,
        [("elapsed", ns, 3), ("time.user", ns, 1), ("time.system", ns, 1), ("memory.peak", Unit::Bytes, 3)]
    );
    let elapsed = &imported.records[0];
    assert!((elapsed.mean.as_f64() - 102e6).abs() < 1.0 && (elapsed.stddev.as_f64() - 1e6).abs() < 1.0, "{elapsed:?}");
    assert_eq!((elapsed.contender.as_str(), elapsed.experiment.as_str()), ("sleep 0.1", HYPERFINE));
    assert_eq!(elapsed.settings["failed"].to_string(), "1");
    assert_eq!(elapsed.params["delay"].to_string(), "0.1");
    assert_eq!(imported.records[3].mean, Number::Integer(200));
    // Without the single runs there is one figure.
    write(&path, &HYPERFINE_JSON.replace(r#""times":[0.101,0.102,0.103],"#, ""));
    let bare = &import(&path).expect("it will do").records[0];
    assert_eq!((bare.n, bare.mean, bare.max), (1, Number::Real(0.102 * 1e9), Number::Real(0.103 * 1e9)));
}

#[test]
fn figures_of_hyperfine_that_mean_nothing_are_errors() {
    let folder = tempfile::tempdir().expect("there is room");
    let path = folder.path().join("bench.json");
    for (from, to, says) in [
        ("0.103]", "-0.103]", "a time is out of range of `sleep 0.1`"),
        ("0.103]", "1e308]", "a time is out of range"),
        ("0.103]", "1e400]", "out of range"),
        ("\"user\":0.0005", "\"user\":-1", "a time is out of range"),
        ("\"sleep 0.1\"", "7", "this is no result of hyperfine"),
        ("[100,", "[-1,", "this is no result of hyperfine"),
    ] {
        write(&path, &HYPERFINE_JSON.replace(from, to));
        let error = import(&path).expect_err(says);
        assert!(error.to_string().contains(says), "{error}");
    }
    write(&path, "{\"x\":1}");
    assert!(matches!(import(&path), Err(ImportError::Records { .. })));
}
