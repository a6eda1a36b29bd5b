//! Backtraces of bundled images at known stops.

use std::collections::BTreeSet;

use cyclescope_chips::{Machine, Part, Settings};
use cyclescope_image::Image;
use cyclescope_machine::Stop;
use cyclescope_machine::units::{Address, Cycles};
use cyclescope_scope::{Backtrace, BacktraceEnd, BacktraceLevel, End, Limits, MOST_LEVELS, Plan, PostMortem, Session};

fn image(name: &str) -> Image {
    let known = cyclescope_images::images().iter().find(|image| image.name == name).expect("a bundled image");
    Image::parse(&known.elf().expect("it unpacks")).expect("an image")
}

/// The machine of `image` at the `hits`th arrival at `symbol`.
fn stopped(chip: &str, image: &Image, symbol: &str, hits: usize) -> Machine {
    let mut machine = Machine::load(Part::find(chip).expect("a part"), Settings::default(), image).expect("it starts");
    machine.watch(image.symbol(symbol).expect("a function").address);
    for _ in 0..hits {
        let stop = machine.run(Cycles::new(100_000_000));
        assert!(matches!(stop, Stop::Watch(_)), "{stop:?}");
    }
    machine
}

/// The outermost function of each level, or the exception's name.
fn names(backtrace: &Backtrace) -> Vec<String> {
    let name = |level: &BacktraceLevel| match level {
        BacktraceLevel::Call(call) => call.frames.last().and_then(|frame| frame.function.clone()).unwrap_or_default(),
        BacktraceLevel::Exception { name, .. } => format!("<{}>", name.as_deref().unwrap_or("?")),
    };
    backtrace.levels.iter().map(name).collect()
}

#[test]
fn a_task_is_seen_through_an_exception_and_named() {
    let image = image("syscall-freertos-queue-s-stm32f446ze");
    let machine = stopped("stm32f446ze", &image, "SysTick_Handler", 2);
    let examined = PostMortem::of(&machine, &image, None);
    // The frame is on the process stack.
    assert_eq!(names(&examined.backtrace), ["SysTick_Handler", "<SysTick>", "board_write", "result_report", "printer"]);
    assert_eq!(examined.backtrace.end, BacktraceEnd::Outermost);
    assert!(examined.backtrace.calls().all(|call| !call.guessed));
    let inlined = examined.backtrace.calls().nth(1).and_then(|call| call.frames.first()?.function.clone());
    assert_eq!(inlined.as_deref(), Some("uart_write"));
    // Its block has the MPU's settings before the name, and the image has no types to tell.
    assert!(examined.task.is_some_and(|task| task.starts_with("without a name, its control block at 0x2000")));
    assert_eq!((examined.unhandled, examined.stray, examined.in_fault), (None, None, false));
}

#[test]
fn a_task_of_freertos_is_named() {
    let image = image("switch-freertos-plain-s-stm32f446ze");
    let machine = stopped("stm32f446ze", &image, "cyclescope_start", 1);
    let task = PostMortem::of(&machine, &image, None).task;
    assert_eq!(task.as_deref(), Some("`timing`"));
}

#[test]
fn return_addresses_of_an_avr_are_words_with_the_high_byte_first() {
    let image = image("switch-c-loop-plain-s-atmega328p");
    let machine = stopped("atmega328p", &image, "on_pong", 2);
    let backtrace = Backtrace::of(&machine, &image);
    assert_eq!(names(&backtrace)[..4], ["on_pong", "evl_run", "switch_time", "main"]);
}

#[test]
fn what_a_riscv_trap_interrupted_is_its_epc() {
    let image = image("syscall-kernel-devel-reference-z-litex-vexriscv");
    let machine = stopped("litex-vexriscv", &image, "kernel_trap", 3);
    let backtrace = Backtrace::of(&machine, &image);
    let names = names(&backtrace);
    assert_eq!(names[..3], ["kernel_trap", "cyclescope_trap_vector", "<environment call from U-mode>"]);
    let epc = machine.register("mepc").expect("a register");
    let below = backtrace.calls().nth(2).expect("the process");
    assert_eq!(below.pc.get(), epc);
}

#[test]
fn windowed_calls_are_followed_in_the_file_and_on_the_stack() {
    let image = image("switch-freertos-plain-s-esp32");
    let check = |symbol: &str, hits: usize, expected: &[&str]| {
        let backtrace = Backtrace::of(&stopped("esp32", &image, symbol, hits), &image);
        assert_eq!(
            (names(&backtrace), backtrace.end),
            (expected.iter().map(|name| (*name).to_owned()).collect(), BacktraceEnd::Outermost)
        );
        assert!(backtrace.calls().all(|call| !call.guessed));
    };
    // At ENTRY, whose caller's window is still the current one.
    check("cyclescope_start", 1, &["cyclescope_start", "switch_time", "timing_task"]);
    // `xtensa_switch` has spilled all its callers.
    let switched =
        ["vTaskSwitchContext", "next_task", "xtensa_switch", "vPortYield", "scheduled", "switch_time", "timing_task"];
    check("vTaskSwitchContext", 1, &switched);
    check("vTaskSwitchContext", 2, &["vTaskSwitchContext", "next_task", "xtensa_switch", "vPortYield", "other_task"]);
}

