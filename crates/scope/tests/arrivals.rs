//! A stimulus at every cycle of a window gives what it gives alone.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use cyclescope_chips::{Machine, MemorySetting, Part, Settings};
use cyclescope_image::Image;
use cyclescope_machine::units::{Address, Cycles};
use cyclescope_machine::{Pin, Signal, SignalKind, Stimulus, Stop};
use cyclescope_scope::{Arrivals, ArrivalsError, every_arrival};

/// The button and the two probe pins of the STM32F446's button program (firmware/README.md).
const BUTTON: Pin = Pin { port: 2, number: 13 };
const PROBES: [Pin; 2] = [Pin { port: 6, number: 0 }, Pin { port: 6, number: 1 }];
const PRESS: Stimulus = Stimulus::Pin { pin: BUTTON, high: Some(false) };
const RELEASE: Stimulus = Stimulus::Pin { pin: BUTTON, high: Some(true) };

/// The button program of `contender`, reset.
fn button(contender: &str) -> Machine {
    let name = format!("button-{contender}-interrupt-3-stm32f446ze");
    let image = cyclescope_images::images().iter().find(|image| image.name == name).expect("a bundled image");
    let image = Image::parse(&image.elf().expect("a bundled image")).expect("a bundled image");
    let part = Part::find("stm32f446ze").expect("a part of ours");
    let settings = Settings { memory: MemorySetting::Shipped, ..Settings::default() };
    let segments = image.segments().map(|segment| (segment.address, segment.bytes));
    let mut machine = Machine::new(part, settings, segments).expect("it starts");
    // The board's own button pulls the other way.
    machine.stimulate(Cycles::new(1000), Stimulus::Pin { pin: BUTTON, high: Some(true) });
    machine.shared().signals.want(SignalKind::Pin);
    machine
}

/// Runs to the fall of the second probe pin after `arrival`. Returns the probes' edges after it, and the cycle and
/// instruction count.
fn response(machine: &mut Machine, arrival: Cycles) -> (Vec<(u64, u8, bool)>, u64, u64) {
    let mut edges = Vec::new();
    let until = arrival.saturating_add(Cycles::new(100_000));
    loop {
        let stop = machine.run(until);
        for (at, signal) in machine.shared().signals.drain() {
            if let Signal::Pin { pin, high } = signal
                && at >= arrival
                && PROBES.contains(&pin)
            {
                edges.push((at.get(), pin.number, high));
            }
        }
        let done = edges.last().is_some_and(|(_, number, high)| *number == 1 && !high);
        if done || !matches!(stop, Stop::Signal | Stop::Watch(_)) {
            return (edges, machine.now().get(), machine.instructions().get());
        }
    }
}

/// Runs to the cycle `until` and ignores signals.
fn pass(machine: &mut Machine, until: u64) {
    while machine.now().get() < until {
        let stop = machine.run(Cycles::new(until));
        assert!(matches!(stop, Stop::Signal | Stop::Horizon), "{stop:?}");
        machine.shared().signals.drain();
    }
}

fn arrivals(first: u64, count: u64, threads: usize) -> Arrivals<'static> {
    let window = (Cycles::new(first), Cycles::new(first + count));
    Arrivals { window, stimulus: &RELEASE, threads, progress: &|_| {}, stop: &|| false }
}

/// Returns a machine at the cycle `until`, with a press whose message is being sent. The LED toggles near cycle
/// 18,008,100.
fn pressed(contender: &str, until: u64) -> Machine {
    let mut machine = button(contender);
    machine.stimulate(Cycles::new(17_895_000), PRESS);
    pass(&mut machine, until);
    machine
}

#[test]
fn each_arrival_is_as_in_a_run_of_its_own_from_reset() {
    let (first, count) = (18_001_000, 12_000);
    let near = pressed("embassy", first - 2_000);
    let measured = every_arrival(&near, arrivals(first, count, 2), response).expect("results");
    assert_eq!(measured.len() as u64, count);
    // Steps that fit no chunk size, and the cycles around the LED's toggle.
    for arrival in (first..first + count).step_by(293).chain(18_008_100..18_008_120) {
        let mut alone = button("embassy");
        alone.stimulate(Cycles::new(17_895_000), PRESS);
        alone.stimulate(Cycles::new(arrival), RELEASE);
        pass(&mut alone, 17_990_000);
        let expected = response(&mut alone, Cycles::new(arrival));
        assert_eq!(measured[(arrival - first) as usize], expected, "arrival {arrival}");
        assert_eq!(expected.0.len(), 4, "both probes rise and fall: {expected:?}");
    }
    let latencies = |probe: usize| -> BTreeSet<u64> {
        measured.iter().zip(first..).map(|((edges, ..), at)| edges[probe].0 - at).collect()
    };
    assert!(latencies(0).len() > 20, "the handler waits for others': {:?}", latencies(0));
    assert!(latencies(2).len() > 100, "the task waits for others");
    // The results are the same for any number of threads and any start.
    let far = pressed("embassy", 17_900_000);
    let part = (500..1_300).map(|index| measured[index].clone()).collect::<Vec<_>>();
    for (base, threads) in [(&near, 1), (&near, 3), (&far, 2)] {
        let again = every_arrival(base, arrivals(first + 500, 800, threads), response).expect("results");
        assert!(again == part, "{threads} threads");
    }
    // A chunk may also begin in the middle of a handler's instructions.
    for index in 7_100..7_250 {
        let again = every_arrival(&near, arrivals(first + index, 3, 1), response).expect("results");
        assert_eq!(again, measured[index as usize..index as usize + 3], "from arrival {}", first + index);
    }
}

