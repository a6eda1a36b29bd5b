//! The states of all threads by bpftrace: who runs, who waits for a processor, who waits to be woken, and where.
//!
//! bpftrace is a process of its own that follows what the calling thread starts, through the scheduler's tracepoints, and prints an
//! event a line. The events of all processors are put in order by their time.

use std::collections::{BTreeMap, HashMap};
use std::io::{BufRead as _, BufReader, Read};
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use crate::command::Command;
use crate::error::RunError;
use crate::process::{Alone, Limits, Ran, alone};
use crate::source::{Unavailable, one_line, probe};

/// The most events that are kept of one run.
const MOST: usize = 4_000_000;

/// The time that bpftrace has to begin and to end.
const PATIENCE: Duration = Duration::from_secs(60);

/// The frames of a stack that say nothing of the reason.
const COMMON: [&str; 6] =
    ["__schedule", "schedule", "do_syscall_64", "entry_SYSCALL_64_after_hwframe", "el0t_64_sync", "x64_sys_call"];

/// The program. `$1` is the thread that starts the command. Probes begin one after the other, in one direction or the other: when both
/// ends have spoken all have begun.
const PROGRAM: &str = r#"
interval:ms:50 { printf("first\n"); }
tracepoint:sched:sched_process_fork /args->parent_pid == $1 || @t[args->parent_pid]/ {
  @t[args->child_pid] = 1; printf("f %llu %d %d\n", nsecs, args->child_pid, args->parent_pid); }
tracepoint:sched:sched_process_exec /@t[args->pid]/ { printf("e %llu %d\n", nsecs, args->pid); }
tracepoint:sched:sched_switch /@t[args->prev_pid]/ {
  printf("o %llu %d %d\n", nsecs, args->prev_pid, args->prev_state);
  @off[args->prev_pid] = nsecs; @why[args->prev_pid] = kstack(12); }
tracepoint:sched:sched_switch /@t[args->next_pid]/ { printf("i %llu %d\n", nsecs, args->next_pid); }
tracepoint:sched:sched_waking /@t[args->pid]/ {
  printf("w %llu %d\n", nsecs, args->pid);
  if (@off[args->pid]) { @stack[@why[args->pid]] = sum(nsecs - @off[args->pid]); delete(@off[args->pid]); } }
tracepoint:sched:sched_migrate_task /@t[args->pid]/ { printf("m %llu %d\n", nsecs, args->pid); }
END { clear(@t); clear(@off); clear(@why); }
interval:ms:50 { printf("last\n"); }
"#;

/// The words of both ends.
const ENDS: [&str; 2] = ["first", "last"];

/// The time of a run, divided by what its threads did in each moment. A moment in which some run and some wait for a processor is
/// divided by their numbers; one in which none does either is spent waiting.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shares {
    /// Time before the command's program was in its process.
    pub startup: Duration,
    /// Time on a processor.
    pub running: Duration,
    /// Time in which a thread could run and waited for a processor.
    pub queued: Duration,
    /// Time in which every thread waited to be woken.
    pub waiting: Duration,
}

/// The states of all threads of one run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schedule {
    /// The run's time by moments.
    pub shares: Shares,
    /// The threads, of all processes together.
    pub threads: u64,
    /// Time on processors, of all threads.
    pub running: Duration,
    /// Time in run queues, of all threads.
    pub queued: Duration,
    /// Time in which a thread waited to be woken, of all threads.
    pub blocked: Duration,
    /// Moves of a thread to another processor.
    pub migrations: u64,
    /// The places in the kernel at which threads waited to be woken, the innermost function first; the longest time first.
    pub stacks: Vec<(Vec<String>, Duration)>,
}

/// bpftrace on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bpftrace {
    /// Its name with its version.
    pub version: String,
}

