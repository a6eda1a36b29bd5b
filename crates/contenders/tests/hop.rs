//! One file operation: its parts add up, and a machine without io_uring is told of.

use crate::common;

use std::path::Path;
use std::process::Command;

use common::{LIMIT, contender};
use cyclescope_host::hop::{Account, Part, Spec as Hop, VARIANTS};
use cyclescope_host::process::{self, tracer};
use cyclescope_host::spec::{self, Spec, Work};
use cyclescope_host::walk::{self, Variant};

const TIMES: u32 = 60;

fn spec(variant: Variant, blocks: u32) -> Spec {
    let work = Work::Hop(Hop { variant, times: TIMES, blocks, block_bytes: 48 });
    Spec { work, cpus: None, count: false }
}

fn account(variant: Variant, entry: &Path, blocks: u32) -> spec::Account {
    process::run(&contender(), &spec(variant, blocks), Some(entry), LIMIT).expect("it runs").account
}

/// The account of a variant that this machine may lack; `None` if it does.
fn hop(variant: Variant, entry: &Path, blocks: u32) -> Option<Account> {
    let account = account(variant, entry, blocks);
    assert!(account.hop.is_some() || variant.is_ring(), "{}: {:?}", variant.name(), account.absent);
    account.hop
}

#[test]
fn the_parts_add_up_to_the_whole_and_each_variant_has_its_own() {
    let folder = tempfile::tempdir().unwrap();
    for variant in VARIANTS {
        let Some(account) = hop(variant, folder.path(), 3) else { continue };
        let name = variant.name();
        assert_eq!(account.times, u64::from(TIMES), "{name}");
        let sum: u64 = account.parts.iter().map(|(_, sum)| sum).sum();
        assert_eq!(sum, account.whole_ns, "{name}");
        assert!(account.plain_ns > 0 && account.allocation_ns.is_some_and(|time| time > 0), "{name}");
        let parts: Vec<Part> = account.parts.iter().map(|(part, _)| *part).collect();
        let has = |part| parts.contains(&part);
        match variant {
            Variant::Sync => assert_eq!(parts, [Part::Call]),
            _ if variant.is_ring() => assert!(has(Part::Ring) && !has(Part::Call), "{name}"),
            _ => assert!(has(Part::Call) && has(Part::Wake) && has(Part::Poll) && !has(Part::Ring), "{name}"),
        }
        assert!(parts.is_sorted(), "{name}");
    }
}

#[test]
fn a_counting_allocator_tells_what_one_operation_allocates() {
    let folder = tempfile::tempdir().unwrap();
    let blocks = |variant| hop(variant, folder.path(), 0).and_then(|account| account.allocations);
    let of_pool = blocks(Variant::TokioAwait).expect("this program counts");
    // The path, and the task with its cell.
    assert!(of_pool >= 2 * u64::from(TIMES), "{of_pool}");
    assert!(blocks(Variant::Sync).is_some_and(|blocks| blocks < u64::from(TIMES)), "a short path needs none");
    assert!(hop(Variant::Smol, folder.path(), 0).is_some_and(|account| account.allocation_ns.is_none()));
}

#[test]
fn an_entry_that_is_not_there_and_a_variant_without_operation_give_no_number() {
    let folder = tempfile::tempdir().unwrap();
    let why = |variant, entry: &Path| account(variant, entry, 0).absent.expect("there is nothing to measure");
    assert!(why(Variant::TokioAwait, &folder.path().join("missing")).contains("No such file"));
    assert_eq!(why(Variant::Rayon, folder.path()), "rayon has no operation of its own");
}

/// Forbids io_uring as seccomp does, by a tracer that lets its call fail.
#[test]
fn where_io_uring_is_forbidden_its_runtimes_say_so_and_fail_nothing() {
    let Some(strace) = tracer() else {
        assert!(std::env::var_os("CYCLESCOPE_TEST_TOOLS").is_none(), "strace is missing");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let walk = |variant| Work::Walk(walk::Spec { variant, workers: None, blocking_threads: None });
    for variant in [Variant::Compio, Variant::Monoio] {
        for work in [spec(variant, 0).work, walk(variant)] {
            let spec = Spec { work, cpus: None, count: false };
            let mut command = Command::new(&strace);
            command.args(["-f", "-qq", "-o", "/dev/null", "-e", "inject=io_uring_setup:error=EPERM"]);
            let text = serde_json::to_string(&spec).unwrap();
            let output = command.arg(contender().path).arg(text).arg(folder.path()).output().unwrap();
            assert!(output.status.success(), "{output:?}");
            let said = String::from_utf8(output.stderr).unwrap();
            let line = said.lines().find_map(|line| line.strip_prefix(spec::Account::PREFIX)).expect("an account");
            let account: spec::Account = serde_json::from_str(line).unwrap();
            let why = account.absent.expect("it cannot be");
            assert!(why.starts_with("this machine does not allow io_uring: Operation not permitted"), "{why}");
            assert!(output.stdout.is_empty() && account.hop.is_none() && account.counts.is_none());
        }
    }
}
