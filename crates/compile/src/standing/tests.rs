//! The states that follow from one, walked beside the interface itself over random programs.

use cyclescope_machine::FlashTiming;
use proptest::prelude::*;

use super::*;

const ANEW: u8 = 0;
/// A slot that no one knows before the region runs.
const OTHER: u8 = 1;

/// A block: the lines that it fetches with the cycles before each, its static cycles beyond these, the cycles that only data decide, if
/// any do, and the blocks behind it.
#[derive(Clone, Debug)]
struct Code {
    fetches: Vec<(u32, u64)>,
    cycles: u32,
    has_data: bool,
    ways: [usize; 2],
}

impl Code {
    fn last(&self) -> u64 {
        self.fetches.iter().map(|(_, after)| after).sum()
    }

    fn pc(number: usize) -> u32 {
        0x100 * (number as u32 + 1)
    }

    fn run(number: usize) -> u32 {
        (number as u32 + 1).wrapping_mul(0x9E37_79B1)
    }

    /// The stall of its fetches from the cycle `now`.
    fn fetch(&self, number: usize, flash: &mut FlashInterface, now: u64) -> u64 {
        if let Some(stall) = flash.recall(Self::run(number), now, false) {
            return stall.into();
        }
        flash.begin_run(Self::run(number), now, false);
        let (mut stalls, mut last) = (0, 0);
        for (line, after) in &self.fetches {
            last += after;
            stalls += u64::from(flash.fetch::<false>(*line, now + stalls + last + u64::from(FlashInterface::AHEAD)));
        }
        flash.end_run(now + stalls, last as u32);
        stalls
    }

    fn member(&self, number: usize) -> Member {
        let step = |operations: Vec<Micro>, after| Step {
            operations,
            after,
            cycles: 0,
            count: 1,
            ways: Vec::new(),
            exits: Vec::new(),
            standing: None,
            flash: FlashUse::None,
            falls_back: false,
            noted: None,
        };
        let fetches = vec![Micro::Get(ANEW), Micro::Fetches(Self::run(number), Value(0)), Micro::Pass(Value(1))];
        let mut steps = vec![step(fetches, After::Next)];
        if self.has_data {
            steps.push(step(vec![Micro::Get(OTHER), Micro::Pass(Value(0))], After::Next));
        }
        let pc = |way: usize| Self::pc(self.ways[way]);
        steps.push(step(vec![Micro::Get(OTHER)], After::EndsIf(Value(0), pc(1), 2)));
        let cycles = self.last() as u32 + self.cycles;
        Member {
            pc: Self::pc(number),
            next_pc: pc(0),
            cycles,
            worst_cycles: cycles + 100,
            count: steps.len() as u32,
            steps,
            completed: Vec::new(),
            start: None,
            straight: Exit::default(),
        }
    }
}

fn codes() -> impl Strategy<Value = Vec<Code>> {
    let code = (prop::collection::vec((0_u32..6, 0_u64..3), 1..4), 1_u32..4, 0_u32..4, [0_usize..4, 0_usize..4]);
    prop::collection::vec(code, 1..5).prop_map(|codes| {
        let number = codes.len();
        let all = codes.into_iter().map(|(fetches, cycles, data, ways)| Code {
            fetches,
            cycles,
            has_data: data == 0,
            ways: ways.map(|way| way % number),
        });
        all.collect()
    })
}

/// A choice at the end of a block: the way, and the cycles that data decide in it.
fn choices(most: usize) -> impl Strategy<Value = Vec<(usize, u64)>> {
    prop::collection::vec((prop_oneof![3 => Just(0_usize), 1 => Just(1_usize)], 0_u64..3), most)
}

fn timings() -> impl Strategy<Value = FlashTiming> {
    (0_u32..6, any::<bool>(), 0_usize..3).prop_map(|(wait_states, prefetch, instruction_lines)| FlashTiming {
        line_bytes: 8,
        wait_states,
        prefetch,
        instruction_lines,
        ..FlashTiming::IDEAL
    })
}

/// The state in which code that follows outcomes by itself has flash: the cycle that the set's states count from, and the number of the
/// state in the set.
#[derive(Clone, Copy, Debug)]
struct Followed {
    base: u64,
    variant: usize,
}

impl Followed {
    /// The cycle that the states of `standing` count from, at the cycle `now`.
    fn base_in(&self, standing: Standing, now: u64) -> u64 {
        standing.offset.map_or(self.base, |offset| now.wrapping_sub(offset as u64))
    }

    /// The state's number at the interface, and the cycle from which it is seen.
    fn state(&self, made: &Standings, standing: Standing, now: u64) -> (u64, u64) {
        let Variant { state, behind } = made.sets[usize::from(standing.set)][self.variant];
        (made.numbers[usize::from(state)], self.base_in(standing, now).wrapping_sub(behind as u64))
    }

