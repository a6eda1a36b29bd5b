//! Sources against the programs that they come from, where `CYCLESCOPE_TEST_TOOLS=all` is set (apt: strace valgrind bpftrace).

use std::time::Duration;

use cyclescope_explain::instructions::Counter;
use cyclescope_explain::process::{Limits, run};
use cyclescope_explain::scheduler::{Bpftrace, Schedule};
use cyclescope_explain::strace::{Strace, SystemCalls};
use cyclescope_explain::{Command, Unavailable};

use crate::known::known;
use crate::tools::wanted;

fn limits() -> Limits<'static> {
    Limits { timeout: Duration::from_secs(120), stop: &|| false }
}

fn calls(command: &Command) -> SystemCalls {
    Strace::find().expect("strace works here").run(command, limits()).expect("it ends").1
}

/// The text that `script` writes to `$FILE`. The library runs it: only it may start processes in a test.
fn written(script: &str) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("file");
    run(&Command::shell(&format!("FILE='{}'; {script}", file.display())), limits()).expect("it ends");
    std::fs::read_to_string(file).expect("it has written")
}

/// The counts by name that `strace -c` prints for `command`.
fn counted(command: &Command) -> Vec<(String, u64)> {
    let text = written(&format!("strace -f -qq -c -U calls,name -o \"$FILE\" {}", command.name));
    let rows = text.lines().skip_while(|line| !line.starts_with('-')).skip(1).take_while(|line| !line.starts_with('-'));
    rows.map(|row| {
        let (count, name) = row.trim().split_once(' ').expect("two words");
        (name.trim().to_owned(), count.parse().expect("a number"))
    })
    .collect()
}

#[test]
fn system_calls_equal_those_of_strace() {
    if !wanted("strace") {
        return;
    }
    // A shell looks at PWD, which a shell around it may have set.
    let words = ["env", "-u", "PWD", "sh", "-c", "/bin/true; ls -l / | cat; /bin/echo x"];
    let command = Command::new(words.map(Into::into).to_vec()).unwrap();
    let ours = calls(&command);
    let mut ours: Vec<(String, u64)> = ours.by_name.into_iter().map(|(name, calls)| (name, calls.count)).collect();
    // Its table has no calls that never return, and these depend on which process is first.
    let varies = |name: &str| ["exit_group", "exit", "rt_sigreturn", "read", "write", "wait4"].contains(&name);
    let mut theirs = counted(&command);
    ours.retain(|(name, _)| !varies(name));
    theirs.retain(|(name, _)| !varies(name));
    theirs.sort();
    assert_eq!(ours, theirs);
}

/// By the numbers that x86-64 gives to calls; without those that bpftrace makes itself before the program is there.
#[cfg(target_arch = "x86_64")]
#[test]
fn system_calls_equal_those_that_ebpf_sees() {
    if !wanted("strace") || !wanted("bpftrace") || Bpftrace::find().is_err() {
        return;
    }
    let ours = calls(&Command::parse("/bin/echo x").unwrap());
    let probe = "tracepoint:raw_syscalls:sys_enter /pid == cpid/ { @[args->id] = count(); }";
    let text = written(&format!("bpftrace -e '{probe}' -c '/bin/echo x' -o \"$FILE\""));
    for (number, name) in [(9, "mmap"), (257, "openat"), (1, "write"), (12, "brk"), (231, "exit_group")] {
        let line = text
            .lines()
            .find_map(|line| line.strip_prefix(&format!("@[{number}]: ")))
            .unwrap_or_else(|| panic!("{text}"));
        assert_eq!(line.parse::<u64>().unwrap(), ours.by_name[name].count, "{name}");
    }
}

#[test]
fn futex_waits_and_threads_are_counted() {
    if !wanted("strace") {
        return;
    }
    let (one, many) = (calls(&known("futex 1 1")), calls(&known("futex 1 31")));
    assert_eq!(many.futex_waits - one.futex_waits, 30);
    assert!(many.by_name["futex"].time > one.by_name["futex"].time);
    assert_eq!((one.threads, calls(&known("queue 1")).threads), (1, 2));
}

#[test]
fn instructions_are_counted_exactly_and_equal_those_of_callgrind() {
    if !wanted("valgrind") {
        return;
    }
    let counter = Counter::find().expect("valgrind works here");
    assert!(counter.is_exact(), "{counter:?}");
    let command = Command::parse("/bin/echo x").unwrap();
    let count = || counter.run(&command, limits()).unwrap().unwrap().1;
    let (first, second) = (count(), count());
    assert_eq!(first, second);
    let text = written("valgrind --tool=callgrind --callgrind-out-file=/dev/null --log-file=\"$FILE\" /bin/echo x");
    let line = text.lines().find_map(|line| line.split_once("Collected : ")).unwrap_or_else(|| panic!("{text}"));
    assert_eq!(line.1.trim().parse::<u64>().unwrap(), first);
}

/// The schedule of a command; `None` where this machine does not let bpftrace watch, which it must say.
fn schedule(command: &Command) -> Option<Schedule> {
    match Bpftrace::find() {
        Ok(tool) => Some(tool.run(command, limits()).expect("it ends").expect("it is watched").1),
        Err(Unavailable::Refused { why, .. }) if !why.is_empty() => None,
        Err(why) => panic!("{why}"),
    }
}

#[test]
fn the_states_of_threads_are_followed() {
    if !wanted("bpftrace") {
        return;
    }
    let Some(futex) = schedule(&known("futex 10 10")) else { return };
    // Who is preempted before the wait begins waits less, and is queued.
    assert!(futex.shares.waiting + futex.shares.queued >= Duration::from_millis(95), "{futex:?}");
    assert!(futex.stacks.iter().any(|(frames, _)| frames.iter().any(|frame| frame.contains("futex"))), "{futex:?}");
    let queue = schedule(&known("queue 50")).unwrap();
    assert_eq!(queue.threads, 2);
    // Two threads of 50 ms each on one processor: whenever one ran, the other waited for it.
    assert!(queue.running >= Duration::from_millis(99), "{queue:?}");
    assert!(queue.queued >= Duration::from_millis(45), "{queue:?}");
    assert!(queue.shares.queued >= Duration::from_millis(25), "{queue:?}");
    let shell = schedule(&Command::shell("sleep 0.01; sleep 0.01; exit 0")).unwrap();
    assert_eq!(shell.threads, 3, "{shell:?}");
}
