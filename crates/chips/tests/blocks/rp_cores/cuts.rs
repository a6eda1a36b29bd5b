//! The law of cuts: where a run is cut changes nothing that can be told of the machine at any later cycle. The programs sleep and wake
//! each other, so that blocks, instructions by themselves and attempts take turns; what they touch is contended for.

use super::*;

/// The cycles in which programs are looked at, from where both have begun.
const LENGTH: u64 = 12_000;

/// The cycles at which the states are compared.
const LOOKS: [u64; 4] = [LENGTH / 8, LENGTH / 3, 2 * LENGTH / 3, LENGTH];

/// All that can be told of a machine: of each core its place and its registers, memory, and what the bus has counted.
#[derive(Debug, PartialEq, Eq)]
struct State {
    cores: Vec<(u64, u64, Vec<u32>)>,
    memory: u64,
    ports: Vec<u64>,
}

fn state(machine: &mut Machine) -> State {
    let names: Vec<String> = (0..13).map(|number| format!("r{number}")).collect();
    let names = names.iter().map(String::as_str).chain(["sp", "lr", "pc", "xpsr", "primask"]);
    let names: Vec<&str> = names.collect();
    let cores = [0, 1].map(|core| {
        machine.select_core(core);
        let position = machine.position(core);
        let registers = names.iter().map(|name| machine.register(name).unwrap()).collect();
        (position.now.get(), position.instructions.get(), registers)
    });
    let words = machine.memory().ram.bytes().chunks(4).map(|word| u64::from(word[0]) | u64::from(word[1]) << 8);
    let memory = words.fold(0, |sum: u64, word| (sum.rotate_left(5) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    let traffic = &machine.shared().traffic;
    let ports = (0..10).flat_map(|port| [false, true].map(|contested| traffic.at(Port(port), contested)));
    State { cores: cores.into(), memory, ports: ports.chain(traffic.cached()).collect() }
}

/// Runs on to `until`.
fn go(machine: &mut Machine, until: u64) {
    let stop = machine.run(Cycles::new(until));
    assert!(matches!(stop, Stop::Horizon | Stop::Deadlock(_)), "{stop:?}");
}

/// The machine where both cores are at the first of their pieces, or (`alone`) the first is, and the cycle.
fn begun(case: &Case) -> (Machine, u64) {
    let heads = [0, 1].map(|core| program(core, case).ends[0]);
    let mut machine = case.silent();
    machine.watch_only(&heads[..if case.alone { 1 } else { 2 }]);
    let mut seen = [false, case.alone];
    while seen.contains(&false) {
        match machine.run(Cycles::new(END)) {
            Stop::Watch(pc) => seen[usize::from(pc == heads[1])] = true,
            other => panic!("{other:?} at {}", machine.pc()),
        }
    }
    machine.watch_only(&[]);
    let now = [0, 1].map(|core| machine.position(core).now.get());
    (machine, now[0].max(now[1]))
}

/// Pieces of which one in about `sleeps` sleeps. Many are as long as a program misses the cache.
fn pieces(sleeps: u32) -> impl Strategy<Value = Vec<Piece>> {
    let piece = prop_oneof![
        1 => (0u16..4).prop_map(Piece::Add),
        1 => (0u16..4).prop_map(Piece::Move),
        1 => (0u16..3, any::<bool>()).prop_map(|(lock, claims)| Piece::Lock(lock, claims)),
        2 => (0u16..3).prop_map(Piece::Mailbox),
        1 => Just(Piece::Timer),
        1 => Just(Piece::Time),
        3 => Just(Piece::Event),
        1 => Just(Piece::Stack),
        1 => Just(Piece::All),
        1 => (1u16..4).prop_map(Piece::Pause),
        1 => (0u16..8).prop_map(Piece::Flash),
        1 => Just(Piece::Rom),
        16 / sleeps => Just(Piece::Sleep),
    ];
    (proptest::collection::vec(piece, 30..60), 0usize..30, any::<bool>()).prop_map(|(mut pieces, place, flushes)| {
        if flushes {
            pieces.insert(place, Piece::Flush);
        }
        pieces
    })
}

fn cases() -> impl Strategy<Value = Case> {
    let priority = prop_oneof![Just(0), Just(FIRST), Just(SECOND)];
    // In banks of their own, in one, and with the programs in the same.
    let stacks = prop_oneof![Just(STACKS), Just([0x2004_0800, 0x2004_0C00]), Just([0x2004_0800, 0x2004_1800])];
    let programs = prop_oneof![
        3 => Just(IN_FLASH),
        1 => Just(IN_RAM),
        1 => Just([0x1000_0400, 0x2000_8000]),
        1 => Just([0x2000_4000, 0x1000_0800]),
    ];
    let event = prop_oneof![2 => Just(NONE), 1 => 0u32..20];
    let cuts = prop_oneof![
        proptest::collection::vec(1u64..160, 150..250),
        // Every cycle of a window.
        (0..LENGTH - 500).prop_map(|from| (from.max(1)..).take(1).chain([1; 400]).collect::<Vec<u64>>()),
    ];
    let places = (stacks, programs, event, any::<bool>());
    (pieces(16), pieces(1), 400u32..4_000, 400u32..4_000, priority, places, cuts).prop_map(
        |(one, other, a, b, priority, (stacks, programs, event, alone), cuts)| {
            // Seldom enough. The ROM of a core that waits to be launched takes any words for that.
            let alone = alone && a % 4 == 0;
            let launches = |piece: &Piece| matches!(piece, Piece::Mailbox(0)) && alone;
            let one = one.into_iter().filter(|piece| !launches(piece)).collect();
            let (pieces, systick) = ([one, other], [a, b]);
            Case { pieces, systick, priority, stacks, programs, event, alone, cuts }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn no_cut_changes_the_state_at_any_later_cycle(case in cases()) {
        let (base, from) = begun(&case);
        // One that was run there without a stop.
        let mut cut = base.clone();
        let mut other = base.clone();
        let mut at = from;
        let mut cuts = case.cuts.iter();
        for look in LOOKS.map(|look| from + look) {
            for step in cuts.by_ref() {
                at += step;
                go(&mut cut, at.min(look));
                // A clone and a restored machine go on as the machine itself does.
                match at % 7 {
                    0 => cut = cut.clone(),
                    1 => {
                        other.restore(&cut);
                        std::mem::swap(&mut cut, &mut other);
                    }
                    _ => {}
                }
                if at >= look {
                    break;
                }
            }
            go(&mut cut, look);
            let mut whole = base.clone();
            go(&mut whole, look);
            prop_assert_eq!(state(&mut cut), state(&mut whole), "at {}", look);
        }
    }
}

/// Each cut by itself, in every cycle of a stretch in which one core sleeps, wakes by the other, and both miss the cache.
#[test]
fn a_cut_in_any_cycle_changes_nothing() {
    let one = [Piece::Event, Piece::Add(0), Piece::Move(0), Piece::Event, Piece::All, Piece::Mailbox(0), Piece::Stack];
    let other = [Piece::Sleep, Piece::Rom, Piece::Sleep, Piece::Move(0), Piece::Sleep, Piece::Mailbox(1), Piece::Sleep];
    let (systick, stacks) = ([7331, 8713], [0x2004_0800, 0x2004_0C00]);
    let pieces = [one.repeat(9), [&other[..], &[Piece::Flash(1)]].concat().repeat(4)];
    let case =
        Case { pieces, systick, priority: 0, stacks, programs: IN_FLASH, event: NONE, alone: false, cuts: vec![] };
    let (base, from) = begun(&case);
    let end = from + 5_000;
    let mut whole = base.clone();
    go(&mut whole, end);
    let whole = state(&mut whole);
    for at in from..from + 3_000 {
        let mut cut = base.clone();
        go(&mut cut, at);
        go(&mut cut, end);
        assert_eq!(state(&mut cut), whole, "cut at {at}");
    }
}
