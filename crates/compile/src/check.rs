//! Checks of what is to be compiled: instruction sets are safe code, and no mistake of theirs may reach the memory of the host.

use cyclescope_engine::{After, Fields, Micro, Slot, Table, Unary, Value};

use crate::member::{Exit, FlashUse, Member, NOT_KNOWN, Standing, Step, Variant};
use crate::standing::Standings;

/// The most slots of an instruction set: translation has a set of them and a few others in 128 bits.
pub const MOST_SLOTS: usize = 120;

/// Tells whether all `fields` lie in a state of `bytes`.
pub fn fields_lie_inside(fields: &Fields, bytes: usize) -> bool {
    if fields.slots.len() > MOST_SLOTS {
        return false;
    }
    let own = [(fields.now, 8), (fields.instructions, 8), (fields.horizon, 8), (fields.pc, 4)];
    let slots = fields.slots.iter().map(|Slot { offset, bytes, .. }| (*offset, usize::from(*bytes)));
    let table = |table: &Table| {
        let end = table.offset.checked_add((table.length as usize).checked_mul(4)?)?;
        Some(
            table.length.is_power_of_two()
                && table.offset.is_multiple_of(4)
                && end <= bytes
                && i32::try_from(end).is_ok(),
        )
    };
    let tables_lie_inside = fields.tables.iter().all(|it| table(it) == Some(true));
    tables_lie_inside
        && own.into_iter().chain(slots).all(|(offset, size)| {
            matches!(size, 1 | 2 | 4 | 8)
                && offset % size == 0
                && offset.checked_add(size).is_some_and(|end| end <= bytes && i32::try_from(end).is_ok())
        })
}

/// Tells whether `member` is sound: each operation is on values of the sizes that it asks for, each load and store stays inside the
/// RAM that the same step has asked for, and it stores only where it has asked to write.
pub fn is_sound(member: &Member, fields: &Fields) -> bool {
    let steps = member.steps.iter().all(|step| {
        let Some(sizes) = sizes(&step.operations, fields) else { return false };
        let ways = step.ways.iter().all(|way| self::sizes(&way.operations, fields).is_some());
        let has = |value: Value, size| sizes.get(value.0 as usize) == Some(&Some(size));
        ways && match step.after {
            After::Guard(truth, _) | After::LeavesIf(truth, ..) | After::EndsIf(truth, ..) => has(truth, 1),
            After::EndsAt(target) => has(target, 4),
            After::Next | After::Body | After::Ends(_) | After::Stops => true,
        }
    });
    steps && sizes(&member.completed, fields).is_some()
}

/// Tells whether the sets of states in `standings` are sound: a number of a state in a set, where it is set, lies in it, and each table
/// has room for all numbers that it is asked for.
pub fn are_sound(standings: &Standings) -> bool {
    let Standings { members, states, numbers, sets, .. } = standings;
    let length = |set: u16| sets.get(usize::from(set)).map(Vec::len);
    let inside = |standing: &Option<Standing>| standing.is_none_or(|standing| length(standing.set).is_some());
    let exits = |exit: &Exit| {
        let Some(to) = exit.to else { return inside(&exit.standing) && exit.renumbered.is_empty() };
        let Some(member) = members.get(to) else { return false };
        match (exit.standing, member.start) {
            (None, None) => exit.renumbered.is_empty(),
            (Some(from), Some(start)) if exit.renumbered.is_empty() => {
                from.set == start.standing.set && inside(&exit.standing)
            }
            (Some(from), Some(start)) => {
                let most = length(start.standing.set).unwrap_or(0);
                length(from.set) == Some(exit.renumbered.len())
                    && exit.renumbered.iter().all(|number| usize::from(*number) < most)
            }
            _ => false,
        }
    };
    let seeks = |step: &Step, next: Option<&Step>| {
        let FlashUse::Sought { outcomes, width, after, .. } = &step.flash else { return true };
        let Some(standing) = step.standing else { return false };
        let most = length(*after).unwrap_or(0);
        let wide = standing.offset.is_none() || *width == 1;
        let follows = next.and_then(|next| next.standing).is_none_or(|next| next.set == *after);
        let known = |outcome: &&u32| **outcome != NOT_KNOWN;
        wide && follows
            && length(standing.set).and_then(|states| states.checked_mul(*width)) == Some(outcomes.len())
            && outcomes.iter().filter(known).all(|outcome| ((outcome >> 16) as usize) < most)
    };
    let member = |member: &Member| {
        let steps = &member.steps;
        let start = member.start.map(|start| start.standing);
        inside(&start)
            && exits(&member.straight)
            && (0..steps.len()).all(|number| seeks(&steps[number], steps.get(number + 1)))
            && steps.iter().all(|step| inside(&step.standing) && step.exits.iter().all(exits))
    };
    let known = |variant: &Variant| usize::from(variant.state) < numbers.len();
    states.len() == numbers.len() && sets.iter().flatten().all(known) && members.iter().all(member)
}

