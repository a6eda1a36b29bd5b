//! Where the firmware would be. What this example shows is in `tests/latency.rs`.
