//! A chip with firmware in it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::builder::UInt64Builder;
use arrow_array::{ArrayRef, RecordBatch};
use cyclescope::{BoardError, Firmware, Place, Rule, Setup, SpanText, Time};
use cyclescope_guest::Exit;
use pyo3::prelude::*;

use crate::error::{Raise as _, Said};
use crate::firmware::{event, parsed};
use crate::frame::Frame;
use crate::watched::{awaited, internal};

/// A chip with firmware in it: it runs when told to, from one event to the next, and stands still in between.
///
/// The same firmware with the same stimuli takes the same cycles each time, on every host. Looking takes none. Ctrl-C ends a run,
/// after which the board can go on.
#[pyclass(frozen, module = "cyclescope")]
pub(crate) struct Board {
    works: Mutex<Sender<Work>>,
    busy: AtomicBool,
    stop: Arc<AtomicBool>,
}

/// One passage through a span: from its first event to before its last.
#[pyclass(frozen, eq, hash, module = "cyclescope")]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Measured {
    /// The length in cycles of the core.
    #[pyo3(get)]
    cycles: u64,
    /// The instructions that retired in it.
    #[pyo3(get)]
    instructions: u64,
    /// The cycle after reset at which it began.
    #[pyo3(get)]
    start: u64,
    /// The cycle after reset at which it ended.
    #[pyo3(get)]
    end: u64,
    /// The length in simulated time, rounded down to nanoseconds.
    #[pyo3(get)]
    ns: u64,
}

impl From<cyclescope::Measured> for Measured {
    fn from(measured: cyclescope::Measured) -> Self {
        Self {
            cycles: measured.cycles(),
            instructions: measured.instructions(),
            start: measured.start(),
            end: measured.end(),
            ns: u64::try_from(measured.time().as_nanos()).unwrap_or(u64::MAX),
        }
    }
}

#[pymethods]
impl Measured {
    fn __repr__(&self) -> String {
        format!("<cyclescope.Measured {} cycles, {} instructions>", self.cycles, self.instructions)
    }
}

/// A span that a board collects.
#[pyclass(frozen, module = "cyclescope")]
pub(crate) struct Span {
    id: cyclescope::SpanId,
    /// The span as it was written.
    #[pyo3(get)]
    text: String,
}

/// The answers to a stimulus that came at each cycle of a window: a maximum over these arrivals, and no bound beyond them.
#[pyclass(frozen, module = "cyclescope")]
pub(crate) struct Worst {
    /// The longest occurrence.
    #[pyo3(get)]
    longest: Measured,
    /// The cycle after reset at which the stimulus came before it.
    #[pyo3(get)]
    arrival: u64,
    /// The lengths of all occurrences in cycles, one for each cycle of the window.
    #[pyo3(get)]
    each: Vec<u64>,
    what: String,
}

#[pymethods]
impl Worst {
    /// Says how long the longest took, where the core was, and which functions took most of it.
    fn __str__(&self) -> &str {
        &self.what
    }
}

/// Work for a board.
type Work = Box<dyn FnOnce(&mut cyclescope::Board) + Send>;

impl Board {
    /// The board that `setup` starts with `firmware`. It lives on a thread of its own, which ends with this.
    pub(crate) fn start(py: Python<'_>, setup: Setup, firmware: Firmware) -> PyResult<Self> {
        let (sender, works) = channel::<Work>();
        let (started, start) = channel();
        std::thread::spawn(move || {
            let mut board = match setup.start(&firmware) {
                Ok(board) => board,
                Err(error) => return drop(started.send(Err(error))),
            };
            if started.send(Ok(board.stop_flag())).is_ok() {
                works.into_iter().for_each(|work| work(&mut board));
            }
        });
        match py.detach(move || start.recv()) {
            Ok(Ok(stop)) => Ok(Self { works: Mutex::new(sender), busy: AtomicBool::new(false), stop }),
            Ok(Err(error)) => Err(error.raise(py)),
            Err(_) => Err(internal()),
        }
    }

