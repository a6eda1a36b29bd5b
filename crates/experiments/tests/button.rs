//! The button experiment over its bundled images, and over the same images with something wrong in them.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use cyclescope_chips::MemorySetting;
use cyclescope_experiments::{Arrivals, Button, Dump, Experiment, ImageJob, Job, RunError, Selection, Watch, run};
use cyclescope_image::Image;
use cyclescope_machine::Signal;
use cyclescope_records::{Record, Unit};
use cyclescope_scope::Traced;

/// The button experiment's job for `contender` on the smaller chip, optimised for speed.
fn job(contender: &str, mode: &str) -> ImageJob {
    on("stm32c031c6", contender, mode)
}

fn on(chip: &str, contender: &str, mode: &str) -> ImageJob {
    let one = |name: &str| vec![name.to_owned()];
    let selection = Selection {
        chips: one(chip),
        contenders: one(contender),
        modes: one(mode),
        opts: one("3"),
        memory: vec![MemorySetting::Equal],
        ..Selection::default()
    };
    let mut jobs = Button::bundled().jobs(&selection);
    assert_eq!(jobs.len(), 1, "{contender} {mode}");
    jobs.remove(0).image().expect("it runs on a chip").clone()
}

fn run_one(job: &ImageJob) -> Result<Vec<Record>, RunError> {
    Button::bundled().run(&Job::Image(job.clone()), Watch::NOBODY)
}

fn of<'r>(records: &'r [Record], metric: &str) -> &'r Record {
    records.iter().find(|record| record.metric == metric).unwrap_or_else(|| panic!("no {metric}"))
}

fn whole(record: &Record) -> [i64; 2] {
    [record.min, record.max].map(|number| number.as_integer().expect("cycles are whole"))
}

/// `job` with its ELF changed by `change`.
fn changed(mut job: ImageJob, change: impl Fn(&mut Vec<u8>)) -> ImageJob {
    let mut elf = job.image.elf().expect("it unpacks");
    let before = elf.clone();
    change(&mut elf);
    assert_ne!(elf, before, "nothing was changed");
    job.elf = Some(elf.into());
    job
}

/// Replaces each `old` by `new`.
fn replace(elf: &mut [u8], old: &[u8], new: &[u8]) {
    let places: Vec<usize> =
        elf.windows(old.len()).enumerate().filter(|(_, at)| at == &old).map(|(at, _)| at).collect();
    for at in places {
        elf[at..at + new.len()].copy_from_slice(new);
    }
}

/// Has the function `main` of the program in plain C read what it takes for the button's level from `address`.
fn reads_level_at(elf: &mut [u8], address: impl Fn(&Image) -> u32) {
    let copy = elf.to_vec();
    let image = Image::parse(&copy).expect("an ELF");
    let (up, main) = (image.symbol("up").expect("the level"), image.symbol("main").expect("a program"));
    let segment = image
        .segments()
        .find(|segment| (0..segment.bytes.len() as u32).contains(&(main.address.get() - segment.address.get())))
        .expect("it is loaded");
    let at = copy.windows(segment.bytes.len()).position(|bytes| bytes == segment.bytes).expect("it is in the file");
    let begin = at + (main.address.get() - segment.address.get()) as usize;
    let body = &mut elf[begin..begin + main.size.get() as usize];
    replace(body, &up.address.get().to_le_bytes(), &address(&image).to_le_bytes());
}

