//! A kernel's tasks on real FreeRTOS: stack depths and task switches.

use std::ops::Range;

use cyclescope_chips::{Machine, Part, Settings, StackUse};
use cyclescope_image::Image;
use cyclescope_machine::units::{Address, Cycles};
use cyclescope_machine::{Channel, Console, Pin, SignalKind, Stimulus, Width};
use cyclescope_scope::{End, ExceptionPhase, Exceptions, Limits, Resolved, RunningTask, Session, SleepTime, Span};

/// A value that the program never writes to a stack.
const PAINT: u32 = 0xA5C3_96E1;

/// The tasks of the program `primes`, by the start of their stacks' names.
const PRIMES: [&str; 2] = ["search", "counter"];

const PEND_SV: u16 = 14;

const DSB: [u8; 4] = [0xBF, 0xF3, 0x4F, 0x8F];
const VMOV_S16_S16: [u8; 4] = [0xB0, 0xEE, 0x48, 0x8A];

fn image(name: &str) -> Image {
    let bundled = cyclescope_images::images().iter().find(|image| image.name == name).expect("a bundled image");
    Image::parse(&bundled.elf().expect("it unpacks")).expect("it is an ELF")
}

/// Returns the machine with `image`, whose bytes at `patch` are replaced.
fn machine(chip: &str, image: &Image, patch: Option<(Address, &[u8])>) -> Machine {
    let mut segments: Vec<(Address, Vec<u8>)> = image.segments().map(|s| (s.address, s.bytes.to_vec())).collect();
    if let Some((at, with)) = patch {
        let (from, bytes) = segments
            .iter_mut()
            .find(|(from, bytes)| *from <= at && at.get() - from.get() < bytes.len() as u32)
            .expect("it is loaded");
        bytes[(at.get() - from.get()) as usize..][..with.len()].copy_from_slice(with);
    }
    let part = Part::find(chip).expect("a part of ours");
    let segments = segments.iter().map(|(at, bytes)| (*at, bytes.as_slice()));
    Machine::new(part, Settings::default(), segments).expect("it starts")
}

fn range(image: &Image, name: &str) -> Range<Address> {
    let symbol = image.symbol(name).expect("a stack");
    symbol.address..Address::new(symbol.address.get() + symbol.size.get() as u32)
}

fn word(machine: &mut Machine, at: Address) -> u32 {
    machine.memory().read(at.get(), Width::Word).expect("in RAM")
}

fn limits(cycles: u64) -> Limits {
    Limits::until(Cycles::new(cycles), Cycles::new(48_000))
}

fn run_to(machine: &mut Machine, image: &Image, symbol: &str) {
    let mut session = Session::new(machine, image);
    let event = session.watch(Resolved::At(image.symbol(symbol).expect("a function").address));
    session.end_at(event);
    assert_eq!(session.run(limits(10_000_000), |_| false), End::Satisfied);
}

/// Paints the tasks' stacks below their first context before any task has run. Compares the stack marks with what was
/// written after `cycles`.
#[track_caller]
fn check_marks(machine: &mut Machine, image: &Image, tasks: &[&str], cycles: u64) -> Vec<StackUse> {
    let stacks: Vec<_> = tasks.iter().map(|task| range(image, &format!("{task}_stack"))).collect();
    run_to(machine, image, "vTaskStartScheduler");
    for (stack, task) in stacks.iter().zip(tasks) {
        let top = image.symbol(&format!("{task}_tcb")).expect("a task's control block").address;
        let top = word(machine, top);
        for at in (stack.start.get()..top).step_by(4) {
            assert!(machine.memory().write(at, Width::Word, PAINT));
        }
    }
    machine.watch_stacks(&stacks);
    machine.run(Cycles::new(cycles));
    let used = machine.stacks_used();
    for (stack, used) in stacks.iter().zip(&used) {
        let written = (stack.start.get()..stack.end.get()).step_by(4);
        let lowest = written.into_iter().find(|at| word(machine, Address::new(*at)) != PAINT).expect("it is used");
        assert_eq!(used.used.get(), u64::from(stack.end.get() - lowest), "{stack:?}");
        assert!(!used.overflowed());
    }
    used
}

