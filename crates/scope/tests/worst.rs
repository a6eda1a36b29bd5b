//! The worst of many arrivals is that of runs alone, on every architecture, and a search finds what exhaustion finds.

use cyclescope_chips::{Hold, Machine, Part, Settings};
use cyclescope_image::Image;
use cyclescope_machine::units::Cycles;
use cyclescope_scope::{
    Answer, Arrival, Findings, Limits, Missing, Pace, Plan, Question, Rule, Session, Snapshot, Sought, Span, SpanText,
    Stretch, Time, WorstError, find_worst, look_at,
};

/// A bundled image, the stimuli around it and what is asked of it.
struct Case {
    image: &'static str,
    /// Stimuli without a window.
    rules: &'static [&'static str],
    /// The windows, and the actions in them.
    windows: &'static [(u64, u64, &'static str)],
    span: &'static str,
}

/// A FreeRTOS on Cortex-M0+, whose window has the tick in its end; embassy on Cortex-M4 with flash that waits; an AVR and an Ibex
/// whose ticks are waited for.
const CASES: [Case; 4] = [
    Case {
        image: "button-freertos-interrupt-s-stm32c031c6",
        rules: &["at 0 pin PC13 high"],
        windows: &[(4_806_600, 4_808_600, "pin PC13 low")],
        span: "latency=pin:PC13:edge..exception:EXTI4_15:entered",
    },
    Case {
        image: "button-embassy-interrupt-3-stm32f446ze",
        rules: &["at 0 pin PC13 high", "at 17895000cy pin PC13 low"],
        windows: &[(18_007_500, 18_009_000, "pin PC13 high")],
        span: "response=first pin:PG0:rise..pin:PG1:fall",
    },
    Case {
        image: "switch-freertos-plain-s-atmega328p",
        rules: &[],
        windows: &[(400_000, 401_000, "pin PB1 high")],
        span: "wait=first pin:PB1:rise..exception:TIMER0_OVF:entered",
    },
    Case {
        image: "syscall-freertos-yield-s-ibex",
        rules: &[],
        windows: &[(6_100, 7_100, "uart 0 \"x\"")],
        span: "call=trap..symbol:vTaskSwitchContext",
    },
];

/// The things that a question borrows.
struct Asked {
    image: Image,
    begin: Snapshot,
    spans: Vec<usize>,
    windows: Vec<(Time, Time)>,
    limit: Time,
}

impl Asked {
    fn question(&self, search: Option<Sought>) -> Question<'_> {
        Question {
            begin: &self.begin,
            spans: &self.spans,
            windows: &self.windows,
            limit: self.limit.after_reset(),
            search,
            threads: 2,
            progress: &|_, _| {},
            stop: &|| false,
        }
    }

    fn find(&self, search: Option<Sought>) -> Findings {
        find_worst(self.question(search)).unwrap_or_else(|error| panic!("{error}"))
    }
}

fn image(name: &str) -> (Image, &'static Part) {
    let bundled = cyclescope_images::images().iter().find(|image| image.name == name).expect("a bundled image");
    let image = Image::parse(&bundled.elf().expect("a bundled image")).expect("a bundled image");
    (image, Part::find(bundled.chip).expect("a part of ours"))
}

/// The session of `case`, with `texts` beside its own stimuli.
fn session(case: &Case, texts: &[String]) -> (Session<'static>, Image, Vec<usize>) {
    let (image, part) = image(case.image);
    let machine = Machine::load(part, Settings::default(), &image).expect("it starts");
    let exceptions = machine.exceptions();
    let mut session = Session::owning(machine, &image);
    let rules = case.rules.iter().map(|rule| (*rule).to_owned()).chain(texts.iter().cloned());
    let rules: Vec<Rule> = rules.map(|rule| rule.parse().expect("a rule")).collect();
    let plan = Plan::resolve_arriving(&rules, &image, &exceptions).expect("a plan");
    session.apply(&plan).expect("the part has what is asked for");
    let span: SpanText = case.span.parse().expect("a span");
    let from = session.watch_event(&span.from, &image, &exceptions).expect("an event");
    let to = session.watch_event(&span.to, &image, &exceptions).expect("an event");
    let index = session.span(Span { name: span.name, from, to });
    session.begins_again(index, span.again);
    session.poll_steadily(Pace::POLL);
    (session, image, vec![index])
}

