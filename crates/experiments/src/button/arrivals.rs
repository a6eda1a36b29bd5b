//! An edge at each cycle of a window, each time from the same state: the exact distribution, and its worst case.
//!
//! The window lies around a turn of the LED, while the message of the edge before is being sent, so that the edge meets
//! the runtime's timer, the serial port's interrupts and its own idling at every phase. The edge is a press. Where bus
//! clocks are divided, the window is gone through in each of their phases.

use std::cmp::Reverse;

use cyclescope_chips::Machine;
use cyclescope_image::Image;
use cyclescope_machine::units::{Address, Cycles};
use cyclescope_machine::{Channel, Pin, Signal, SignalKind, Stimulus, Stop};
use cyclescope_records::Record;
use cyclescope_scope::{End, Limits, Session, every_arrival};

use super::definition::{Button, ChipText};
use super::measure::{MOST_TRACED, distribution, places, running};
use super::messages::{self, Edge};
use crate::{Arrivals, Dump, ImageJob, RunError, Watch, subject};

/// The time that the button is down before it is let go and the message that the window meets is made: an LED's dark phase
/// less what comes after.
const DOWN_MS: u64 = 50;

/// The most cycles from where the program waits for an edge to where one is tried: results of each are kept.
const FARTHEST: Cycles = Cycles::new(5_000_000);

/// The most phases of the bus clocks that are gone through: all that there are.
const PHASES: u64 = cyclescope_scope::PHASES as u64;

/// The distance of the machine before its window: see [`every_arrival`].
const SETTLED: Cycles = Cycles::new(16);

/// The effects of one edge, in cycles after it.
#[derive(Clone, Copy, Debug, Default)]
struct Times {
    handler: Option<u64>,
    task: Option<u64>,
    a_rise: Option<u64>,
    a_fall: Option<u64>,
    b_rise: Option<u64>,
    b_fall: Option<u64>,
}

/// The events and spans that are watched.
struct Looked {
    interrupt: u16,
    runs: Address,
    a: Pin,
    b: Pin,
    settle: Cycles,
    channel: Channel,
    /// When the button went down and up before the window.
    before: [Cycles; 2],
}

impl Looked {
    /// Returns the button's edges if the last of them comes at `arrival`.
    fn edges(&self, arrival: Cycles) -> [Edge; 3] {
        let [press, release] = self.before;
        [(press, false), (release, true), (arrival, false)]
    }
}

/// Runs `job` at every arrival that it asks for, and records what came of them.
pub fn run(definition: &Button, job: &ImageJob, watch: Watch<'_>) -> Result<Vec<Record>, RunError> {
    let (chip, mode) = places(definition, job)?;
    let (image, fresh) = subject::load(job)?;
    let clock = fresh.part().clock;
    let (a, b) = chip.probes();
    let interrupt = interrupt(&fresh, chip)?;
    let runs = image.symbol("cyclescope_button_runs")?.address;
    let settle = definition.limits.settle.cycles(clock);

    let turn = led_turn(definition, chip, &fresh)?;
    let before = definition.arrivals.message_before.cycles(clock);
    let release = turn.saturating_sub(before);
    let press = release.saturating_sub(Cycles::new(DOWN_MS * clock.get() / 1000));
    let channel = subject::channel(job)?;
    let looked = Looked { interrupt, runs, a, b, settle, channel, before: [press, release] };
    let (window, threads, phase) = match job.arrivals {
        Arrivals::At(cycle, phase) => ((Cycles::new(cycle), Cycles::new(cycle.saturating_add(1))), 1, phase),
        Arrivals::Exhaustive(cycles, threads) => {
            let cycles = cycles.unwrap_or(definition.arrivals.window);
            let first = turn.saturating_sub(Cycles::new((cycles / 2).min(before.get() / 2)));
            ((first, first.saturating_add(Cycles::new(cycles))), threads.get(), 0)
        }
        Arrivals::Random => return Err(RunError::NoMode(job.mode.clone())),
    };

    let begin = release.saturating_add(Cycles::new(before.get() / 4));
    let mut base = waiting(&fresh, chip, &looked, begin, phase)?;
    // The machine stands behind `begin` by what its last instruction took.
    let (from, to) = (base.now().saturating_add(SETTLED), begin.saturating_add(FARTHEST));
    if window.0 <= from || window.1 > to {
        let (first, last) = (window.0.get(), window.1.get().saturating_sub(1));
        return Err(RunError::Window { first, last, from: from.get(), to: to.get() });
    }
    if window.0 >= window.1 {
        return Err(RunError::EmptyWindow);
    }

    let stimulus = Stimulus::Pin { pin: chip.button(), high: Some(false) };
    let cycles = window.1.saturating_sub(window.0).get();
    let phases = if matches!(job.arrivals, Arrivals::At(..)) { 1 } else { base.bus_phases().min(PHASES) };
    let mut times: Vec<(u64, Cycles, Times)> = Vec::new();
    for phase in 0..phases {
        if phase > 0 {
            base = waiting(&fresh, chip, &looked, begin, phase as u8)?;
        }
        let progress = |done| (watch.progress)(phase * cycles + done, phases * cycles);
        let asked =
            cyclescope_scope::Arrivals { window, stimulus: &stimulus, threads, progress: &progress, stop: watch.stop };
        let each = every_arrival(&base, asked, |machine, arrival| Ok((arrival, one(machine, arrival, &looked)?)))?;
        let each = each.into_iter().collect::<Result<Vec<_>, RunError>>()?;
        times.extend(each.into_iter().map(|(arrival, times)| (phase, arrival, times)));
    }
    if let (Some(dump), Arrivals::At(..)) = (watch.dump, job.arrivals) {
        let running = running(definition, job, &image)?;
        let mut machine = base.clone();
        machine.shared().signals.drain().for_each(drop);
        machine.stimulate(window.0, stimulus.clone());
        dump(traced(&mut machine, &image, running, window.0.saturating_add(settle))?);
    }

    (watch.gaps)(job, &image, base.gaps(), &|| base.waits_for());
    let mut record = subject::record(job, &image, &base);
    let (kind, name, value) = match job.arrivals {
        Arrivals::At(..) => ("one", "phase", u64::from(phase)),
        _ => ("exhaustive", "phases", phases),
    };
    record.params.insert("arrivals".to_owned(), kind.into());
    record.params.insert(name.to_owned(), value.into());
    record.params.insert("window.from".to_owned(), window.0.get().into());
    record.params.insert("window.cycles".to_owned(), cycles.into());
    record.params.insert("led_turn".to_owned(), turn.get().into());
    let mut records = Vec::new();
    for span in definition.span.iter().filter(|span| mode.pins || !span.pins) {
        let answers: Vec<(u64, u64, u64)> =
            times.iter().filter_map(|(phase, at, times)| Some((times.of(&span.metric)?, *phase, at.get()))).collect();
        let cycles: Vec<u64> = answers.iter().map(|(cycles, ..)| *cycles).collect();
        let mut of_span = distribution(&record, &span.metric, &cycles)?;
        let worst = answers.iter().min_by_key(|(cycles, phase, at)| (Reverse(*cycles), *phase, *at));
        if let Some((_, phase, at)) = worst {
            of_span.params.insert("worst_arrival".to_owned(), (*at).into());
            if phases > 1 {
                of_span.params.insert("worst_phase".to_owned(), (*phase).into());
            }
        }
        records.push(of_span);
    }
    Ok(records)
}

