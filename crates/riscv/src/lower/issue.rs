//! The cycles of a pipeline that are known: from one phase into the next.

use cyclescope_engine::{Binary, Compare, Lowering, Micro, Place, Value};

use cyclescope_machine::Memory;

use super::{DATA_TAGS, FETCH_TAGS, HORIZON, PHASE, PHASE_AT, STORED, allow_in, get};
use crate::code::Detail;
use crate::cpu::Cpu;
use crate::exec::{Known, KnownAccess, LINE};
use crate::pipeline::STORES;

/// The most phases that are told apart before an instruction; from others its body goes on.
const MOST_WAYS: usize = 8;

/// Lowers the cycles of the instruction at `place`. `None` if none are known.
pub(super) fn lower(cpu: &Cpu, memory: &Memory, place: &Place<Detail>, to: &mut Lowering) -> Option<()> {
    let ways: Vec<&Known> = cpu.recall.known_at(place.pc, memory.generation()).take(MOST_WAYS).collect();
    let first = ways.first()?;
    let phase = to.get(PHASE);
    let (mut next, mut cycles) = (to.word(first.next), long(first.cycles, to));
    let mut known = to.is(phase, first.phase);
    for way in &ways[1..] {
        let is = to.is(phase, way.phase);
        let (other, others) = (to.word(way.next), long(way.cycles, to));
        next = to.select(is, other, next);
        cycles = to.select(is, others, cycles);
        known = to.binary(Binary::Or, known, is);
    }
    let unknown = to.not(known);
    to.add(Micro::Unless(unknown));
    let mut lines: Vec<u32> = ways.iter().flat_map(|way| way.lines).filter(|line| *line != u32::MAX).collect();
    lines.sort_unstable();
    lines.dedup();
    for line in lines {
        let number = to.word(line);
        misses(number, FETCH_TAGS, cpu.fetch_mask(), to);
    }
    // Nothing may happen by itself meanwhile.
    let (now, before) = (to.add(Micro::Now), long(place.before, to));
    let start = to.binary(Binary::Add, now, before);
    let (end, horizon) = (to.binary(Binary::Add, start, cycles), to.get(HORIZON));
    let late = to.compare(Compare::Less, horizon, end);
    to.add(Micro::Unless(late));
    if let Some(access) = first.access {
        let address = self::address(access, to);
        look_at(cpu, &ways, access, address, to);
        if access.stores {
            for store in (1..STORES as u8).rev() {
                let before = to.get(STORED + store - 1);
                to.set(STORED + store, before);
            }
            to.set(STORED, address);
        }
    }
    to.set(PHASE, next);
    to.set(PHASE_AT, end);
    // One of them is the instruction's own.
    let one = long(1, to);
    let passed = to.binary(Binary::Sub, cycles, one);
    to.add(Micro::Pass(passed));
    Some(())
}

fn long(value: u32, to: &mut Lowering) -> Value {
    to.add(Micro::Constant(value.into(), 8))
}

/// Gives up where the line with the number `line` is not in the cache.
fn misses(line: Value, tags: u8, mask: usize, to: &mut Lowering) {
    let mask = to.word(mask as u32);
    let place = to.binary(Binary::And, line, mask);
    let tag = to.add(Micro::Entry(tags, place));
    let misses = to.compare(Compare::NotEqual, tag, line);
    to.add(Micro::Unless(misses));
}

fn address(access: KnownAccess, to: &mut Lowering) -> Value {
    let (base, offset) = (get(to, access.base), to.word(access.offset));
    to.binary(Binary::Add, base, offset)
}

/// Gives up where the `access` to `address` is not like those in all of `ways`.
fn look_at(cpu: &Cpu, ways: &[&Known], access: KnownAccess, address: Value, to: &mut Lowering) {
    allow_in(cpu, address, access.stores, to);
    let unless_bits = |bits: u32, to: &mut Lowering| {
        let bits = to.word(bits);
        let set = to.binary(Binary::And, address, bits);
        let none = to.is(set, 0);
        let some = to.not(none);
        to.add(Micro::Unless(some));
    };
    unless_bits(1 << 31 | (access.bytes - 1), to);
    if access.stores {
        let slaves = ways.iter().filter_map(|way| way.access).map(|access| access.slave);
        for (from, bytes) in slaves.filter(|(_, bytes)| *bytes > 0) {
            let inside = to.word(!(bytes - 1));
            let base = to.binary(Binary::And, address, inside);
            let is = to.is(base, from);
            let elsewhere = to.not(is);
            to.add(Micro::Unless(elsewhere));
        }
        return;
    }
    let shift = to.word(LINE);
    let line = to.binary(Binary::ShiftRight, address, shift);
    misses(line, DATA_TAGS, cpu.data_mask(), to);
    let collisions = ways.iter().filter_map(|way| way.access).fold(0, |all, access| all | access.collisions);
    for store in (0..2).filter(|store| collisions >> store & 1 != 0) {
        let stored = to.get(STORED + store);
        let (difference, two) = (to.binary(Binary::Xor, stored, address), to.word(2));
        let words = to.binary(Binary::ShiftRight, difference, two);
        let collides = to.is(words, 0);
        to.add(Micro::Unless(collides));
    }
}