#[test]
fn every_contender_says_what_the_documentation_names() {
    for contender in ["c-plain", "freertos", "embassy", "rtic", "lilos"] {
        let records = run_one(&job(contender, "interrupt")).unwrap_or_else(|error| panic!("{contender}: {error}"));
        for span in ["latency.handler", "latency.edge", "interrupt", "latency.task", "thread", "latency.response"] {
            let record = of(&records, span);
            assert_eq!((record.n, record.unit), (2000, Unit::Cycles), "{contender} {span}");
            let order = [record.min, record.median, record.p99, record.max].map(|number| number.as_f64());
            assert!(order.is_sorted() && order[0] > 0.0, "{contender} {span}: {order:?}");
            assert!((order[0]..=order[3]).contains(&record.mean.as_f64()), "{contender} {span}");
            assert_eq!(record.histogram.as_ref().map(|histogram| histogram.samples()), Some(2000));
        }
        let mean = |metric: &str| of(&records, metric).mean.as_f64();
        // T1..T4 is T1..T3 and T3..T4; the edge comes before the handler, and the handler's first instruction before T1.
        assert!((mean("latency.task") + mean("thread") - mean("latency.response")).abs() < 0.01, "{contender}");
        assert!(mean("latency.handler") + mean("latency.task") <= mean("latency.edge") + 100.0, "{contender}");
        assert!(mean("latency.edge") > mean("latency.handler") && mean("latency.response") > mean("interrupt"));
        assert!((mean("awake") + mean("asleep") - 1.0).abs() < 1e-9, "{contender}");
        assert!(mean("awake") > 0.0 && mean("awake") < 0.5, "{contender}");
        // Two edges a press, each an interrupt and a message whose bytes take one each.
        assert!(mean("interrupts.per_press") >= 2.0 * 17.0, "{contender}: {}", mean("interrupts.per_press"));
        assert_eq!((mean("messages"), mean("edges.missed"), mean("levels.misjudged")), (2000.0, 0.0, 0.0));
        assert_eq!(mean("switches.per_press") > 4.0, contender == "freertos", "{contender}");
        assert_eq!(records.iter().any(|record| record.metric == "stack.tasks"), contender == "freertos");
        for metric in ["text", "ram", "stack.main", "source.lines"] {
            assert!(mean(metric) > 0.0, "{contender} {metric}");
        }
        assert_eq!(records.iter().any(|record| record.metric == "task.largest"), contender != "c-plain");
        assert!(records.iter().all(|record| record.params["stimulus"].to_string().contains("seed 1")));
        assert!(
            records
                .iter()
                .all(|record| record.image_sha256.as_deref() == Some(job(contender, "interrupt").image.sha256))
        );
    }
}

#[test]
fn a_mode_has_the_metrics_that_it_can_tell() {
    let bare = run_one(&job("embassy", "bare")).expect("it runs");
    let metrics = |records: &[Record]| records.iter().map(|record| record.metric.clone()).collect::<Vec<_>>();
    for probed in ["interrupt", "thread", "latency.task", "latency.response"] {
        assert!(!metrics(&bare).contains(&probed.to_owned()), "{probed} without probes");
    }
    assert_eq!((of(&bare, "latency.edge").n, of(&bare, "latency.handler").n), (2000, 2000));
    let with = run_one(&job("embassy", "interrupt")).expect("it runs");
    assert!(of(&bare, "latency.edge").mean.as_f64() < of(&with, "latency.edge").mean.as_f64(), "probes cost");

    let bounce = run_one(&job("embassy", "bounce")).expect("it runs");
    for ambiguous in ["latency.handler", "latency.edge", "latency.task", "latency.response"] {
        assert!(!metrics(&bounce).contains(&ambiguous.to_owned()), "{ambiguous} where edges merge");
    }
    let count = |metric: &str| of(&bounce, metric).mean.as_integer().expect("a count");
    // Each of 2,000 changes comes with 6 edges more.
    assert_eq!(count("messages") + count("edges.missed"), 2000 * 7);
    assert!(count("edges.missed") > 0 && of(&bounce, "thread").n == count("messages") as u64);
}

#[test]
fn a_seed_decides_the_presses_and_is_in_the_record() {
    let other = ImageJob { seed: Some(7), ..job("embassy", "interrupt") };
    let (first, second) = (run_one(&job("embassy", "interrupt")).expect("it runs"), run_one(&other).expect("it runs"));
    assert!(second.iter().all(|record| record.params["stimulus"].to_string().ends_with("seed 7")));
    assert_ne!(of(&first, "asleep").mean, of(&second, "asleep").mean);
    assert_eq!(run_one(&other).expect("it runs"), second);
}

