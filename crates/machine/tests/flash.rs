//! The flash interface against one that is stepped cycle by cycle, over random sequences of what a core and a DMA
//! controller do, with the settings of every family.

use cyclescope_machine::{FlashInterface, FlashStanding, FlashTiming};
use proptest::prelude::*;

/// The settings that families have: line, prefetch, lines of each cache, whether prefetched lines are cached.
fn timings() -> impl Strategy<Value = FlashTiming> {
    let timing = |line_bytes, prefetch, instruction_lines, data_lines, caches_prefetched| FlashTiming {
        line_bytes,
        wait_states: 0,
        prefetch,
        instruction_lines,
        data_lines,
        caches_prefetched,
        ..FlashTiming::IDEAL
    };
    let families = prop_oneof![
        // STM32C0, F1 with its buffer and without, F4, K20.
        (any::<bool>(), prop::sample::select(vec![0, 2]))
            .prop_map(move |(ahead, lines)| timing(8, ahead, lines, 0, false)),
        any::<bool>().prop_map(move |ahead| timing(if ahead { 8 } else { 4 }, ahead, 0, 0, false)),
        (any::<bool>(), prop::sample::select(vec![0, 64]), prop::sample::select(vec![0, 8]))
            .prop_map(move |(ahead, lines, data)| timing(16, ahead, lines, data, false)),
        (any::<bool>(), prop::sample::select(vec![0, 3, 24]))
            .prop_map(move |(ahead, lines)| timing(8, ahead, lines, 8, true)),
    ];
    (families, 0_u32..=7).prop_map(|(timing, wait_states)| FlashTiming { wait_states, ..timing })
}

/// An action in one cycle. The lines are few, so that they repeat.
#[derive(Clone, Copy, Debug)]
enum Act {
    /// Cycles go by.
    Idle(u64),
    /// A jump whose first instruction is waited for.
    Fetch(u32),
    /// A jump.
    Redirect(u32),
    /// The line after the last asked for is asked for, so many cycles after that one was there at the earliest.
    Request(u32),
    /// The line last asked for, or the one before it, is waited for.
    Wait { before: bool },
    /// A load waits for its data.
    Data(u32),
    /// Another master reads, unless its last read is not done.
    Dma(u32),
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let act = prop_oneof![
        3 => (0_u64..12).prop_map(Act::Idle),
        3 => (0_u32..12).prop_map(Act::Fetch),
        2 => (0_u32..12).prop_map(Act::Redirect),
        4 => (1..=FlashTiming::MOST_GAP).prop_map(Act::Request),
        4 => any::<bool>().prop_map(|before| Act::Wait { before }),
        3 => (0_u32..12).prop_map(Act::Data),
        1 => (0_u32..12).prop_map(Act::Dma),
    ];
    prop::collection::vec(act, 1..200)
}

/// Lines kept, the one used last at the end.
struct Kept(Vec<u32>, usize);

impl Kept {
    fn hit(&mut self, line: u32) -> bool {
        let place = self.0.iter().position(|kept| *kept == line);
        place.map(|place| self.0.remove(place)).inspect(|line| self.0.push(*line)).is_some()
    }

    fn insert(&mut self, line: u32) {
        self.0.push(line);
        if self.0.len() > self.1 {
            self.0.remove(0);
        }
    }
}

/// A line that a fetch asked for.
#[derive(Clone, Copy)]
struct Asked {
    line: u32,
    at: u64,
    /// The cycles from when the line before it was there to when it is asked for at the earliest.
    gap: u64,
    /// The cycle from which it stalls no more, once that is known.
    ready: Option<u64>,
}

/// The same interface, stepped: in each cycle the array begins at most one read, of those that want it the first by rank.
struct Stepped {
    timing: FlashTiming,
    now: u64,
    free_at: u64,
    instructions: Kept,
    data: Kept,
    /// The lines that fetches asked for since the last jump, in order; the last is in hand when none of them waits.
    asked: Vec<Asked>,
    /// The last of all that was served.
    held: Option<Asked>,
    ahead_from: Option<u64>,
    prefetched: Option<(u32, u64)>,
    /// Another master waits for the array.
    dma: bool,
    dma_done: u64,
}

impl Stepped {
    fn new(timing: FlashTiming) -> Self {
        let kept = |lines| Kept(Vec::new(), lines);
        Self {
            timing,
            now: AHEAD,
            free_at: 0,
            instructions: kept(timing.instruction_lines),
            data: kept(timing.data_lines),
            asked: Vec::new(),
            held: None,
            ahead_from: None,
            prefetched: None,
            dma: false,
            dma_done: 0,
        }
    }

