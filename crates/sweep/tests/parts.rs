//! Parts: kept as they come, joined in order, and never lost.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use cyclescope_guest::Exit;
use cyclescope_sweep::{Ended, Parts, Sweep, SweepError, run};

use crate::common::{BUTTON, PLAN, folder, jobs, sweep, whole};

#[test]
fn the_same_plan_gives_the_same_file_whatever_runs_at_once_and_where_the_plan_lies() {
    let folder = folder(BUTTON);
    let out = folder.path().join("out.parquet");
    let first = whole(&sweep(folder.path(), PLAN).expect("a sweep"), &out, 1);
    let packed = Sweep::unpack(&sweep(folder.path(), PLAN).expect("a sweep").pack()).expect("it was packed");
    let packed = Arc::new(packed);
    for (sweep, threads) in [(&sweep(folder.path(), PLAN).expect("a sweep"), 3), (&packed, 2)] {
        assert!(whole(sweep, &out, threads) == first, "{threads} threads");
    }
    let other = crate::common::folder(BUTTON);
    let same = whole(&sweep(other.path(), PLAN).expect("a sweep"), &other.path().join("else.parquet"), 2);
    assert!(same == first, "another folder");
}

#[test]
fn a_sweep_that_was_stopped_goes_on_and_gives_the_same_file() {
    let folder = folder(BUTTON);
    let sweep = sweep(folder.path(), PLAN).expect("a sweep");
    let expected = whole(&sweep, &folder.path().join("whole.parquet"), 2);
    let out = folder.path().join("out.parquet");
    let parts = Parts::open(&out, &sweep).expect("a new folder");
    let done = AtomicU64::new(0);
    let stop = || done.load(Ordering::SeqCst) >= 2;
    let count = |there, of| {
        assert_eq!(of, sweep.chunks());
        done.store(there, Ordering::SeqCst);
    };
    assert_eq!(run(&parts, jobs(1), &stop, &count).expect("it runs"), Ended::Stopped);
    assert_eq!(parts.missing().len() as u64, sweep.chunks() - 2);
    assert!(matches!(parts.join(&out), Err(SweepError::Part { chunk: 2, .. })), "it is not whole");
    assert!(!out.exists());
    // A second process may not add to it meanwhile.
    let busy = Parts::open(&out, &sweep).expect_err("it is at work");
    assert!(matches!(&busy, SweepError::Busy(_)) && busy.exit() == Exit::NoOutput, "{busy}");
    let left = parts.folder().join(".unfinished-by-a-killed-one");
    fs::write(&left, "half a part").expect("ours");
    drop(parts);
    let parts = Parts::open(&out, &sweep).expect("it was let go");
    assert!(!left.exists(), "what a killed process left is gone");
    let ran = AtomicU64::new(0);
    let count = |_, _| {
        ran.fetch_add(1, Ordering::SeqCst);
    };
    run(&parts, jobs(2), &|| false, &count).expect("it runs");
    assert_eq!(ran.into_inner(), sweep.chunks() - 2, "what was done is not done again");
    parts.join(&out).expect("all are there");
    assert!(fs::read(&out).expect("ours") == expected);
}

#[test]
fn damaged_parts_run_again_and_strange_ones_are_refused() {
    let folder = folder(BUTTON);
    let (sweep, other) = (
        sweep(folder.path(), PLAN).expect("a sweep"),
        crate::common::sweep(folder.path(), &PLAN.replace("layouts = 3", "layouts = 4")).expect("a sweep"),
    );
    let out = folder.path().join("out.parquet");
    let expected = whole(&sweep, &out, 2);
    let parts = Parts::open(&out, &sweep).expect("a new folder");
    run(&parts, jobs(2), &|| false, &|_, _| {}).expect("it runs");
    let chunk = |number: u64| sweep.run_chunk(number, &|| false).expect("it runs").expect("whole");
    for (number, bytes) in
        [(0, chunk(1)), (1, other.run_chunk(1, &|| false).expect("it runs").expect("whole")), (2, vec![7; 99])]
    {
        assert!(matches!(parts.put(number, &bytes), Err(SweepError::Part { .. })), "{number}");
    }
    let folder_of_parts = parts.folder().to_owned();
    drop(parts);
    let path = |number: u64| folder_of_parts.join(format!("{number:07}.parquet"));
    let whole_part = fs::read(path(1)).expect("ours");
    fs::write(path(1), &whole_part[..whole_part.len() / 2]).expect("ours");
    fs::copy(path(3), path(2)).expect("ours");
    fs::write(path(99_999), &whole_part).expect("ours");
    let parts = Parts::open(&out, &sweep).expect("the same plan");
    assert_eq!(parts.missing(), [1, 2]);
    run(&parts, jobs(2), &|| false, &|_, _| {}).expect("it runs");
    parts.join(&out).expect("all are there");
    assert!(fs::read(&out).expect("ours") == expected);
    drop(parts);
    let error = Parts::open(&out, &other).expect_err("it is another's");
    assert!(matches!(&error, SweepError::OtherPlan(_)) && error.help().is_some(), "{error}");
    crate::common::unpack("button-freertos-interrupt-3-stm32c031c6", &folder.path().join("button.elf"));
    let rebuilt = crate::common::sweep(folder.path(), PLAN).expect("a sweep");
    assert!(matches!(Parts::open(&out, &rebuilt), Err(SweepError::OtherPlan(_))), "the image was built again");
    fs::remove_file(folder_of_parts.join("sweep")).expect("ours");
    assert!(matches!(Parts::open(&out, &sweep), Err(SweepError::OtherPlan(_))), "nobody knows whose parts these are");
}
