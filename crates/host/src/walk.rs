//! The directory walk: its variants, and the parameters of one.
//!
//! All variants print the same lines, in any order: the root, each directory below it, and `PATH@ -> TARGET` for each
//! symbolic link to a directory. Links are not followed, so loops of links end. A walk reports unreadable entries on
//! standard error and continues.
//!
//! For each entry a variant requests the metadata (not through links), then reads it as a link. For a link it checks
//! with a blocking call if the target is a directory. It prints each result at once, line by line, as `println!` does.
//! io_uring has no call that lists a directory or reads a link, so that its runtimes hand these to a pool of threads.

use serde::{Deserialize, Serialize};

/// The start of an error line on standard error.
pub const COMPLAINT: &str = "cannot read ";

/// A variant of the walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Variant {
    /// std::fs, one thread.
    Sync,
    /// Every directory and every entry awaited in turn; the list of directories is global.
    TokioAwait,
    /// The directory block of each entry spawned and awaited at once.
    TokioSpawnOne,
    /// The link block spawned and awaited at once too.
    TokioSpawnBoth,
    /// Both spawned, then joined.
    TokioJoin,
    /// A JoinSet of directories for each level, a JoinSet of entries for each directory.
    TokioJoinset,
    /// The same, but tasks return their entries and no list is shared.
    TokioJoinsetValues,
    /// One spawn_blocking around the plain walk.
    TokioBlocking,
    /// A bounded number of directories at once, each one spawn_blocking.
    TokioBounded,
    /// smol: one task for each directory, with its asynchronous files.
    Smol,
    /// rayon: the directories of each level in parallel.
    Rayon,
    /// jwalk with its own pool.
    Jwalk,
    /// ignore's parallel walk with all filters off.
    Ignore,
    /// std::thread::scope: a thread for each processor, for each level.
    ThreadScope,
    /// compio: metadata by io_uring, listings and links by its pool of threads.
    Compio,
    /// monoio: the same.
    Monoio,
}

/// The entry of one variant in the list of all.
struct Entry {
    variant: Variant,
    name: &'static str,
    library: Option<&'static str>,
    what: &'static str,
}

const fn entry(variant: Variant, name: &'static str, library: Option<&'static str>, what: &'static str) -> Entry {
    Entry { variant, name, library, what }
}

const TOKIO: Option<&str> = Some("tokio");

const ENTRIES: [Entry; 16] = [
    entry(Variant::Sync, "sync", None, "std::fs, one thread"),
    entry(Variant::TokioAwait, "tokio-await", TOKIO, "every directory and entry awaited in turn; a global list"),
    entry(
        Variant::TokioSpawnOne,
        "tokio-spawn-one",
        TOKIO,
        "the directory block of each entry spawned, awaited at once",
    ),
    entry(Variant::TokioSpawnBoth, "tokio-spawn-both", TOKIO, "the link block spawned and awaited at once, too"),
    entry(Variant::TokioJoin, "tokio-join", TOKIO, "both spawned, then joined"),
    entry(
        Variant::TokioJoinset,
        "tokio-joinset",
        TOKIO,
        "a JoinSet of directories a level, one of entries a directory",
    ),
    entry(Variant::TokioJoinsetValues, "tokio-joinset-values", TOKIO, "the same, without a shared list"),
    entry(Variant::TokioBlocking, "tokio-blocking", TOKIO, "one spawn_blocking around the plain walk"),
    entry(Variant::TokioBounded, "tokio-bounded", TOKIO, "a spawn_blocking a directory, a few at once"),
    entry(Variant::Smol, "smol", Some("smol"), "a task a directory, asynchronous files"),
    entry(Variant::Rayon, "rayon", Some("rayon"), "the directories of a level in parallel"),
    entry(Variant::Jwalk, "jwalk", Some("jwalk"), "its parallel walk"),
    entry(Variant::Ignore, "ignore", Some("ignore"), "its parallel walk, filters off"),
    entry(Variant::ThreadScope, "thread-scope", None, "std::thread::scope, a thread a processor"),
    entry(Variant::Compio, "compio", Some("compio"), "metadata by io_uring, the rest by its pool"),
    entry(Variant::Monoio, "monoio", Some("monoio"), "metadata by io_uring, the rest by its pool"),
];

impl Variant {
    /// Returns all variants in the order of results.
    pub fn all() -> impl Iterator<Item = Self> {
        ENTRIES.iter().map(|entry| entry.variant)
    }

    fn entry(self) -> &'static Entry {
        ENTRIES.iter().find(|entry| entry.variant == self).expect("a test looks for each in the list")
    }

    /// Returns the name in options and records.
    pub fn name(self) -> &'static str {
        self.entry().name
    }

    /// Returns a short description.
    pub fn what(self) -> &'static str {
        self.entry().what
    }

    /// Returns the library; `None` for the standard one.
    pub fn library(self) -> Option<&'static str> {
        self.entry().library
    }

    /// Tells if the variant needs io_uring.
    pub fn is_ring(self) -> bool {
        matches!(self, Self::Compio | Self::Monoio)
    }

    /// Tells if the variant runs on tokio, so that the runtime's settings apply.
    pub fn is_tokio(self) -> bool {
        self.library() == TOKIO
    }
}

/// The parameters of one walk, without its root.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spec {
    /// The variant.
    pub variant: Variant,
    /// tokio's worker threads; `None` for its default, one for each processor.
    pub workers: Option<usize>,
    /// The most threads of tokio's blocking pool; `None` for its default, 512.
    pub blocking_threads: Option<usize>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_records() {
        for variant in Variant::all() {
            assert_eq!(serde_json::to_value(variant).unwrap(), variant.name());
            // Panics for a library that the manifest does not pin.
            let _ = crate::built::version(variant.library());
        }
        assert_eq!(Variant::all().collect::<std::collections::HashSet<_>>().len(), ENTRIES.len());
    }
}
