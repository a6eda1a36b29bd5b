//! Tests of the reports, one program. A new file beside this one is named here.

mod chart;
mod render;
mod widths;
