//! Empty on purpose: this package exists so that cargo fetches, and its lock file pins, the crate whose package
//! carries the kernel's C sources. See ../../README.md.