fn asked(case: &Case) -> Asked {
    let texts = case.windows.iter().map(|(from, to, action)| format!("at {from}cy..{to}cy {action}"));
    let (session, image, spans) = session(case, &texts.collect::<Vec<_>>());
    let windows = case.windows.iter().map(|(from, to, _)| (Time::Cycles(*from), Time::Cycles(*to))).collect();
    let last = case.windows.iter().map(|(_, to, _)| *to).max().expect("a window");
    Asked { image, begin: session.snapshot(), spans, windows, limit: Time::Cycles(last + 2_000_000) }
}

/// The answer of `case` if its stimuli come at the cycles `at`, written as times from the start, in a run of its own.
fn alone(case: &Case, at: Arrival) -> Answer {
    let texts = at.cycles().zip(case.windows).map(|(at, (.., action))| format!("at {}cy {action}", at.get()));
    let (mut session, _, spans) = session(case, &texts.collect::<Vec<_>>());
    let last = case.windows.iter().map(|(_, to, _)| *to).max().expect("a window");
    session.end_with(&spans, at.earliest());
    session.run(Limits::until(Cycles::new(last + 2_000_000), Pace::POLL), |_| false);
    session.ended_behind(spans[0], at.earliest()).expect("no error").ok_or(Missing::Late)
}

#[test]
fn every_arrival_takes_what_it_takes_alone_from_reset() {
    for case in &CASES {
        let findings = asked(case).find(None);
        let (first, end, _) = case.windows[0];
        assert_eq!((findings.tried.len() as u64, findings.all), (end - first, end - first), "{}", case.image);
        for tried in findings.tried.iter().step_by(97) {
            assert_eq!(tried.answers, [alone(case, tried.at)], "{} at {:?}", case.image, tried.at);
        }
        let (worst, sample) = findings.worst(0).expect("numbers");
        assert_eq!(alone(case, worst.at), Ok(sample), "{}", case.image);
        assert!(findings.samples(0).all(|other| other.cycles <= sample.cycles));
        let different = findings.samples(0).map(|sample| (sample.start, sample.cycles));
        let different: std::collections::BTreeSet<_> = different.collect();
        assert!(different.len() > 1, "{}: the window has one answer, which shows nothing", case.image);
    }
}

#[test]
fn a_search_finds_what_exhaustion_finds() {
    for case in &CASES[..2] {
        let asked = asked(case);
        let all = asked.find(None);
        let (_, longest) = all.worst(0).expect("numbers");
        let sought = Sought { budget: all.all / 2, sample: 100, seed: 1 };
        let found = asked.find(Some(sought));
        let searched = found.searched.as_ref().expect("a search");
        assert_eq!(found.tried.len() as u64, sought.budget);
        assert_eq!((searched.skipped, searched.sample.len()), (all.all - sought.budget, 100));
        let (_, sample) = found.worst(0).expect("numbers");
        assert_eq!(sample.cycles, longest.cycles, "{}: in half of the arrivals", case.image);
        assert_eq!(searched.disagreement(0, sample.cycles).expect("numbers").1, 0);
        // What is run is what exhaustion has run, and nothing twice.
        let mut at: Vec<Arrival> = found.tried.iter().chain(&searched.sample).map(|tried| tried.at).collect();
        for tried in found.tried.iter().chain(&searched.sample) {
            let place = all.tried.binary_search_by_key(&tried.at, |tried| tried.at).expect("in the window");
            assert_eq!(&all.tried[place], tried);
        }
        at.sort();
        assert!(at.windows(2).all(|pair| pair[0] < pair[1]));
        // A sample that took longer is told of, and is the worst of all.
        assert_eq!(searched.disagreement(0, Cycles::ZERO).expect("numbers").1, 100);
        // All of it is exhaustion.
        let whole = asked.find(Some(Sought { budget: u64::MAX, ..sought }));
        assert_eq!(whole.tried, all.tried);
    }
}

/// Two stimuli: the serial port's first character and the button, each before and behind the other.
const PAIR: Case = Case {
    image: "button-freertos-interrupt-s-stm32c031c6",
    rules: &["at 0 pin PC13 high"],
    windows: &[(4_807_900, 4_807_960, "pin PC13 low"), (4_807_930, 4_808_010, "pin PC13 high")],
    span: "response=first pin:PA0:rise..pin:PA0:fall",
};

#[test]
fn pairs_are_single_runs() {
    let findings = asked(&PAIR).find(None);
    assert_eq!(findings.all, 60 * 80);
    assert_eq!(findings.tried.len(), 60 * 80);
    for tried in findings.tried.iter().step_by(211) {
        assert_eq!(tried.answers, [alone(&PAIR, tried.at)], "{:?}", tried.at);
    }
    // Both at one cycle come in written order.
    let both = findings.tried.iter().filter(|tried| Some(tried.at.first) == tried.at.second);
    assert_eq!(both.clone().count(), 30);
    for tried in both.step_by(7) {
        assert_eq!(tried.answers, [alone(&PAIR, tried.at)], "{:?}", tried.at);
    }
}

