//! The time of a run in parts that add up to it.
//!
//! Start-up ends when the command's program is in its process; loading libraries and everything before `main` is part of the
//! program's own time. The rest is divided by one of two rules:
//!
//! - [`Rule::MainThread`]: the main thread ran, waited for a processor, or waited to be woken. The kernel tells the first two to the
//!   nanosecond (/proc/PID/schedstat), the third is what is left.
//! - [`Rule::AllThreads`]: each moment is divided among the threads that run or wait for a processor, and is spent waiting if there
//!   are none. Runs that bpftrace watches give the shares, which are applied to runs that nothing slowed down.
//!
//! Time on a processor is divided into computing and kernel as the processor times of all runs are.

use std::time::Duration;

use crate::account::Account;
use crate::scheduler::Shares;

/// A main thread that did this part of all work did all of it.
const ALL: f64 = 0.99;

/// Work of other threads that is too little to matter, for each run.
const LITTLE: Duration = Duration::from_micros(200);

/// The rule by which a run's time is divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// By the main thread's states.
    MainThread,
    /// By the states of all threads, moment by moment.
    AllThreads,
}

/// The time of a run in nanoseconds, in parts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Parts {
    /// Until the command's program is in its process.
    pub startup: u64,
    /// On a processor, outside the kernel.
    pub computing: u64,
    /// On a processor, in the kernel.
    pub kernel: u64,
    /// Waiting for a processor.
    pub queued: u64,
    /// Waiting to be woken.
    pub waiting: u64,
}

impl Parts {
    /// The names of the parts in records, in order.
    pub const NAMES: [&str; 5] = ["startup", "computing", "kernel", "queued", "waiting"];

    /// Returns the parts in the order of [`Self::NAMES`].
    pub fn all(&self) -> [u64; 5] {
        [self.startup, self.computing, self.kernel, self.queued, self.waiting]
    }

    /// Returns the sum, which is the time of the run.
    pub fn total(&self) -> u64 {
        self.all().iter().sum()
    }

    /// Divides the time of a run by its main thread's states. `kernel_share` is the kernel's part of processor time, 0 to 1. Returns
    /// `None` where the kernel does not tell.
    pub fn of_main(account: &Account, kernel_share: f64) -> Option<Self> {
        let main = account.main?;
        Some(Self::new(account, kernel_share, nanos(main.running), nanos(main.queued)))
    }

    /// Divides the time of a run by the shares of other runs of the same command.
    pub fn of_all(account: &Account, kernel_share: f64, shares: &Shares) -> Self {
        let rest = nanos(account.wall.saturating_sub(account.startup));
        let whole = nanos(shares.running + shares.queued + shares.waiting).max(1);
        let scaled = |part: Duration| {
            let part = u128::from(nanos(part)) * u128::from(rest) / u128::from(whole);
            u64::try_from(part).unwrap_or(rest)
        };
        Self::new(account, kernel_share, scaled(shares.running), scaled(shares.queued))
    }

    /// Makes parts that add up: where the clock and the kernel disagree, by a few microseconds, the later parts are cut.
    fn new(account: &Account, kernel_share: f64, running: u64, queued: u64) -> Self {
        let wall = nanos(account.wall);
        let startup = nanos(account.startup).min(wall);
        let running = running.min(wall - startup);
        let queued = queued.min(wall - startup - running);
        let kernel = ((running as f64 * kernel_share.clamp(0.0, 1.0)) as u64).min(running);
        Self { startup, computing: running - kernel, kernel, queued, waiting: wall - startup - running - queued }
    }
}

/// Returns the kernel's part of the processor time of all `accounts`: a single short run has few ticks to divide it by.
pub fn kernel_share(accounts: &[Account]) -> f64 {
    let sum = |of: fn(&Account) -> Duration| accounts.iter().map(of).sum::<Duration>().as_secs_f64();
    let (kernel, all) = (sum(|account| account.system), sum(Account::processor));
    if all > 0.0 { kernel / all } else { 0.0 }
}

