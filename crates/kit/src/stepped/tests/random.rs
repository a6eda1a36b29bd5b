//! Compares random loops by the rules and on the simulated core: each instruction begins in the same cycle.
//! docs/timing.md (Flash, rule 3) names the core's departures from the rules; such loops are left out.

use cyclescope_cortex_m::decode::Architecture;
use cyclescope_cortex_m::timing::{CORTEX_M0PLUS, CORTEX_M3};
use cyclescope_cortex_m::{Config, Core};
use cyclescope_machine::units::{Address, Cycles};
use cyclescope_machine::{AtZero, Bus, FlashTiming, Memory, Retire, Sink, WithoutPeripherals};
use proptest::prelude::*;

use crate::stepped::fetching::{Fetching, beside_execution, on_one_bus};
use crate::stepped::flash::{Interface, Settings};
use crate::stepped::program::Executed;

/// Instructions of a loop; branches have the number of instructions they skip.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Add,
    AddWide,
    Literal,
    Taken(usize),
    NotTaken(usize),
}

/// The initial value of the loop counter: the number of iterations minus one.
const TURNS: u16 = 4;

/// A program that sets the counter and the divisor and then loops over `kinds`, from the one at `back` on.
struct Program {
    code: Vec<u16>,
    executed: Vec<Executed>,
}

/// The number of instructions behind the loop.
const BEHIND: usize = 6;

const CODE: u32 = 0x100;
const LITERALS: u32 = 0x180;

fn program(kinds: &[Kind], back: usize) -> Program {
    let width = |kind: &Kind| if matches!(kind, Kind::AddWide) { 4 } else { 2 };
    // MOVS r4, #4 and MOVS r1, #0 precede the loop; SUBS r4 and BPL end it.
    let mut addresses = vec![CODE + 4];
    addresses.extend(kinds.iter().scan(CODE + 4, |address, kind| {
        *address += width(kind);
        Some(*address)
    }));
    let end = addresses[kinds.len()];
    let halfwords = |from: u32, to: u32| ((to as i32 - from as i32 - 4) / 2) as u16;
    let offset = |from: u32, to: u32| halfwords(from, to) & 0xFF;
    let target = |at: usize, skip: usize| addresses[(at + 1 + skip).min(kinds.len())];
    let mut code = vec![0x2400 | TURNS, 0x2100];
    for (at, kind) in kinds.iter().enumerate() {
        let address = addresses[at];
        match *kind {
            Kind::Add => code.push(0x1889),
            Kind::AddWide => code.extend([0xEB01, 0x0102]),
            Kind::Literal => code.push(0x4B00 | ((LITERALS - ((address + 4) & !3)) / 4) as u16),
            Kind::Taken(skip) => code.push(0xE000 | halfwords(address, target(at, skip)) & 0x7FF),
            // The flags are those of SUBS, ADDS or MOVS, which are never negative in the loop.
            Kind::NotTaken(skip) => code.push(0xD400 | offset(address, target(at, skip))),
        }
    }
    code.extend([0x3C01, 0xD500 | offset(end + 2, addresses[back])]);
    code.extend([0x1889; BEHIND]);
    code.push(0xBE00);
    let mut executed = vec![one(CODE, 2, 1), one(CODE + 2, 2, 1)];
    for turn in 0..=TURNS {
        let mut at = if turn == 0 { 0 } else { back };
        while let Some(kind) = kinds.get(at) {
            let plain = one(addresses[at], width(kind), 1);
            let (one, next) = match *kind {
                Kind::Add | Kind::AddWide => (plain, at + 1),
                Kind::Literal => (Executed { cycles: 2, loads: true, literal: Some(LITERALS), ..plain }, at + 1),
                Kind::Taken(skip) => {
                    let to = (at + 1 + skip).min(kinds.len());
                    (Executed { cycles: 2, branches: true, target: Some(addresses[to]), ..plain }, to)
                }
                Kind::NotTaken(_) => (Executed { branches: true, ..plain }, at + 1),
            };
            executed.push(one);
            at = next;
        }
        executed.push(one(end, 2, 1));
        // The counter is negative after the last iteration.
        let last = turn == TURNS;
        let target = (!last).then(|| addresses[back]);
        executed.push(Executed { cycles: 2 - u64::from(last), branches: true, target, ..one(end + 2, 2, 1) });
    }
    executed.extend((0..BEHIND as u32).map(|add| one(end + 4 + 2 * add, 2, 1)));
    Program { code, executed }
}

fn one(address: u32, bytes: u32, cycles: u64) -> Executed {
    Executed { address, bytes, cycles, ..Executed::default() }
}

/// The retired instructions, with the cycles of their start and end.
#[derive(Default)]
struct Retired(Vec<(u32, u64, u64)>);

impl Sink for Retired {
    const OBSERVES: bool = true;

    fn retire(&mut self, retire: Retire) {
        let at = retire.at.get();
        self.0.push((retire.pc.get() - 0x0800_0000, at, at + retire.cycles.get()));
    }
}

