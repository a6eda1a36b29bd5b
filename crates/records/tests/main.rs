//! Tests of the records, one program. A new file beside this one is named here.

mod compare;
mod estimates;
mod round_trip;