    /// Begins a read if the array is free: the cycle in which it delivers.
    fn read(&mut self) -> Option<u64> {
        (self.free_at <= self.now).then(|| {
            self.free_at = self.now + u64::from(self.timing.wait_states) + 1;
            self.free_at - 1
        })
    }

    /// Steps one cycle: begins another master's read, then the reads that fetches wait for, then a line ahead.
    fn step(&mut self) {
        self.begin_dma();
        self.begin_fetches();
        if let (Some(from), false, Some(last)) = (self.ahead_from, self.wants(), self.held)
            && from <= self.now
            && let Some(ready) = self.read()
        {
            (self.prefetched, self.ahead_from) = (Some((last.line + 1, ready)), None);
        }
        self.now += 1;
    }

    fn begin_dma(&mut self) {
        if self.dma
            && let Some(ready) = self.read()
        {
            (self.dma, self.dma_done) = (false, ready);
        }
    }

    fn begin_fetches(&mut self) {
        while let Some(next) = self.asked.iter().position(|asked| asked.ready.is_none()) {
            if !self.serve(next, true) {
                break;
            }
        }
    }

    /// Returns the cycle from which the line at `place` is asked for; `None` if that is not known yet.
    fn from(&self, place: usize) -> Option<u64> {
        let after = match place.checked_sub(1) {
            Some(last) => self.asked[last].ready? + self.asked[place].gap,
            None => 0,
        };
        Some(self.asked[place].at.max(after))
    }

    /// Serves the line at `place` among those asked for in this cycle if possible; the array is read only if `reads`. Tells
    /// whether it did.
    fn serve(&mut self, place: usize, reads: bool) -> bool {
        let Asked { line, .. } = self.asked[place];
        let Some(from) = self.from(place).filter(|from| *from <= self.now) else { return false };
        let ready = if self.instructions.hit(line) {
            Some(from)
        } else if let Some((_, ready)) = self.prefetched.take_if(|(ahead, _)| *ahead == line) {
            if self.timing.caches_prefetched {
                self.instructions.insert(line);
            }
            Some(ready.max(from))
        } else {
            let ready = if reads { self.read() } else { None };
            if ready.is_some() {
                self.instructions.insert(line);
            }
            ready
        };
        self.asked[place].ready = ready;
        if ready.is_some() {
            self.held = Some(self.asked[place]);
        }
        if let Some(ready) = ready {
            self.plan(line, ready);
        }
        ready.is_some()
    }

    fn plan(&mut self, line: u32, ready: u64) {
        let ahead = self.prefetched.is_some_and(|(ahead, _)| ahead == line + 1);
        let wanted = self.timing.prefetch && !ahead && !self.instructions.0.contains(&(line + 1));
        self.ahead_from = wanted.then_some(ready + 1);
    }

    fn waits(&self) -> bool {
        self.asked.iter().any(|asked| asked.ready.is_none())
    }

    /// Tells whether a line that waits has been asked for.
    fn wants(&self) -> bool {
        (0..self.asked.len())
            .any(|place| self.asked[place].ready.is_none() && self.from(place).is_some_and(|from| from <= self.now))
    }

    /// Asks for `line`. A line that needs no array is served at once. A jump also reads the array at once; another fetch
    /// leaves the array to a read of data in this cycle.
    fn ask(&mut self, line: u32, gap: u64, jumps: bool) {
        let idle = !self.waits();
        self.asked.push(Asked { line, at: self.now, gap, ready: None });
        if jumps {
            self.ahead_from = None;
        }
        if idle {
            self.serve(self.asked.len() - 1, jumps);
        }
    }

    fn redirect(&mut self, line: u32) {
        if self.waits() {
            let wanted = self.asked.iter().position(|asked| asked.ready.is_none()).and_then(|place| self.from(place));
            self.asked = self.held.into_iter().collect();
            if let Some(held) = self.held.filter(|_| wanted.is_some_and(|from| from < self.now)) {
                self.plan(held.line, self.now);
            }
        }
        if self.asked.last().is_none_or(|held| held.line != line) {
            self.asked.clear();
            self.ask(line, 0, true);
        }
    }

