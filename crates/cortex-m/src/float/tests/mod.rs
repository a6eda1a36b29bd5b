//! FPv4-SP against two other formulations, and against cases read from the manual.

mod directed;
