//! The directory walk in common variants and in better ones.
//!
//! All variants print the same lines, in any order: the root, each directory below it, and `PATH@ -> TARGET` for each
//! symbolic link to a directory. Links are not followed, so loops of links end. A walk reports unreadable entries on
//! standard error and continues.
//!
//! For each entry a variant requests the metadata (not through links), then reads it as a link. For a link it checks
//! with a blocking call if the target is a directory. It prints each result at once, line by line, as `println!` does.

mod joined_values;
mod output;
mod parallel;
mod shared_list;
mod smol_walk;
mod sync;
mod variant;

use std::path::Path;

use crate::count::{self, Counts};

pub use output::COMPLAINT;
pub use variant::{Spec, Variant};

/// Walks from `root` and prints.
pub(crate) fn run(spec: &Spec, root: &Path) -> Counts {
    // All contenders handle the root in the same way, whatever their own API does.
    if let Err(error) = std::fs::read_dir(root) {
        output::complain(root, &error);
        return Counts::default();
    }
    match spec.variant {
        Variant::Sync => sync::walk(root),
        Variant::TokioAwait => shared_list::run(spec, root, shared_list::Style::Await),
        Variant::TokioSpawnOne => shared_list::run(spec, root, shared_list::Style::SpawnOne),
        Variant::TokioSpawnBoth => shared_list::run(spec, root, shared_list::Style::SpawnBoth),
        Variant::TokioJoin => shared_list::run(spec, root, shared_list::Style::Join),
        Variant::TokioJoinset => shared_list::run(spec, root, shared_list::Style::JoinSet),
        Variant::TokioJoinsetValues => joined_values::joinset(spec, root),
        Variant::TokioBlocking => joined_values::blocking(spec, root),
        Variant::TokioBounded => joined_values::bounded(spec, root),
        Variant::Smol => smol_walk::smol(root),
        Variant::Rayon => parallel::rayon(root),
        Variant::Jwalk => parallel::jwalk(root),
        Variant::Ignore => parallel::ignore(root),
    }
    let hops = spec.variant.is_tokio() || spec.variant == Variant::Sync;
    count::counts(hops, hops || spec.variant == Variant::Rayon)
}