    /// The line after the last one asked for; a buffer has room for four that have not come.
    fn request(&mut self, gap: u32) -> Option<u32> {
        let waiting = self.asked.iter().filter(|asked| asked.ready.is_none()).count();
        let line = self.asked.last()?.line + 1;
        if waiting < 4 {
            self.ask(line, gap.into(), false);
        }
        Some(line)
    }

    fn wait(&mut self, line: u32) -> u64 {
        let known = self.asked.iter().rev().take(4).any(|asked| asked.line == line);
        if !known {
            self.redirect(line);
        }
        let from = self.now;
        loop {
            self.begin_dma();
            self.begin_fetches();
            let ready = self.asked.iter().rfind(|asked| asked.line == line).and_then(|asked| asked.ready);
            if ready.is_some_and(|ready| ready <= self.now) {
                return self.now - from;
            }
            self.step();
        }
    }

    fn data(&mut self, line: u32) -> u64 {
        if self.data.hit(line) {
            return 0;
        }
        self.data.insert(line);
        let from = self.now;
        let ready = loop {
            self.begin_dma();
            if let Some(ready) = self.read() {
                break ready;
            }
            // Whatever else wants the array comes after it.
            self.now += 1;
        };
        while self.now < ready {
            self.step();
        }
        self.now - from
    }

    fn other_master(&mut self, line: u32) {
        if !self.data.hit(line) {
            self.data.insert(line);
            self.dma = true;
            self.begin_dma();
        }
    }
}

/// The cycles of data count from here.
const AHEAD: u64 = FlashInterface::AHEAD as u64;

/// Does `acts` to both and compares each stall, and each with the bound that the engine relies on.
fn agree<const MANY: bool>(timing: FlashTiming, aside: bool, acts: &[Act]) -> Result<(), TestCaseError> {
    let (mut ours, mut stepped) = (FlashInterface::new(timing), Stepped::new(timing));
    // Without a second master nothing waits for more than one read beside its own.
    let alone = !acts.iter().any(|act| matches!(act, Act::Dma(_)));
    let most = if aside { timing.worst_stall() } else { timing.worst_stall_in_order() };
    let bound = if alone { most.min(2 * timing.wait_states + FlashTiming::MOST_GAP) } else { most };
    for (number, act) in acts.iter().enumerate() {
        let now = stepped.now;
        stepped.begin_dma();
        // A core that waits for each of its fetches only fetches.
        let act = &match *act {
            Act::Redirect(line) if !aside => Act::Fetch(line),
            Act::Request(_) | Act::Wait { .. } if !aside => match stepped.asked.last() {
                Some(last) => Act::Fetch(last.line + 1),
                None => continue,
            },
            act => act,
        };
        let (stall, expected) = match *act {
            Act::Idle(cycles) => {
                (0..cycles).for_each(|_| stepped.step());
                continue;
            }
            Act::Fetch(line) => {
                stepped.redirect(line);
                if aside {
                    (ours.jump::<MANY>(line, now), stepped.wait(line))
                } else {
                    (ours.fetch::<MANY>(line, now), stepped.wait(line))
                }
            }
            Act::Redirect(line) => {
                ours.redirect::<MANY>(line, now);
                stepped.redirect(line);
                (0, 0)
            }
            Act::Request(gap) => {
                if let Some(line) = stepped.request(gap) {
                    ours.request::<MANY>(line, now, gap);
                }
                (0, 0)
            }
            Act::Wait { before } => {
                let Some(last) = stepped.asked.last().map(|asked| asked.line) else { continue };
                // Decoding needs the lines in their order.
                let first = last + 1 - stepped.asked.len().min(4) as u32;
                for line in first.min(last.saturating_sub(u32::from(before)))..last {
                    let at = stepped.now;
                    let stall = ours.wait::<MANY>(line, at);
                    prop_assert_eq!(u64::from(stall), stepped.wait(line), "act {} in cycle {}: {:?}", number, now, act);
                    prop_assert!(stall <= bound, "act {} in cycle {}: {:?}", number, now, act);
                }
                let at = stepped.now;
                if before { (0, 0) } else { (ours.wait::<MANY>(last, at), stepped.wait(last)) }
            }
            Act::Data(line) => (ours.read_data(line * timing.line_bytes, now - AHEAD), stepped.data(line)),
            Act::Dma(line) => {
                if !stepped.dma && stepped.dma_done <= now {
                    ours.read_data(line * timing.line_bytes, now - AHEAD);
                    stepped.other_master(line);
                }
                (0, 0)
            }
        };
        prop_assert_eq!(u64::from(stall), expected, "act {} in cycle {}: {:?}", number, now, act);
        prop_assert!(stall <= bound, "act {} in cycle {}: {:?} stalls {} cycles", number, now, act, stall);
        stepped.step();
    }
    Ok(())
}

