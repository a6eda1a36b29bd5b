//! A difference is luck if it comes from the order of linking, and a regression if it comes from work, on real ELFs of both.

use std::num::NonZeroUsize;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::{Context, ensure};
use cyclescope_chips::Part;
use cyclescope_records::stats::Number;
use cyclescope_records::{LuckKind, Record, Source, Unit, compare};

use super::list::List;
use super::places::Places;
use super::relink::{Linked, Program, run_to_stop};

/// The programs.
const PROGRAMS: [&str; 3] =
    ["primes-c-plain-two-3-stm32f446ze", "primes-c-loop-two-s-stm32f103c8", "primes-freertos-two-3-stm32g431kb"];

/// The function that does most of their work, in each of 202,336 calls, and what makes a call some cycles longer.
const FUNCTION: &str = "__aeabi_uldivmod";
const MORE_WORK: &str = "\
    .syntax unified
    .thumb
    .section .text.__wrap___aeabi_uldivmod, \"ax\"
    .global __wrap___aeabi_uldivmod
    .thumb_func
__wrap___aeabi_uldivmod:
    nop
    nop
    nop
    b.w __real___aeabi_uldivmod
";

/// The share of pairs of orders whose difference must be called luck.
const LUCK: f64 = 0.95;

/// Compares all pairs of `orders` of each program, and each program with one that does more.
pub fn run(places: &Places, list: &List, orders: u64, layouts: u64) -> anyhow::Result<ExitCode> {
    for name in PROGRAMS {
        let row = list.rows().iter().find(|row| row.name() == name).with_context(|| format!("there is no {name}"))?;
        let mut program = Program::new(&places.root, list, row)?;
        let relinked = (1..=orders).map(|number| figures(program.part, &program.order(number, 1)?, number, layouts));
        let relinked = relinked.collect::<anyhow::Result<Vec<Record>>>()?;
        let (mut pairs, mut luck) = (0_u32, 0_u32);
        for (place, one) in relinked.iter().enumerate() {
            for other in &relinked[place + 1..] {
                pairs += 1;
                luck += u32::from(matches!(kind(one, other)?.0, LuckKind::Luck | LuckKind::Same));
            }
        }
        let unchanged = program.order(orders + 1, 1)?;
        program.wrap(FUNCTION, MORE_WORK)?;
        // As many layouts as decide a change of 1 %.
        let deciding = kind(&relinked[0], &relinked[0])?.2.max(layouts);
        let before = figures(program.part, &unchanged, orders + 1, deciding)?;
        let more = figures(program.part, &program.first, orders + 2, deciding)?;
        let (verdict, change, _) = kind(&before, &more)?;
        println!(
            "{name}: luck in {luck} of {pairs} pairs of {orders} orders, {layouts} layouts each; with {change:+.2} % of work: \
             {verdict}, {deciding} layouts each"
        );
        ensure!(f64::from(luck) >= LUCK * f64::from(pairs), "{name}: another order was called a change too often");
        ensure!(verdict == LuckKind::Regression, "{name}: more work was called {verdict}");
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the verdict, the change of the mean over layouts in per cent, and the number of layouts that decide a change of 1 %.
fn kind(old: &Record, new: &Record) -> anyhow::Result<(LuckKind, f64, u64)> {
    let (old, new) = (std::slice::from_ref(old), std::slice::from_ref(new));
    let comparison = compare(old, new);
    let [change] = comparison.luck()[..] else { anyhow::bail!("the records do not match") };
    let (before, after) = change.means;
    Ok((change.kind(), 100.0 * (after - before) / before, change.deciding.0))
}

/// Returns a record of the cycles of `linked` up to the end of its work, and of those in `count` layouts drawn from `seed`.
fn figures(part: &'static Part, linked: &Linked, seed: u64, count: u64) -> anyhow::Result<Record> {
    let units = linked.units(part)?;
    let own = run_to_stop(part, &linked.image, None)?;
    let (next, found) = (AtomicU64::new(1), Mutex::new(vec![None; count as usize]));
    let threads = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let work = || -> anyhow::Result<()> {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number > count {
                return Ok(());
            }
            let placement = units.placement(&units.layout(seed, number)?);
            let cycles = run_to_stop(part, &linked.image, Some(placement))?;
            found.lock().map_err(|_| anyhow::anyhow!("another thread has failed"))?[number as usize - 1] = Some(cycles);
        }
    };
    std::thread::scope(|scope| {
        let all: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        all.into_iter().try_for_each(|one| one.join().map_err(|_| anyhow::anyhow!("a thread has panicked"))?)
    })?;
    let others = found.into_inner().map_err(|_| anyhow::anyhow!("a thread has failed"))?;
    let all = std::iter::once(own).chain(others.into_iter().flatten());
    let layouts = Some(all.map(|cycles| Number::Integer(cycles as i64)).collect());
    Ok(Record { unit: Unit::Cycles, layouts, ..Record::empty(Source::Simulated) })
}