impl Times {
    /// The span that the experiment's file calls `metric`.
    fn of(&self, metric: &str) -> Option<u64> {
        match metric {
            "latency.handler" => self.handler,
            "latency.edge" => self.task,
            "interrupt" => self.a_fall?.checked_sub(self.a_rise?),
            "latency.task" => self.b_rise?.checked_sub(self.a_rise?),
            "thread" => self.b_fall?.checked_sub(self.b_rise?),
            "latency.response" => self.b_fall?.checked_sub(self.a_rise?),
            _ => None,
        }
    }

    /// Returns the effect that is missing, or out of order.
    fn wrong(&self) -> Option<&'static str> {
        let missing = [
            (self.handler, "its interrupt was not taken"),
            (self.a_rise, "pin A did not rise"),
            (self.a_fall, "pin A did not fall"),
            (self.task, "the button task did not run"),
            (self.b_rise, "pin B did not rise"),
            (self.b_fall, "pin B did not fall"),
        ]
        .into_iter()
        .find_map(|(time, what)| time.is_none().then_some(what));
        let order = [
            (self.handler, self.a_rise, "pin A rose before the handler began"),
            (self.a_rise, self.a_fall, "pin A fell before it rose"),
            (self.a_rise, self.b_rise, "pin B rose before pin A"),
            (self.task, self.b_rise, "pin B rose before the button task ran"),
            (self.b_rise, self.b_fall, "pin B fell before it rose"),
        ];
        missing.or_else(|| order.into_iter().find_map(|(first, then, what)| (first > then).then_some(what)))
    }
}

/// The number of the button's exception.
fn interrupt(machine: &Machine, chip: &ChipText) -> Result<u16, RunError> {
    let found = machine.exceptions().into_iter().find(|(_, name)| *name == chip.interrupt);
    found.map(|(number, _)| number).ok_or_else(|| RunError::NoInterrupt(chip.interrupt.clone()))
}

/// The cycle at which the LED goes on for the time that the experiment's file says, with nobody at the button.
fn led_turn(definition: &Button, chip: &ChipText, fresh: &Machine) -> Result<Cycles, RunError> {
    let mut machine = fresh.clone();
    machine.stimulate(Cycles::ZERO, Stimulus::Pin { pin: chip.button(), high: Some(true) });
    machine.shared().signals.want_pin(chip.led());
    let limit = Cycles::new(definition.arrivals.led_turn as u64 * machine.part().clock.get());
    let mut turns = 0;
    while machine.now() < limit {
        match machine.run(limit) {
            Stop::Signal => {
                for (at, signal) in machine.shared().signals.drain() {
                    if signal == (Signal::Pin { pin: chip.led(), high: true }) {
                        turns += 1;
                        if turns == definition.arrivals.led_turn {
                            return Ok(at);
                        }
                    }
                }
            }
            Stop::Horizon => {}
            stop => return Err(RunError::Ended(stop, "while nobody pressed the button".to_owned())),
        }
    }
    Err(RunError::Led { at: limit.get(), what: "did not go on as often as it should" })
}