#[test]
fn a_stacks_mark_is_the_lowest_word_written() {
    for opt in ["3", "s"] {
        for chip in ["stm32c031c6", "stm32f103c8", "stm32f446ze"] {
            let image = image(&format!("primes-freertos-two-{opt}-{chip}"));
            let used = check_marks(&mut machine(chip, &image, None), &image, &PRIMES, 4_000_000);
            // A task that was switched out uses at least a frame and the kernel's part.
            assert!(used.iter().all(|used| used.used.get() >= 64), "{chip} {opt}: {used:?}");
        }
    }
}

#[test]
fn a_stacks_mark_is_the_lowest_word_written_by_tasks_that_wait_and_wake() {
    const BUTTON: Pin = Pin { port: 2, number: 13 };
    for mode in ["interrupt", "blocking", "dma", "bare"] {
        for chip in ["stm32c031c6", "stm32f446ze"] {
            let image = image(&format!("button-freertos-{mode}-3-{chip}"));
            let mut machine = machine(chip, &image, None);
            machine.stimulate(Cycles::ZERO, Stimulus::Pin { pin: BUTTON, high: Some(true) });
            for press in 1..8 {
                let at = Cycles::new(5_000_000 * press);
                machine.stimulate(at, Stimulus::Pin { pin: BUTTON, high: Some(press % 2 == 0) });
            }
            let used = check_marks(&mut machine, &image, &["led", "serial", "button"], 45_000_000);
            // The button task was woken, since it printed text.
            assert!(used[2].used.get() > 300, "{chip} {mode}: {used:?}");
        }
    }
}

#[test]
fn floating_point_registers_saved_by_the_kernel_count() {
    let chip = "stm32f446ze";
    let image = image("primes-freertos-two-3-stm32f446ze");
    // A floating-point instruction takes the place of a barrier in the search's yield, which this core does not need.
    // From there on the task has floating-point state.
    let function = image.symbol("search_task").expect("the search");
    let code = image.segments().find(|s| s.address <= function.address).expect("code");
    let from = (function.address.get() - code.address.get()) as usize;
    let mut bytes = code.bytes[from..from + function.size.get() as usize].to_vec();
    let barriers: Vec<usize> = (0..bytes.len() - 3).step_by(2).filter(|&at| bytes[at..at + 4] == DSB).collect();
    assert!(!barriers.is_empty());
    for at in barriers {
        bytes[at..at + 4].copy_from_slice(&VMOV_S16_S16);
    }
    // The first switch is from the search to the counter, in the search's yield.
    let mut machine = machine(chip, &image, None);
    let mut session = Session::new(&mut machine, &image);
    let switch = session.watch(Resolved::Exception(PEND_SV, ExceptionPhase::Entered));
    session.end_at(switch);
    assert_eq!(session.run(limits(10_000_000), |_| false), End::Satisfied);
    let frame = machine.cortex_m().unwrap().cpu().stack_pointers().1;
    let depth = u64::from(range(&image, "search_stack").end.get() - frame);

    let mut patched = self::machine(chip, &image, Some((function.address, &bytes)));
    let without = check_marks(&mut self::machine(chip, &image, None), &image, &PRIMES, 4_000_000);
    let with = check_marks(&mut patched, &image, &PRIMES, 4_000_000);
    // The kernel saves r4 to r11 and lr. With floating-point state the frame has s0 to s15, FPSCR and a reserved word
    // in addition, and the kernel saves s16 to s31. A tick in the division is deeper than the yield without it.
    assert!(without[0].used.get() > depth + 4 * 9);
    assert_eq!(with[0].used.get(), depth + 4 * (9 + 18 + 16));
    assert_eq!(with[1], without[1], "the counter has none");
}

#[test]
fn a_stack_that_is_too_small_is_told() {
    let image = image("primes-freertos-two-3-stm32c031c6");
    let mut machine = machine("stm32c031c6", &image, None);
    let whole = range(&image, "counter_stack");
    let half = Address::new(whole.end.get() - 40)..whole.end;
    machine.watch_stacks(std::slice::from_ref(&half));
    machine.run(Cycles::new(1_000_000));
    let [used] = machine.stacks_used()[..] else { panic!("one stack") };
    assert!(used.overflowed() && used.size.get() == 40, "{used:?}");
}

