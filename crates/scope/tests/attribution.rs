//! Attribution on bundled firmware: sums are exact, half-open spans join without a seam, and paths survive interrupts
//! and FreeRTOS's task switches.

use cyclescope_chips::{Machine, Part, Settings, Tier};
use cyclescope_image::Image;
use cyclescope_machine::units::{Address, Cycles, Picoseconds};
use cyclescope_machine::{Pin, Signal, SignalKind, Sink, Stimulus, Stop};
use cyclescope_scope::{Account, Attribution, Cost, Limits, Observer, Resolved, Session};

const BUTTON: Pin = Pin { port: 2, number: 13 };

fn image(name: &str) -> Image {
    let bundled = cyclescope_images::images().iter().find(|image| image.name == name).expect("a bundled image");
    Image::parse(&bundled.elf().expect("it unpacks")).expect("it is an ELF")
}

/// Returns the machine with a few presses of the button scheduled.
fn machine(chip: &str, image: &Image, tier: Tier) -> Machine {
    let part = Part::find(chip).expect("a part of ours");
    let settings = Settings { tier, ..Settings::default() };
    let mut machine = Machine::load(part, settings, image).expect("it starts");
    for press in 0..6u64 {
        let stimulus = Stimulus::Pin { pin: BUTTON, high: Some(press % 2 == 1) };
        machine.stimulate(Cycles::new(500_000 + 40_001 * press), stimulus);
    }
    machine
}

/// Counts from the first event to the second and from there to the end: two halves, or all.
struct Halves<'i> {
    first: Attribution<'i>,
    second: Attribution<'i>,
    from: Option<usize>,
    to: Option<usize>,
}

impl Observer for Halves<'_> {
    fn step(&mut self, machine: &mut Machine, until: Cycles) -> Stop {
        struct Both<'a, 'i>(&'a mut Attribution<'i>, &'a mut Attribution<'i>);
        impl Sink for Both<'_, '_> {
            const OBSERVES: bool = true;
            fn retire(&mut self, retire: cyclescope_machine::Retire) {
                self.0.retire(retire);
                self.1.retire(retire);
            }
            fn state(&mut self, state: cyclescope_machine::State<'_>) {
                self.0.state(state);
                self.1.state(state);
            }
        }
        machine.run_into(until, &mut Both(&mut self.first, &mut self.second))
    }

    fn signal(&mut self, at: Cycles, _: u8, signal: Signal) {
        self.first.signal(at, signal);
        self.second.signal(at, signal);
    }

    fn happened(&mut self, event: usize, at: Cycles, _: Picoseconds) {
        if Some(event) == self.to && self.first.is_open() {
            self.first.close(at);
            self.second.open(at);
        }
        if Some(event) == self.from && self.first.occurrences() == 0 && !self.first.is_open() {
            self.first.open(at);
        }
    }

    fn stopped(&mut self, _: u8, pc: Address, stack_pointer: Address) {
        self.first.stopped(pc, stack_pointer);
        self.second.stopped(pc, stack_pointer);
    }
}

/// Runs for `cycles`. Returns the account of each half and the machine's own count.
fn halves(chip: &str, image: &Image, at: Option<Resolved>, cycles: u64) -> (Account, Account, Cost) {
    let mut machine = machine(chip, image, Tier::Interpreter);
    let exceptions = machine.exceptions();
    let mut session = Session::new(&mut machine, image);
    session.want(SignalKind::Exception);
    session.want(SignalKind::Sleep);
    let to = at.map(|event| session.watch(event));
    let mut halves = Halves { first: Attribution::new(image), second: Attribution::new(image), from: None, to };
    halves.first.open(Cycles::ZERO);
    let (pc, stack_pointer) = (session.target().pc(), session.target().stack_pointer());
    halves.stopped(0, pc, stack_pointer);
    let limits = Limits::until(Cycles::new(cycles), Cycles::new(48_000));
    session.run_observed(limits, &mut halves, |_| false);
    let now = session.target().now();
    halves.first.close(now);
    halves.second.close(now);
    let counted = Cost { instructions: machine.instructions(), cycles: machine.now() };
    (halves.first.account(&exceptions), halves.second.account(&exceptions), counted)
}

