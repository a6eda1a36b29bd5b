//! Tests of the contenders on the host, one program. A new file beside this one is named here.

mod adverse;
mod common;
mod hop;
mod join;
mod process;
mod versions;
mod walk;