/// The observed behaviour of a run, and what the program prints about itself.
struct Counted {
    /// Exceptions within the program's span.
    within: Exceptions,
    all: Exceptions,
    /// Yields of the search.
    dispatches: u64,
    /// Iterations of the second task.
    counter: u64,
}

fn counted(chip: &str, mode: &str) -> Counted {
    let image = image(&format!("primes-freertos-{mode}-3-{chip}"));
    let address = |name: &str| image.symbol(name).expect("a symbol").address;
    let mut machine = machine(chip, &image, None);
    let mut session = Session::new(&mut machine, &image);
    let from = session.watch(Resolved::At(address("cyclescope_start")));
    let to = session.watch(Resolved::At(address("cyclescope_stop")));
    let span = session.span(Span { name: "search".into(), from, to });
    session.count_exceptions(Some(RunningTask { pointer: address("pxCurrentTCB"), task: address("search_tcb") }));
    let figure = |console: &Console, name: &str| -> Option<u64> {
        let text = String::from_utf8_lossy(&console.bytes(Channel::Rtt(0))).into_owned();
        let (_, rest) = text.split_once(&format!(" {name}="))?;
        rest.split_once(' ')?.0.parse().ok()
    };
    assert_eq!(session.run(limits(1_000_000_000), |console| figure(console, "counter").is_some()), End::Satisfied);
    let within = session.exceptions_within(span);
    let all = session.exceptions().expect("they are counted").clone();
    let console = &session.target().shared().console;
    let printed = |name| figure(console, name).expect("it is printed");
    Counted { within, all, dispatches: printed("dispatches"), counter: printed("counter") }
}

#[test]
fn a_yield_is_a_switch_there_and_one_back() {
    for chip in ["stm32c031c6", "stm32f446ze"] {
        let run = counted(chip, "two");
        assert_eq!(run.within.switches(), 2 * run.dispatches, "{chip}");
        assert_eq!(run.within.switches(), 2 * run.counter, "{chip}");
        assert_eq!(run.all.switches(), run.within.switches(), "the start of the first task is none");
    }
}

#[test]
fn switches_that_a_tick_forces_count_as_well() {
    let run = counted("stm32f446ze", "two-sliced");
    let forced = run.within.taken_away();
    assert!(forced > 0);
    assert_eq!(run.within.switches(), 2 * (run.dispatches + forced), "away from the search and back");
    assert_eq!(
        run.within.switches(),
        2 * (run.counter + run.within.given_back()),
        "the counter's turns, and those cut"
    );
}

#[test]
fn a_yield_to_oneself_is_no_switch() {
    let run = counted("stm32c031c6", "one");
    assert_eq!((run.all.entries(PEND_SV), run.all.switches()), (run.dispatches, 0));
}

/// Exceptions in all and within the program's span, and sleep, of a run that stops at each of them if they are `wanted`.
fn counted_if(wanted: bool, chip: &str, name: &str) -> (Exceptions, Exceptions, SleepTime) {
    let image = image(&format!("primes-{name}-3-{chip}"));
    let address = |name: &str| image.symbol(name).expect("a symbol").address;
    let mut machine = machine(chip, &image, None);
    let mut session = Session::new(&mut machine, &image);
    let [from, to] = ["cyclescope_start", "cyclescope_stop"].map(|name| session.watch(Resolved::At(address(name))));
    let span = session.span(Span { name: "search".into(), from, to });
    session.count_exceptions(None);
    session.count_sleep();
    if wanted {
        session.want(SignalKind::Exception);
        session.want(SignalKind::Sleep);
    }
    session.run(limits(40_000_000), |_| false);
    let all = session.exceptions().expect("they are counted").clone();
    (all, session.exceptions_within(span), session.sleep_time())
}

#[test]
fn what_is_counted_is_the_same_where_it_does_not_stop_the_run() {
    // One core with exceptions, and two that wake each other.
    for (chip, name) in [("stm32c031c6", "rtic-two"), ("stm32f446ze", "rtic-two"), ("rp2040", "embassy-two")] {
        let counted = counted_if(false, chip, name);
        assert_eq!(counted, counted_if(true, chip, name), "{chip} {name}");
        let (all, _, sleep) = counted;
        let entries: u64 = all.numbers().map(|number| all.entries(number)).sum();
        assert!(entries + sleep.sleeps > 1_000, "{chip} {name}: {all:?} {sleep:?}");
    }
}