#[track_caller]
fn check_sums(account: &Account) {
    let sums: [(&str, Cost); 4] = [
        ("functions", account.functions.iter().map(|row| row.own).sum()),
        ("paths", account.paths.iter().map(|row| row.own).sum()),
        ("lines", account.lines.iter().map(|row| row.cost).sum()),
        ("classes", account.classes.iter().map(|row| row.cost).sum()),
    ];
    for (what, sum) in sums {
        assert_eq!(sum, account.total, "{what}");
    }
}

#[test]
fn sums_are_exact_on_every_kind_of_runtime() {
    for (name, chip) in [
        ("button-freertos-interrupt-s-stm32c031c6", "stm32c031c6"),
        ("button-freertos-interrupt-s-stm32f446ze", "stm32f446ze"),
        ("button-embassy-interrupt-s-stm32c031c6", "stm32c031c6"),
        ("button-rtic-interrupt-3-stm32f446ze", "stm32f446ze"),
        ("button-lilos-interrupt-s-stm32c031c6", "stm32c031c6"),
        ("primes-freertos-two-s-stm32c031c6", "stm32c031c6"),
        ("primes-embassy-one-3-stm32f446ze", "stm32f446ze"),
    ] {
        let (all, _, counted) = halves(chip, &image(name), None, 1_000_000);
        assert_eq!(all.total, counted, "{name}");
        check_sums(&all);
        let between = all.functions.iter().find(|row| row.name == "(between instructions)");
        let lost = between.map_or(0, |row| row.own.cycles.get());
        // Each wake-up takes a few cycles; nothing else belongs to nobody.
        assert!(lost * 1_000 < counted.cycles.get(), "{name}: {lost} cycles are nobody's");
    }
}

/// Two halves sum to the whole wherever a run is cut: inside an instruction, in sleep or during exception entry.
#[test]
fn half_open_spans_join_without_a_seam() {
    let image = image("button-freertos-interrupt-s-stm32c031c6");
    let (whole, _, counted) = halves("stm32c031c6", &image, None, 560_000);
    for cut in (500_000..500_400).step_by(7).chain((1_000..1_060).step_by(1)) {
        let (first, second, again) =
            halves("stm32c031c6", &image, Some(Resolved::Time(Cycles::new(cut).into())), 560_000);
        assert_eq!(again, counted, "watching takes no time");
        check_sums(&first);
        check_sums(&second);
        assert_eq!(first.total.cycles, Cycles::new(cut));
        let mut both = first.total;
        both.add(second.total);
        // The instruction under way counts for the second half and not for the first.
        assert_eq!(both, whole.total, "cut at {cut}");
    }
}

fn path<'a>(account: &'a Account, functions: &[&str]) -> Option<&'a cyclescope_scope::PathCost> {
    account.paths.iter().find(|path| path.functions.iter().map(|name| &**name).eq(functions.iter().copied()))
}

#[test]
fn paths_survive_interrupts_and_task_switches() {
    let (all, ..) = halves("stm32c031c6", &image("button-freertos-interrupt-s-stm32c031c6"), None, 2_000_000);
    // The button's task waits inside a call while the others run, and resumes it.
    for expect in [
        &["(exception SysTick)", "SysTick_Handler", "xTaskIncrementTick"][..],
        &["(exception EXTI4_15)", "EXTI4_15_IRQHandler", "vTaskGenericNotifyGiveFromISR"],
        &["(exception PendSV)", "PendSV_Handler", "vTaskSwitchContext"],
        &["button_task", "ulTaskGenericNotifyTake"],
        &["button_task", "sniprintf", "_svfiprintf_r"],
    ] {
        assert!(path(&all, expect).is_some(), "{expect:?} of {:#?}", all.paths);
    }
    // A lost task would start a path in the middle of a function that it called.
    let roots: Vec<&str> =
        all.paths.iter().filter(|path| path.functions.len() == 1).map(|path| &*path.functions[0]).collect();
    assert!(!roots.contains(&"ulTaskGenericNotifyTake"), "{roots:?}");
    let task = path(&all, &["button_task"]).expect("the task");
    assert_eq!(task.calls, 1, "it is begun once, and switched away from and back to after that");
    let switch = all.functions.iter().find(|row| row.name == "vTaskSwitchContext").expect("switches");
    assert!(switch.calls > 10, "{switch:?}");
}

