//! A sample of damaged inputs to every reader of what strangers hand in, in 512 MB each; the same inputs every time.

use std::process::Command;

#[test]
fn no_input_of_the_sample_makes_a_reader_fail() {
    let output = Command::new(env!("CARGO_BIN_EXE_cyclescope-fuzz")).arg("run").output().expect("it runs");
    let said = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    assert!(output.status.success(), "{}", said.concat());
    let targets = said.iter().flat_map(|text| text.lines()).filter(|line| line.ends_with(" inputs")).count();
    assert_eq!(targets, 21, "{}", said.concat());
}
