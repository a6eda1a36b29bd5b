//! A chip with firmware in it, on its way.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use cyclescope_chips::{Machine, Part, Settings};
use cyclescope_image::Image;
use cyclescope_machine::{Attachment, Channel, Moment, Probe, Stimulus, Stop};
use cyclescope_scope::{
    Again, End, Event, EventError, Limits, Pace, Plan, Rule, Session, Span, SpanText, StimulusError, Time,
};
use cyclescope_scope::{explain, named, place};

use super::measured::{Measured, SpanId, duration};
use super::{BoardError, Written, look};

/// The end of the output that errors show, in bytes.
const TAIL: usize = 400;

/// A chip with firmware in it: it runs when told to, from one event to the next, and stands still in between.
///
/// The same firmware with the same stimuli takes the same cycles each time, on every host. Looking takes none.
pub struct Board {
    pub(super) session: Session<'static>,
    pub(super) image: Arc<Image>,
    pub(super) exceptions: Vec<(u16, &'static str)>,
    pub(super) limit: Moment,
    pub(super) stop: Arc<AtomicBool>,
}

impl Board {
    /// The board with `image` of the firmware called `name`.
    pub(super) fn start(
        part: &Part,
        settings: Settings,
        (name, image): (&str, Arc<Image>),
        limit: Time,
    ) -> Result<Self, BoardError> {
        let mut machine = Machine::load(part, settings, &image)
            .map_err(|error| BoardError::Load { firmware: name.to_owned(), error })?;
        if let Some(stack) = look::second_stack(&machine, &image) {
            machine.watch_stacks(&[stack]);
        }
        let exceptions = machine.exceptions();
        let mut session = Session::owning(machine, &image);
        // However runs are cut, RTT is read at the same cycles.
        session.poll_steadily(Pace::POLL);
        let stop = Arc::new(AtomicBool::new(false));
        Ok(Self { session, image, exceptions, limit: limit.after_reset(), stop })
    }

    pub(super) fn attach(&mut self, devices: Vec<Attachment>) -> Result<(), BoardError> {
        Ok(self.session.target().attach(devices)?)
    }

    /// Has the outside do something: `at 3ms pin PC13 low`, `after sleep once uart 2 "go\n"`, … Times count from reset.
    ///
    /// # Errors
    /// [`BoardError::Stimulus`] for what is no stimulus, what the chip has no pin or port for, and what is past.
    pub fn stimulate(&mut self, rule: impl Written<Rule>) -> Result<(), BoardError> {
        let rule = rule.value()?;
        self.stimulate_all(&[rule])
    }

    pub(super) fn stimulate_all(&mut self, rules: &[Rule]) -> Result<(), BoardError> {
        let plan = Plan::resolve(rules, &self.image, &self.exceptions)?;
        Ok(self.session.apply(&plan)?)
    }

    /// Applies a level to `pin` before the next instruction; with `None` lets it go, so that pulls decide.
    ///
    /// # Errors
    /// [`BoardError::Pin`] for one that the chip does not have.
    pub fn drive(&mut self, pin: &str, level: impl Into<Option<bool>>) -> Result<(), BoardError> {
        let machine = self.session.target();
        let pin = machine.part().find_pin(pin)?;
        let now = machine.now();
        machine.stimulate(now, Stimulus::Pin { pin, high: level.into() });
        Ok(())
    }

    /// Sends `bytes` to the serial port `port`, from now on and at its own rate: 2 is USART2, [`Channel::Usb`] a port that a
    /// `usb-host` has opened.
    ///
    /// # Errors
    /// [`BoardError::Stimulus`] for a port that the chip does not have.
    pub fn send(&mut self, port: impl Into<Channel>, bytes: &[u8]) -> Result<(), BoardError> {
        let (port, machine) = (port.into(), self.session.target());
        let now = machine.now();
        let ports = machine.serial_ports();
        if !ports.contains(&port) {
            let ports: Vec<String> = ports.iter().map(|port| port.port_text()).collect();
            let ports = format!("; it has {}", if ports.is_empty() { "none".to_owned() } else { ports.join(", ") });
            return Err(StimulusError::NoUart {
                action: format!("uart {}", port.port_text()),
                port: port.port_text(),
                ports,
            }
            .into());
        }
        machine.stimulate(now, Stimulus::send(port, bytes.to_vec()));
        Ok(())
    }