#[test]
fn every_arrival_is_what_that_one_is_alone() {
    let two = NonZeroUsize::new(2).expect("not zero");
    for contender in ["embassy", "freertos", "rtic"] {
        let base = job(contender, "interrupt");
        let exhaustive =
            |threads| run_one(&ImageJob { arrivals: Arrivals::Exhaustive(Some(3000), threads), ..base.clone() });
        let all = exhaustive(two).unwrap_or_else(|error| panic!("{contender}: {error}"));
        assert_eq!(exhaustive(NonZeroUsize::MIN).expect("it runs"), all, "threads change nothing");
        assert_eq!(all.len(), 6, "{contender}");
        let first = of(&all, "latency.edge").params["window.from"].to_string().parse::<u64>().expect("a cycle");
        let mut cycles = vec![first, first + 1, first + 1500, first + 2999];
        for record in &all {
            assert_eq!(record.n, 3000);
            let worst = record.params["worst_arrival"].to_string().parse::<u64>().expect("a cycle");
            assert!((first..first + 3000).contains(&worst));
            let alone = run_one(&ImageJob { arrivals: Arrivals::At(worst, 0), ..base.clone() }).expect("it runs");
            assert_eq!(whole(of(&alone, &record.metric)), [whole(record)[1]; 2], "{contender} {}", record.metric);
            cycles.push(worst);
        }
        for cycle in cycles {
            let alone = run_one(&ImageJob { arrivals: Arrivals::At(cycle, 0), ..base.clone() }).expect("it runs");
            for record in &all {
                let ([least, most], [one, same]) = (whole(record), whole(of(&alone, &record.metric)));
                assert!(one == same && (least..=most).contains(&one), "{contender} {} at {cycle}", record.metric);
            }
        }
    }
}

#[test]
fn a_window_is_told_cycle_by_cycle() {
    let base = job("freertos", "interrupt");
    let all = run_one(&ImageJob { arrivals: Arrivals::Exhaustive(Some(24), NonZeroUsize::MIN), ..base.clone() });
    let all = all.expect("it runs");
    let first = all[0].params["window.from"].to_string().parse::<u64>().expect("a cycle");
    let alone: Vec<Vec<Record>> = (first..first + 24)
        .map(|cycle| run_one(&ImageJob { arrivals: Arrivals::At(cycle, 0), ..base.clone() }).expect("it runs"))
        .collect();
    for record in &all {
        let mut cycles: Vec<i64> = alone.iter().map(|alone| whole(of(alone, &record.metric))[0]).collect();
        let worst = cycles.iter().max().and_then(|most| cycles.iter().position(|cycle| cycle == most));
        assert_eq!(worst.map(|at| (first + at as u64).to_string()), Some(record.params["worst_arrival"].to_string()));
        cycles.sort_unstable();
        assert_eq!(whole(record), [cycles[0], cycles[23]], "{}", record.metric);
        assert!((record.mean.as_f64() * 24.0 - cycles.iter().sum::<i64>() as f64).abs() < 1e-6, "{}", record.metric);
        assert_eq!(record.median.as_f64(), (cycles[11] + cycles[12]) as f64 / 2.0, "{}", record.metric);
    }
}

#[test]
fn windows_that_cannot_be_are_refused() {
    let base = job("embassy", "interrupt");
    for cycle in [0, 1, 10_000_000, 1_000_000_000_000, u64::MAX] {
        let error = run_one(&ImageJob { arrivals: Arrivals::At(cycle, 0), ..base.clone() }).expect_err("it cannot");
        assert!(matches!(error, RunError::Window { first, from, to, .. } if first == cycle && from < to), "{error}");
    }
    let none = Arrivals::Exhaustive(Some(0), NonZeroUsize::MIN);
    assert!(matches!(run_one(&ImageJob { arrivals: none, ..base.clone() }), Err(RunError::EmptyWindow)));
    let huge = Arrivals::Exhaustive(Some(u64::MAX), NonZeroUsize::MIN);
    assert!(matches!(run_one(&ImageJob { arrivals: huge, ..base.clone() }), Err(RunError::Window { .. })));
    // The first and the last that there may be.
    let Err(RunError::Window { from, to, .. }) = run_one(&ImageJob { arrivals: Arrivals::At(0, 0), ..base.clone() })
    else {
        panic!("it cannot");
    };
    assert!(run_one(&ImageJob { arrivals: Arrivals::At(from, 0), ..base.clone() }).is_err());
    for cycle in [from + 1, to - 1] {
        run_one(&ImageJob { arrivals: Arrivals::At(cycle, 0), ..base.clone() })
            .unwrap_or_else(|error| panic!("{error}"));
    }
}

