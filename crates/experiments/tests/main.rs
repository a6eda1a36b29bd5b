//! Tests of the experiments, one program. A new file beside this one is named here.

mod button;
mod display;
mod load;
mod switch;
mod syscall;