/// A fetch of a run: what is asked, of which line, and how many cycles after the one before it.
#[derive(Clone, Copy, Debug)]
enum Step {
    Jump(u32, u64),
    Request(u32, u64),
    Wait(u32, u64),
}

fn runs() -> impl Strategy<Value = Vec<Vec<Step>>> {
    let step = prop_oneof![
        2 => (0_u32..6, 0_u64..3).prop_map(|(line, after)| Step::Jump(line, after)),
        2 => (0_u32..6, 0_u64..3).prop_map(|(line, after)| Step::Request(line, after)),
        2 => (0_u32..6, 0_u64..3).prop_map(|(line, after)| Step::Wait(line, after)),
    ];
    let straight = (0_u32..4, 0_u64..3, 1_u64..4).prop_map(|(line, soon, later)| {
        vec![
            Step::Jump(line, 0),
            Step::Request(line + 1, soon),
            Step::Wait(line + 1, later),
            Step::Request(line + 2, soon),
        ]
    });
    let run = prop_oneof![straight, prop::collection::vec(step, 1..5)];
    prop::collection::vec(run, 1..8)
}

/// An act upon runs: two are made in turn so many times and so many cycles apart, or are followed as compiled code does as long as
/// their outcomes are foreseen; data is read, the interface is forked or set back.
#[derive(Clone, Copy, Debug)]
enum Do {
    Runs([usize; 2], usize, u64),
    Ahead([usize; 2], usize, u64),
    Data(u32),
    Fork,
    Back,
}

fn doings() -> impl Strategy<Value = Vec<Do>> {
    let runs = || [0_usize..8, 0_usize..8];
    let doing = prop_oneof![
        5 => (runs(), 1_usize..60, 0_u64..4).prop_map(|(runs, turns, after)| Do::Runs(runs, turns, after)),
        5 => (runs(), 1_usize..4, 0_u64..4).prop_map(|(runs, turns, after)| Do::Runs(runs, turns, after)),
        2 => (runs(), 1_usize..4, 0_u64..6000).prop_map(|(runs, turns, after)| Do::Runs(runs, turns, after)),
        3 => (runs(), 1_usize..20, 0_u64..4).prop_map(|(runs, turns, after)| Do::Ahead(runs, turns, after)),
        2 => (0_u32..12).prop_map(Do::Data),
        1 => Just(Do::Fork),
        1 => Just(Do::Back),
    ];
    prop::collection::vec(doing, 1..60)
}

/// The stalls of `run` and its last cycle, counted from `now`.
fn make<const MANY: bool>(flash: &mut FlashInterface, run: &[Step], now: u64, aside: bool) -> (u64, u64) {
    let (mut stalls, mut last) = (0, 0);
    for step in run {
        let (Step::Jump(line, after) | Step::Request(line, after) | Step::Wait(line, after)) = *step;
        last += after;
        let at = now + stalls + last + AHEAD;
        stalls += u64::from(match step {
            _ if !aside => flash.fetch::<MANY>(line, at),
            Step::Jump(..) => flash.jump::<MANY>(line, at),
            Step::Wait(..) => flash.wait::<MANY>(line, at),
            Step::Request(..) => {
                flash.request::<MANY>(line, at, 1 + line % 4);
                0
            }
        });
    }
    (stalls, last)
}

/// The number by which the run at the place `run` is recalled.
fn name(run: usize) -> u32 {
    (run as u32 + 1).wrapping_mul(0x9E37_79B1)
}

/// The stall of `run` at the place `place` on an interface that may recall it, and whether it did.
fn recall_or_make<const MANY: bool>(
    ours: &mut FlashInterface,
    runs: &[Vec<Step>],
    place: usize,
    now: u64,
    aside: bool,
) -> (u64, bool) {
    if let Some(stall) = ours.recall(name(place), now, false) {
        return (stall.into(), true);
    }
    ours.begin_run(name(place), now, false);
    let (stall, last) = make::<MANY>(ours, &runs[place], now, aside);
    ours.end_run(now + stall, last as u32);
    (stall, false)
}