#[test]
fn a_wrong_message_gives_no_number_and_is_shown() {
    for contender in ["c-plain", "embassy"] {
        let wrong = changed(job(contender, "interrupt"), |elf| replace(elf, b"Button is ", b"Button iz "));
        match run_one(&wrong) {
            Err(error @ RunError::Output { line: 1, .. }) => assert_eq!(
                error.to_string(),
                "line 1 of the program's output is wrong: expected `Button is 0 (1)`, found `Button iz 0 (1)`"
            ),
            other => panic!("{contender}: {other:?}"),
        }
        let chosen = Arrivals::Exhaustive(Some(10), NonZeroUsize::MIN);
        let error = run_one(&ImageJob { arrivals: chosen, ..wrong }).expect_err("wrong");
        assert!(matches!(error, RunError::ArrivalOutput { .. }), "{error}");
        assert!(
            error.to_string().contains(": line 1 of the program's output is wrong: expected `Button is 0 (1)`"),
            "{error}"
        );
    }
}

#[test]
fn a_program_that_never_settles_gives_no_number() {
    // The button's vector leads to a loop without end.
    let stuck = changed(job("c-plain", "interrupt"), |elf| {
        let copy = elf.to_vec();
        let image = Image::parse(&copy).expect("an ELF");
        let thumb = |name: &str| (image.symbol(name).expect("a handler").address.get() | 1).to_le_bytes();
        replace(elf, &thumb("EXTI4_15_IRQHandler"), &thumb("Default_Handler"));
    });
    let error = run_one(&ImageJob { arrivals: Arrivals::At(19_300_000, 0), ..stuck }).expect_err("stuck").to_string();
    assert!(error.contains("before the window, the button task did not wait again"), "{error}");
}

#[test]
fn one_run_that_fails_leaves_the_others_their_numbers() {
    let wrong = changed(job("embassy", "interrupt"), |elf| replace(elf, b"Button is ", b"Button iz "));
    let jobs = [wrong, job("c-plain", "interrupt")].map(Job::Image);
    let outcome = run(&Button::bundled(), &jobs, NonZeroUsize::MIN, Watch::NOBODY, &|_| {});
    assert_eq!(outcome.failed.len(), 1);
    assert!(!outcome.records.is_empty() && outcome.records.iter().all(|record| record.contender == "c-plain"));
}

#[test]
fn an_led_that_does_not_follow_the_button_is_refused() {
    let ignores = changed(job("c-plain", "interrupt"), |elf| {
        // A byte of the program itself, which is not 0.
        reads_level_at(elf, |image| image.symbol("Reset_Handler").expect("one").address.get() | 1);
    });
    let error = run_one(&ignores).expect_err("the LED ignores the button").to_string();
    assert!(error.starts_with("the LED went on while the button was down, at cycle "), "{error}");
    // A reserved word of the vector table, which is 0.
    let dark = changed(job("c-plain", "interrupt"), |elf| reads_level_at(elf, |_| 0x0800_001C));
    let error = run_one(&dark).expect_err("the LED never goes on").to_string();
    assert!(error.starts_with("the LED stayed off while the button was up, at cycle "), "{error}");
}

#[test]
fn a_symbol_that_is_not_there_is_named_with_the_nearest() {
    let other = changed(job("freertos", "interrupt"), |elf| {
        replace(elf, b"cyclescope_button_runs\0", b"cyclescope_button_rums\0");
    });
    for arrivals in [Arrivals::Random, Arrivals::At(1, 0)] {
        let error = run_one(&ImageJob { arrivals, ..other.clone() }).expect_err("it is not there").to_string();
        assert!(error.contains("cyclescope_button_runs") && error.contains("cyclescope_button_rums"), "{error}");
    }
}

