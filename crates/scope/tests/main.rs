//! Tests of the observers, one program. A new file beside this one is named here.

mod arrivals;
mod attribution;
mod backtrace;
mod common;
mod cuts;
mod ends;
mod hooks;
mod kernel;
mod placement;
mod spans;
mod stimuli;
mod tasks;
mod time;
mod vcd;
mod worst;