/// Windows apart from each other: the button goes down around a tick, and up behind it, while the LED's task runs or not.
const APART: Case = Case {
    image: "button-freertos-interrupt-s-stm32c031c6",
    rules: &["at 0 pin PC13 high"],
    windows: &[(4_807_920, 4_807_950, "pin PC13 low"), (4_809_700, 4_809_760, "pin PC13 high")],
    span: "response=first pin:PC13:fall..pin:PA1:fall",
};

#[test]
fn a_search_of_pairs_finds_what_exhaustion_finds() {
    for case in [&PAIR, &APART] {
        let asked = asked(case);
        let all = asked.find(None);
        let (_, longest) = all.worst(0).expect("numbers");
        let sought = Sought { budget: all.all / 3, sample: 100, seed: 1 };
        let found = asked.find(Some(sought));
        let searched = found.searched.as_ref().expect("a search");
        assert_eq!((found.all, found.tried.len() as u64), (all.all, sought.budget));
        assert_eq!((searched.skipped, searched.sample.len()), (all.all - sought.budget, 100));
        assert!(searched.met > 20 && searched.met <= searched.situations, "{searched:?}");
        let (_, sample) = found.worst(0).expect("numbers");
        assert_eq!(sample.cycles, longest.cycles, "{}: in a third of the pairs", case.span);
        assert_eq!(searched.disagreement(0, sample.cycles).expect("numbers").1, 0);
        let mut at: Vec<Arrival> = Vec::new();
        for tried in found.tried.iter().chain(&searched.sample) {
            let place = all.tried.binary_search_by_key(&tried.at, |tried| tried.at).expect("in the windows");
            assert_eq!(&all.tried[place], tried);
            at.push(tried.at);
        }
        at.sort();
        assert!(at.windows(2).all(|pair| pair[0] < pair[1]));
        assert_eq!(asked.find(Some(Sought { budget: u64::MAX, ..sought })).tried, all.tried);
    }
}

/// This guest ends in the midst of the second window.
#[test]
fn a_program_that_ends_between_two_stimuli_is_an_arrival_without_an_answer() {
    let never = Case {
        image: "syscall-freertos-yield-s-ibex",
        rules: &[],
        windows: &[(6_100, 6_103, "uart 0 \"x\""), (305_995, 306_600, "uart 0 \"y\"")],
        span: "never=symbol:main..symbol:main",
    };
    let findings = asked(&never).find(None);
    assert_eq!(findings.tried.len(), 3 * 605);
    let (first, why, count) = findings.missing(0).expect("it has none");
    let Missing::Ended { at, .. } = why else { panic!("{why:?}") };
    assert_eq!((first.at.first.get(), count), (6_100, 3 * 605));
    assert!((306_091..306_600).contains(&at.get()), "in the midst of the second window: {at}");
    for tried in &findings.tried {
        assert!(matches!(tried.answers[..], [Err(Missing::Ended { .. })]), "{tried:?}");
    }
    // What ends before the program does is an answer, whether the second stimulus comes or not.
    let call = Case { span: CASES[3].span, ..never };
    let findings = asked(&call).find(None);
    assert!(findings.missing(0).is_none());
    for tried in findings.tried.iter().step_by(401) {
        assert_eq!(tried.answers, [alone(&call, tried.at)], "{:?}", tried.at);
    }
}

