//! The vocabulary that every simulated machine shares, whatever its instruction set.
//!
//! A machine is a core and a [`Bus`]. The bus owns what the core can reach: [`Memory`] (flash and RAM, which charge
//! their own time), the part's [`Peripherals`], and what all of them have in common: the [`EventQueue`], the
//! [`InterruptLines`], the guest's [`Console`], the [`Gaps`] of the model and the [`Signals`] an observer asked for.
//!
//! Nothing here knows an instruction, a vendor or an experiment, and nothing here reads a host clock: the same image
//! with the same stimuli takes the same cycles on every host.
#![forbid(unsafe_code)]

mod access;
mod attached;
mod bus;
mod console;
mod event;
pub mod figures;
mod flash;
mod gap;
pub mod i2c;
mod interrupt;
mod memory;
mod peripheral;
mod placement;
mod position;
mod probe;
mod ram;
mod reach;
mod retire;
mod runs;
mod semihosting;
mod signal;
mod stimulus;
mod stop;
mod timebase;
mod timing;
mod touch;
mod traffic;
mod turns;
pub mod units;
mod usb;
mod voltage;
mod wire;

pub use access::{Access, AccessKind, BusFault, Width};
pub use attached::{Attached, Attachment, Contact, Requests};
pub use bus::{Bus, Shared};
pub use console::{Channel, Console};
pub use event::{EventId, EventQueue};
pub use flash::{FlashInterface, FlashPhase, FlashStanding, FlashTiming, Foreseen};
pub use gap::{FURTHER_GAPS, Gap, GapKind, Gaps, MOST_GAPS, POLL_CYCLES, POLLS};
pub use interrupt::{InterruptLines, NMI_LINE};
pub use memory::{AtZero, Flash, Memory, MemorySnapshot, RamSlave, RegionKind};
pub use peripheral::{Context, Peripherals, Still, WithoutPeripherals};
pub use placement::Placement;
pub use position::{CallFrame, Position, Restore};
pub use probe::{Probe, RegisterWindows};
pub use ram::Ram;
pub use reach::Reach;
pub use retire::{Registers, Retire, Silent, Sink, State};
pub use runs::{BlockCatalog, BlockInstruction, Counted, Joined, Run, new_edition};
pub use semihosting::{
    FIRST_HANDLE, FileError, HostFiles, LONGEST_NAME, OpenKind, OpenMode, SemihostingAnswer, SemihostingCall,
    SemihostingFiles, errno,
};
pub use signal::{NoPin, Pin, Signal, SignalKind, Signals};
pub use stimulus::Stimulus;
pub use stop::{FaultReport, Spin, StackOverrun, Stop, Wait};
pub use timebase::{Moment, Timebase};
pub use timing::{Evidence, RowSet, TimingRow};
pub use touch::Touch;
pub use traffic::Traffic;
pub use turns::{Answer, Port, SimpleAccess, Turn, Turns};
pub use usb::{UsbAction, UsbAnswer, UsbState};
pub use voltage::Voltage;
pub use wire::{CanError, CanFrame, I2cAddress, Line, Transfer, Wire};
