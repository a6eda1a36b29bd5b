//! Exceptions: entry, return, tail-chaining and late arrival, all on the same clock as instructions.
//!
//! DDI 0419E §B1.5, DDI 0403E §B1.5. Which exception goes first is [`Nvic`]'s, how long it takes the timing table's.

mod control;
mod dwt;
mod entry;
mod fault;
mod hooks;
mod nvic;
mod pending;
mod private;
mod systick;

pub use control::SystemControl;
pub use dwt::{Beyond, Dwt};
pub use fault::LastFault;
pub use nvic::{
    BUS_FAULT, DEBUG_MONITOR, HARD_FAULT, MEM_MANAGE, Masks, NMI, Nvic, PEND_SV, SUPERVISOR_CALL, SYS_TICK, USAGE_FAULT,
};
pub use systick::SysTick;

/// The core cannot go on (DDI 0419E §B1.5.15).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LockedUp;
