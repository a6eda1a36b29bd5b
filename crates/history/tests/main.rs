//! Tests of the file, one program. A new file beside this one is named here.

mod common;
mod files;
mod imports;
mod processes;
mod queries;