    /// Has the board do `work`. Ctrl-C ends its run.
    fn run<T: Send + 'static>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut cyclescope::Board) -> Result<T, BoardError> + Send + 'static,
    ) -> PyResult<T> {
        if self.busy.swap(true, Ordering::SeqCst) {
            return Err(Said("the board is running on another thread".to_owned(), Exit::Usage).raise(py));
        }
        let (sender, result) = channel();
        let work: Work = Box::new(move |board| drop(sender.send(work(board))));
        let sent = self.works.lock().unwrap_or_else(PoisonError::into_inner).send(work);
        let done = sent.map_err(|_| internal()).and_then(|()| awaited(py, &self.stop, result));
        self.busy.store(false, Ordering::SeqCst);
        done
    }
}

/// A symbol's name or an address.
#[derive(FromPyObject)]
enum Where {
    Address(u32),
    Symbol(String),
}

impl From<Where> for Place {
    fn from(place: Where) -> Self {
        match place {
            Where::Address(address) => address.into(),
            Where::Symbol(name) => Self::Symbol(name),
        }
    }
}

#[pymethods]
impl Board {
    /// Runs until `event` next happens: `pin:PA0:rise`, `symbol:main`, `exception:SysTick:entered`, …
    fn run_to(&self, py: Python<'_>, event: &str) -> PyResult<()> {
        let event = self::event(py, event)?;
        self.run(py, move |board| board.run_to(event))
    }

    /// Runs for `time`: `3ms`, `1000cy`.
    fn run_for(&self, py: Python<'_>, time: &str) -> PyResult<()> {
        let time: Time = parsed(py, "time", time)?;
        self.run(py, move |board| board.run_for(time))
    }

    /// Runs until the firmware ends the run by itself, and returns its exit code.
    fn run_to_exit(&self, py: Python<'_>) -> PyResult<i32> {
        self.run(py, cyclescope::Board::run_to_exit)
    }

    /// Runs from the next event `begin` to the event `end` that follows, and returns what lay between.
    fn measure(&self, py: Python<'_>, begin: &str, end: &str) -> PyResult<Measured> {
        let (begin, end) = (event(py, begin)?, event(py, end)?);
        self.run(py, move |board| board.measure(begin, end)).map(Measured::from)
    }

    /// Collects every passage through a span from now on: `irq=pin:PA0:rise..pin:PA0:fall`.
    fn watch(&self, py: Python<'_>, span: &str) -> PyResult<Span> {
        let parsed: SpanText = parsed(py, "span", span)?;
        let id = self.run(py, move |board| board.watch(parsed))?;
        Ok(Span { id, text: span.to_owned() })
    }

    /// The passages through `span` so far, in order; an error if there was none.
    fn spans(&self, py: Python<'_>, span: &Span) -> PyResult<Vec<Measured>> {
        let id = span.id;
        let all = self.run(py, move |board| board.spans(id))?;
        Ok(all.into_iter().map(Measured::from).collect())
    }

    /// The passages through `span` so far as a table.
    fn frame(&self, py: Python<'_>, span: &Span) -> PyResult<Frame> {
        let all = self.spans(py, span)?;
        let mut columns: [UInt64Builder; 5] = Default::default();
        for one in all {
            let values = [one.start, one.end, one.cycles, one.instructions, one.ns];
            columns.iter_mut().zip(values).for_each(|(column, value)| column.append_value(value));
        }
        let names = ["start", "end", "cycles", "instructions", "ns"];
        let columns = names.into_iter().zip(columns);
        let columns = columns.map(|(name, mut column)| (name, Arc::new(column.finish()) as ArrayRef));
        let batch = RecordBatch::try_from_iter(columns);
        let batch = batch.map_err(|error| Said(error.to_string(), Exit::Internal).raise(py))?;
        Ok(Frame::new(batch.schema(), vec![batch]))
    }

    /// The longest passage through `span` so far.
    fn longest(&self, py: Python<'_>, span: &Span) -> PyResult<Measured> {
        let id = span.id;
        self.run(py, move |board| board.longest(id)).map(Measured::from)
    }

