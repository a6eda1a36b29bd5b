//! Tests of the core, one program. A new file beside this one is named here.

mod common;
mod compiled;
mod control;
mod interrupts;
mod pipeline;
mod timing;