#[test]
fn a_run_of_all_arrivals_tells_how_far_it_is_and_can_be_ended() {
    let job = ImageJob { arrivals: Arrivals::Exhaustive(None, NonZeroUsize::MIN), ..job("embassy", "interrupt") };
    let (last, total) = (AtomicU64::new(0), AtomicU64::new(0));
    let progress = |done, of| {
        last.store(done, Ordering::SeqCst);
        total.store(of, Ordering::SeqCst);
    };
    let stop = || last.load(Ordering::SeqCst) >= 512;
    let watch = Watch { stop: &stop, progress: &progress, ..Watch::NOBODY };
    let error = Button::bundled().run(&Job::Image(job.clone()), watch).expect_err("it was ended");
    assert!(error.is_interrupted(), "{error}");
    assert_eq!((last.load(Ordering::SeqCst), total.load(Ordering::SeqCst)), (512, 100_000));
    last.store(0, Ordering::SeqCst);
    let outcome = run(&Button::bundled(), &[Job::Image(job)], NonZeroUsize::MIN, watch, &|_| {});
    assert!(outcome.records.is_empty() && outcome.failed.is_empty(), "neither a result nor a failure");
}

/// The share of sleep from the first gap's beginning to the end is what the trace shows.
fn check_sleep(dump: &Dump, records: &[Record]) {
    let (begin, end) = (300 * 48_000, dump.trace.to.get());
    let (mut since, mut asleep) = (None, 0);
    for (at, entry) in &dump.trace.entries {
        match entry {
            Traced::Signal(_, Signal::Sleep) => since = Some(at.get()),
            Traced::Signal(_, Signal::Wake) => {
                asleep += since.take().map_or(0, |since: u64| at.get().saturating_sub(since.max(begin)));
            }
            _ => {}
        }
    }
    asleep += since.map_or(0, |since| end - since);
    let share = asleep as f64 / (end - begin) as f64;
    assert!((share - of(records, "asleep").mean.as_f64()).abs() < 1e-6, "{share}");
}

/// The presses leave the button up for long enough, more than once, to see whether the LED goes on again.
fn check_stretches(dump: &Dump) {
    let edges: Vec<(u64, bool)> = changes(dump, "PC13").collect();
    let up = |pair: &&[(u64, bool)]| pair[0].1 && pair[1].0 - pair[0].0 > 205 * 48_000 - 48_000;
    assert!(edges.windows(2).filter(up).count() >= 2);
}

/// The records of an arrival match its probes.
fn check_probes(dump: &Dump, records: &[Record]) {
    let at = |pin: &str, high: bool| {
        let found: Vec<u64> = changes(dump, pin).filter(|change| change.1 == high).map(|change| change.0).collect();
        assert_eq!(found.len(), 1, "{pin}");
        found[0]
    };
    let [t1, t2, t3, t4] = [at("PA0", true), at("PA0", false), at("PA1", true), at("PA1", false)];
    let edge = at("PC13", false);
    for (metric, cycles) in
        [("interrupt", t2 - t1), ("latency.task", t3 - t1), ("thread", t4 - t3), ("latency.response", t4 - t1)]
    {
        assert_eq!(whole(of(records, metric)), [cycles as i64; 2], "{metric}");
    }
    let entered = dump.trace.entries.iter().find_map(|(at, entry)| match entry {
        Traced::Signal(_, Signal::ExceptionEntered { number }) => {
            let name = dump.exceptions.iter().find(|(known, _)| known == number).map(|(_, name)| *name);
            (name == Some("EXTI4_15")).then_some(at.get())
        }
        _ => None,
    });
    assert_eq!(entered.map(|at| (at - edge) as i64), Some(whole(of(records, "latency.handler"))[0]));
    let task = whole(of(records, "latency.edge"))[0] as u64;
    assert!((t1 - edge..=t3 - edge).contains(&task), "the task runs before it says so");
}

/// A pin's changes.
fn changes<'d>(dump: &'d Dump, name: &'d str) -> impl Iterator<Item = (u64, bool)> + 'd {
    dump.trace.entries.iter().filter_map(move |(at, entry)| match entry {
        Traced::Signal(_, Signal::Pin { pin, high }) if pin.to_string() == name => Some((at.get(), *high)),
        _ => None,
    })
}

