//! A program whose time is known: it waits, computes or faults as its arguments say, and prints nothing.

use std::io::{Read as _, Write as _};
use std::process::ExitCode;
use std::sync::{Condvar, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use nix::time::{ClockId, clock_gettime};

const USAGE: &str =
    "known-waits futex MS TIMES | pipe MS TIMES | busy MS | faults PAGES | worker MS | blocked MS TIMES | queue MS";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |place: usize| arguments.get(place).and_then(|word| word.parse::<u64>().ok());
    match (arguments.first().map(String::as_str), number(1), number(2)) {
        (Some("futex"), Some(ms), Some(times)) => (0..times).for_each(|_| wait(ms)),
        (Some("pipe"), Some(ms), Some(times)) => pipe(ms, times),
        (Some("busy"), Some(ms), _) => busy(ms),
        (Some("faults"), Some(pages), _) => faults(pages),
        (Some("worker"), Some(ms), _) => thread::spawn(move || busy(ms)).join().expect("it does not panic"),
        (Some("blocked"), Some(ms), Some(times)) => blocked(ms, times),
        (Some("queue"), Some(ms), _) => queue(ms),
        _ => {
            eprintln!("usage: {USAGE}");
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}

/// Waits in a futex until `ms` have passed, once at least.
fn wait(ms: u64) {
    let (lock, condition) = (Mutex::new(()), Condvar::new());
    let (begun, time) = (Instant::now(), Duration::from_millis(ms));
    let mut guard = lock.lock().expect("nobody else has it");
    let mut left = time;
    while !left.is_zero() {
        guard = condition.wait_timeout(guard, left).expect("nobody else has it").0;
        left = time.saturating_sub(begun.elapsed());
    }
}

/// Waits in a pipe for a byte that comes after `ms`.
fn pipe(ms: u64, times: u64) {
    let (mut reader, mut writer) = std::io::pipe().expect("a pipe");
    let other = thread::spawn(move || {
        for _ in 0..times {
            thread::sleep(Duration::from_millis(ms));
            writer.write_all(b"x").expect("its reader waits");
        }
    });
    let mut byte = [0];
    (0..times).for_each(|_| reader.read_exact(&mut byte).expect("its writer is there"));
    other.join().expect("it does not panic");
}

/// Computes until this thread has had a processor for `ms`.
fn busy(ms: u64) {
    let used = || clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).map(Duration::from).expect("Linux has the clock");
    let end = used() + Duration::from_millis(ms);
    let mut value = 1_u64;
    while used() < end {
        // Long enough that few calls ask for the time.
        for _ in 0..20_000 {
            value = std::hint::black_box(value.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1));
        }
    }
}

/// Touches `pages` pages for the first time, each by itself.
fn faults(pages: u64) {
    #[cfg(target_os = "linux")]
    nix::sys::prctl::set_thp_disable(true).expect("Linux allows it");
    let pages = usize::try_from(pages).expect("that many fit");
    let size = rustix::param::page_size();
    let mut memory: Vec<u8> = Vec::with_capacity(pages * size);
    let room = memory.spare_capacity_mut();
    for page in 0..pages {
        room[page * size].write(1);
    }
    std::hint::black_box(room.as_ptr());
}

/// Waits for a worker that a call blocks.
fn blocked(ms: u64, times: u64) {
    let worker = thread::spawn(move || (0..times).for_each(|_| thread::sleep(Duration::from_millis(ms))));
    worker.join().expect("it does not panic");
}

/// Computes on two threads, each for `ms`, on one processor.
fn queue(ms: u64) {
    #[cfg(target_os = "linux")]
    {
        let allowed = rustix::thread::sched_getaffinity(None).expect("Linux tells it");
        let first = (0..rustix::thread::CpuSet::MAX_CPU).find(|cpu| allowed.is_set(*cpu)).expect("it runs on one");
        let mut one = rustix::thread::CpuSet::new();
        one.set(first);
        rustix::thread::sched_setaffinity(None, &one).expect("it may");
    }
    let other = thread::spawn(move || busy(ms));
    busy(ms);
    other.join().expect("it does not panic");
}