    /// Runs until `event` next happens. The board then stands at it: before the first instruction of a function that is
    /// entered, right behind the instruction that made a pin's edge. One that has happened already is not waited for
    /// again.
    ///
    /// # Errors
    /// [`BoardError::Event`] for what is none, [`BoardError::Stopped`] where the firmware ended before, and
    /// [`BoardError::Limit`] where the board's time was over.
    pub fn run_to(&mut self, event: impl Written<Event>) -> Result<(), BoardError> {
        let event = event.value()?;
        let index = self.watched(&event)?;
        self.wait(index, &event.to_string())
    }

    /// Runs for `time`: `3ms`, cycles, a [`Duration`].
    ///
    /// # Errors
    /// As [`Board::run_to`].
    pub fn run_for(&mut self, time: impl Written<Time>) -> Result<(), BoardError> {
        let time = time.value()?;
        let end = Event::Time(Time::from(self.after(time)));
        let end = self.watched(&end)?;
        self.wait(end, &format!("the end of {time}"))
    }

    /// Runs until the firmware ends the run by itself, and tells its exit code (semihosting's, or a device's made for it).
    ///
    /// # Errors
    /// [`BoardError::Stopped`] for any other end (a fault, a breakpoint, sleep without a wake-up), [`BoardError::Limit`].
    pub fn run_to_exit(&mut self) -> Result<i32, BoardError> {
        match self.run() {
            End::Stopped(Stop::Exit(code)) => Ok(code),
            End::Stopped(stop) => Err(self.stopped(stop, "the firmware's exit")),
            End::Paused => Err(self.interrupted("the firmware's exit")),
            _ => Err(self.too_late("the firmware's exit")),
        }
    }

    /// Runs from the next `from` to the `to` that follows, and tells what lay between. Where `from` happens again before
    /// that, the first counts.
    ///
    /// # Errors
    /// As [`Board::run_to`].
    pub fn measure(&mut self, from: impl Written<Event>, to: impl Written<Event>) -> Result<Measured, BoardError> {
        let (from, to) = (from.value()?, to.value()?);
        let (first, last) = (self.watched(&from)?, self.watched(&to)?);
        let span = self.session.span(Span { name: format!("{from}..{to}"), from: first, to: last });
        self.session.begins_again(span, Again::First);
        self.wait(first, &from.to_string())?;
        // Both may have happened at one instruction.
        if self.session.samples(span).is_err() {
            self.wait(last, &to.to_string())?;
        }
        let sample = self.session.samples(span).map(|samples| samples.first().copied());
        match sample {
            Ok(Some(sample)) => Ok(Measured::new(sample)),
            Ok(None) => unreachable!("a span without an error has a sample"),
            Err(error) => Err(BoardError::Span { error, place: self.place() }),
        }
    }

    /// Collects every passage through a span from now on: `irq=pin:PA0:rise..pin:PA0:fall`.
    ///
    /// # Errors
    /// [`BoardError::SpanText`] for what is none, [`BoardError::Event`] for events that there are not.
    pub fn watch(&mut self, span: impl Written<SpanText>) -> Result<SpanId, BoardError> {
        let span = span.value()?;
        let (from, to) = (self.watched(&span.from)?, self.watched(&span.to)?);
        let index = self.session.span(Span { name: span.name, from, to });
        self.session.begins_again(index, span.again);
        Ok(SpanId(index))
    }