impl Bpftrace {
    /// Finds bpftrace and tries it.
    ///
    /// # Errors
    /// [`Unavailable`].
    pub fn find() -> Result<Self, Unavailable> {
        const MISSING: Unavailable = Unavailable::Missing { tool: "bpftrace", package: "bpftrace" };
        let alone = alone().map_err(|error| Unavailable::Incomplete(error.to_string()))?;
        let version = probe(std::process::Command::new("bpftrace").arg("--version")).ok_or(MISSING)?;
        let trial =
            probe(std::process::Command::new("bpftrace").args(["-e", "tracepoint:sched:sched_switch { exit(); }"]));
        drop(alone);
        match trial.ok_or(MISSING)? {
            Ok(_) => {
                let version = version.unwrap_or_default().lines().next().unwrap_or_default().replace(" v", " ");
                Ok(Self { version })
            }
            Err(why) => Err(Unavailable::Refused {
                tool: "bpftrace",
                why,
                advice: "run as root, on a kernel with BTF and tracepoints",
            }),
        }
    }

    /// Runs `command` while bpftrace watches.
    ///
    /// # Errors
    /// [`RunError`] of the command; inside it [`Unavailable`] if bpftrace did not tell all.
    pub fn run(&self, command: &Command, limits: Limits<'_>) -> Result<Result<(Ran, Schedule), Unavailable>, RunError> {
        let mut alone = alone()?;
        let mut watcher = match Watcher::start(&mut alone) {
            Ok(watcher) => watcher,
            Err(why) => return Ok(Err(why)),
        };
        if let Err(why) = watcher.until_ready(limits) {
            // It has told nothing that counts, but perhaps the reason.
            let said = watcher.end(&mut alone, limits).map_or_else(|_| String::new(), |told| one_line(&told.errors));
            if (limits.stop)() {
                return Err(RunError::Interrupted);
            }
            return Ok(Err(match why {
                Unavailable::Incomplete(why) if !said.is_empty() => Unavailable::Incomplete(format!("{why}: {said}")),
                why => why,
            }));
        }
        let ran = alone.run(command, limits, None);
        watcher.until_drained(limits);
        let told = watcher.end(&mut alone, limits);
        let ran = ran?;
        if told.is_err() && (limits.stop)() {
            return Err(RunError::Interrupted);
        }
        Ok(told.and_then(|told| told.schedule()).map(|schedule| (ran, schedule)))
    }
}

/// bpftrace at work.
struct Watcher {
    child: Child,
    told: Receiver<Told>,
    /// One for each time that both ends have spoken.
    beats: Receiver<()>,
}

impl Watcher {
    fn start(alone: &mut Alone) -> Result<Self, Unavailable> {
        let failed = |error: std::io::Error| Unavailable::Incomplete(format!("bpftrace could not be started: {error}"));
        let own = thread_id();
        let mut command = std::process::Command::new("bpftrace");
        // As newer versions and older ones call the same limits.
        let limits = [
            ("BPFTRACE_PERF_RB_PAGES", "1024"),
            ("BPFTRACE_MAP_KEYS_MAX", "65536"),
            ("BPFTRACE_MAX_MAP_KEYS", "65536"),
        ];
        command.args(["-e", PROGRAM, &own.to_string()]).envs(limits);
        let mut child =
            alone.helper(command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped())).map_err(failed)?;
        let (stdout, stderr) = (child.stdout.take().expect("it is piped"), child.stderr.take().expect("it is piped"));
        let ((send_beat, beats), (send, told)) = (channel(), channel());
        std::thread::spawn(move || {
            let errors = std::thread::spawn(move || {
                let mut text = Vec::new();
                // What cannot be read is not told.
                let _ = stderr.take(1 << 16).read_to_end(&mut text);
                String::from_utf8_lossy(&text).into_owned()
            });
            let mut all = Told::read(stdout, &send_beat);
            all.errors = errors.join().unwrap_or_default();
            // Nobody may be waiting for it any more.
            let _ = send.send(all);
        });
        Ok(Self { child, told, beats })
    }

    /// Waits until bpftrace has handed out all events up to now: some beats of its own come behind them.
    fn until_drained(&self, limits: Limits<'_>) {
        while self.beats.try_recv().is_ok() {}
        for _ in 0..3 {
            if patiently(&self.beats, limits).is_none() {
                return;
            }
        }
    }

    /// Waits until bpftrace watches.
    fn until_ready(&mut self, limits: Limits<'_>) -> Result<(), Unavailable> {
        patiently(&self.beats, limits).ok_or_else(|| Unavailable::Incomplete("bpftrace did not begin".to_owned()))
    }

    /// Ends bpftrace and returns what it told.
    fn end(mut self, alone: &mut Alone, limits: Limits<'_>) -> Result<Told, Unavailable> {
        let pid = Pid::from_child(&self.child);
        // It may have ended by itself.
        let _ = kill_process(pid, Signal::INT);
        let told = patiently(&self.told, limits);
        let _ = kill_process(pid, Signal::KILL);
        let _ = self.child.wait();
        alone.forget(&self.child);
        told.ok_or_else(|| Unavailable::Incomplete("bpftrace did not end".to_owned()))
    }
}

