//! The frames by which a runtime's threads are known, and what a waiting thread's stack says by them.
//!
//! Frames are read from the innermost outwards. The first that the table knows says what the thread does; for a task that is polled,
//! the next one that it knows says on which kind of thread.

/// The meaning of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// The runtime has nothing to do.
    Park,
    /// A thread waits for one future.
    BlockOn,
    /// A task is polled.
    Poll,
    /// A task is polled, and the thread is one that must not wait.
    Root,
    /// The loop of a thread that must not wait.
    Worker,
    /// The loop of a thread whose work may wait.
    Pool,
    /// Work that may wait: on a thread of a pool, or on a worker whose place another takes.
    InPlace,
}

use Role::{BlockOn, InPlace, Park, Poll, Pool, Root, Worker};

/// The frames of a runtime's sources: a crate with its version and file, then the functions in it.
struct Frames {
    runtime: &'static str,
    role: Role,
    /// The crate, with its version, and the files that define the functions.
    #[cfg_attr(not(test), expect(dead_code, reason = "it says where a row comes from"))]
    source: &'static str,
    names: &'static [&'static str],
}

const fn frames(runtime: &'static str, role: Role, source: &'static str, names: &'static [&'static str]) -> Frames {
    Frames { runtime, role, source, names }
}

/// The table. Names are without generic arguments and closures, as [`plain`] makes them.
const TABLE: [Frames; 34] = [
    frames(
        "tokio",
        Park,
        "tokio 1.54.1, runtime/scheduler/multi_thread/worker.rs",
        &[
            "tokio::runtime::scheduler::multi_thread::worker::Context::park",
            "tokio::runtime::scheduler::multi_thread::worker::Context::park_internal",
            "tokio::runtime::scheduler::multi_thread::worker::Context::park_yield",
        ],
    ),
    frames(
        "tokio",
        Park,
        "tokio 1.54.1, runtime/scheduler/multi_thread/park.rs",
        &[
            "tokio::runtime::scheduler::multi_thread::park::Parker::park",
            "tokio::runtime::scheduler::multi_thread::park::Parker::park_timeout",
            "tokio::runtime::scheduler::multi_thread::park::Inner::park",
        ],
    ),
    frames(
        "tokio",
        Park,
        "tokio 1.54.1, runtime/scheduler/current_thread/mod.rs",
        &[
            "tokio::runtime::scheduler::current_thread::Context::park",
            "tokio::runtime::scheduler::current_thread::Context::park_yield",
            "tokio::runtime::scheduler::current_thread::Context::park_internal",
        ],
    ),
    frames(
        "tokio",
        BlockOn,
        "tokio 1.54.1, runtime/park.rs",
        &[
            "tokio::runtime::park::CachedParkThread::park",
            "tokio::runtime::park::CachedParkThread::park_timeout",
            "tokio::runtime::park::Inner::park",
            "tokio::runtime::park::Inner::park_timeout",
        ],
    ),
    frames(
        "tokio",
        InPlace,
        "tokio 1.54.1, task/blocking.rs",
        &["tokio::task::blocking::block_in_place", "tokio::runtime::scheduler::multi_thread::worker::block_in_place"],
    ),
    frames(
        "tokio",
        Poll,
        "tokio 1.54.1, runtime/task/{raw,harness}.rs",
        &[
            "tokio::runtime::task::raw::poll",
            "tokio::runtime::task::raw::RawTask::poll",
            "tokio::runtime::task::harness::Harness::poll",
            "tokio::runtime::task::LocalNotified::run",
        ],
    ),
    frames(
        "tokio",
        Worker,
        "tokio 1.54.1, runtime/scheduler/multi_thread/worker.rs",
        &[
            "tokio::runtime::scheduler::multi_thread::worker::run",
            "tokio::runtime::scheduler::multi_thread::worker::Context::run",
            "tokio::runtime::scheduler::multi_thread::worker::Context::run_task",
        ],
    ),
    frames(
        "tokio",
        Worker,
        "tokio 1.54.1, runtime/scheduler/current_thread/mod.rs",
        &["tokio::runtime::scheduler::current_thread::Context::run_task"],
    ),
    frames(
        "tokio",
        Root,
        "tokio 1.54.1, runtime/scheduler/current_thread/mod.rs",
        &[
            "tokio::runtime::scheduler::current_thread::CoreGuard::block_on",
            "tokio::runtime::scheduler::current_thread::CurrentThread::block_on",
        ],
    ),
    frames(
        "tokio",
        InPlace,
        "tokio 1.54.1, runtime/blocking/task.rs",
        &["tokio::runtime::blocking::task::BlockingTask::poll"],
    ),
    frames(
        "tokio",
        Pool,
        "tokio 1.54.1, runtime/blocking/pool.rs",
        &[
            "tokio::runtime::blocking::pool::LockedImpl::run_worker",
            "tokio::runtime::blocking::pool::InnerImpl::run_worker",
            "tokio::runtime::blocking::pool::Inner::run",
            "tokio::runtime::blocking::pool::Spawner::spawn_thread",
        ],
    ),
    frames("smol", BlockOn, "async-io 2.6.0, reactor.rs, driver.rs", &["async_io::reactor::ReactorLock::react"]),
    frames("smol", Park, "async-io 2.6.0, driver.rs", &["async_io::driver::main_loop"]),
    frames(
        "smol",
        BlockOn,
        "parking 2.2.1, lib.rs",
        &["parking::Parker::park", "parking::Parker::park_timeout", "parking::Inner::park"],
    ),
    frames(
        "smol",
        Poll,
        "async-task 4.7.1, {raw,runnable}.rs",
        &["async_task::raw::RawTask::run", "async_task::runnable::Runnable::run"],
    ),
    frames(
        "smol",
        Worker,
        "async-executor 1.14.1, lib.rs",
        &["async_executor::State::run", "async_executor::Executor::run"],
    ),
    frames("smol", Worker, "smol 2.0.2, spawn.rs", &["smol::spawn::spawn::global"]),
    frames("smol", Pool, "blocking 1.7.0, lib.rs", &["blocking::Executor::main_loop", "blocking::Executor::grow_pool"]),
    frames(
        "async-std",
        Worker,
        "async-global-executor 2.4.1, threading.rs",
        &["async_global_executor::threading::thread_main_loop"],
    ),
    frames(
        "rayon",
        Park,
        "rayon-core 1.13.0, sleep/mod.rs",
        &["rayon_core::sleep::Sleep::sleep", "rayon_core::sleep::Sleep::no_work_found"],
    ),
    frames(
        "rayon",
        BlockOn,
        "rayon-core 1.13.0, latch.rs",
        &["rayon_core::latch::LockLatch::wait", "rayon_core::latch::LockLatch::wait_and_reset"],
    ),
    frames(
        "rayon",
        Root,
        "rayon-core 1.13.0, {job,registry}.rs",
        &[
            "rayon_core::job::StackJob::execute",
            "rayon_core::job::HeapJob::execute",
            "rayon_core::job::ArcJob::execute",
            "rayon_core::job::JobRef::execute",
            "rayon_core::registry::WorkerThread::execute",
        ],
    ),
    frames(
        "rayon",
        Worker,
        "rayon-core 1.13.0, registry.rs",
        &[
            "rayon_core::registry::WorkerThread::wait_until_cold",
            "rayon_core::registry::ThreadBuilder::run",
            "rayon_core::registry::main_loop",
        ],
    ),
    frames(
        "monoio",
        Park,
        "monoio 0.2.4, driver/uring/mod.rs",
        &[
            "monoio::driver::uring::IoUringDriver::inner_park",
            "monoio::driver::uring::IoUringDriver::park",
            "monoio::driver::uring::IoUringDriver::park_timeout",
        ],
    ),
    frames(
        "monoio",
        Park,
        "monoio 0.2.4, driver/legacy/mod.rs",
        &[
            "monoio::driver::legacy::LegacyDriver::inner_park",
            "monoio::driver::legacy::LegacyDriver::park",
            "monoio::driver::legacy::LegacyDriver::park_timeout",
        ],
    ),
    frames(
        "monoio",
        Park,
        "monoio 0.2.4, time/driver/mod.rs",
        &[
            "monoio::time::driver::TimeDriver::park",
            "monoio::time::driver::TimeDriver::park_timeout",
            "monoio::time::driver::TimeDriver::park_internal",
        ],
    ),
    frames(
        "monoio",
        Poll,
        "monoio 0.2.4, task/{raw,harness}.rs",
        &["monoio::task::raw::poll", "monoio::task::raw::RawTask::poll", "monoio::task::harness::Harness::poll"],
    ),
    frames("monoio", Root, "monoio 0.2.4, runtime.rs", &["monoio::runtime::Runtime::block_on"]),
    frames(
        "compio",
        Park,
        "compio-runtime 0.12.6, lib.rs; compio-driver 0.12.5, lib.rs",
        &["compio_runtime::Runtime::poll", "compio_runtime::Runtime::poll_with", "compio_driver::Proactor::poll"],
    ),
    frames("compio", Poll, "compio-executor 0.1.4, task/mod.rs", &["compio_executor::task::Task::run"]),
    frames(
        "compio",
        Root,
        "compio-runtime 0.12.6, lib.rs",
        &["compio_runtime::Runtime::block_on", "compio_runtime::Runtime::block_on_at"],
    ),
    frames(
        "embassy",
        Park,
        "embassy-executor 0.10.0, platform/std.rs",
        &["embassy_executor::platform::thread::Signaler::wait"],
    ),
    frames(
        "embassy",
        Root,
        "embassy-executor 0.10.0, raw/mod.rs, platform/std.rs",
        &[
            "embassy_executor::raw::TaskStorage::poll",
            "embassy_executor::platform::thread::Executor::run",
            "embassy_executor::platform::thread::Executor::run_until",
        ],
    ),
    frames(
        "futures",
        BlockOn,
        "futures-executor 0.3.34, local_pool.rs",
        &["futures_executor::local_pool::run_executor"],
    ),
];

