//! The directory walk in common variants and in better ones.

mod joined_values;
mod output;
mod parallel;
mod shared_list;
mod smol_walk;
mod sync;

use std::path::Path;

use cyclescope_host::spec::Counts;
use cyclescope_host::walk::{Spec, Variant};

use crate::count;

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

/// Returns tokio's runtime with the settings of `spec`.
fn runtime(spec: &Spec) -> tokio::runtime::Runtime {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    if let Some(workers) = spec.workers {
        builder.worker_threads(workers);
    }
    if let Some(most) = spec.blocking_threads {
        builder.max_blocking_threads(most);
    }
    builder.on_thread_start(count::thread).enable_all().build().expect("the host has threads to give")
}
