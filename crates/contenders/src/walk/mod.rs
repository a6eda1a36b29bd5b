//! The directory walk in common variants and in better ones.

mod joined_values;
mod output;
mod parallel;
#[cfg(target_os = "linux")]
mod ring;
mod scoped;
mod shared_list;
mod smol_walk;
mod sync;

use std::path::Path;

use cyclescope_host::spec::Counts;
use cyclescope_host::walk::{Spec, Variant};

use crate::count;
#[cfg(target_os = "linux")]
pub(crate) use ring::{compio_runtime, monoio_runtime};

/// Walks from `root` and prints.
///
/// # Errors
/// The reason if this machine lacks or forbids something, for which nothing was walked.
pub(crate) fn run(spec: &Spec, root: &Path) -> Result<Counts, String> {
    // All contenders handle the root in the same way, whatever their own API does.
    if let Err(error) = std::fs::read_dir(root) {
        output::complain(root, &error);
        return Ok(Counts::default());
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
        Variant::ThreadScope => scoped::walk(root),
        #[cfg(target_os = "linux")]
        Variant::Compio => ring::compio(root)?,
        #[cfg(target_os = "linux")]
        Variant::Monoio => ring::monoio(root)?,
        #[cfg(not(target_os = "linux"))]
        Variant::Compio | Variant::Monoio => return Err("io_uring is Linux's".to_owned()),
    }
    let own_threads = matches!(spec.variant, Variant::Sync | Variant::ThreadScope);
    let hops = own_threads || spec.variant.is_tokio() || spec.variant.is_ring();
    let threads = own_threads || spec.variant.is_tokio() || spec.variant == Variant::Rayon;
    Ok(count::counts(hops, threads))
}

/// Returns tokio's runtime with the settings of `spec`.
pub(crate) fn runtime(spec: &Spec) -> tokio::runtime::Runtime {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    if let Some(workers) = spec.workers {
        builder.worker_threads(workers);
    }
    if let Some(most) = spec.blocking_threads {
        builder.max_blocking_threads(most);
    }
    builder.on_thread_start(count::thread).enable_all().build().expect("the host has threads to give")
}