/// The crates of the runtimes, and the standard library's: their functions are nobody's own. Each is the first part of a name.
const LIBRARIES: [&str; 34] = [
    "std",
    "core",
    "alloc",
    "tokio",
    "smol",
    "async_std",
    "async_io",
    "async_task",
    "async_executor",
    "async_global_executor",
    "async_lock",
    "async_channel",
    "blocking",
    "parking",
    "parking_lot",
    "parking_lot_core",
    "polling",
    "rayon",
    "rayon_core",
    "crossbeam",
    "crossbeam_channel",
    "crossbeam_utils",
    "monoio",
    "compio",
    "compio_runtime",
    "compio_executor",
    "compio_driver",
    "embassy_executor",
    "futures",
    "futures_executor",
    "futures_util",
    "futures_lite",
    "scoped_tls",
    "rustix",
];

/// The state of a thread that waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum State {
    /// Its runtime has nothing for it to do, or it waits for one future outside of any task.
    Idle,
    /// A task that it polls has it wait: no other task runs on it meanwhile.
    Blocked,
    /// Work waits on a thread that is for that.
    Rightly,
    /// The runtime itself waits, such as for a lock of its own.
    Runtime,
    /// It is no thread of a known runtime.
    Other,
    /// Its stack ends before it says.
    Unknown,
}