/// Runs the program on the core and returns its instructions.
fn simulated(code: &[u16], flash: FlashTiming, small: bool) -> Vec<(u32, u64, u64)> {
    let mut image = vec![0; 0x400];
    image[..4].copy_from_slice(&0x2000_1000_u32.to_le_bytes());
    image[4..8].copy_from_slice(&(0x0800_0001 + CODE).to_le_bytes());
    for (place, halfword) in image[CODE as usize..].chunks_exact_mut(2).zip(code) {
        place.copy_from_slice(&halfword.to_le_bytes());
    }
    let mut memory = Memory::new(Address::new(0x0800_0000), image, Address::new(0x2000_0000), 0x1000);
    memory.map_at_zero(AtZero::Flash);
    memory.set_flash_timing(flash);
    let mut bus = Bus::new(memory, WithoutPeripherals, 0);
    let config = Config {
        architecture: if small { Architecture::Armv6M } else { Architecture::Armv7M },
        timing: if small { &CORTEX_M0PLUS } else { &CORTEX_M3 },
        bit_band: false,
        priority_bits: if small { 2 } else { 4 },
        interrupts: 8,
        mpu_regions: 0,
        systick_reference: None,
        systick_calibration: 0,
        cpuid: 0,
        semihosting: false,
    };
    let mut core = Core::new(config, &bus);
    core.reset(&mut bus).expect("the vector table is in flash");
    let mut retired = Retired::default();
    core.run_into(&mut bus, Cycles::new(100_000), &mut retired);
    retired.0
}

/// Checks that both begin each instruction in the same cycle, counted from the second.
fn agree(kinds: &[Kind], back: usize, flash: FlashTiming, small: bool) -> Result<(), TestCaseError> {
    let Program { code, executed } = program(kinds, back % kinds.len());
    // An unaligned 32-bit target has an address phase of its own, which the core charges to the branch.
    let across = |one: &Executed| one.bytes == 4 && one.address & 2 != 0;
    if executed.windows(2).any(|two| two[0].target.is_some() && across(&two[1])) {
        return Ok(());
    }
    let FlashTiming { line_bytes, prefetch, instruction_lines, data_lines, caches_prefetched, .. } = flash;
    let wait = flash.wait_states.into();
    let interface =
        Interface::new(Settings { line_bytes, wait, prefetch, instruction_lines, data_lines, caches_prefetched });
    let begun = if small {
        on_one_bus(&executed, Fetching { latency: 2, buffer: 1 }, interface)
    } else {
        beside_execution(&executed, Fetching { latency: 3, buffer: 3 }, interface)
    };
    let retired = simulated(&code, flash, small);
    prop_assert!(retired.len() >= executed.len());
    // The core charges a wait to the instruction that waits. On one bus no instruction waits after its own fetch.
    let begins = |at: usize| {
        let ((pc, began, ended), one) = (retired[at], executed[at]);
        assert_eq!(pc, one.address);
        if small { (!executed[at - 1].branches).then_some(began) } else { (!one.loads).then_some(ended - one.cycles) }
    };
    let (ours, theirs) = (begins(1).unwrap_or(0), begun[1]);
    // A branch that is not taken does not delay waiting lines: one of the two departures.
    let compared = executed.len() - if small { 0 } else { BEHIND };
    for at in 2..compared {
        if let Some(began) = begins(at) {
            prop_assert_eq!(began - ours, begun[at] - theirs, "{} at {:#x}", at, executed[at].address);
        }
    }
    Ok(())
}

fn flash(line_bytes: u32, prefetch: bool) -> impl Strategy<Value = FlashTiming> {
    (1_u32..7, prop::sample::select(vec![0, 2, 3, 24]), prop::sample::select(vec![0, 8]), any::<bool>()).prop_map(
        move |(wait_states, instruction_lines, data_lines, caches_prefetched)| FlashTiming {
            line_bytes,
            wait_states,
            prefetch,
            instruction_lines,
            data_lines,
            caches_prefetched,
            ..FlashTiming::IDEAL
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_cortex_m0plus_fetches_by_the_rules(
        kinds in prop::collection::vec(prop_oneof![
            4 => Just(Kind::Add),
            1 => Just(Kind::Literal),
            1 => (0_usize..8).prop_map(Kind::Taken),
            1 => (0_usize..8).prop_map(Kind::NotTaken),
        ], 1..24),
        back in 0_usize..24,
        flash in prop_oneof![flash(4, false), flash(8, false), flash(8, true), flash(16, true)],
    ) {
        agree(&kinds, back, flash, true)?;
    }

    #[test]
    fn straight_loops_of_a_cortex_m3_are_fetched_by_the_rules(
        kinds in prop::collection::vec(prop_oneof![
            4 => Just(Kind::Add),
            4 => Just(Kind::AddWide),
        ], 1..24),
        back in 0_usize..24,
        flash in flash(8, true),
    ) {
        agree(&kinds, back, flash, false)?;
    }
}