    /// The stall that `step` has at the cycle `now`; `None` if it is not known.
    fn stall(&mut self, step: &Step, now: u64) -> Option<u64> {
        match &step.flash {
            FlashUse::Known(known) => {
                self.variant = 0;
                known.stall.map(u64::from)
            }
            FlashUse::Sought { least, outcomes, width, .. } => {
                let standing = step.standing.unwrap();
                let passed = match standing.offset {
                    Some(_) => 0,
                    None => now.wrapping_sub(self.base) as i64,
                };
                let index = usize::try_from(passed - least).ok().filter(|index| index < width)?;
                let outcome = Some(outcomes[self.variant * width + index]).filter(|outcome| *outcome != NOT_KNOWN)?;
                self.variant = (outcome >> 16) as usize;
                Some(u64::from(outcome & 0xFFFF))
            }
            FlashUse::None | FlashUse::Loosens => Some(0),
            FlashUse::Unknown | FlashUse::Never => None,
        }
    }
}

/// Runs `codes` as `choices` say, learns from the first ones, and walks the members that follow from there. Returns the number of blocks
/// that were walked.
fn walk(timing: FlashTiming, codes: &[Code], choices: &[(usize, u64)], learned: usize) -> Result<usize, TestCaseError> {
    let mut flash = FlashInterface::new(timing);
    let _ = flash.fetch::<false>(0, 0);
    let (mut now, mut block) = (20, 0);
    let data = |block: usize, cycles: u64| if codes[block].has_data { cycles } else { 0 };
    let behind = |block: usize, way: usize| {
        let code = &codes[block];
        code.last() + u64::from(code.cycles) + [0, 2][way]
    };
    let (before, walked) = choices.split_at(learned);
    for (way, cycles) in before {
        now += codes[block].fetch(block, &mut flash, now) + data(block, *cycles) + behind(block, *way);
        block = codes[block].ways[*way];
    }
    // The block that comes next is the head.
    let order: Vec<usize> = (0..codes.len()).map(|number| (number + block) % codes.len()).collect();
    let blocks: Vec<Member> = order.iter().map(|number| codes[*number].member(*number)).collect();
    let most = Most { members: 40, steps: 400 };
    let Some(made) = follow(&blocks, &flash, Beginning { now, anew: (ANEW, false) }, most) else { return Ok(0) };
    prop_assert!(crate::check::are_sound(&made));
    let mut place = 0;
    let mut followed = Followed { base: 0, variant: 0 };
    for (count, (way, cycles)) in walked.iter().enumerate() {
        let (member, number) = (&made.members[place], order[made.blocks[place]]);
        prop_assert_eq!(member.pc, Code::pc(number));
        prop_assert_eq!(number, block);
        let start = member.start.unwrap().standing;
        prop_assert_eq!(Some(followed.state(&made, start, now)), flash.seen(), "block {}", count);
        let expected = codes[number].fetch(number, &mut flash, now);
        for step in &member.steps {
            if let Some(standing) = step.standing {
                followed.base = followed.base_in(standing, now);
            }
            let Some(stall) = followed.stall(step, now) else { return Ok(count) };
            now += match step.flash {
                FlashUse::Loosens => data(number, *cycles),
                FlashUse::None => 0,
                _ => {
                    prop_assert_eq!(stall, expected, "block {} at cycle {}", count, now);
                    stall
                }
            };
        }
        now += behind(number, *way);
        block = codes[number].ways[*way];
        let exit = &member.steps.last().unwrap().exits[1 - *way];
        let standing = exit.standing.unwrap();
        followed.base = followed.base_in(standing, now);
        prop_assert_eq!(Some(followed.state(&made, standing, now)), flash.seen(), "behind block {}", count);
        let Some(to) = exit.to else { return Ok(count + 1) };
        if let Some(renumbered) = exit.renumbered.get(followed.variant) {
            followed.variant = usize::from(*renumbered);
        }
        place = to;
    }
    Ok(walked.len())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_stall_and_state_that_follows_is_that_of_the_interface(
        timing in timings(),
        codes in codes(),
        choices in choices(200),
        learned in 20_usize..150,
    ) {
        walk(timing, &codes, &choices, learned)?;
    }
}

/// The law above is not empty: a loop of two blocks that was learned is followed for as long as it runs.
#[test]
fn a_loop_is_followed_to_its_end() -> Result<(), TestCaseError> {
    let code = |line: u32, way: usize, has_data| Code {
        fetches: vec![(line, 0), (line + 1, 1)],
        cycles: 2,
        has_data,
        ways: [way, way],
    };
    for has_data in [false, true] {
        let codes = [code(0, 1, has_data), code(3, 0, false)];
        let choices: Vec<(usize, u64)> = (0..400).map(|number| (0, number / 2 % 3)).collect();
        let timing =
            FlashTiming { line_bytes: 8, wait_states: 3, prefetch: true, instruction_lines: 2, ..FlashTiming::IDEAL };
        prop_assert_eq!(walk(timing, &codes, &choices, 200)?, 200, "data: {}", has_data);
    }
    Ok(())
}
