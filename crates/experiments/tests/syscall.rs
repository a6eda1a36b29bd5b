//! The syscall experiment over its bundled images, and over the same images with something wrong in them.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;

use cyclescope_chips::MemorySetting;
use cyclescope_experiments::{Experiment, ImageJob, Job, RunError, Selection, Syscall, Watch, run};
use cyclescope_records::Record;

fn jobs(contender: &str, mode: &str, opt: &str, chip: &str) -> Vec<Job> {
    let one = |name: &str| if name.is_empty() { Vec::new() } else { vec![name.to_owned()] };
    let selection = Selection {
        chips: one(chip),
        contenders: one(contender),
        modes: one(mode),
        opts: one(opt),
        memory: vec![MemorySetting::Equal],
        ..Selection::default()
    };
    Syscall::bundled().jobs(&selection)
}

fn job(contender: &str, mode: &str, opt: &str, chip: &str) -> ImageJob {
    let mut jobs = jobs(contender, mode, opt, chip);
    assert_eq!(jobs.len(), 1, "{contender} {mode} {opt} {chip}");
    jobs.remove(0).image().expect("it runs on a chip").clone()
}

fn run_one(job: &ImageJob) -> Result<Vec<Record>, RunError> {
    Syscall::bundled().run(&Job::Image(job.clone()), Watch::NOBODY)
}

/// `metric` of `call` where all of its samples are one number.
fn exact(records: &[Record], call: &str, metric: &str) -> u64 {
    let is = |record: &&Record| {
        record.metric == metric && record.params.get("call").is_some_and(|name| name.to_string() == call)
    };
    let record = records.iter().find(is).unwrap_or_else(|| panic!("no {metric} of {call}"));
    assert_eq!((record.n, record.min, record.max), (8, record.mean, record.mean), "{call} {metric}");
    record.mean.as_integer().and_then(|value| value.try_into().ok()).expect("a whole number")
}

/// `job` with each `old` in its ELF replaced by `new`.
fn changed(mut job: ImageJob, old: &[u8], new: &[u8]) -> ImageJob {
    let mut elf = job.image.elf().expect("it unpacks");
    let places: Vec<usize> =
        elf.windows(old.len()).enumerate().filter(|(_, at)| at == &old).map(|(at, _)| at).collect();
    assert!(!places.is_empty(), "nothing was changed");
    for at in places {
        elf[at..at + new.len()].copy_from_slice(new);
    }
    job.elf = Some(elf.into());
    job
}

/// In every run each call's parts sum to it, in mean, in both units; all were made eight times.
#[test]
fn the_parts_of_every_call_sum_to_it() {
    let experiment = Syscall::bundled();
    let jobs = jobs("", "", "", "");
    assert!(!jobs.is_empty());
    let threads = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let outcome = run(&experiment, &jobs, threads, Watch::NOBODY, &|_| {});
    if let Some(failed) = outcome.failed.first() {
        panic!("{}: {}", failed.job.name(), failed.error);
    }
    // Of each call of each image, in each unit: the whole, and the sum of its parts.
    let mut calls: BTreeMap<_, (Option<f64>, f64)> = BTreeMap::new();
    for record in outcome.records.iter().filter(|record| record.params.contains_key("call")) {
        let call = record.params["call"].to_string();
        let entry = calls.entry((record.image_sha256.clone(), call, record.unit.to_string())).or_default();
        let metric = record.metric.strip_suffix(".instructions").unwrap_or(&record.metric);
        match metric.strip_prefix("part.") {
            Some(part) if !part.contains('.') => entry.1 += record.mean.as_f64(),
            None if metric == "call" => entry.0 = Some(record.mean.as_f64()),
            _ => {}
        }
        assert_eq!(record.n, 8, "{} {}", record.contender, record.metric);
    }
    assert!(calls.len() > jobs.len());
    for (call, (whole, parts)) in calls {
        assert_eq!(whole, Some(parts), "{call:?}");
    }
}

/// By hand: FreeRTOS's switch on Ibex is an ECALL, entry and exit in assembly, and vTaskSwitchContext.
#[test]
fn a_yield_on_ibex_is_what_its_assembly_is() {
    let records = run_one(&job("freertos", "yield", "z", "ibex")).expect("it runs");
    let of = |metric: &str| exact(&records, "yield", metric);
    assert_eq!(of("trap_to_driver") - of("vector_to_driver"), 3, "what Ibex takes to enter a trap");
    assert_eq!(of("trap_to_driver.instructions"), of("vector_to_driver.instructions"), "an ECALL does not retire");
    let parts = ["trap_to_driver", "part.driver", "driver_to_back"];
    assert_eq!(parts.iter().map(|part| of(part)).sum::<u64>(), of("call"));
    assert_eq!(of("part.copies.instructions"), 0);
}

/// VexRiscv's instructions take one cycle at the least, and its caches and jumps more.
#[test]
fn a_yield_on_vexriscv_has_cycles_and_instructions() {
    let records = run_one(&job("freertos", "yield", "z", "litex-vexriscv")).expect("it runs");
    let of = |metric: &str| exact(&records, "yield", metric);
    assert!(of("call") > of("call.instructions"), "{} cycles", of("call"));
    let parts = ["trap_to_driver", "part.driver", "driver_to_back"];
    assert_eq!(parts.iter().map(|part| of(part)).sum::<u64>(), of("call"));
}

#[test]
fn a_program_that_says_anything_else_gives_no_number() {
    for (old, new) in [(" ok=", " ko="), ("contender=", "contendes="), (" sum=", " sun=")] {
        let error = run_one(&changed(job("freertos", "yield", "z", "ibex"), old.as_bytes(), new.as_bytes()));
        assert!(matches!(error, Err(RunError::Output { line: 1, .. })), "{old}: {error:?}");
    }
}

#[test]
fn a_program_without_an_event_gives_no_number() {
    let error = run_one(&changed(job("freertos", "yield", "z", "ibex"), b"vTaskSwitchContext", b"vTaskSwitchContexd"));
    let said = error.expect_err("the driver is not there").to_string();
    assert!(said.contains("no symbol `vTaskSwitchContext`; did you mean `vTaskSwitchContexd`?"), "{said}");
}

/// The teaching kernel shows the cost of `command` on Ibex by build and mode.
#[test]
fn the_kernels_builds_and_modes_differ_in_what_they_should() {
    let whole = |mode: &str, opt: &str, metric: &str| {
        let records = run_one(&job("kernel", mode, opt, "ibex")).expect("it runs");
        exact(&records, "command", metric)
    };
    // By value the filter is given a copy that it does not need, if there is a hook that wants the call as well.
    let copies = "part.copies.instructions";
    assert!(whole("devel-value", "z", copies) > 48 && whole("devel-reference", "z", copies) == 0);
    assert!(whole("devel-reference", "z", "part.copies.within.instructions") > 48, "the hook keeps a copy");
    assert_eq!(whole("deploy-value", "z", "part.hook.instructions"), 0);
    let [value, reference] = ["deploy-value", "deploy-reference"].map(|mode| whole(mode, "3", "call.instructions"));
    assert_eq!(value, reference);
    // What is generic in the kernel's crate is compiled in the board's.
    let [z, kernel, board] = ["z", "z-kernel3", "z-board3"].map(|opt| whole("deploy-value", opt, "call.instructions"));
    assert!(z - kernel < (z - board) / 5, "{z} {kernel} {board}");
}
