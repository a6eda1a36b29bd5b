//! Runs the program and checks its output.

use std::process::Command;

#[test]
fn both_builds_are_measured() {
    let output = Command::new(env!("CARGO_BIN_EXE_cyclescope-example-compare-builds")).output().expect("it runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let table = String::from_utf8(output.stdout).expect("text");
    assert_eq!(table.lines().count(), 4, "{table}");
    for row in table.lines().skip(1) {
        let numbers: Vec<u64> = row.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        assert!(matches!(numbers[..], [small, fast] if small > 0 && fast > 0), "{row}");
    }
}