/// Tells if the main thread did all the work of the runs, so that its states are the run's.
pub fn is_main_alone(accounts: &[Account]) -> bool {
    let main = |account: &Account| account.main.map_or(Duration::ZERO, |main| main.running + main.before);
    let all: Duration = accounts.iter().map(Account::processor).sum();
    let others = all.saturating_sub(accounts.iter().map(main).sum());
    let little = LITTLE * u32::try_from(accounts.len()).unwrap_or(u32::MAX);
    others <= little.max(all.mul_f64(1.0 - ALL))
}

/// Returns the place of the run of middle length; of an even number the shorter of the two.
pub fn middle(accounts: &[Account]) -> Option<usize> {
    let mut places: Vec<usize> = (0..accounts.len()).collect();
    places.sort_by_key(|place| accounts[*place].wall);
    places.get(accounts.len().saturating_sub(1) / 2).copied()
}

fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::MainThread;

    fn account(wall: u64, startup: u64, main: [u64; 3], processor: [u64; 2]) -> Account {
        let micros = Duration::from_micros;
        let [running, queued, before] = main.map(micros);
        Account {
            wall: micros(wall),
            startup: micros(startup),
            user: micros(processor[0]),
            system: micros(processor[1]),
            main: Some(MainThread { running, queued, before }),
            ..Account::default()
        }
    }

    #[test]
    fn parts_add_up_whatever_the_kernel_tells() {
        let mut state = 7_u64;
        let mut draw = |most: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % most
        };
        for _ in 0..10_000 {
            let one = account(draw(1000), draw(1200), [draw(1200), draw(400), draw(50)], [draw(2000), draw(2000)]);
            let wall = nanos(one.wall);
            let share = kernel_share(&[one]);
            assert_eq!(Parts::of_main(&one, share).unwrap().total(), wall, "{one:?}");
            let time = |value: u64| Duration::from_nanos(value);
            let shares = Shares {
                startup: time(draw(9)),
                running: time(draw(999)),
                queued: time(draw(999)),
                waiting: time(draw(999)),
            };
            assert_eq!(Parts::of_all(&one, share, &shares).total(), wall, "{one:?} {shares:?}");
        }
    }

    #[test]
    fn a_run_is_divided_by_its_main_thread() {
        let one = account(1000, 100, [400, 50, 20], [300, 100]);
        let parts = Parts::of_main(&one, kernel_share(&[one])).unwrap();
        assert_eq!(parts.all(), [100_000, 300_000, 100_000, 50_000, 450_000]);
        assert_eq!(Parts::of_main(&Account { main: None, ..one }, 0.0), None);
    }

    #[test]
    fn shares_of_a_slower_run_are_applied_to_this_one() {
        let one = account(1000, 100, [0, 0, 0], [300, 100]);
        let micros = Duration::from_micros;
        let shares = Shares { startup: micros(500), running: micros(900), queued: micros(300), waiting: micros(600) };
        assert_eq!(Parts::of_all(&one, 0.25, &shares).all(), [100_000, 337_500, 112_500, 150_000, 300_000]);
    }

    #[test]
    fn a_main_thread_is_alone_if_no_other_works() {
        assert!(is_main_alone(&[account(1000, 100, [480, 0, 20], [300, 200])]));
        assert!(!is_main_alone(&[account(10_000, 100, [480, 0, 20], [3000, 2000])]));
        assert!(is_main_alone(&[]));
    }

    #[test]
    fn the_middle_run_is_one_of_them() {
        let of = |walls: &[u64]| walls.iter().map(|wall| account(*wall, 0, [0; 3], [0; 2])).collect::<Vec<_>>();
        assert_eq!(middle(&of(&[5, 1, 3])), Some(2));
        assert_eq!(middle(&of(&[5, 1, 3, 4])), Some(2));
        assert_eq!(middle(&[]), None);
    }
}
