//! Tests of the core, one program. A new file beside this one is named here.

mod common;
mod compiled;
mod control;
mod exceptions;
mod faults;
mod flash;
mod interrupts;
mod jumps;
mod skip;
mod sleep;
mod timing;
mod timing_m3;
mod timing_m4;
mod v7_blocks;
mod v7_control;
mod v7_faults;
mod v7_float;
mod v7_memory;
mod v7_priorities;