/// Waits until `from` says something: not longer than [`PATIENCE`], nor than nobody has asked for the end.
fn patiently<T>(from: &Receiver<T>, limits: Limits<'_>) -> Option<T> {
    let begun = std::time::Instant::now();
    while begun.elapsed() < PATIENCE && !(limits.stop)() {
        match from.recv_timeout(Duration::from_millis(50)) {
            Ok(said) => return Some(said),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return None,
        }
    }
    None
}

#[cfg(target_os = "linux")]
fn thread_id() -> i32 {
    rustix::thread::gettid().as_raw_nonzero().get()
}

#[cfg(not(target_os = "linux"))]
fn thread_id() -> i32 {
    std::process::id().cast_signed()
}

/// The kind of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// A thread is made.
    Fork,
    /// A process has another program.
    Exec,
    /// A thread leaves its processor and can run on.
    Preempted,
    /// A thread leaves its processor to wait.
    Sleeps,
    /// A thread leaves its processor for ever.
    Ends,
    /// A thread gets a processor.
    Runs,
    /// A thread is woken.
    Woken,
    /// A thread moves to another processor.
    Moves,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Event {
    at: u64,
    thread: i32,
    kind: Kind,
}

impl Event {
    /// Parses `f 12 34 5`.
    fn parse(line: &str) -> Option<Self> {
        let mut words = line.split(' ');
        let kind = words.next()?;
        let (at, thread) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
        let kind = match kind {
            "f" => Kind::Fork,
            "e" => Kind::Exec,
            "i" => Kind::Runs,
            "w" => Kind::Woken,
            "m" => Kind::Moves,
            // The states of a task in the kernel's include/linux/sched.h: 0 can run, 0x10 and 0x20 have ended.
            "o" => match words.next()?.parse::<i64>().ok()? & 0xff {
                0 => Kind::Preempted,
                state if state & 0x30 != 0 => Kind::Ends,
                _ => Kind::Sleeps,
            },
            _ => return None,
        };
        Some(Self { at, thread, kind })
    }
}

/// The output of bpftrace.
#[derive(Debug, Default)]
struct Told {
    events: Vec<Event>,
    too_many: bool,
    lost: Option<String>,
    stacks: BTreeMap<Vec<String>, u64>,
    errors: String,
}

impl Told {
    fn read(output: impl Read, beats: &Sender<()>) -> Self {
        let mut told = Self::default();
        let mut begun = [false; 2];
        let mut stack: Option<Vec<String>> = None;
        let mut lines = BufReader::new(output);
        let mut line = Vec::new();
        loop {
            line.clear();
            match lines.by_ref().take(1 << 16).read_until(b'\n', &mut line) {
                Ok(1..) => {}
                _ => return told,
            }
            let text = String::from_utf8_lossy(&line);
            let text = text.trim();
            if let Some(place) = ENDS.iter().position(|end| *end == text) {
                begun[place] = true;
                if begun == [true; 2] {
                    begun = [false; 2];
                    // The watcher may have given up.
                    let _ = beats.send(());
                }
            } else if text.starts_with("Lost ") {
                told.lost = Some(text.to_owned());
            } else if text == "@stack[" {
                stack = Some(Vec::new());
            } else if let Some(frames) = &mut stack {
                match text.strip_prefix("]: ") {
                    Some(time) => {
                        if let (Ok(time), Some(frames)) = (time.parse::<u64>(), stack.take()) {
                            let sum = told.stacks.entry(frames).or_default();
                            *sum = sum.saturating_add(time);
                        }
                    }
                    None => {
                        let name = text.split('+').next().unwrap_or_default();
                        if !name.is_empty() && !COMMON.contains(&name) && frames.len() < 64 {
                            frames.push(name.to_owned());
                        }
                    }
                }
            } else if let Some(event) = Event::parse(text) {
                if told.events.len() < MOST { told.events.push(event) } else { told.too_many = true }
            }
        }
    }