/// A function of a stack.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Frame {
    /// The name without generic arguments and closures; empty if it has none.
    pub name: String,
    /// The file and the line at which it is, if the program has line tables.
    pub line: Option<(String, u32)>,
}

impl Frame {
    /// Tells if the function is the program's own: not of the standard library, a runtime or another crate.
    fn is_own(&self) -> bool {
        if let Some((file, _)) = &self.line {
            let is_std = file.starts_with("/rustc/") || (file.contains("rustc") && file.contains("/library/"));
            let is_crate =
                ["/registry/src/", "/git/checkouts/", "/rustlib/src/"].iter().any(|part| file.contains(part));
            return !is_std && !is_crate;
        }
        // Without line tables a name with a path is Rust's, and its first part the crate.
        self.name.split_once("::").is_some_and(|(first, _)| !LIBRARIES.contains(&first))
    }
}

/// A place at which tasks block their thread.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The function that waits, which the program's own code calls; `None` if the own code waits itself, as for a page.
    pub call: Option<String>,
    /// The function of the program's own that calls it, with file and line; `None` if none can be told.
    pub caller: Option<Frame>,
    /// The outermost own function in the poll, which is the task; `None` if none can be told.
    pub task: Option<String>,
}

/// Returns what the thread with this stack does, for which runtime, and where if a task has it wait. The innermost frame is first;
/// `whole` tells if the stack reaches its beginning.
pub fn classify(frames: &[Frame], whole: bool) -> (Option<&'static str>, State, Option<Place>) {
    let known: Vec<(usize, &Frames)> = frames
        .iter()
        .enumerate()
        .filter_map(|(at, frame)| {
            let row = TABLE.iter().find(|row| row.names.contains(&frame.name.as_str()))?;
            Some((at, row))
        })
        .collect();
    let Some(&(_, first)) = known.first() else {
        return (None, if whole { State::Other } else { State::Unknown }, None);
    };
    // The loop of the innermost scheduler ends what counts: a worker of tokio runs on a thread of its pool.
    let base = known.iter().position(|(_, row)| matches!(row.role, Worker | Pool | Root)).unwrap_or(known.len() - 1);
    let known = &known[..=base];
    let polled = known.iter().find(|(_, row)| matches!(row.role, Poll | Root));
    let ends = matches!(known[known.len() - 1].1.role, Worker | Pool | Root);
    let runtime = known.iter().rev().find(|(_, row)| row.role != BlockOn).map_or(first.runtime, |(_, row)| row.runtime);
    // A runtime parks by what else waits for one future.
    let role = known.iter().map(|(_, row)| row.role).find(|role| *role != BlockOn).unwrap_or(BlockOn);
    let state = match (role, polled) {
        (Park | Pool, _) => State::Idle,
        (InPlace, _) => State::Rightly,
        (BlockOn, None) if whole || ends => State::Idle,
        (Worker, _) if first.role == Worker => State::Runtime,
        (Worker, _) => State::Idle,
        (_, None) => State::Unknown,
        (_, Some(_)) if !ends && !whole => State::Unknown,
        (_, Some(_)) if known[known.len() - 1].1.role == Pool => State::Rightly,
        (_, Some(_)) => State::Blocked,
    };
    let place = (state == State::Blocked).then(|| place(&frames[..polled.map_or(0, |(at, _)| *at)]));
    (Some(runtime), state, place)
}