/// The stretches of `case`'s worst arrival, and the same counted by hand: one instruction a run.
#[test]
fn stretches_are_those_of_a_count_by_hand() {
    for case in &CASES {
        let asked = asked(case);
        let findings = asked.find(None);
        let (tried, sample) = findings.worst(0).expect("numbers");
        let from = findings.windows[0].0;
        let (look, _) = look_at(asked.question(None), &asked.image, (tried.at, 0, sample), from).expect("it repeats");
        assert_eq!(look.account.total.cycles, sample.cycles, "{}: all of the span is some function's", case.image);
        let end = sample.start.saturating_add(sample.cycles);

        let texts = [format!("at {}cy {}", tried.at.first.get(), case.windows[0].2)];
        let (mut alone, ..) = session(case, &texts);
        let mut machine = alone.target().clone();
        let numbers = machine.interrupts();
        let mut open: Vec<Option<u64>> = vec![None; numbers.len()];
        let mut longest = vec![0; numbers.len()];
        let mut first = true;
        while machine.now() < end {
            let next = if machine.now() < look.from { look.from } else { machine.now().saturating_add(Cycles::new(1)) };
            machine.run(next);
            machine.shared().signals.drain().for_each(drop);
            if machine.now() < look.from {
                continue;
            }
            let now = machine.now().get();
            for (place, number) in numbers.iter().enumerate() {
                match (machine.held(0, *number).is_some(), open[place]) {
                    (true, None) => open[place] = Some(now),
                    (false, Some(since)) => {
                        longest[place] = longest[place].max(now - since);
                        open[place] = None;
                    }
                    _ => {}
                }
            }
            first = false;
        }
        assert!(!first);
        let last = machine.now().get();
        for (place, number) in numbers.iter().enumerate() {
            let cut = open[place].map_or(0, |since| last - since);
            let expected = longest[place].max(cut);
            let Some(stretch) = look.stretches.iter().find(|stretch| stretch.numbers.contains(number)) else {
                continue;
            };
            assert_eq!(stretch.cycles().get(), expected, "{}: {number} {stretch:?}", case.image);
            assert!(stretch.from.at >= look.from && stretch.to.at.get() <= last && !stretch.holds.is_empty());
        }
    }
}

#[test]
fn the_worst_arrival_says_where_the_core_was() {
    let asked = asked(&CASES[0]);
    let findings = asked.find(None);
    let (tried, sample) = findings.worst(0).expect("numbers");
    let from = findings.windows[0].0;
    let (look, _) = look_at(asked.question(None), &asked.image, (tried.at, 0, sample), from).expect("it repeats");
    let [stand] = look.stands.as_slice() else { panic!("one core: {:?}", look.stands) };
    let function = |pc| asked.image.function_at(pc).map(|symbol| symbol.display_name().to_owned());
    assert_eq!(stand.at, tried.at.first);
    assert_eq!(stand.holds.iter().map(|held| held.hold).collect::<Vec<_>>(), [Hold::Handler(15)], "the tick's handler");
    let functions: Vec<&str> = look.account.functions.iter().map(|function| function.name.as_str()).collect();
    assert!(functions.contains(&"xTaskIncrementTick"), "{functions:?}");
    assert!(function(stand.pc).is_some_and(|name| !name.contains("Idle")), "{:?}", function(stand.pc));
    let waited = look.waited.iter().find(|one| one.number != 15).expect("the button's interrupt");
    assert_eq!(waited.holds, [Hold::Flag("PRIMASK")], "{waited:?}");
    assert_eq!(waited.taken, Some(sample.start.saturating_add(sample.cycles)));
    let of = |number: u16| look.stretches.iter().find(|stretch: &&Stretch| stretch.numbers.contains(&number));
    let tick = of(15).expect("the tick came");
    assert!(tick.cycles() > sample.cycles.saturating_sub(Cycles::new(100)), "{tick:?}");
    // A run that does not give what was found is refused.
    let wrong = cyclescope_scope::Sample { cycles: Cycles::new(1), ..sample };
    let refused = look_at(asked.question(None), &asked.image, (tried.at, 0, wrong), from).map(|(look, _)| look);
    assert!(matches!(refused, Err(WorstError::Disagrees { found: 1, .. })), "{refused:?}");
}

/// The handler that held the interrupt back had begun before the window.
#[test]
fn a_reason_that_is_older_than_the_window_has_its_beginning() {
    let case = Case { windows: &[(4_807_935, 4_807_940, "pin PC13 low")], ..CASES[0] };
    let asked = asked(&case);
    let findings = asked.find(None);
    let (tried, sample) = findings.worst(0).expect("numbers");
    let from = findings.windows[0].0;
    let (look, _) = look_at(asked.question(None), &asked.image, (tried.at, 0, sample), from).expect("it repeats");
    let since = look.stands[0].holds.iter().find(|held| held.hold == Hold::Handler(15)).expect("the tick's").since;
    assert!(since.is_some_and(|(since, _)| since < from && since >= look.from), "{since:?}");
}

#[test]
fn an_arrival_without_an_answer_is_told_of() {
    let case = Case { span: "never=pin:PC13:fall..pin:PC13:rise", ..CASES[0] };
    let asked = Asked { limit: Time::Cycles(4_810_000), ..asked(&case) };
    let findings = asked.find(None);
    let (tried, why, count) = findings.missing(0).expect("none answers");
    assert_eq!((tried.at.first.get(), why, count), (4_806_600, &Missing::Late, 2_000));
    assert!(findings.worst(0).is_none());
}