    /// Returns the states of all threads.
    fn schedule(mut self) -> Result<Schedule, Unavailable> {
        let incomplete = |why: String| Err(Unavailable::Incomplete(why));
        if self.too_many {
            return incomplete(format!("the run has more than {MOST} changes of threads' states"));
        }
        if let Some(lost) = self.lost {
            return incomplete(format!("bpftrace: {lost}"));
        }
        self.events.sort_by_key(|event| event.at);
        let Some(mut schedule) = follow(&self.events) else {
            let count = self.events.len();
            return incomplete(format!("bpftrace saw {count} events and no command's end: {}", one_line(&self.errors)));
        };
        schedule.stacks = self.stacks.into_iter().map(|(frames, time)| (frames, Duration::from_nanos(time))).collect();
        schedule.stacks.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        Ok(schedule)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Running,
    Queued,
    Blocked,
}

/// Reads what bpftrace has printed.
///
/// # Errors
/// [`Unavailable::Incomplete`] if it is not of a whole run.
pub fn parse(output: &[u8]) -> Result<Schedule, Unavailable> {
    Told::read(output, &channel().0).schedule()
}

/// Follows the threads through `events`, which are in order; the first thread made is the command's. Returns `None` without one.
fn follow(events: &[Event]) -> Option<Schedule> {
    let first = events.iter().find(|event| event.kind == Kind::Fork)?;
    let root = first.thread;
    let mut schedule = Schedule::default();
    let mut threads: HashMap<i32, (State, u64)> = HashMap::new();
    let mut counts = Counts::default();
    let (mut last, mut started, mut over) = (first.at, false, false);
    for event in events.iter().filter(|event| event.at >= first.at) {
        if !over {
            schedule.shares.add(&counts, event.at - last, started);
            last = event.at;
        }
        let state = threads.get(&event.thread).copied();
        if let Some((state, since)) = state
            && !over
        {
            schedule.add(state, event.at - since);
        }
        let next = match (event.kind, state.map(|(state, _)| state)) {
            (Kind::Fork, _) => {
                schedule.threads += 1;
                Some(State::Queued)
            }
            (_, None) => continue,
            (Kind::Moves, Some(state)) => {
                schedule.migrations += 1;
                Some(state)
            }
            (Kind::Exec, Some(state)) => {
                started |= event.thread == root;
                Some(state)
            }
            (Kind::Runs, _) => Some(State::Running),
            (Kind::Preempted, _) => Some(State::Queued),
            (Kind::Sleeps, _) => Some(State::Blocked),
            (Kind::Woken, Some(State::Blocked)) => Some(State::Queued),
            (Kind::Woken, Some(state)) => Some(state),
            (Kind::Ends, _) => None,
        };
        let before = match next {
            Some(state) => threads.insert(event.thread, (state, event.at)),
            None => threads.remove(&event.thread),
        };
        counts.change(before.map(|(state, _)| state), next);
        if event.kind == Kind::Ends && event.thread == root {
            // What still waits has waited until here.
            for (_, (state, since)) in threads.drain() {
                schedule.add(state, event.at - since);
            }
            over = true;
        }
    }
    over.then_some(schedule)
}

/// The numbers of threads that run, and that wait for a processor.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    running: u128,
    queued: u128,
}

impl Counts {
    /// One thread changes its state; `None` is that of one that is not there.
    fn change(&mut self, before: Option<State>, after: Option<State>) {
        let is = |state, wanted| u128::from(state == Some(wanted));
        self.running = self.running + is(after, State::Running) - is(before, State::Running);
        self.queued = self.queued + is(after, State::Queued) - is(before, State::Queued);
    }
}

impl Schedule {
    fn add(&mut self, state: State, nanos: u64) {
        let of = match state {
            State::Running => &mut self.running,
            State::Queued => &mut self.queued,
            State::Blocked => &mut self.blocked,
        };
        *of += Duration::from_nanos(nanos);
    }
}