/// The table's jumps cost what they did, and no path says that the handlers are reached from it.
#[test]
fn the_vectors_of_an_avr_are_in_no_path_of_a_handler() {
    let (all, ..) = halves("atmega328p", &image("switch-freertos-plain-s-atmega328p"), None, 3_000_000);
    let from: Vec<&str> = all.paths.iter().flat_map(|path| &path.jumps).map(|jump| &*jump.from).collect();
    assert!(!from.contains(&"__vectors"), "{from:?}");
    let handlers =
        || all.paths.iter().filter(|path| path.functions.len() == 2 && path.functions[0].starts_with("(exception "));
    let entered: u64 = handlers().filter(|path| &*path.functions[1] == "__vectors").map(|path| path.calls).sum();
    let handled: u64 =
        handlers().filter(|path| path.functions[1].starts_with("__vector_")).map(|path| path.calls).sum();
    assert!(entered > 10 && entered == handled, "{entered} {handled}");
    let table = all.functions.iter().find(|row| row.name == "__vectors").expect("it is entered");
    assert!(table.own.cycles.get() >= 3 * entered, "{table:?}");
}

#[test]
fn what_a_function_calls_is_in_its_total_and_interrupts_are_not() {
    let (all, ..) = halves("stm32f446ze", &image("button-freertos-interrupt-s-stm32f446ze"), None, 3_000_000);
    let function = |name: &str| all.functions.iter().find(|row| row.name == name).expect("it ran");
    let (own, total) = (function("button_task").own, function("button_task").total);
    assert!(total.cycles > own.cycles);
    for row in &all.functions {
        assert!(row.total.cycles >= row.own.cycles && row.total.instructions >= row.own.instructions, "{row:?}");
    }
    let roots: Cost = all.paths.iter().filter(|path| path.functions.len() == 1).map(|path| path.total).sum();
    assert_eq!(roots, all.total);
}

/// Counts single instructions instead of blocks.
struct Each<'a, 'i>(&'a mut Attribution<'i>);

impl Sink for Each<'_, '_> {
    const OBSERVES: bool = true;
    fn retire(&mut self, retire: cyclescope_machine::Retire) {
        self.0.retire(retire);
    }
    fn state(&mut self, state: cyclescope_machine::State<'_>) {
        self.0.state(state);
    }
}

/// Counts in blocks or single instructions: on for `open` cycles, off for as many, and so on.
struct Pieces<'i> {
    attribution: Attribution<'i>,
    in_blocks: bool,
    open: u64,
    stops: u64,
}

impl Observer for Pieces<'_> {
    fn step(&mut self, machine: &mut Machine, until: Cycles) -> Stop {
        let next = (machine.now().get() / self.open + 1) * self.open;
        let until = until.min(Cycles::new(next));
        let stop = if self.in_blocks {
            machine.run_into(until, &mut self.attribution)
        } else {
            machine.run_into(until, &mut Each(&mut self.attribution))
        };
        self.stops += 1;
        let now = machine.now().get();
        match (now / self.open % 2, self.attribution.is_open()) {
            // The cycle may be inside the previous instruction.
            (0, false) => self.attribution.open(Cycles::new(now - now % self.open)),
            (1, true) => self.attribution.close(Cycles::new(now - now % self.open)),
            _ => {}
        }
        stop
    }

    fn signal(&mut self, at: Cycles, _: u8, signal: Signal) {
        self.attribution.signal(at, signal);
    }

    fn stopped(&mut self, _: u8, pc: Address, stack_pointer: Address) {
        self.attribution.stopped(pc, stack_pointer);
    }
}

