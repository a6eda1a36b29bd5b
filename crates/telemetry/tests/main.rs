//! Tests of the readers of telemetry, one program. A new file beside this one is named here.

mod runs;
