//! Trees of awaits: a program whose tasks await `select`, `join` and functions inside each other (`firmware/suites/tasks`).

use cyclescope_machine::units::Address;
use cyclescope_scope::Await;

use super::*;

const CHIP: &str = "cortex-m4";

/// Several rounds of the four signals.
const LENGTH: u64 = 600_000;

fn program() -> Image {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../cyclescope/tests/suites/tasks.elf");
    Image::parse(&std::fs::read(path).expect("it is in the repository")).expect("it is an ELF")
}

/// The line of the program's source that has `// await NAME` behind it.
fn line(name: &str) -> u32 {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../firmware/suites/tasks/src/main.rs");
    let source = std::fs::read_to_string(path).expect("it is in the repository");
    let mark = format!("// await {name}");
    1 + source.lines().position(|line| line.ends_with(&mark)).expect("a mark in the source") as u32
}

/// A tree in one line, with the source's line behind each function of the program.
fn text(tree: &Await) -> String {
    let own = tree.line.as_ref().filter(|line| line.file.ends_with("src/main.rs"));
    let own = own.map(|line| format!(":{}", line.line)).unwrap_or_default();
    let inside: Vec<String> = tree.awaits.iter().map(text).collect();
    let inside = if inside.is_empty() { String::new() } else { format!("({})", inside.join(", ")) };
    format!("{}{own}{inside}", tree.name)
}

/// The program counts what has come to its tasks; the order of its signals says what each is left with then.
#[test]
fn select_and_join_are_trees() {
    let image = program();
    let types = image.types().expect("types are told");
    let mut target = machine(CHIP, &image);
    let report = watched(&mut target, &image, &types, LENGTH);
    let counts = image.symbol("COUNTS").expect("the program has it").address;
    let counts = [0, 1, 2, 3].map(|place| {
        let mut bytes = [0; 4];
        target.peek(Address::new(counts.get() + 4 * place), &mut bytes);
        u64::from(u32::from_le_bytes(bytes))
    });
    assert!(counts.iter().all(|count| *count > 10), "{counts:?}");

    let inner = format!("inner:{}(PollFn)", line("inner"));
    let outer = format!("outer:{}({inner})", line("outer"));
    let array = format!("SelectArray({inner}, {inner})");
    let whole = |name: &str, tree: &str| format!("{name}:{}({tree})", line(name));
    let [first, second, unions, trees] = counts;
    for (name, expect) in [
        // Each signal that comes ends the choice, and the next begins.
        ("choice", vec![(whole("choice", &format!("Select({outer}, {inner})")), first + second + 1)]),
        // The first signal comes before the second.
        (
            "union",
            vec![
                (whole("union", &format!("Join({outer}, {inner})")), unions + 1),
                (whole("union", &format!("Join({inner})")), first),
            ],
        ),
        (
            "tree",
            vec![
                (whole("tree", &format!("Select(Join({inner}, {outer}), {array})")), trees + 1),
                (whole("tree", &format!("Select(Join({outer}), {array})")), first),
            ],
        ),
    ] {
        let facts = task(&report, name).1;
        let seen: Vec<(String, u64)> = facts.awaits.iter().map(|(tree, times)| (text(tree), *times)).collect();
        assert_eq!(facts.polls, expect.iter().map(|(_, times)| times).sum::<u64>(), "{name}");
        let mut expect = expect;
        expect.sort_by_key(|(_, times)| std::cmp::Reverse(*times));
        assert_eq!(seen, expect, "{name}");
    }
}

/// The function `outer` keeps a buffer of 64 bytes while it waits; it has handed on the reference that it was given.
#[test]
fn what_a_suspended_future_holds_has_names_and_sizes() {
    let image = program();
    let types = image.types().expect("types are told");
    let report = watched(&mut machine(CHIP, &image), &image, &types, LENGTH);
    let (tree, _) = &task(&report, "choice").1.awaits[0];
    let [outer, inner] = tree.awaits[0].awaits.as_slice() else { panic!("a select of two: {tree:?}") };
    assert_eq!((outer.holds.as_slice(), inner.holds.as_slice()), (&[("kept".to_owned(), 64)][..], &[][..]));
    // What it holds, what it awaits, the reference and its state are all of it.
    let held: u32 = outer.holds.iter().map(|(_, bytes)| bytes).sum();
    let awaited = outer.awaits[0].bytes.expect("its size is told");
    let rest = outer.bytes.expect("its size is told") - held - awaited;
    assert_eq!(rest, 8, "{outer:?}");
}

#[test]
fn watching_the_program_changes_no_cycle() {
    watching_changes_nothing((CHIP, LENGTH), "tasks", &program());
}