#[test]
fn a_window_exception_stands_between_its_handler_and_the_call_that_raised_it() {
    let image = image("switch-freertos-plain-s-esp32");
    let mut machine =
        Machine::load(Part::find("esp32").expect("a part"), Settings::default(), &image).expect("it starts");
    // The handler of underflows of eight registers.
    let vectors = image.symbol("xtensa_vectors").expect("a label").address;
    machine.watch(Address::new(vectors.get() + 0xC0));
    let mut calls = BTreeSet::new();
    for _ in 0..40 {
        assert!(matches!(machine.run(Cycles::new(100_000_000)), Stop::Watch(_)));
        let backtrace = Backtrace::of(&machine, &image);
        let names = names(&backtrace);
        assert_eq!(names[1], "<window underflow 8>");
        assert_eq!(backtrace.end, BacktraceEnd::Outermost, "{names:?}");
        calls.insert(names[2..].join(" "));
    }
    assert!(calls.contains("xtensa_resume vPortYield scheduled switch_time timing_task"), "{calls:?}");
    assert!(calls.contains("vPortYield other_task"), "{calls:?}");
}

#[test]
fn a_stack_of_nonsense_ends_the_walk() {
    let image = image("syscall-freertos-queue-s-stm32f446ze");
    let mut machine = stopped("stm32f446ze", &image, "SysTick_Handler", 2);
    for (seed, pattern) in [0x0800_04B9u32, 0xFFFF_FFF9, 0x2000_0001, 0, u32::MAX, 0x0800_1CC9].into_iter().enumerate()
    {
        for psp in [0u32, 0x2000_0000, 0x2000_0103, 0xFFFF_FFF0] {
            let bytes: Vec<u8> = pattern.to_le_bytes().repeat(1 << 12);
            machine.poke(Address::new(0x2000_0000 + seed as u32), &bytes);
            machine.set_register("psp", psp);
            machine.set_register("msp", psp ^ 0x40);
            let backtrace = Backtrace::of(&machine, &image);
            assert!((1..=MOST_LEVELS).contains(&backtrace.levels.len()), "{pattern:#x} {psp:#x}");
        }
    }
}

/// The tasks of `image` that are met at 40 places of its run.
fn tasks(chip: &str, image: &str) -> BTreeSet<String> {
    let image = self::image(image);
    let mut machine = Machine::load(Part::find(chip).expect("a part"), Settings::default(), &image).expect("it starts");
    let mut met = BTreeSet::new();
    for place in 0..40 {
        machine.run(Cycles::new(200_000 + 12_741 * place));
        met.extend(PostMortem::of(&machine, &image, None).task);
    }
    met
}

#[test]
fn tasks_of_embassy_are_named_by_the_coroutine_that_is_polled() {
    for opt in ["3", "s"] {
        let met = tasks("stm32f446ze", &format!("primes-embassy-two-{opt}-stm32f446ze"));
        let met: Vec<&str> = met.iter().map(String::as_str).collect();
        assert_eq!(met, ["`count`, a task of Embassy", "`main`, a task of Embassy"], "{opt}");
    }
}

#[test]
fn tasks_of_rtic_are_named_with_the_interrupt_that_dispatches_them() {
    for opt in ["3", "s"] {
        let met = tasks("stm32f446ze", &format!("primes-rtic-two-{opt}-stm32f446ze"));
        let met: Vec<&str> = met.iter().map(String::as_str).collect();
        let expected = ["`count`, a software task of RTIC in SPI1", "`search`, a software task of RTIC in SPI1"];
        assert_eq!(met, expected, "{opt}");
    }
}

#[test]
fn a_task_of_rtic_bound_to_an_interrupt_is_named() {
    let image = image("button-rtic-interrupt-s-stm32c031c6");
    let mut machine =
        Machine::load(Part::find("stm32c031c6").expect("a part"), Settings::default(), &image).expect("it starts");
    let names = machine.exceptions();
    let mut session = Session::new(&mut machine, &image);
    let rules = ["at 20ms pin PC13 high".parse().expect("a rule"), "at 40ms pin PC13 low".parse().expect("a rule")];
    session.apply(&Plan::resolve(&rules, &image, &names).expect("a plan")).expect("it fits");
    let event = "exception:EXTI4_15:entered".parse().expect("an event");
    let event = session.watch_event(&event, &image, &names).expect("the part has it");
    session.end_at(event);
    assert_eq!(session.run(Limits::until(Cycles::new(10_000_000), Cycles::new(10_000)), |_| false), End::Satisfied);
    drop(session);
    let mut met = BTreeSet::new();
    for _ in 0..40 {
        machine.run(machine.now() + Cycles::new(1));
        met.extend(PostMortem::of(&machine, &image, None).task);
    }
    let met: Vec<&str> = met.iter().map(String::as_str).collect();
    assert_eq!(met, ["`edge`, a task of RTIC in EXTI4_15"]);
}