/// A machine whose button task waits again after a press and a release, in `phase` of the bus clocks from reset on.
fn waiting(fresh: &Machine, chip: &ChipText, looked: &Looked, begin: Cycles, phase: u8) -> Result<Machine, RunError> {
    let mut machine = fresh.clone();
    let [press, release] = looked.before;
    machine.stimulate(Cycles::ZERO, Stimulus::Phase { cycles: phase });
    for (at, high) in [(Cycles::ZERO, true), (press, false), (release, true)] {
        machine.stimulate(at, Stimulus::Pin { pin: chip.button(), high: Some(high) });
    }
    machine.watch(looked.runs);
    let signals = &mut machine.shared().signals;
    [looked.a, looked.b].into_iter().for_each(|pin| signals.want_pin(pin));
    signals.want(SignalKind::Exception);
    // The task waits again well before the window begins; from there the machine goes on by itself.
    if waits_again(&mut machine, begin, release, looked.b)? {
        return Ok(machine);
    }
    Err(RunError::Arrival { at: release.get(), what: "before the window, the button task did not wait again" })
}

/// Runs the machine up to the cycle `until`; whether pin B fell on the way after the cycle `from`.
fn waits_again(machine: &mut Machine, until: Cycles, from: Cycles, b: Pin) -> Result<bool, RunError> {
    let mut waits = false;
    while machine.now() < until {
        match machine.run(until) {
            Stop::Signal => {
                for (at, signal) in machine.shared().signals.drain() {
                    waits |= at > from && signal == (Signal::Pin { pin: b, high: false });
                }
            }
            Stop::Horizon | Stop::Watch(_) => {}
            stop => return Err(RunError::Ended(stop, "before the window of arrivals".to_owned())),
        }
    }
    Ok(waits)
}

/// Returns the trace of `machine` up to the cycle `until`.
fn traced(machine: &mut Machine, image: &Image, running: Option<Address>, until: Cycles) -> Result<Dump, RunError> {
    let mut session = Session::new(machine, image);
    session.trace(MOST_TRACED, running);
    if let End::Stopped(stop) = session.run(Limits::until(until, until), |_| false) {
        return Err(RunError::Ended(stop, "while it was looked at".to_owned()));
    }
    let trace = session.take_trace().unwrap_or_default();
    Ok(Dump { trace, part: machine.part().name.to_string(), exceptions: machine.exceptions() })
}

/// One arrival: what came of the edge, and whether its message did.
fn one(machine: &mut Machine, arrival: Cycles, looked: &Looked) -> Result<Times, RunError> {
    let mut times = Times::default();
    let until = arrival.saturating_add(looked.settle);
    let wrong = |what| RunError::Arrival { at: arrival.get(), what };
    let after = |at: Cycles| at.get().checked_sub(arrival.get());
    while machine.now() < until {
        match machine.run(until) {
            Stop::Watch(address) if address == looked.runs => {
                if let Some(at) = after(machine.now())
                    && times.task.replace(at).is_some()
                {
                    return Err(wrong("the button task ran twice"));
                }
            }
            Stop::Signal => {
                for (at, signal) in machine.shared().signals.drain() {
                    let Some(at) = after(at) else { continue };
                    let slot = match signal {
                        Signal::ExceptionEntered { number } if number == looked.interrupt => &mut times.handler,
                        Signal::Pin { pin, high: true } if pin == looked.a => &mut times.a_rise,
                        Signal::Pin { pin, high: false } if pin == looked.a => &mut times.a_fall,
                        Signal::Pin { pin, high: true } if pin == looked.b => &mut times.b_rise,
                        Signal::Pin { pin, high: false } if pin == looked.b => &mut times.b_fall,
                        _ => continue,
                    };
                    // The handler may run again for nothing, as after a flag that was cleared late; the probes may not.
                    let handler = matches!(signal, Signal::ExceptionEntered { .. });
                    if handler {
                        slot.get_or_insert(at);
                    } else if slot.replace(at).is_some() {
                        return Err(wrong("a probe's pin changed more often than once each way"));
                    }
                }
            }
            Stop::Watch(_) | Stop::Horizon => {}
            _ => return Err(wrong("the program ended")),
        }
    }
    if let Some(what) = times.wrong() {
        return Err(wrong(what));
    }
    let said = machine.shared().console.bytes(looked.channel);
    messages::check_each(&String::from_utf8_lossy(&said), &looked.edges(arrival))
        .map_err(|wrong| RunError::ArrivalOutput { at: arrival.get(), wrong: Box::new(wrong) })?;
    Ok(times)
}