    /// The passages through `span` so far, in order; at least one.
    ///
    /// # Errors
    /// [`BoardError::Span`] where there was none, or not as the span was described.
    pub fn spans(&self, span: SpanId) -> Result<Vec<Measured>, BoardError> {
        let samples = self.session.samples(span.0).map_err(|error| BoardError::Span { error, place: self.place() })?;
        Ok(samples.iter().map(|sample| Measured::new(*sample)).collect())
    }

    /// The longest passage through `span` so far.
    ///
    /// # Errors
    /// As [`Board::spans`].
    pub fn longest(&self, span: SpanId) -> Result<Measured, BoardError> {
        let spans = self.spans(span)?;
        Ok(spans.into_iter().max_by_key(|span| span.cycles()).expect("there is at least one"))
    }

    /// Returns the flag that ends a run from another thread: once it is true, each run ends with [`BoardError::Interrupted`] after at
    /// most ten million cycles more. The board then stands in between, and can go on when the flag is false again.
    pub fn stop_flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.stop)
    }

    /// Cycles since reset.
    pub fn cycles(&self) -> u64 {
        self.session.machine().now().get()
    }

    /// Instructions retired since reset.
    pub fn instructions(&self) -> u64 {
        self.session.machine().instructions().get()
    }

    /// Returns the simulated time since reset, rounded down to nanoseconds.
    pub fn time(&self) -> Duration {
        duration(self.session.time())
    }

    /// Returns the moment at `time` from now.
    fn after(&self, time: Time) -> Moment {
        let machine = self.session.machine();
        time.after(machine.now(), &machine.timebase())
    }

    /// Returns the place of the firmware: program counter, function, source line.
    pub fn place(&self) -> String {
        let machine = self.session.machine();
        format!("it stands at cycle {}, {}", machine.now().grouped(), place(&self.image, machine.pc()))
    }

    fn watched(&mut self, event: &Event) -> Result<usize, EventError> {
        self.session.watch_event(event, &self.image, &self.exceptions)
    }

    fn wait(&mut self, event: usize, waited_for: &str) -> Result<(), BoardError> {
        self.session.end_at(event);
        match self.run() {
            End::Satisfied => Ok(()),
            End::Stopped(stop) => Err(self.stopped(stop, waited_for)),
            End::Paused => Err(self.interrupted(waited_for)),
            End::Limit | End::Listens(_) => Err(self.too_late(waited_for)),
        }
    }

    /// Runs to the end that the session has, or to [`End::Paused`] where the flag asks for that.
    fn run(&mut self) -> End {
        loop {
            let pause = self.session.machine().now().saturating_add(Pace::SLICE);
            let limits = Limits { pause, ..Limits::until(self.limit, Pace::POLL) };
            match self.session.run(limits, |_| false) {
                End::Paused if !self.stop.load(Ordering::Relaxed) => {}
                end => return end,
            }
        }
    }

    fn interrupted(&self, waited_for: &str) -> BoardError {
        BoardError::Interrupted { waited_for: waited_for.to_owned(), place: self.place() }
    }

    fn stopped(&mut self, stop: Stop, waited_for: &str) -> BoardError {
        let machine = self.session.machine();
        let what = named(Probe::core(machine), stop, explain(stop, &self.image, machine.now()));
        BoardError::Stopped { waited_for: waited_for.to_owned(), stop, what, output: self.tail() }
    }

    fn too_late(&mut self, waited_for: &str) -> BoardError {
        let (limit, place) = (Time::from(self.limit), self.place());
        BoardError::Limit { waited_for: waited_for.to_owned(), limit, place, output: self.tail() }
    }

    /// The last lines that the firmware wrote; defmt's as they can be decoded.
    fn tail(&mut self) -> String {
        let text = self.log().map(|lines| lines.join("\n")).unwrap_or_default() + &self.output();
        let from = text.len().saturating_sub(TAIL);
        let from = (from..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
        text[from..].trim_end().to_owned()
    }
}