/// The size in bytes of the value of each of `operations` that has one; `None` if one of them is not sound. A place in RAM is no
/// value.
fn sizes(operations: &[Micro], fields: &Fields) -> Option<Vec<Option<u8>>> {
    let mut sizes = Vec::with_capacity(operations.len());
    for operation in operations {
        let size = size(operation, &sizes, operations, fields)?;
        sizes.push(size);
    }
    Some(sizes)
}

/// The size of the value of `operation`, which stands behind those that have `sizes`.
#[allow(clippy::option_option)] // No value, and no soundness.
fn size(operation: &Micro, sizes: &[Option<u8>], operations: &[Micro], fields: &Fields) -> Option<Option<u8>> {
    let of = |value: Value| *sizes.get(value.0 as usize)?;
    let slot = |slot: u8| Some(fields.slots.get(usize::from(slot))?.bytes);
    let ram = |place: Value| match *operations[..sizes.len()].get(place.0 as usize)? {
        Micro::Ram { bytes, count, writes, .. } => Some((u32::from(bytes) * u32::from(count), writes)),
        _ => None,
    };
    let is = |holds: bool, size| holds.then_some(size);
    let known = |bytes: u8| matches!(bytes, 1 | 2 | 4 | 8);
    match *operation {
        Micro::Constant(_, bytes) => is(known(bytes), Some(bytes)),
        Micro::Get(number) => Some(Some(slot(number)?)),
        Micro::Set(number, value) => is(of(value)? == slot(number)?, None),
        Micro::Binary(_, a, b) => is(of(a)? == of(b)?, Some(of(a)?)),
        Micro::Unary(operation, a) => is(operation != Unary::SwapBytes || of(a)? > 1, Some(of(a)?)),
        Micro::Compare(_, a, b) => is(of(a)? == of(b)?, Some(1)),
        Micro::Select(truth, a, b) => is(of(truth)? == 1 && of(a)? == of(b)?, Some(of(a)?)),
        Micro::Widen(value, bytes, _) => is(known(bytes) && of(value)? < bytes, Some(bytes)),
        Micro::Narrow(value, bytes) => is(known(bytes) && of(value)? > bytes, Some(bytes)),
        Micro::Pc => Some(Some(4)),
        Micro::Now => Some(Some(8)),
        Micro::Entry(table, place) => is(of(place)? == 4 && fields.tables.get(usize::from(table)).is_some(), Some(4)),
        Micro::SetEntry(table, place, value) => {
            is(of(place)? == 4 && of(value)? == 4 && fields.tables.get(usize::from(table)).is_some(), None)
        }
        Micro::Ram { address, bytes, count, .. } => {
            let inside_a_page = count > 0 && u32::from(bytes) * u32::from(count) <= 512;
            is(of(address)? == 4 && known(bytes) && inside_a_page, None)
        }
        Micro::Load(place, offset, bytes) => {
            let (length, _) = ram(place)?;
            is(known(bytes) && u32::from(offset) + u32::from(bytes) <= length, Some(bytes))
        }
        Micro::Store(place, offset, value) => {
            let (length, writes) = ram(place)?;
            is(writes && u32::from(offset) + u32::from(of(value)?) <= length, None)
        }
        Micro::Flash(offset, bytes) => is(known(bytes) && of(offset)? == 4, Some(bytes)),
        Micro::Unless(truth) => is(of(truth)? == 1, None),
        Micro::Mark(_) => Some(None),
        Micro::Pass(cycles) => is(of(cycles)? == 8, None),
        Micro::Fetches(_, anew) => is(of(anew)? == 1, Some(8)),
        Micro::ReadFlash(_, behind) => is(of(behind)? == 8, Some(8)),
    }
}

