//! RISC-V: random programs here and on the cores' own Verilog, retirement by retirement with cycles.

mod compare;
mod ours;
mod program;
mod rtl;

pub use compare::{Difference, Report, run};
pub use program::{Generator, Kind, Program};
pub use rtl::{Design, Peer};
