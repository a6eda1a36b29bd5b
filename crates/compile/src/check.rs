//! Checks of the memory that compiled code may touch, made before it is: instruction sets are safe code, and no mistake of theirs may
//! reach the memory of the host.

use cyclescope_engine::{Fields, Micro, Slot, Value};

use crate::translate::Member;

/// Tells whether all `fields` lie in a state of `bytes`.
pub fn fields_lie_inside(fields: &Fields, bytes: usize) -> bool {
    let own = [(fields.now, 8), (fields.instructions, 8), (fields.horizon, 8), (fields.pc, 4)];
    let slots = fields.slots.iter().map(|Slot { offset, bytes }| (*offset, usize::from(*bytes)));
    own.into_iter().chain(slots).all(|(offset, size)| {
        matches!(size, 1 | 2 | 4 | 8)
            && offset % size == 0
            && offset.checked_add(size).is_some_and(|end| end <= bytes && i32::try_from(end).is_ok())
    })
}

/// Tells whether every load and store of `member` stays inside the RAM that the same step has asked for, and stores only where it has
/// asked to write.
pub fn accesses_lie_inside(member: &Member, fields: &Fields) -> bool {
    let steps = member.steps.iter();
    let programs = steps.flat_map(|step| {
        std::iter::once(&step.operations).chain(step.ways.iter().map(|(_, _, operations)| operations))
    });
    programs
        .chain([&member.completed])
        .all(|operations| (0..operations.len()).all(|number| lies_inside(operations, number, fields).unwrap_or(false)))
}

/// Tells whether the operation `number` stays inside RAM; `None` if it has a value that is not there.
fn lies_inside(operations: &[Micro], number: usize, fields: &Fields) -> Option<bool> {
    let before = &operations[..number];
    let (place, offset, size, stores) = match operations[number] {
        Micro::Load(place, offset, bytes) => (place, offset, bytes, false),
        Micro::Store(place, offset, value) => (place, offset, size(before, value, fields)?, true),
        Micro::Ram { bytes, count, .. } => {
            return Some(matches!(bytes, 1 | 2 | 4 | 8) && count > 0 && u32::from(bytes) * u32::from(count) <= 512);
        }
        Micro::Flash(offset, bytes) => {
            return Some(matches!(bytes, 1 | 2 | 4 | 8) && size(before, offset, fields)? == 4);
        }
        _ => return Some(true),
    };
    let Micro::Ram { bytes, count, writes, .. } = *before.get(place.0 as usize)? else { return Some(false) };
    let end = u32::from(offset) + u32::from(size);
    Some(end <= u32::from(bytes) * u32::from(count) && (writes || !stores))
}

/// The size in bytes of a value of `operations`.
fn size(operations: &[Micro], value: Value, fields: &Fields) -> Option<u8> {
    let number = value.0 as usize;
    let of = |other: Value| if other.0 < value.0 { size(operations, other, fields) } else { None };
    match *operations.get(number)? {
        Micro::Constant(_, bytes)
        | Micro::Widen(_, bytes, _)
        | Micro::Narrow(_, bytes)
        | Micro::Load(_, _, bytes)
        | Micro::Flash(_, bytes) => Some(bytes),
        Micro::Get(slot) => Some(fields.slots.get(usize::from(slot))?.bytes),
        Micro::Binary(_, a, _) | Micro::Unary(_, a) | Micro::Select(_, a, _) => of(a),
        Micro::Compare(..) => Some(1),
        Micro::Pc => Some(4),
        Micro::Fetches(..) | Micro::ReadFlash(..) => Some(8),
        // A place is no value to store, and the others give none.
        Micro::Ram { .. } | Micro::Set(..) | Micro::Store(..) | Micro::Unless(_) | Micro::Pass(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIELDS: Fields = Fields { now: 0, instructions: 8, horizon: 16, pc: 24, slots: &[Slot::new(28, 4)] };

    fn inside(operations: &[Micro]) -> bool {
        (0..operations.len()).all(|number| lies_inside(operations, number, &FIELDS).unwrap_or(false))
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
        assert!(inside(&[address, Micro::Flash(Value(0), 1)]));
        assert!(!inside(&[address, Micro::Flash(Value(0), 3)]), "no size");
        assert!(!inside(&[Micro::Constant(0, 8), Micro::Flash(Value(0), 1)]), "no offset of 4 bytes");
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
    }
}
