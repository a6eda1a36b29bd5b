//! Tests of the comparisons, one program. A new file beside this one is named here.

mod directed;
mod sketch;
