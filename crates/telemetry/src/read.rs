//! The files of dial9 as events.
//!
//! The format names its events and their fields, so that a file of another version is read by these names; what is unknown is
//! skipped. Files are untrusted: bytes, events and places are limited.

use std::io::Read as _;

use dial9_trace_format::decoder::{Decoder, RawEvent, TryForEachError};
use dial9_trace_format::types::FieldValueRef;
use rustc_hash::FxHashMap;
use thiserror::Error;

/// The most bytes of a run's files, unpacked.
const MOST_BYTES: u64 = 1 << 30;

/// The most events of a run that are read.
const MOST_EVENTS: usize = 8_000_000;

/// The most places at which tasks are spawned; more have one name.
const MOST_PLACES: usize = 10_000;

/// The most bytes of a place's name.
const MOST_NAME: usize = 400;

/// The bytes that a batch has at least, in the mean: its header, the form of its events, and one of them.
const LEAST_BATCH: usize = 64;

/// The first bytes of a trace, of each of its batches, and of a packed file.
const MAGIC: &[u8] = b"TRC\0";
const PACKED: &[u8] = &[0x1f, 0x8b];

/// A trace cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TelemetryError {
    /// The file is no trace.
    #[error("it is no trace of dial9: it does not begin with a header of this format")]
    Header,
    /// A packed file cannot be unpacked.
    #[error("it cannot be unpacked: {0}")]
    Packed(String),
    /// The files are too large.
    #[error("the trace has more than {MOST_BYTES} bytes; record less, or read one of its files")]
    TooLarge,
    /// The bytes make no sense.
    #[error("it is damaged: {0}")]
    Damaged(String),
    /// A folder has no traces.
    #[error("the folder has no file of a trace: they end in .bin or .bin.gz")]
    NoFiles,
    /// It has no polls.
    #[error(
        "it has no polls of tasks; build with `--cfg tokio_unstable`, or spawn tasks by `dial9::spawn`, and attach the recorder to \
         the runtime"
    )]
    NoPolls,
}

/// Tells if a file that begins with `bytes` is a trace, or packed as traces are.
pub fn is_trace(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC) || bytes.starts_with(PACKED)
}

/// An event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// A worker begins to poll a task, with so many in its own queue.
    PollBegan {
        worker: u64,
        task: u64,
        place: u32,
        queue: u32,
    },
    PollEnded {
        worker: u64,
    },
    /// A worker goes to sleep, with the processor time of its thread.
    Park {
        worker: u64,
        cpu: u64,
    },
    /// A worker is awake again; `queued` is its time in the run queue, if that was read.
    Unpark {
        worker: u64,
        cpu: u64,
        queued: Option<u64>,
    },
    /// The depth of a runtime's own queue, and the tasks that exist.
    Queue {
        depth: u64,
        alive: u64,
    },
    Spawned {
        task: u64,
        place: u32,
        worker: Option<u64>,
    },
    Ended {
        task: u64,
    },
    /// A task is woken by another, or by none: 0.
    Woken {
        task: u64,
        by: u64,
    },
}

/// The events of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Events {
    /// With their time in nanoseconds, in the order of the files.
    pub(crate) all: Vec<(u64, What)>,
    /// The places at which tasks were spawned.
    pub(crate) places: Vec<String>,
    numbers: FxHashMap<String, u32>,
    bytes: u64,
    /// Events that are too many.
    pub(crate) lost: u64,
    /// The reader or the recorder said that something is missing.
    pub(crate) incomplete: Vec<String>,
}

impl Events {
    /// Adds the file `bytes`, one of a run's.
    ///
    /// # Errors
    /// [`TelemetryError`].
    pub fn read(&mut self, bytes: &[u8]) -> Result<(), TelemetryError> {
        let mut unpacked = Vec::new();
        let bytes = if bytes.starts_with(PACKED) {
            let left = MOST_BYTES.saturating_sub(self.bytes);
            let mut packed = flate2::read::MultiGzDecoder::new(bytes).take(left + 1);
            packed.read_to_end(&mut unpacked).map_err(|error| TelemetryError::Packed(error.to_string()))?;
            &unpacked
        } else {
            bytes
        };
        self.bytes = self.bytes.saturating_add(bytes.len() as u64);
        if self.bytes > MOST_BYTES {
            return Err(TelemetryError::TooLarge);
        }
        // Each batch has the decoder make its tables anew: a file of nothing but headers would take for ever.
        let batches = bytes.windows(MAGIC.len()).filter(|window| *window == MAGIC).count();
        if batches > 16 + bytes.len() / LEAST_BATCH {
            return Err(TelemetryError::Damaged(format!("{batches} batches in {} bytes", bytes.len())));
        }
        let mut decoder = Decoder::new(bytes).ok_or(TelemetryError::Header)?;
        let told = decoder.try_for_each_event(|event| {
            self.take(&event);
            Ok::<(), std::convert::Infallible>(())
        });
        match told {
            Ok(()) if decoder.position() == bytes.len() => {}
            // A program that is killed leaves half an event.
            Ok(()) => self.incomplete.push(format!(
                "a file ends in the middle of an event, {} bytes before its end",
                bytes.len() - decoder.position()
            )),
            Err(TryForEachError::Decode(error)) if !self.all.is_empty() => self.incomplete.push(error.to_string()),
            Err(TryForEachError::Decode(error)) => return Err(TelemetryError::Damaged(error.to_string())),
            Err(TryForEachError::User(never)) => match never {},
        }
        Ok(())
    }