/// Returns the place of a wait in a poll, whose frames these are.
fn place(frames: &[Frame]) -> Place {
    let own = frames.iter().position(Frame::is_own);
    let name = |frame: &Frame| (!frame.name.is_empty()).then(|| frame.name.clone());
    match own {
        Some(at) => Place {
            call: at.checked_sub(1).and_then(|at| name(&frames[at])),
            caller: Some(frames[at].clone()),
            task: frames.iter().rev().find(|frame| frame.is_own()).and_then(name),
        },
        // Of a poll that was compiled into the runtime's function only what it calls is seen.
        None => {
            let is_std = |frame: &&Frame| {
                frame.name.split_once("::").is_none_or(|(first, _)| ["std", "core", "alloc"].contains(&first))
            };
            let call = frames.iter().take_while(is_std).filter_map(name).last();
            Place { call: call.or_else(|| frames.iter().find_map(name)), caller: None, task: None }
        }
    }
}

/// Returns `name`, demangled, without generic arguments, closures and the traits that a method comes from:
/// `<a::B<T> as c::D>::e::{closure#0}` is `a::B::e`.
pub fn plain(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    // The type in front of a method is in angle brackets; all deeper brackets are passed over.
    let (mut in_type, mut in_trait, mut skipped, mut before) = (false, false, 0_u32, ' ');
    for (at, letter) in name.char_indices() {
        match letter {
            '<' if at == 0 => in_type = true,
            '<' | '{' => skipped += 1,
            // The arrow of a function's type.
            '>' if before == '-' => {}
            '>' | '}' if skipped > 0 => skipped -= 1,
            '>' if in_type => (in_type, in_trait) = (false, false),
            _ if skipped > 0 || in_trait => {}
            ' ' if in_type && name[at..].starts_with(" as ") => in_trait = true,
            _ => out.push(letter),
        }
        before = letter;
    }
    let parts: Vec<&str> = out.trim_start_matches(['&', '*']).split("::").filter(|part| !part.is_empty()).collect();
    parts.join("::")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_loses_what_instances_differ_in() {
        for (name, expect) in [
            ("std::thread::sleep", "std::thread::sleep"),
            ("tokio::runtime::task::raw::poll::<app::work::{async_fn#0}, S>", "tokio::runtime::task::raw::poll"),
            ("<a::B<fn(u8) -> c::D> as e::F<G>>::h::{closure#1}", "a::B::h"),
            ("<a::B>::c", "a::B::c"),
            ("app::work::{{closure}}", "app::work"),
            ("a::b::<impl c::D for e::F>::g", "a::b::g"),
            ("operator>(int)", "operator>(int)"),
            ("<<<", ""),
            ("", ""),
        ] {
            assert_eq!(plain(name), expect, "{name}");
        }
    }

    #[test]
    fn each_row_names_functions_of_the_crates_that_it_comes_from() {
        for row in &TABLE {
            for name in row.names {
                let first = name.split("::").next().expect("a part");
                let is_there = row.source.replace('-', "_").contains(&format!("{first} "));
                assert!(is_there, "{name} is not of {}", row.source);
                assert_eq!(*name, plain(name), "no instance would match it");
                let rows = TABLE.iter().filter(|row| row.names.contains(name)).count();
                assert_eq!(rows, 1, "{name} has one meaning");
            }
            assert!(row.source.chars().any(|letter| letter.is_ascii_digit()), "{} has no version", row.source);
        }
    }

    const WORKER: [&str; 5] = [
        "tokio::runtime::scheduler::multi_thread::worker::Context::run",
        "tokio::runtime::scheduler::multi_thread::worker::run",
        "tokio::runtime::blocking::task::BlockingTask::poll",
        "tokio::runtime::task::raw::poll",
        "tokio::runtime::blocking::pool::Inner::run",
    ];
    const POLL: &str = "tokio::runtime::task::raw::poll";

    /// The state of a thread whose innermost frames these are, on a worker of tokio or not.
    fn state(inner: &[&str], outer: &[&str], whole: bool) -> (Option<&'static str>, State) {
        let frame = |name: &&str| Frame { name: (*name).to_owned(), line: None };
        let frames: Vec<Frame> = inner.iter().chain(outer).map(frame).collect();
        let (runtime, state, place) = classify(&frames, whole);
        assert_eq!(place.is_some(), state == State::Blocked, "{inner:?}");
        (runtime, state)
    }

    #[test]
    fn the_innermost_frames_say_what_a_thread_does() {
        let tokio = |state| (Some("tokio"), state);
        let park = "tokio::runtime::scheduler::multi_thread::worker::Context::park_internal";
        assert_eq!(state(&["pthread_cond_wait", park], &WORKER, true), tokio(State::Idle));
        assert_eq!(state(&["nanosleep", "app::work", POLL], &WORKER, true), tokio(State::Blocked));
        assert_eq!(state(&["nanosleep", "app::work", POLL], &WORKER[4..], true), tokio(State::Rightly), "its pool");
        assert_eq!(state(&["nanosleep", "app::work"], &WORKER[2..], true), tokio(State::Rightly), "its pool");
        assert_eq!(state(&["futex", "std::sync::Condvar::wait"], &WORKER[4..], true), tokio(State::Idle), "its pool");
        let driver =
            ["futex", "tokio::runtime::park::Inner::park", "tokio::runtime::scheduler::current_thread::Context::park"];
        assert_eq!(
            state(&driver, &["tokio::runtime::scheduler::current_thread::CoreGuard::block_on"], true),
            tokio(State::Idle)
        );
        let place = "tokio::task::blocking::block_in_place";
        assert_eq!(state(&["nanosleep", "app::work", place, "app::task", POLL], &WORKER, true), tokio(State::Rightly));
        assert_eq!(state(&["futex"], &WORKER, true), tokio(State::Runtime));
        let root = "tokio::runtime::scheduler::current_thread::CoreGuard::block_on";
        assert_eq!(state(&["nanosleep", "app::main", root], &[], true), tokio(State::Blocked));
        let block_on = "futures_executor::local_pool::run_executor";
        assert_eq!(state(&["futex", block_on, "app::work", POLL], &WORKER, true), tokio(State::Blocked));
        assert_eq!(state(&["futex", block_on, "app::main"], &[], true), (Some("futures"), State::Idle));
        assert_eq!(state(&["nanosleep", "app::main"], &[], true), (None, State::Other));
    }

    #[test]
    fn a_stack_without_its_end_says_nothing_that_the_end_could_change() {
        assert_eq!(state(&["nanosleep", "app::work"], &[], false), (None, State::Unknown));
        assert_eq!(state(&["nanosleep", "app::work", POLL], &[], false), (Some("tokio"), State::Unknown));
        assert_eq!(state(&["nanosleep", "app::work", POLL], &WORKER[..1], false).1, State::Blocked);
        assert_eq!(state(&["futex", "futures_executor::local_pool::run_executor"], &[], false).1, State::Unknown);
    }

    #[test]
    fn the_place_is_the_call_out_of_the_programs_own_code() {
        let frame = |name: &str, file: &str| Frame { name: name.to_owned(), line: Some((file.to_owned(), 7)) };
        let crates = "/home/x/.cargo/registry/src/index/wrap-1.0.0/src/lib.rs";
        let frames = [
            frame("std::thread::sleep", "/rustc/0123/library/std/src/thread/mod.rs"),
            frame("wrap::pause", crates),
            frame("app::pause", "src/main.rs"),
            frame("wrap::map", crates),
            frame("app::work", "src/main.rs"),
            frame("tokio::runtime::task::core::Core::poll", crates),
            frame(POLL, crates),
        ];
        let (_, _, place) = classify(&frames, true);
        let place = place.expect("it is blocked");
        assert_eq!((place.call.as_deref(), place.task.as_deref()), (Some("wrap::pause"), Some("app::work")));
        assert_eq!(place.caller.as_ref(), Some(&frames[2]));
        // Without line tables, where the poll has become a part of the runtime's function.
        let bare = |name: &str| Frame { name: name.to_owned(), line: None };
        let wrapper = bare("async_executor::AsyncCallOnDrop::poll");
        let (_, _, place) = classify(&[bare("nanosleep"), bare("std::thread::sleep"), wrapper, bare(POLL)], true);
        assert_eq!(place, Some(Place { call: Some("std::thread::sleep".to_owned()), caller: None, task: None }));
        let (_, _, place) = classify(&[bare("app::work"), bare(POLL)], true);
        let place = place.expect("it is blocked");
        assert_eq!((place.call, place.task.as_deref()), (None, Some("app::work")), "it waits itself, as for a page");
    }
}
