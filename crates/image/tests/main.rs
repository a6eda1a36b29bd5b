//! Tests of the readers, one program. A new file beside this one is named here.

mod bounds;
mod contents;
mod hostile;
mod read;
mod sizes;
mod support;
