//! Measures which forms wait for futures one by one, and the order of results.

use crate::common;

use common::joined;
use cyclescope_host::join::{Form, Order, Runtime, Spec};

const SLEEP_NS: u64 = 50_000_000;

fn spec(runtime: Runtime, form: Form, spawned: bool) -> Spec {
    Spec { runtime, form, spawned, count: 4, sleep_ns: SLEEP_NS, step_ns: SLEEP_NS, watch: true }
}

#[test]
fn the_order_of_results_is_that_of_making_or_of_completion() {
    for (form, spawned, expected) in [
        (Form::JoinAll, true, Order::Made),
        (Form::JoinAll, false, Order::Made),
        (Form::Vec, true, Order::Made),
        (Form::Vec, false, Order::Both),
        (Form::FuturesUnordered, true, Order::Done),
        (Form::FuturesUnordered, false, Order::Done),
        (Form::FuturesOrdered, true, Order::Made),
        (Form::JoinSet, true, Order::Done),
        (Form::BufferUnordered, false, Order::Done),
        (Form::InLoop, true, Order::Both),
        (Form::InLoop, false, Order::Both),
    ] {
        // On one thread, a future that ends 50 ms later is seen later.
        let account = joined(spec(Runtime::TokioCurrentThread, form, spawned));
        assert!(account.complete);
        assert_eq!(account.order, Some(expected), "{} spawned {spawned}", form.name());
    }
    let smol = joined(spec(Runtime::Smol, Form::FuturesUnordered, false));
    assert_eq!(smol.order, Some(Order::Done));
}

#[test]
fn a_future_does_nothing_until_it_is_polled() {
    for runtime in Runtime::ALL {
        let elapsed = |form, spawned| {
            let spec = Spec { count: 8, step_ns: 0, watch: false, ..spec(runtime, form, spawned) };
            joined(spec).elapsed_ns
        };
        // Never less than the sum of all sleeps, on any machine.
        assert!(elapsed(Form::Vec, false) >= 8 * SLEEP_NS, "{}", runtime.name());
        assert!(elapsed(Form::InLoop, true) >= 8 * SLEEP_NS, "{}", runtime.name());
        assert!(elapsed(Form::Vec, true) >= SLEEP_NS, "{}", runtime.name());
    }
}

#[test]
fn polls_and_allocations_are_counted_when_they_are_to_be() {
    let counted = joined(Spec { count: 100, step_ns: 0, ..spec(Runtime::TokioCurrentThread, Form::JoinAll, true) });
    let polls = counted.polls.unwrap();
    assert!((200..=400).contains(&polls), "each is polled when it begins and when it is done: {polls}");
    assert!(counted.awaited_polls.unwrap() >= 100);
    assert!(counted.allocations.unwrap() >= 100, "a task each: {:?}", counted.allocations);
    assert!(counted.allocated_bytes.unwrap() >= 100 * 64);
    let plain = joined(Spec { count: 5, step_ns: 0, ..spec(Runtime::TokioCurrentThread, Form::Vec, false) });
    assert!(plain.allocations.unwrap() < 5, "two Vecs for all: {:?}", plain.allocations);
    let silent = joined(Spec { watch: false, ..spec(Runtime::Smol, Form::JoinAll, false) });
    assert_eq!((silent.polls, silent.order), (None, None));
}
