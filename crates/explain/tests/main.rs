//! Commands run, fail, hang, fork away and print without end; sources count what others count.

mod ends;
mod known;
mod sources;
#[path = "../../cyclescope/tests/common/tools.rs"]
mod tools;
