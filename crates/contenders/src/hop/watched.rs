//! The moments of one operation, and their sums.

use std::future::Future;
use std::path::Path;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::time::{Duration, Instant};

use cyclescope_host::hop::{Account, Part};

use super::queue::Thread;
use super::{Plain, nanoseconds};

/// The moments on the thread of the pool.
pub(super) struct Worked {
    succeeded: bool,
    thread: Arc<Thread>,
    /// The call begins.
    begun: Instant,
    /// It has returned.
    over: Instant,
}

/// Makes the call on `path` and takes the moments around it.
pub(super) fn on_the_pool(path: &Path) -> Worked {
    let begun = Instant::now();
    let succeeded = std::fs::symlink_metadata(path).is_ok();
    let over = Instant::now();
    Worked { succeeded, thread: Thread::own(), begun, over }
}

/// The moments of the poll that takes the result.
struct Polled {
    begun: Instant,
    done: Instant,
}

/// The times in run queues before one operation: that of the pool's thread, and that of the task's.
#[derive(Clone, Copy)]
struct Queued {
    there: Duration,
    back: Duration,
}

/// Asks a pool `times` times, after `warm_up`, and returns the sums. `ask` hands the operation over before it returns. The kernel
/// is asked between two operations, so that none takes longer for it.
pub(super) async fn ask_pool<F>(warm_up: u32, times: u32, ask: impl Fn() -> F) -> Sums
where
    F: Future<Output = Worked> + Unpin,
{
    let mut sums = Sums::default();
    for number in 0..warm_up + times {
        let asked = Instant::now();
        let future = ask();
        let handed_over = Instant::now();
        let (worked, polled) = Watched { future, woken: None }.await;
        let queued = Queued { there: worked.thread.waited(), back: Thread::own().waited() };
        if number >= warm_up {
            sums.pool(asked, handed_over, &worked, &polled, queued);
        }
    }
    sums
}

/// The moments of an operation through a ring.
#[cfg(target_os = "linux")]
pub(super) async fn ask_ring<F, T>(warm_up: u32, times: u32, ask: impl Fn() -> F) -> Sums
where
    F: Future<Output = std::io::Result<T>>,
{
    let mut sums = Sums::default();
    for number in 0..warm_up + times {
        let asked = Instant::now();
        let future = pin!(ask());
        let woken = Arc::new(Woken::default());
        let (result, polled) = Watched { future, woken: Some(woken.clone()) }.await;
        if number >= warm_up {
            let moments = *woken.moments.lock().unwrap_or_else(PoisonError::into_inner);
            sums.ring(asked, moments, &polled, result.is_ok());
        }
    }
    sums
}

/// A future whose polls are watched.
struct Watched<F> {
    future: F,
    /// Hears of the wake; `None` if nobody wants to know.
    woken: Option<Arc<Woken>>,
}

/// The moment of a first poll's end, that of the first wake after it, and the task's own waker.
#[derive(Default)]
struct Woken {
    moments: Mutex<(Option<Instant>, Option<Instant>)>,
    waker: Mutex<Option<Waker>>,
}

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.moments.lock().unwrap_or_else(PoisonError::into_inner).1.get_or_insert_with(Instant::now);
        if let Some(waker) = &*self.waker.lock().unwrap_or_else(PoisonError::into_inner) {
            waker.wake_by_ref();
        }
    }
}

impl<F: Future + Unpin> Future for Watched<F> {
    type Output = (F::Output, Polled);

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let begun = Instant::now();
        let polled = match self.woken.clone() {
            None => Pin::new(&mut self.future).poll(context),
            Some(woken) => {
                woken.waker.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(context.waker().clone());
                let waker = Waker::from(woken.clone());
                let polled = Pin::new(&mut self.future).poll(&mut Context::from_waker(&waker));
                if polled.is_pending() {
                    let mut moments = woken.moments.lock().unwrap_or_else(PoisonError::into_inner);
                    moments.0.get_or_insert_with(Instant::now);
                }
                polled
            }
        };
        polled.map(|output| (output, Polled { begun, done: Instant::now() }))
    }
}

/// The sums over all operations that succeeded.
#[derive(Debug, Default)]
pub(super) struct Sums {
    times: u64,
    whole: Duration,
    /// In the order of [`Part::ALL`].
    parts: [Duration; Part::ALL.len()],
}

impl Sums {
    fn add(&mut self, part: Part, time: Duration) {
        self.parts[part as usize] += time;
    }

    /// Adds an operation that is a call and nothing else.
    pub(super) fn call(&mut self, succeeded: bool, time: Duration) {
        if succeeded {
            self.times += 1;
            self.whole += time;
            self.add(Part::Call, time);
        }
    }

