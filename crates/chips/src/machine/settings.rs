//! Settings that are chosen before a run, and the reasons why a part cannot start an image.

use cyclescope_machine::Pin;
use cyclescope_machine::units::{Address, Bytes};
use thiserror::Error;

use super::Tier;
use crate::MemorySetting;

/// The settings that are chosen before a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The setting that decides the cost of flash.
    pub memory: MemorySetting,
    /// The most bytes the guest may write to the outside.
    pub output_budget: usize,
    /// True if `BKPT 0xAB`, or its equivalent on RISC-V, talks to the host's console.
    pub semihosting: bool,
    /// True if a fault ends the run instead of running the guest's handler.
    pub halt_on_fault: bool,
    /// True if a reset by software or a watchdog ends the run instead of starting the guest anew.
    pub halt_on_reset: bool,
    /// True if loops that change nothing are skipped to the next event. That changes no result; `false` is for comparing.
    pub skips_loops: bool,
    /// The way in which code that often runs is carried out.
    pub tier: Tier,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            memory: MemorySetting::Equal,
            output_budget: 1 << 20,
            semihosting: true,
            halt_on_fault: false,
            halt_on_reset: false,
            skips_loops: true,
            tier: Tier::chosen(),
        }
    }
}

/// An image that the part cannot start.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LoadError {
    /// The image is for another instruction set.
    #[error("the image is built for {image}, but {part} is {core}")]
    Architecture {
        /// The architecture that the image is built for.
        image: String,
        /// The part's name.
        part: String,
        /// Its core.
        core: &'static str,
    },
    /// A segment lies where the part has no memory.
    #[error(
        "the image loads {length} at {address}, but {part} has only {flash} flash at {flash_base} and {ram} RAM at \
         {ram_base}; was it linked for another part?"
    )]
    Outside {
        /// The first address of the segment.
        address: Address,
        /// The length of the segment.
        length: Bytes,
        /// The part's name.
        part: String,
        /// Its flash.
        flash: Bytes,
        /// The first address of flash.
        flash_base: Address,
        /// Its RAM.
        ram: Bytes,
        /// The first address of RAM.
        ram_base: Address,
    },
    /// A segment lies where a part with several memories has none.
    #[error(
        "the image loads {length} at {address}, but {part} has memory only at {memories}; was it linked for another part?"
    )]
    NoMemory {
        /// The first address of the segment.
        address: Address,
        /// The length of the segment.
        length: Bytes,
        /// The part's name.
        part: String,
        /// Its memories, each where it begins and its size.
        memories: String,
    },
    /// A segment, or the entry, lies where the part has something that is not modelled.
    #[error(
        "the image has its program or data at {address}, in {place}, which is not modelled: on {part} programs run from internal RAM \
         here, so that images of the vendor's frameworks and of Arduino do not run"
    )]
    NotModelled {
        /// The first address of the segment, or the entry.
        address: Address,
        /// The part's name.
        part: String,
        /// The thing that the part has there.
        place: &'static str,
    },
    /// The words where the vector table belongs are erased or zero.
    #[error("there is no vector table at {0}: its first words are blank; does the linker script place it there?")]
    NoVectorTable(Address),
    /// Flash does not begin with a second stage, which the boot ROM starts.
    #[error(
        "flash does not begin with a second-stage boot loader: the checksum of its first 256 bytes, at {0}, is wrong. Link one, \
         such as `boot2` of embassy-rp or rp2040-boot2, there"
    )]
    NoSecondStage(Address),
    /// Memory is blank where execution begins.
    #[error("nothing is loaded at {0}, where execution begins; does the linker script place the vectors there?")]
    NothingAtReset(Address),
    /// The image says for which part it was built, and it was another.
    #[error("the image is built for {device}, not for {part}; build it with -mmcu={part}, or choose that chip")]
    Device {
        /// The device that the image names.
        device: String,
        /// The part's name.
        part: String,
    },
    /// The table's first word is no address in RAM nor RAM's end.
    #[error("the initial stack pointer {sp} lies outside RAM ({from} to {to})")]
    StackPointer {
        /// The stack pointer in the table.
        sp: Address,
        /// The first address of RAM.
        from: Address,
        /// The end of RAM.
        to: Address,
    },
    /// The table's second word does not point to Thumb code in memory.
    #[error("the reset vector {0:#010x} is no address of Thumb code in flash or RAM")]
    ResetVector(u32),
}

/// A device that cannot be attached.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum AttachError {
    /// The part has no such pin.
    #[error("{device}: {part} has no pin {pin}")]
    NoPin {
        /// The device.
        device: String,
        /// The pin.
        pin: Pin,
        /// The part's name.
        part: String,
    },
    /// The part has no such peripheral, or it has no such signal.
    #[error("{device}: {part} has no {peripheral} with a signal {signal} at a pin{}", instead(.others))]
    NoSignal {
        /// The device.
        device: String,
        /// The peripheral.
        peripheral: String,
        /// The signal.
        signal: String,
        /// The part's name.
        part: String,
        /// The peripherals that have the signal.
        others: Vec<String>,
    },
    /// Two devices have one name.
    #[error("two devices are named {0}; give one of them another name ({0}:…,name=WORD)")]
    Twice(String),
    /// There are more than 256 devices.
    #[error("{0} devices are attached, but 256 are the most; attach fewer")]
    TooMany(usize),
}

/// Returns the clause that names `others`, which may be none.
fn instead(others: &[String]) -> String {
    match others {
        [] => String::new(),
        [one] => format!("; {one} has one"),
        [first @ .., last] => format!("; {} and {last} have one", first.join(", ")),
    }
}

impl LoadError {
    /// A segment that lies outside the memories of `part`.
    pub(super) fn outside(part: &crate::Part, address: Address, bytes: &[u8]) -> Self {
        Self::Outside {
            address,
            length: Bytes::new(bytes.len() as u64),
            part: part.name.to_string(),
            flash: part.flash.bytes,
            flash_base: part.flash.base,
            ram: part.ram.bytes,
            ram_base: part.ram.base,
        }
    }
}