fn pieces((chip, tier): (&str, Tier), image: &Image, in_blocks: bool, open: u64, cycles: u64) -> (Account, Cost) {
    let mut machine = machine(chip, image, tier);
    let exceptions = machine.exceptions();
    let mut session = Session::new(&mut machine, image);
    session.want(SignalKind::Exception);
    session.want(SignalKind::Sleep);
    let mut pieces = Pieces { attribution: Attribution::new(image), in_blocks, open, stops: 0 };
    pieces.attribution.open(Cycles::ZERO);
    let (pc, stack_pointer) = (session.target().pc(), session.target().stack_pointer());
    pieces.stopped(0, pc, stack_pointer);
    let limits = Limits::until(Cycles::new(cycles), Cycles::new(100_000));
    session.run_observed(limits, &mut pieces, |_| false);
    let now = session.target().now();
    if pieces.attribution.is_open() {
        pieces.attribution.close(now);
    }
    let counted = Cost { instructions: machine.instructions(), cycles: machine.now() };
    (pieces.attribution.account(&exceptions), counted)
}

#[track_caller]
fn check_agreement(chip: &str, name: &str, image: &Image, open: u64, cycles: u64) {
    let (blocks, counted) = pieces((chip, Tier::Interpreter), image, true, open, cycles);
    let (each, again) = pieces((chip, Tier::Interpreter), image, false, open, cycles);
    let compiled = pieces((chip, Tier::CompiledAtOnce), image, true, open, cycles);
    assert_eq!(counted, again, "{name}: watching takes no time");
    assert_eq!(compiled.1, counted, "{name}: compiled");
    let differs = compiled.0.instructions.iter().zip(&blocks.instructions).find(|(one, other)| one != other);
    assert_eq!(differs, None, "{name}, compiled, open for {open}");
    assert!(compiled.0 == blocks, "{name}: compiled");
    let differs = blocks.instructions.iter().zip(&each.instructions).find(|(one, other)| one != other);
    assert_eq!(differs, None, "{name}, open for {open}");
    assert_eq!(blocks, each, "{name}, open for {open}");
    assert!(blocks.total.instructions > Default::default(), "{name}");
    check_sums(&blocks);
}

/// Blocks and single instructions give the same counts for every address.
#[test]
fn blocks_and_single_instructions_count_alike() {
    for (name, chip) in [
        ("button-freertos-interrupt-s-stm32c031c6", "stm32c031c6"),
        ("button-freertos-interrupt-s-stm32f446ze", "stm32f446ze"),
        ("syscall-freertos-queue-s-stm32f446ze", "stm32f446ze"),
        ("syscall-freertos-queue-3-cortex-m3", "cortex-m3"),
        ("syscall-freertos-yield-s-ibex", "ibex"),
        ("syscall-freertos-yield-3-litex-vexriscv", "litex-vexriscv"),
        ("switch-freertos-plain-s-atmega328p", "atmega328p"),
        ("switch-freertos-profiled-3-atmega32u4", "atmega32u4"),
        ("switch-c-loop-plain-s-mk20dx256", "mk20dx256"),
        ("button-embassy-interrupt-s-stm32c031c6", "stm32c031c6"),
        ("button-rtic-interrupt-3-stm32f446ze", "stm32f446ze"),
        ("primes-freertos-two-s-stm32c031c6", "stm32c031c6"),
        ("primes-freertos-two-s-stm32f103c8", "stm32f103c8"),
        ("primes-embassy-one-3-stm32f446ze", "stm32f446ze"),
        ("primes-cpp20-coroutines-two-s-stm32f446ze", "stm32f446ze"),
    ] {
        let image = image(name);
        check_agreement(chip, name, &image, u64::MAX, 3_000_000);
        check_agreement(chip, name, &image, 20_011, 1_000_000);
    }
}

/// Absolute symbols of the linker script name no code: an AVR's first address is that of its vectors.
#[test]
fn absolute_symbols_name_no_code() {
    let image = image("switch-freertos-plain-s-atmega328p");
    let at_zero: Vec<&cyclescope_image::Symbol> =
        image.symbols().iter().filter(|symbol| symbol.address == Address::ZERO && symbol.absolute).collect();
    assert!(!at_zero.is_empty(), "avr-libc's script has such");
    let function = image.function_at(Address::ZERO).expect("vectors");
    assert!(!function.absolute, "{}", function.name);
    assert_eq!(
        image.symbol("__TEXT_REGION_ORIGIN__").map(|symbol| symbol.address),
        Ok(Address::ZERO),
        "it is still found"
    );
}