    /// Adds an operation by a pool. The parts follow each other: what is done while the operation waits for something else is in
    /// none of them.
    fn pool(&mut self, asked: Instant, handed_over: Instant, worked: &Worked, polled: &Polled, queued: Queued) {
        if !worked.succeeded {
            return;
        }
        let submitted = handed_over.min(worked.begun);
        let wake = worked.begun - submitted;
        let there = queued.there.min(wake);
        // A poll that began before the operation was over waited for it.
        let poll_begun = polled.begun.max(worked.over);
        let back = poll_begun - worked.over;
        let queued_back = queued.back.min(back);
        self.times += 1;
        self.whole += polled.done - asked;
        self.add(Part::Submit, submitted - asked);
        self.add(Part::Wake, wake - there);
        self.add(Part::Queued, there);
        self.add(Part::Call, worked.over - worked.begun);
        self.add(Part::Back, back - queued_back);
        self.add(Part::QueuedBack, queued_back);
        self.add(Part::Poll, polled.done - poll_begun);
    }

    /// Adds an operation through a ring. One that its first poll completes is submission and nothing else.
    #[cfg(target_os = "linux")]
    fn ring(&mut self, asked: Instant, moments: (Option<Instant>, Option<Instant>), polled: &Polled, succeeded: bool) {
        if !succeeded {
            return;
        }
        self.times += 1;
        self.whole += polled.done - asked;
        let submitted = moments.0.unwrap_or(polled.done);
        let seen = moments.1.unwrap_or(submitted).clamp(submitted, polled.begun.max(submitted));
        self.add(Part::Submit, submitted - asked);
        self.add(Part::Ring, seen - submitted);
        self.add(Part::Back, polled.begun.saturating_duration_since(seen));
        self.add(Part::Poll, if moments.0.is_some() { polled.done - polled.begun } else { Duration::ZERO });
    }

    /// The account with the parts that the variant has. The time of one that it has not is in the part before it, which waits.
    pub(super) fn account(&self, parts: &[Part], plain: &Plain) -> Account {
        let of = |part: &Part| (*part, nanoseconds(self.parts[*part as usize]));
        Account {
            times: self.times.min(plain.succeeded),
            whole_ns: nanoseconds(self.whole),
            parts: parts.iter().map(of).collect(),
            plain_ns: nanoseconds(plain.took),
            allocations: plain.allocated.map(|(blocks, _)| blocks),
            allocated_bytes: plain.allocated.map(|(_, bytes)| bytes),
            allocation_ns: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(sums: &Sums) -> Vec<u128> {
        sums.parts.iter().map(Duration::as_nanos).collect()
    }

    fn sum(sums: &Sums) -> Duration {
        sums.parts.iter().sum()
    }

    #[test]
    fn operations_of_the_warm_up_do_not_count() {
        let path = std::env::temp_dir();
        let of_pool = ask_pool(3, 5, || std::future::ready(on_the_pool(&path)));
        assert_eq!(futures::executor::block_on(of_pool).times, 5);
        #[cfg(target_os = "linux")]
        {
            let of_ring = ask_ring(3, 5, || std::future::ready(Ok::<_, std::io::Error>(())));
            assert_eq!(futures::executor::block_on(of_ring).times, 5);
        }
    }

    /// Moments at so many nanoseconds after a first one.
    fn at() -> impl Fn(u64) -> Instant {
        let first = Instant::now();
        move |nanoseconds| first + Duration::from_nanos(nanoseconds)
    }

    fn nanoseconds(time: u64) -> Duration {
        Duration::from_nanos(time)
    }

    fn worked(begun: Instant, over: Instant) -> Worked {
        Worked { succeeded: true, thread: Thread::own(), begun, over }
    }

    #[test]
    fn the_parts_of_a_pools_operation_add_up_to_the_whole() {
        let at = at();
        let queued = Queued { there: nanoseconds(12), back: nanoseconds(1_000) };
        let mut sums = Sums::default();
        sums.pool(at(0), at(20), &worked(at(50), at(57)), &Polled { begun: at(90), done: at(97) }, queued);
        assert_eq!(parts(&sums), [20, 18, 12, 7, 0, 0, 33, 7], "no more in the run queue than there was time");
        assert_eq!((sum(&sums), sums.whole), (nanoseconds(97), nanoseconds(97)));
    }

    #[test]
    fn what_happens_at_once_counts_once() {
        let at = at();
        let queued = Queued { there: nanoseconds(9), back: nanoseconds(3) };
        let mut sums = Sums::default();
        // It was handed over after it had begun, and polled before it was over.
        sums.pool(at(0), at(20), &worked(at(5), at(30)), &Polled { begun: at(26), done: at(33) }, queued);
        assert_eq!(parts(&sums), [5, 0, 0, 25, 0, 0, 0, 3]);
        assert_eq!((sum(&sums), sums.whole), (nanoseconds(33), nanoseconds(33)));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn an_operation_through_a_ring_has_a_completion_or_was_done_at_once() {
        let at = at();
        let mut sums = Sums::default();
        let polled = Polled { begun: at(70), done: at(75) };
        sums.ring(at(0), (Some(at(10)), Some(at(60))), &polled, true);
        assert_eq!(parts(&sums), [10, 0, 0, 0, 50, 10, 0, 5]);
        let at_once = Polled { begun: at(1), done: at(9) };
        sums.ring(at(0), (None, None), &at_once, true);
        assert_eq!(parts(&sums)[0], 19);
        assert_eq!(sum(&sums), sums.whole);
    }
}
