//! Compiled code gives what the interpreter gives, to the byte of the records.

use crate::common::{cyclescope, folder};

/// Runs `arguments` in both tiers, everything compiled that has run once, and compares what they print.
fn is_the_same(arguments: &[&str]) {
    let folder = folder();
    let [interpreted, compiled] = ["interpreter", "compiled-at-once"].map(|tier| {
        let output = cyclescope(folder.path(), &[arguments, &["--format", "json", "--tier", tier]].concat());
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("text")
    });
    let difference = interpreted.lines().zip(compiled.lines()).find(|(one, other)| one != other);
    assert_eq!(difference, None, "{arguments:?}");
    assert_eq!(interpreted.len(), compiled.len(), "{arguments:?}");
}

#[test]
fn tasks_in_slices_on_two_cores_with_all_flash_settings() {
    is_the_same(&[
        "run",
        "primes",
        "--chip",
        "stm32c031c6,stm32f446ze",
        "--contender",
        "freertos",
        "--mode",
        "two-sliced",
        "--opt",
        "3",
        "--memory",
        "all",
    ]);
}

#[test]
fn switches_with_interrupts_and_floating_point_contexts() {
    is_the_same(&["run", "switch", "--chip", "stm32f446ze,stm32g431kb,esp8266,esp32", "--opt", "s"]);
}

#[test]
fn a_button_at_every_cycle() {
    is_the_same(&[
        "run",
        "button",
        "--chip",
        "stm32f446ze",
        "--contender",
        "rtic",
        "--mode",
        "interrupt",
        "--opt",
        "3",
    ]);
}

#[test]
fn a_kernel_with_a_memory_protection_unit() {
    is_the_same(&["run", "syscall", "--chip", "ibex", "--opt", "3"]);
}

#[test]
fn an_unknown_tier_is_refused_with_the_known_ones() {
    let output = cyclescope(folder().path(), &["run", "primes", "--tier", "compild"]);
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(message.contains("compiled"), "{message}");
}