impl Shares {
    /// Adds `nanos` in which `counts` did not change.
    fn add(&mut self, counts: &Counts, nanos: u64, started: bool) {
        let time = Duration::from_nanos(nanos);
        if !started {
            self.startup += time;
            return;
        }
        let Counts { running, queued } = *counts;
        if running + queued == 0 {
            self.waiting += time;
            return;
        }
        let part = u128::from(nanos) * running / (running + queued);
        let part = Duration::from_nanos(u64::try_from(part).unwrap_or(nanos));
        self.running += part;
        self.queued += time - part;
    }

    /// Returns the sum.
    pub fn total(&self) -> Duration {
        self.startup + self.running + self.queued + self.waiting
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_waits_for_bpftrace_once_the_end_is_asked_for() {
        let (send, receive) = channel();
        let asked = std::cell::Cell::new(0);
        let stop = || asked.replace(asked.get() + 1) > 0;
        let limits = Limits { timeout: Duration::MAX, stop: &stop };
        assert_eq!(patiently::<u8>(&receive, limits), None);
        assert_eq!(asked.get(), 2, "it looks before each wait");
        let never = Limits { timeout: Duration::MAX, stop: &|| false };
        send.send(7).expect("the other end is there");
        assert_eq!(patiently(&receive, never), Some(7));
        drop(send);
        assert_eq!(patiently(&receive, never), None, "it has ended");
    }

    fn schedule(text: &str) -> Result<Schedule, Unavailable> {
        parse(text.as_bytes())
    }

    /// A command (2) that starts a worker (3), waits for it, and is preempted once.
    const RUN: &str = "\
Attaching 9 probes...
last
f 100 2 1
i 110 2
e 150 2
f 200 3 2
o 210 2 1
i 230 3
m 230 3
o 300 3 0
i 310 3
w 400 2
i 420 2
o 430 3 32
o 440 2 0
i 470 2
o 500 2 16

@stack[
    __schedule+1560
    schedule+35
    futex_do_wait+70
    do_syscall_64+1
]: 190
@stack[
    schedule+30
    futex_do_wait+71
]: 5
";

    #[test]
    fn moments_are_divided_and_add_up() {
        let schedule = schedule(RUN).unwrap();
        let nanos = |time: Duration| time.as_nanos();
        let Shares { startup, running, queued, waiting } = schedule.shares;
        assert_eq!(nanos(schedule.shares.total()), 400, "from the first fork to the end of the command");
        // 200 to 210 and 400 to 420: one runs and one waits. 210 to 230, 300 to 310, 440 to 470: one waits for a processor.
        assert_eq!((nanos(startup), nanos(waiting)), (50, 0));
        assert_eq!((nanos(queued), nanos(running)), (5 + 10 + 20 + 10 + 30, 350 - 75));
        assert_eq!((schedule.threads, schedule.migrations), (2, 1));
        assert_eq!(nanos(schedule.blocked), 190);
        assert_eq!(schedule.stacks, [(vec!["futex_do_wait".to_owned()], Duration::from_nanos(195))]);
    }

    #[test]
    fn events_come_in_any_order() {
        let mut lines: Vec<&str> = RUN.lines().collect();
        lines[2..17].reverse();
        // Events of one moment keep the order in which they came: one of them would be another state's.
        let text = lines.join("\n");
        assert_eq!(schedule(&text).unwrap().shares.total(), schedule(RUN).unwrap().shares.total());
    }

    #[test]
    fn less_than_the_whole_is_no_schedule() {
        assert!(schedule("").is_err());
        assert!(
            schedule("first\nf 1 2 1\ni 2 2\n")
                .is_err_and(|why| why.to_string().contains("2 events and no command's end"))
        );
        let lost = format!("{RUN}Lost 12 events\n");
        assert!(schedule(&lost).is_err_and(|why| why.to_string().contains("Lost 12 events")));
        let noise = "f\nf x y\no 1 2\no 1 2 x\nz 1 2\n@stack[\n]: x\n@stack[\n";
        assert!(schedule(noise).is_err());
        // An end that nothing began, and times that go nowhere.
        let odd = "f 18446744073709551615 2 1\no 18446744073709551615 2 16\nw 5 9\n";
        assert_eq!(schedule(odd).unwrap().shares.total(), Duration::ZERO);
    }
}