/// The interface takes up the state that code which followed outcomes has left it in.
fn resume(flash: &mut FlashInterface, numbering: u64, left: Option<(u64, FlashStanding, u64)>) {
    if let Some((number, standing, since)) = left {
        let number = if flash.numbering() == numbering { number } else { flash.number_of(&standing) };
        flash.resume(&standing, number, since);
    }
}

/// The number of runs that were recalled and foreseen, of reads that were foreseen, and of times that states got other numbers.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    recalled: u32,
    foreseen: u32,
    reads: u32,
    renumbered: u32,
}

/// Makes runs on an interface that recalls them and on one that does not.
fn recalls<const MANY: bool>(
    timing: FlashTiming,
    aside: bool,
    runs: &[Vec<Step>],
    doings: &[Do],
) -> Result<Counts, TestCaseError> {
    let (mut ours, mut plain) = (FlashInterface::new(timing), FlashInterface::new(timing));
    // Fetching begins with a jump.
    for flash in [&mut ours, &mut plain] {
        make::<MANY>(flash, &[Step::Jump(0, 0)], 0, aside);
    }
    let mut kept = (ours.clone(), plain.clone(), 20);
    let (mut now, mut counts, mut numbering_before) = (20, Counts::default(), ours.numbering());
    for (number, doing) in doings.iter().enumerate() {
        counts.renumbered += u32::from(std::mem::replace(&mut numbering_before, ours.numbering()) != ours.numbering());
        match doing {
            Do::Runs(both, turns, after) => {
                for run in both.repeat(*turns).into_iter().map(|run| run % runs.len()) {
                    now += after;
                    let (expected, last) = make::<MANY>(&mut plain, &runs[run], now, aside);
                    let (stall, is_recalled) = recall_or_make::<MANY>(&mut ours, runs, run, now, aside);
                    counts.recalled += u32::from(is_recalled);
                    prop_assert_eq!(
                        stall,
                        expected,
                        "{}: {:?} in cycle {}, {} recalled",
                        number,
                        doing,
                        now,
                        counts.recalled
                    );
                    now += expected + last;
                }
            }
            Do::Ahead(both, turns, after) => {
                let numbering = ours.numbering();
                // The state, where it has a number, and whether the interface is in another one, which it left long ago.
                let (mut at, mut is_left) = (ours.standing(), false);
                for run in both.repeat(*turns).into_iter().map(|run| run % runs.len()) {
                    now += after;
                    let (expected, last) = make::<MANY>(&mut plain, &runs[run], now, aside);
                    let passed = |since: u64| now.wrapping_sub(since) as i64;
                    let known = at.and_then(|(number, _, since)| ours.foresee(number, passed(since), name(run), false));
                    // A large cache has the uses of its lines from the code itself.
                    match known.filter(|known| known.used == 0) {
                        Some(known) => {
                            prop_assert_eq!(
                                u64::from(known.stall),
                                expected,
                                "{}: {:?} in cycle {}",
                                number,
                                doing,
                                now
                            );
                            (at, is_left) = (Some((known.number, known.standing, now + u64::from(known.until))), true);
                            counts.foreseen += 1;
                        }
                        None => {
                            resume(&mut ours, numbering, at.filter(|_| is_left));
                            let (stall, _) = recall_or_make::<MANY>(&mut ours, runs, run, now, aside);
                            prop_assert_eq!(stall, expected, "{}: {:?} in cycle {}", number, doing, now);
                            if let Some(known) = known {
                                prop_assert_eq!(
                                    stall,
                                    u64::from(known.stall),
                                    "{}: {:?} in cycle {}",
                                    number,
                                    doing,
                                    now
                                );
                            }
                            (at, is_left) = (ours.standing().filter(|_| ours.numbering() == numbering), false);
                        }
                    }
                    now += expected + last;
                }
                resume(&mut ours, numbering, at.filter(|_| is_left));
            }
            Do::Data(line) => {
                let passed = |since: u64| (now + AHEAD).wrapping_sub(since) as i64;
                let known = ours
                    .standing()
                    .filter(|_| !ours.has_data_cache())
                    .and_then(|(number, _, since)| ours.foresee(number, passed(since), FlashInterface::READ, false));
                let stalls = [&mut ours, &mut plain].map(|flash| flash.read_data(line * timing.line_bytes, now));
                prop_assert_eq!(stalls[0], stalls[1], "{}: {:?} in cycle {}", number, doing, now);
                if let Some(known) = known {
                    prop_assert_eq!(stalls[0], known.stall, "{}: {:?} in cycle {}", number, doing, now);
                    counts.reads += 1;
                }
                now += u64::from(stalls[1]) + 1;
            }
            Do::Fork => kept = (ours.clone(), plain.clone(), now),
            Do::Back => {
                ours.clone_from(&kept.0);
                plain.clone_from(&kept.1);
                now = kept.2;
            }
        }
    }
    Ok(counts)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_stall_is_that_of_an_array_stepped_cycle_by_cycle(timing in timings(), aside in any::<bool>(), acts in acts()) {
        if FlashInterface::new(timing).caches_many() { agree::<true>(timing, aside, &acts)? } else { agree::<false>(timing, aside, &acts)? }
    }

    #[test]
    fn runs_that_are_recalled_stall_as_those_that_are_made(
        timing in timings(),
        aside in any::<bool>(),
        runs in runs(),
        doings in doings(),
    ) {
        if FlashInterface::new(timing).caches_many() {
            recalls::<true>(timing, aside, &runs, &doings)?;
        } else {
            recalls::<false>(timing, aside, &runs, &doings)?;
        }
    }
}