#[cfg(test)]
mod tests {
    use cyclescope_engine::Binary;

    use super::*;

    const FIELDS: Fields =
        Fields { now: 0, instructions: 8, horizon: 16, pc: 24, slots: &[Slot::new(28, 4)], tables: &[] };

    fn inside(operations: &[Micro]) -> bool {
        sizes(operations, &FIELDS).is_some()
    }

    fn ram(count: u8, writes: bool) -> Micro {
        Micro::Ram { address: Value(0), bytes: 4, count, writes }
    }

    #[test]
    fn accesses_stay_inside_what_was_asked_for() {
        let address = Micro::Get(0);
        assert!(inside(&[address, ram(2, false), Micro::Load(Value(1), 4, 4)]));
        assert!(!inside(&[address, ram(2, false), Micro::Load(Value(1), 6, 4)]), "beyond the end");
        assert!(!inside(&[address, ram(0, false)]), "nothing");
        assert!(!inside(&[address, ram(200, false)]), "over two pages");
        assert!(inside(&[address, ram(1, true), Micro::Store(Value(1), 0, Value(0))]));
        assert!(!inside(&[address, ram(1, false), Micro::Store(Value(1), 0, Value(0))]), "to be read");
        let long = Micro::Widen(Value(0), 8, false);
        assert!(!inside(&[address, ram(1, true), long, Micro::Store(Value(1), 0, Value(2))]), "too long");
        assert!(!inside(&[address, Micro::Load(Value(0), 0, 4)]), "at no place of RAM");
        assert!(!inside(&[address, Micro::Load(Value(2), 0, 4)]), "at a place that comes later");
        let wide = Micro::Binary(Binary::Add, Value(0), Value(1));
        assert!(
            !inside(&[address, long, wide]) && !inside(&[address, Micro::Widen(Value(0), 4, false)]),
            "of two sizes"
        );
        assert!(!inside(&[address, Micro::Unless(Value(0))]), "no truth");
        let place = Micro::Store(Value(1), 0, Value(1));
        assert!(!inside(&[address, ram(2, true), place]), "the host's address");
    }

    #[test]
    fn fields_stay_inside_the_state() {
        assert!(fields_lie_inside(&FIELDS, 32));
        assert!(!fields_lie_inside(&FIELDS, 31));
        assert!(!fields_lie_inside(&Fields { now: 4, ..FIELDS }, 32), "not aligned");
        const BEYOND: &[Slot] = &[Slot::new(usize::MAX, 1)];
        assert!(!fields_lie_inside(&Fields { slots: BEYOND, ..FIELDS }, 32));
        const TABLE: &[Table] = &[Table { offset: 0, length: 8 }];
        const LONG: &[Table] = &[Table { offset: 4, length: 8 }];
        const ODD: &[Table] = &[Table { offset: 0, length: 6 }];
        let inside = |tables| fields_lie_inside(&Fields { tables, ..FIELDS }, 32);
        assert!(inside(TABLE) && !inside(LONG) && !inside(ODD));
    }
}