/// A run that begins far before its arrival is slow, and one that begins too near may have done something of the arrival's cycle.
#[test]
fn each_run_begins_shortly_before_its_arrival_and_not_at_it() {
    let base = pressed("embassy", 18_000_000);
    let ahead = |machine: &mut Machine, arrival: Cycles| arrival.get() - machine.now().get();
    for (first, count) in [(18_005_000, 4_000), (18_030_000, 1_000)] {
        let ahead = every_arrival(&base, arrivals(first, count, 1), ahead).expect("results");
        assert!(ahead.iter().all(|cycles| *cycles >= 16), "{:?}", ahead.iter().min());
        // Those that share a start are 256 at most; a long instruction may stand in the way.
        assert!(ahead.iter().all(|cycles| *cycles < 2 * 256 + 200), "{:?}", ahead.iter().max());
    }
    // The start that is handed in may be as near as 16 cycles, and no nearer.
    let now = base.now().get();
    let nearest = |first| every_arrival(&base, arrivals(first, 1, 1), ahead);
    assert_eq!(nearest(now + 16), Ok(vec![16]));
    for near in 0..16 {
        let first = Cycles::new(now + near);
        assert_eq!(nearest(now + near), Err(ArrivalsError::TooLate { first, now: base.now() }));
    }
}

#[test]
fn what_cannot_be_is_said() {
    let machine = pressed("embassy", 17_900_000);
    let asked = arrivals(17_900_004, 100, 1);
    let error = every_arrival(&machine, asked, response).expect_err("too late");
    assert_eq!(error, ArrivalsError::TooLate { first: Cycles::new(17_900_004), now: machine.now() });

    let done = AtomicU64::new(0);
    let stop = || done.load(Ordering::Relaxed) >= 256;
    let progress = |count| done.store(count, Ordering::Relaxed);
    let asked = Arrivals { stop: &stop, progress: &progress, ..arrivals(17_901_000, 2_000, 1) };
    let error = every_arrival(&machine, asked, |_, arrival| arrival).expect_err("stopped");
    assert_eq!(error, ArrivalsError::Stopped { done: 256 });

    // BKPT ends the program by itself. After WFI only the stimulus wakes the core, which is allowed.
    for (code, ends) in [(0xBE01, true), (0xBF30, false)] {
        let machine = tiny(code);
        let result = every_arrival(&machine, arrivals(1_000, 600, 2), |machine: &mut Machine, arrival| {
            let stop = machine.run(arrival);
            (stop, machine.now(), machine.pin(BUTTON))
        });
        match result {
            Err(error) => assert!(ends && matches!(error, ArrivalsError::Ended { .. }), "{error}"),
            Ok(all) => {
                assert!(!ends);
                for ((stop, now, high), at) in all.into_iter().zip(1_000..) {
                    assert!(matches!(stop, Stop::Deadlock(_)) && now.get() == at && high, "{stop:?} at {now}");
                }
            }
        }
    }
}

/// Returns a machine with a program of one instruction and a branch back to it.
fn tiny(code: u16) -> Machine {
    let mut flash: Vec<u8> = [0x2000_3000u32, 0x0800_0009].iter().flat_map(|word| word.to_le_bytes()).collect();
    flash.extend([code, 0xE7FD].iter().flat_map(|halfword| halfword.to_le_bytes()));
    let part = Part::find("stm32f446ze").expect("a part of ours");
    Machine::new(part, Settings::default(), [(Address::new(0x0800_0000), &flash[..])]).expect("it starts")
}

#[test]
fn threads_measure_side_by_side() {
    let machine = tiny(0xBF30);
    let inside = AtomicU64::new(0);
    let met = every_arrival(&machine, arrivals(1_000, 512, 2), |_, arrival| {
        // The first arrival of each chunk waits for the first of the other.
        if !(arrival.get() - 1_000).is_multiple_of(256) {
            return true;
        }
        inside.fetch_add(1, Ordering::SeqCst);
        let began = Instant::now();
        while inside.load(Ordering::SeqCst) < 2 && began.elapsed() < Duration::from_secs(20) {
            std::thread::yield_now();
        }
        inside.load(Ordering::SeqCst) == 2 && began.elapsed() < Duration::from_secs(20)
    });
    assert!(met.expect("results").iter().all(|met| *met));
}