#[test]
fn a_loop_is_recalled_but_for_its_first_turns_and_foreseen_then() -> Result<(), TestCaseError> {
    let around =
        [vec![Step::Jump(3, 0), Step::Request(4, 1), Step::Wait(4, 2)], vec![Step::Request(5, 0), Step::Wait(5, 1)]];
    let turns = [Do::Runs([0, 1], 200, 2), Do::Ahead([0, 1], 200, 2)];
    for (line_bytes, wait_states, instruction_lines, caches_prefetched) in
        [(8, 1, 2, false), (8, 2, 0, false), (16, 5, 64, false), (8, 3, 24, true)]
    {
        let timing = FlashTiming {
            line_bytes,
            wait_states,
            prefetch: true,
            instruction_lines,
            data_lines: 8,
            caches_prefetched,
            ..FlashTiming::IDEAL
        };
        let many = FlashInterface::new(timing).caches_many();
        let Counts { recalled, foreseen, .. } = if many {
            recalls::<true>(timing, true, &around, &turns)?
        } else {
            recalls::<false>(timing, true, &around, &turns)?
        };
        assert!(recalled > 350, "{timing:?}: {recalled} of 400");
        assert!(foreseen > 395 || many, "{timing:?}: {foreseen} of 400");
    }
    Ok(())
}

#[test]
fn reads_are_foreseen_where_no_cache_keeps_data() -> Result<(), TestCaseError> {
    let around = [vec![Step::Jump(3, 0), Step::Request(4, 1), Step::Wait(4, 2)]];
    let turns: Vec<Do> = (0..100).flat_map(|_| [Do::Runs([0, 0], 1, 2), Do::Data(2)]).collect();
    let timing =
        FlashTiming { line_bytes: 16, wait_states: 3, prefetch: true, instruction_lines: 2, ..FlashTiming::IDEAL };
    let Counts { reads, .. } = recalls::<false>(timing, true, &around, &turns)?;
    assert!(reads > 90, "{reads} of 100");
    Ok(())
}

/// A program that is larger than the cache: states of contents that are gone make room, and what is recalled and followed stays right.
#[test]
fn states_of_contents_that_are_gone_make_room_for_others() -> Result<(), TestCaseError> {
    let run = |line: u32| {
        vec![
            Step::Jump(line, 0),
            Step::Request(line + 1, 1),
            Step::Wait(line + 1, u64::from(line % 3)),
            Step::Request(line + 2, 1),
        ]
    };
    let runs: Vec<Vec<Step>> = (0..120).map(run).collect();
    let doings = (0_usize..1500).flat_map(|stage| {
        let [one, other] = [stage * 7 % 120, (stage * 7 + stage % 11) % 120];
        let back = if stage % 300 == 299 { Do::Back } else { Do::Data(stage as u32 % 9) };
        [Do::Runs([one, other], 30, 1), Do::Ahead([other, one], 4, stage as u64 % 3), back]
    });
    let timing = FlashTiming {
        line_bytes: 16,
        wait_states: 5,
        prefetch: true,
        instruction_lines: 64,
        data_lines: 8,
        caches_prefetched: true,
        ..FlashTiming::IDEAL
    };
    let Counts { recalled, renumbered, .. } = recalls::<true>(timing, true, &runs, &doings.collect::<Vec<_>>())?;
    assert!(renumbered > 2 && recalled > 10_000, "{renumbered} times, {recalled} recalled");
    Ok(())
}