    /// Has a stimulus come once at each cycle of its window, `at 100ms..100.1ms pin PC13 low`, each in a run of its own from here, and
    /// returns the longest first occurrence of `span` behind it. The board itself stays where it is.
    fn worst(&self, py: Python<'_>, span: &str, stimulus: &str) -> PyResult<Worst> {
        let (span, rule) = (parsed::<SpanText>(py, "span", span)?, parsed::<Rule>(py, "stimulus", stimulus)?);
        let worst = self.run(py, move |board| board.worst(span, rule))?;
        let each = worst.each().to_vec();
        Ok(Worst { longest: worst.longest().into(), arrival: worst.arrival(), each, what: worst.to_string() })
    }

    /// Has the outside do something: `at 3ms pin PC13 low`, `after sleep once uart 2 "go\n"`, … Times count from reset.
    fn stimulate(&self, py: Python<'_>, rule: &str) -> PyResult<()> {
        let rule: Rule = parsed(py, "rule", rule)?;
        self.run(py, move |board| board.stimulate(rule))
    }

    /// Applies a level to `pin` before the next instruction; with `None` lets it go, so that pulls decide.
    fn drive(&self, py: Python<'_>, pin: String, level: Option<bool>) -> PyResult<()> {
        self.run(py, move |board| board.drive(&pin, level))
    }

    /// Tells if `pin` is high.
    fn pin(&self, py: Python<'_>, pin: String) -> PyResult<bool> {
        self.run(py, move |board| board.pin(&pin))
    }

    /// The value of a register of the core.
    fn register(&self, py: Python<'_>, name: String) -> PyResult<u32> {
        self.run(py, move |board| board.register(&name))
    }

    /// Writes a register of the core.
    fn set_register(&self, py: Python<'_>, name: String, value: u32) -> PyResult<()> {
        self.run(py, move |board| board.set_register(&name, value))
    }

    /// The `count` bytes of memory from `place` up, a symbol's name or an address.
    fn read(&self, py: Python<'_>, place: Where, count: u32) -> PyResult<Vec<u8>> {
        // No chip has more, and an error should not take the host's memory.
        const MOST: u32 = 1 << 28;
        if count > MOST {
            return Err(
                Said(format!("{count} bytes are more than the {MOST} that can be read at once"), Exit::Usage).raise(py)
            );
        }
        self.run(py, move |board| board.read(place, count as usize))
    }

    /// The word at `place`.
    fn read_u32(&self, py: Python<'_>, place: Where) -> PyResult<u32> {
        self.run(py, move |board| board.read_u32(place))
    }

    /// Writes `data` to memory from `place` up, flash included, as a debug probe does.
    fn write(&self, py: Python<'_>, place: Where, data: Vec<u8>) -> PyResult<()> {
        self.run(py, move |board| board.write(place, &data))
    }

    /// The firmware's output to serial ports, RTT and semihosting's console so far; without defmt's.
    fn output(&self, py: Python<'_>) -> PyResult<String> {
        self.run(py, move |board| Ok(board.output()))
    }

    /// The lines that the firmware has logged by defmt.
    fn log(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.run(py, cyclescope::Board::log)
    }

    /// The functions that the firmware used and the model lacks. Cycles of a run that met some are not to be relied on.
    fn gaps(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.run(py, move |board| Ok(board.gaps().iter().map(|gap| gap.name.clone()).collect()))
    }

    /// Cycles since reset.
    #[getter]
    fn cycles(&self, py: Python<'_>) -> PyResult<u64> {
        self.run(py, move |board| Ok(board.cycles()))
    }

    /// Instructions retired since reset.
    #[getter]
    fn instructions(&self, py: Python<'_>) -> PyResult<u64> {
        self.run(py, move |board| Ok(board.instructions()))
    }

    /// Simulated nanoseconds since reset.
    #[getter]
    fn ns(&self, py: Python<'_>) -> PyResult<u64> {
        self.run(py, move |board| Ok(u64::try_from(board.time().as_nanos()).unwrap_or(u64::MAX)))
    }

    /// The greatest depth of the main stack in bytes.
    #[getter]
    fn stack_used(&self, py: Python<'_>) -> PyResult<u64> {
        self.run(py, move |board| Ok(board.stack_used().get()))
    }

    /// The place of the firmware: program counter, function, source line.
    #[getter]
    fn place(&self, py: Python<'_>) -> PyResult<String> {
        self.run(py, move |board| Ok(board.place()))
    }
}