    /// Returns the events if there are polls among them.
    ///
    /// # Errors
    /// [`TelemetryError::NoPolls`].
    pub fn checked(self) -> Result<Self, TelemetryError> {
        let polls = self.all.iter().any(|(_, what)| matches!(what, What::PollBegan { .. }));
        if polls { Ok(self) } else { Err(TelemetryError::NoPolls) }
    }

    fn take(&mut self, event: &RawEvent<'_, '_>) {
        let Some(what) = self.what(event) else { return };
        if self.all.len() < MOST_EVENTS {
            self.all.push((event.timestamp_ns, what));
        } else {
            self.lost += 1;
        }
    }

    /// The event by the names of its fields; `None` for one that is unknown or lacks some.
    fn what(&mut self, event: &RawEvent<'_, '_>) -> Option<What> {
        let fields = Fields(event);
        let worker = || fields.number("worker_id");
        Some(match event.name {
            "PollStartEvent" => What::PollBegan {
                worker: worker()?,
                task: fields.number("task_id")?,
                place: self.place(fields.text("spawn_loc")),
                queue: u32::try_from(fields.number("local_queue").unwrap_or(0)).unwrap_or(u32::MAX),
            },
            "PollEndEvent" => What::PollEnded { worker: worker()? },
            "WorkerParkEvent" => What::Park { worker: worker()?, cpu: fields.number("cpu_time_ns").unwrap_or(0) },
            "WorkerUnparkEvent" => What::Unpark {
                worker: worker()?,
                cpu: fields.number("cpu_time_ns").unwrap_or(0),
                queued: fields.number("sched_wait_ns"),
            },
            "RuntimeMetricsEvent" => What::Queue {
                depth: fields.number("global_queue_depth")?,
                alive: fields.number("alive_tasks").unwrap_or(0),
            },
            "TaskSpawnEvent" => What::Spawned {
                task: fields.number("task_id")?,
                place: self.place(fields.text("spawn_loc")),
                worker: worker(),
            },
            "TaskTerminateEvent" => What::Ended { task: fields.number("task_id")? },
            "WakeEventEvent" => {
                What::Woken { task: fields.number("woken_task_id")?, by: fields.number("waker_task_id").unwrap_or(0) }
            }
            "SegmentMetadataEvent" => {
                self.metadata(event);
                return None;
            }
            _ => return None,
        })
    }

    /// Hears of events that the recorder lost.
    fn metadata(&mut self, event: &RawEvent<'_, '_>) {
        const SAID: &str = "the recorder says that events are missing";
        for field in event.fields {
            let FieldValueRef::StringMap(entries) = field else { continue };
            let missing = |entry: (&str, &str)| entry == ("segment.complete", "false");
            if entries.iter().any(missing) && !self.incomplete.iter().any(|said| said == SAID) {
                self.incomplete.push(SAID.to_owned());
            }
        }
    }

    /// The number of a place.
    fn place(&mut self, name: Option<&str>) -> u32 {
        let name = match name {
            None | Some("") => "(no place)",
            Some(name) => name.char_indices().nth(MOST_NAME).map_or(name, |(end, _)| &name[..end]),
        };
        let name = if self.numbers.len() < MOST_PLACES || self.numbers.contains_key(name) { name } else { "(others)" };
        let next = self.places.len() as u32;
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        self.numbers.insert(name.to_owned(), next);
        self.places.push(name.to_owned());
        next
    }
}

/// The fields of one event by name.
struct Fields<'e, 'a, 'f>(&'e RawEvent<'a, 'f>);

impl<'e> Fields<'e, '_, '_> {
    fn value(&self, name: &str) -> Option<&'e FieldValueRef<'_>> {
        let place = self.0.field_names().position(|field| field == name)?;
        self.0.fields.get(place)
    }

    fn number(&self, name: &str) -> Option<u64> {
        match self.value(name)? {
            FieldValueRef::Varint(number) => Some(*number),
            FieldValueRef::I64(number) => u64::try_from(*number).ok(),
            _ => None,
        }
    }

    fn text(&self, name: &str) -> Option<&str> {
        match self.value(name)? {
            FieldValueRef::PooledString(number) => self.0.string_pool.get(*number),
            FieldValueRef::String(text) => Some(text),
            _ => None,
        }
    }
}
