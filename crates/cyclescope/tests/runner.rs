//! `exec` as Cargo's runner, over firmware that was built as projects build theirs (firmware/suites): panics under their usual
//! handlers, a fault, an exit, and the suites of defmt-test and embedded-test.

use crate::common;

use std::process::Command;

use common::{PROGRAM, suite, text};

/// Exit code, standard output, standard error.
fn exec(name: &str, more: &[&str]) -> (i32, String, String) {
    let output = Command::new(PROGRAM)
        .args(["exec", "--chip", "stm32f446re"])
        .arg(suite(name))
        .args(more)
        .output()
        .expect("the program runs");
    (output.status.code().expect("a code"), text(&output.stdout), text(&output.stderr))
}

#[track_caller]
fn contains(said: &str, parts: &[&str]) {
    for part in parts {
        assert!(said.contains(part), "`{part}` is missing in:\n{said}");
    }
}

#[test]
fn panics_arrive_with_their_message_and_a_code() {
    let message = ["panicked at src/panics.rs:", "left: 41", "right: 42"];
    let (code, out, error) = exec("panic-probe", &[]);
    assert_eq!(code, 80, "{error}");
    contains(&out, &message);
    contains(&out, &["INFO  begins", "ERROR panicked at"]);
    contains(&error, &["the guest faulted: undefined instruction, pc 0x0800", " in "]);
    let (code, out, error) = exec("panic-semihosting", &[]);
    assert_eq!((code, error.as_str()), (1, ""));
    contains(&out, &message);
    // Its handler loops, and masks interrupts: nothing can end that.
    let (code, out, error) = exec("panic-rtt", &[]);
    assert_eq!(code, 81, "{error}");
    contains(&out, &message);
    contains(&error, &["the guest spins at pc 0x0800", " in panic_rtt_target::panic", "panics::"]);
}

#[test]
fn a_fault_says_where_it_was_and_an_exit_is_one() {
    let (code, out, error) = exec("panic-fault", &[]);
    assert_eq!((code, out.as_str()), (80, "INFO  begins\n"), "{error}");
    contains(
        &error,
        &["the guest faulted: access to an address where nothing answers at 0x70000000, pc 0x0800", "panics::end"],
    );
    let (code, out, error) = exec("panic-exit", &[]);
    assert_eq!((code, out.as_str(), error.as_str()), (0, "INFO  begins\n", ""));
}

#[test]
fn a_suite_of_defmt_test_passes_or_fails() {
    let (code, out, error) = exec("defmt-passing", &[]);
    assert_eq!(code, 0, "{error}");
    contains(
        &out,
        &["(1/2) running `state_is_handed_on`...", "(2/2) running `a_sum_is_right`...", "all tests passed!"],
    );
    let (code, out, error) = exec("defmt-failing", &[]);
    assert_eq!(code, 80, "{error}");
    contains(&out, &["(3/3) running `a_wrong_one`...", "ERROR panicked at"]);
    assert!(!out.contains("all tests passed"), "{out}");
}

#[test]
fn a_suite_of_embedded_test_runs_each_test_from_its_own_reset() {
    let (code, out, error) = exec("embedded-passing", &[]);
    assert_eq!(code, 0, "{out}\n{error}");
    contains(
        &out,
        &["running 5 tests", "test tests::ram_is_fresh ... ok (", "test tests::ram_is_fresh_again ... ok ("],
    );
    contains(
        &out,
        &["INFO  said by a test", "test tests::what_should_panic_does ... ok (", "test tests::not_today ... ignored"],
    );
    contains(&out, &["test result: ok. 4 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out"]);
    let again = exec("embedded-passing", &[]);
    assert_eq!((code, out), (again.0, again.1), "the same cycles each time");
}

#[test]
fn a_failing_suite_of_embedded_test_says_which_tests_and_why() {
    let (code, out, _) = exec("embedded-failing", &[]);
    assert_eq!(code, 1, "{out}");
    contains(&out, &["test tests::a_result_is_an_outcome ... FAILED", "test tests::for_ever ... FAILED"]);
    contains(&out, &["failures:", "tests::a_result_is_an_outcome: the guest exited with code 134"]);
    contains(&out, &["      ?  1: 0x", " embedded::tests::__a_result_is_an_outcome_entrypoint\n"]);
    contains(&out, &["tests::for_ever: it did not end within 1 s, pc 0x", "in embedded::tests::"]);
    contains(&out, &["test result: FAILED. 3 passed; 2 failed; 1 ignored"]);
}

#[test]
fn tests_are_chosen_as_cargo_hands_them_on() {
    let list = exec("embedded-passing", &["--list"]).1;
    assert_eq!(list.lines().count(), 5, "{list}");
    contains(&list, &["tests::not_today: test\n"]);
    let ran = |more: &[&str]| {
        let (code, out, error) = exec("embedded-passing", more);
        let named = out.lines().filter(|line| line.starts_with("test tests::"));
        let named: Vec<String> = named.map(|line| line.split(' ').nth(1).unwrap().to_owned()).collect();
        (code, named.join(" "), out + &error)
    };
    assert_eq!(ran(&["fresh", "--skip", "again", "--nocapture", "--test-threads", "1"]).1, "tests::ram_is_fresh");
    assert_eq!(ran(&["--exact", "tests::ram_is_fresh"]).1, "tests::ram_is_fresh");
    assert_eq!(ran(&["--exact", "ram_is_fresh"]).1, "");
    let (code, _, said) = ran(&["not_today", "--include-ignored"]);
    assert_eq!(code, 1, "{said}");
    contains(&said, &["test tests::not_today ... FAILED", "ERROR panicked at"]);
}

#[test]
fn a_damaged_suite_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let good = std::fs::read(suite("embedded-passing")).unwrap();
    // The version, where nothing else is 1 behind the section's beginning, cannot be found by its value: so each word of
    // the file's end part is bent in turn, and none may do more than give an error.
    let path = folder.path().join("bent.elf");
    for at in (0..good.len()).step_by(good.len() / 40) {
        let mut bent = good.clone();
        bent[at] ^= 0x7F;
        std::fs::write(&path, &bent).unwrap();
        let output = Command::new(PROGRAM)
            .args(["exec", "--chip", "stm32f446re", "--max-cycles", "1000000"])
            .arg(&path)
            .output()
            .unwrap();
        assert!(output.status.code().is_some_and(|code| code != 101), "byte {at}: {output:?}");
    }
}