#[test]
fn looking_at_a_run_changes_nothing() {
    for arrivals in [Arrivals::Random, Arrivals::At(19_300_000, 0)] {
        let job = ImageJob { arrivals, ..job("freertos", "interrupt") };
        assert!(Button::bundled().dumps(&Job::Image(job.clone())));
        let seen: Arc<Mutex<Option<Dump>>> = Arc::default();
        let keep = |dump| *seen.lock().unwrap() = Some(dump);
        let watched = Button::bundled()
            .run(&Job::Image(job.clone()), Watch { dump: Some(&keep), ..Watch::NOBODY })
            .expect("it runs");
        assert_eq!(watched, run_one(&job).expect("it runs"));
        let dump = seen.lock().unwrap().take().expect("it was given");
        assert_eq!((dump.part.as_str(), dump.trace.lost), ("stm32c031c6", 0));
        assert!(dump.trace.entries.iter().any(|(_, entry)| matches!(entry, Traced::Task(_))));
        if arrivals == Arrivals::Random {
            check_sleep(&dump, &watched);
            check_stretches(&dump);
        } else {
            check_probes(&dump, &watched);
        }
    }
}

/// The F446 runs its APB1 at a quarter and its APB2, with EXTI, at half of HCLK: there are four phases, and the window is
/// gone through in each.
#[test]
fn a_window_is_gone_through_in_every_phase_of_the_bus_clocks() {
    let base = on("stm32f446ze", "embassy", "interrupt");
    let all = run_one(&ImageJob { arrivals: Arrivals::Exhaustive(Some(6), NonZeroUsize::MIN), ..base.clone() });
    let all = all.expect("it runs");
    let edge = of(&all, "latency.edge");
    assert_eq!((edge.params["phases"].to_string(), edge.n), ("4".to_owned(), 24));
    let first = edge.params["window.from"].to_string().parse::<u64>().expect("a cycle");
    let alone = |phase| {
        let one = |cycle| run_one(&ImageJob { arrivals: Arrivals::At(cycle, phase), ..base.clone() }).expect("it runs");
        (first..first + 6).map(|cycle| whole(of(&one(cycle), "latency.edge"))[0]).collect::<Vec<_>>()
    };
    let phases: Vec<Vec<i64>> = (0..4).map(alone).collect();
    let cycles = phases.concat();
    assert_eq!(whole(edge), [*cycles.iter().min().expect("some"), *cycles.iter().max().expect("some")]);
    assert!((edge.mean.as_f64() * 24.0 - cycles.iter().sum::<i64>() as f64).abs() < 1e-6);
    let worst = phases.iter().position(|phase| phase.contains(&whole(edge)[1])).expect("one of them");
    assert_eq!(edge.params["worst_phase"].to_string(), worst.to_string());
    assert!(phases.iter().any(|phase| *phase != phases[0]), "they differ: {phases:?}");
}

#[test]
fn a_phase_is_drawn_with_the_presses_and_is_in_the_record() {
    let drawn = |seed: u64| {
        let records = run_one(&ImageJob { seed: Some(seed), ..job("embassy", "bare") }).expect("it runs");
        records[0].params["phase"].to_string()
    };
    let expected = |seed| cyclescope_scope::Phase::Seed(seed).cycles().to_string();
    assert_eq!([drawn(1), drawn(2)], [expected(1), expected(2)]);
}

/// The pins, interrupts and DMA of each board: what a program says is checked by the run itself.
#[test]
fn every_chip_answers_by_interrupts_and_by_dma() {
    for chip in ["stm32f446ze", "stm32g071rb", "stm32l476rg", "stm32f411ce", "nrf52840", "rp2040"] {
        for (contender, mode) in [("c-plain", "dma"), ("embassy", "interrupt"), ("lilos", "dma")] {
            let records =
                run_one(&on(chip, contender, mode)).unwrap_or_else(|error| panic!("{chip} {contender}: {error}"));
            assert_eq!(of(&records, "latency.response").n, 2000, "{chip} {contender}");
        }
    }
}
