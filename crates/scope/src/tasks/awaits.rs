//! The await at which a task is suspended, as the states of its coroutines in memory say.

use std::ops::Range;

use cyclescope_image::{Kind, SourceLine, Type, TypeId, Types};
use cyclescope_machine::Probe;
use cyclescope_machine::units::Address;

/// The most awaits inside each other, and the most futures in one tree, that are followed.
const DEEPEST: usize = 32;
const MOST: usize = 256;

/// The beginnings of the names of coroutines.
const COROUTINES: [&str; 4] = ["{async_fn_env#", "{async_block_env#", "{async_closure_env#", "{coroutine_env#"];

/// The most bytes of a number that tells a coroutine's state.
const MOST_STATE: u32 = 8;

/// The member of a coroutine's state that is the future it awaits.
const AWAITEE: &str = "__awaitee";

/// Types around a value that say nothing of it.
const WRAPPERS: [&str; 9] = [
    "ManuallyDrop<",
    "MaybeDangling<",
    "UnsafeCell<",
    "MaybeUninit<",
    "UninitCell<",
    "Pin<",
    "MaybeDone<",
    "Option<",
    "Fuse<",
];

/// Futures that wait for others in their members, by the beginnings of their names.
const COMBINATORS: [&str; 12] = [
    "Select",
    "Join",
    "TryJoin",
    "TrySelect",
    "WithTimeout",
    "TimeoutFuture",
    "Race",
    "Map<",
    "Either<",
    "Abortable<",
    "Scope",
    "SelectArray",
];

/// A future with what it waits for, as it was in memory.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Future {
    of: TypeId,
    /// The place of a coroutine's variant; `None` for another future.
    variant: Option<usize>,
    awaits: Vec<Self>,
}

/// A future with the place where it is suspended, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Await {
    /// The function of a coroutine, or the type of another future.
    pub name: String,
    /// The await of a coroutine, or the line of its beginning or end.
    pub line: Option<SourceLine>,
    /// The state of a coroutine.
    pub state: AwaitState,
    /// Its size in bytes, if it is told.
    pub bytes: Option<u32>,
    /// The variables that a suspended coroutine keeps, with their bytes, the largest first; without the future that it awaits.
    pub holds: Vec<(String, u32)>,
    /// The futures that it waits for; several are a select or join. None of another future than a coroutine means that it is not told.
    pub awaits: Vec<Self>,
}

/// The state of a future.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AwaitState {
    /// Not polled yet.
    Unresumed,
    /// At an await.
    Suspended,
    /// At its end.
    Returned,
    /// In a panic.
    Panicked,
    /// A future that is no coroutine.
    Other,
    /// Its state is none that the debug information knows.
    Unknown,
}

pub(super) fn is_coroutine(found: &Type<'_>) -> bool {
    COROUTINES.iter().any(|known| found.name.starts_with(known))
}

/// Returns the bytes of the coroutine `of` that tell its state, as offsets in it: at most [`MOST_STATE`].
pub(super) fn state(types: &Types<'_>, of: TypeId) -> Option<Range<u32>> {
    let found = types.get(of).filter(|found| is_coroutine(found))?;
    let Kind::Structure { discriminant: Some(member), .. } = &found.kind else { return None };
    let bytes = types.size(member.of?).filter(|bytes| *bytes <= MOST_STATE)?;
    Some(member.offset..member.offset.checked_add(bytes)?)
}

/// Reads the future of type `of` at `address`.
pub(super) fn read(types: &Types<'_>, probe: &dyn Probe, of: TypeId, address: u32) -> Future {
    Reader { types, probe, left: MOST }.future(of, address, DEEPEST)
}

struct Reader<'a, 'i> {
    types: &'a Types<'i>,
    probe: &'a dyn Probe,
    left: usize,
}

impl Reader<'_, '_> {
    fn future(&mut self, of: TypeId, address: u32, depth: usize) -> Future {
        let mut future = Future { of, variant: None, awaits: Vec::new() };
        let Some(found) = self.types.get(of) else { return future };
        self.left = self.left.saturating_sub(1);
        if depth == 0 || self.left == 0 {
            return future;
        }
        if !is_coroutine(found) {
            future.awaits = self.parts(of, address, depth - 1);
            return future;
        }
        let Some((place, form, offset)) = self.variant(of, address) else { return future };
        future.variant = Some(place);
        let awaitee = form.and_then(|form| self.types.member(form, AWAITEE));
        if let Some(awaitee) = awaitee
            && let Some(of) = awaitee.of
        {
            let at = address.wrapping_add(offset).wrapping_add(awaitee.offset);
            future.awaits.push(self.future(of, at, depth - 1));
        }
        future
    }

    /// The variant that the structure `of` has at `address`: its place, its type, and the offset of its content.
    fn variant(&self, of: TypeId, address: u32) -> Option<(usize, Option<TypeId>, u32)> {
        let Kind::Structure { discriminant, variants, .. } = &self.types.get(of)?.kind else { return None };
        let value = match discriminant {
            Some(member) => {
                let size = self.types.size(member.of?)?.min(8) as usize;
                let mut bytes = [0; 8];
                let from = Address::new(address.wrapping_add(member.offset));
                if self.probe.peek(from, bytes.get_mut(..size)?) != size {
                    return None;
                }
                let mask = u64::MAX.checked_shr(64 - 8 * size as u32).unwrap_or(0);
                Some((u64::from_le_bytes(bytes), mask))
            }
            None => None,
        };
        let is = |wanted: Option<u64>| match (wanted, value) {
            (Some(wanted), Some((value, mask))) => wanted & mask == value & mask,
            _ => false,
        };
        let place = variants.iter().position(|variant| is(variant.value));
        let place = place.or_else(|| variants.iter().position(|variant| variant.value.is_none()))?;
        let variant = variants.get(place)?;
        Some((place, variant.member.of, variant.member.offset))
    }

    /// The futures in a future that is no coroutine.
    fn parts(&mut self, of: TypeId, address: u32, depth: usize) -> Vec<Future> {
        let Some(found) = self.types.get(of) else { return Vec::new() };
        let combines = COMBINATORS.iter().any(|known| found.name.starts_with(known)) || found.name.starts_with('(');
        let parameters: Vec<TypeId> = self.types.parameters(of).iter().map(|(_, of)| *of).collect();
        let mut parts = Vec::new();
        self.members(of, address, depth, &mut |reader, member, at, depth| {
            let is_parameter = combines && parameters.contains(&member);
            let is_known = reader.types.get(member).is_some_and(is_coroutine);
            if is_parameter || is_known {
                parts.push(reader.future(member, at, depth));
            }
            is_parameter || is_known
        });
        parts
    }

    /// Hands each member's type and address to `take`, those inside wrappers, tuples and arrays too, until it takes one.
    fn members(
        &mut self,
        of: TypeId,
        address: u32,
        depth: usize,
        take: &mut dyn FnMut(&mut Self, TypeId, u32, usize) -> bool,
    ) {
        if depth == 0 || self.left == 0 {
            return;
        }
        self.left = self.left.saturating_sub(1);
        let Some(found) = self.types.get(of) else { return };
        let mut inside: Vec<(TypeId, u32)> = Vec::new();
        match &found.kind {
            Kind::Structure { members, variants, .. } => {
                inside.extend(members.iter().filter_map(|member| Some((member.of?, member.offset))));
                if !variants.is_empty()
                    && let Some((_, Some(form), offset)) = self.variant(of, address)
                    && let Some(Kind::Structure { members, .. }) = self.types.get(form).map(|form| &form.kind)
                {
                    let members = members.iter().filter_map(|member| Some((member.of?, offset + member.offset)));
                    inside.extend(members);
                }
            }
            Kind::Array(Some(of), count) => {
                let size = self.types.size(*of).unwrap_or(0);
                inside.extend((0..(*count).min(MOST as u32)).map(|place| (*of, place.wrapping_mul(size))));
            }
            _ => {}
        }
        for (member, offset) in inside {
            let at = address.wrapping_add(offset);
            if take(self, member, at, depth - 1) {
                continue;
            }
            let wraps = |found: &Type<'_>| {
                let name = found.name;
                WRAPPERS.iter().any(|known| name.starts_with(known))
                    || name.starts_with('(')
                    || matches!(found.kind, Kind::Array(..))
            };
            if self.types.get(member).is_some_and(wraps) {
                self.members(member, at, depth - 1, take);
            }
        }
    }
}

/// Tells where `future` is suspended. `name` is what its function is called, if that is known better than by its path.
pub(super) fn told(types: &Types<'_>, future: &Future, name: Option<&str>) -> Await {
    let path = types.path(future.of);
    let found = types.get(future.of);
    let variant = future.variant.and_then(|place| match &found?.kind {
        Kind::Structure { variants, .. } => variants.get(place),
        _ => None,
    });
    let state = match variant.and_then(|variant| types.get(variant.member.of?)).map(|form| form.name) {
        Some("Unresumed") => AwaitState::Unresumed,
        Some("Returned") => AwaitState::Returned,
        Some("Panicked") => AwaitState::Panicked,
        Some(_) => AwaitState::Suspended,
        None if found.is_some_and(is_coroutine) => AwaitState::Unknown,
        None => AwaitState::Other,
    };
    Await {
        name: name.map_or_else(|| short(&path).to_owned(), ToOwned::to_owned),
        line: variant.and_then(|variant| types.declared(&variant.member)),
        state,
        bytes: types.size(future.of),
        holds: variant.and_then(|variant| variant.member.of).map(|form| held(types, form)).unwrap_or_default(),
        awaits: future.awaits.iter().map(|inner| told(types, inner, None)).collect(),
    }
}

/// The variables in `form`, a coroutine's state.
fn held(types: &Types<'_>, form: TypeId) -> Vec<(String, u32)> {
    let Some(Kind::Structure { members, .. }) = types.get(form).map(|form| &form.kind) else { return Vec::new() };
    let own = members.iter().filter(|member| !member.name.is_empty() && member.name != AWAITEE);
    let sized = own.filter_map(|member| Some((member.name.to_owned(), types.size(member.of?)?)));
    let mut held: Vec<_> = sized.filter(|(_, bytes)| *bytes > 0).collect();
    held.sort_by(|(one, bytes), (other, others)| others.cmp(bytes).then_with(|| one.cmp(other)));
    held
}

/// Returns the name of the function whose coroutine `of` is, or of another future's type.
pub(super) fn name(types: &Types<'_>, of: TypeId) -> String {
    short(&types.path(of)).to_owned()
}

/// Returns the coroutine that the function with the symbol `name` polls, such as `app::blink::{closure#0}`.
pub(super) fn polled_by(types: &Types<'_>, name: &str) -> Option<TypeId> {
    let (function, number) = name.rsplit_once("::{")?;
    // A mangling that is older has no numbers, and hashes behind.
    let number = number.strip_prefix("closure#").and_then(|number| number.split('}').next());
    if number.is_none() && !name.contains("::{{closure}}") {
        return None;
    }
    let function = function.trim_end_matches("::");
    let polls = |id: TypeId| {
        let path = types.path(id);
        let Some((own, kind)) = path.rsplit_once("::{") else { return false };
        let is_number = |number| kind.split_once('#').is_some_and(|(_, kind)| kind.split('}').next() == Some(number));
        own == function && number.is_none_or(is_number)
    };
    types.structures().find(|(id, found)| is_coroutine(found) && polls(*id)).map(|(id, _)| id)
}

/// The function of a coroutine's type, or the name of another type without its scopes and parameters.
fn short(path: &str) -> &str {
    // Those in a type's parameters are other futures.
    let path = path.split('<').next().unwrap_or(path);
    let coroutine = COROUTINES.iter().filter_map(|known| path.find(known)).min();
    let path = coroutine.map_or(path, |end| path[..end].trim_end_matches("::"));
    let mut segments = path.rsplit("::").filter(|segment| !segment.starts_with('{'));
    segments.next().filter(|segment| !segment.is_empty()).unwrap_or(path)
}

impl Await {
    /// Returns the innermost futures: what is really waited for.
    pub fn leaves(&self) -> Vec<&Self> {
        if self.awaits.is_empty() { vec![self] } else { self.awaits.iter().flat_map(Self::leaves).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::short;

    #[test]
    fn functions_and_types_have_short_names() {
        for (path, expect) in [
            ("app::serial::send::{async_fn_env#0}", "send"),
            ("embassy_stm32::usart::{impl#19}::flush::{async_fn_env#0}<app::Uart>", "flush"),
            ("app::main::{async_block_env#1}", "main"),
            ("app::main::{async_fn#0}::{async_block_env#1}", "main"),
            ("embassy_futures::select::Select<a::B, c::D>", "Select"),
            ("embassy_time::timer::Timer", "Timer"),
            ("embassy_futures::join::Join<app::send::{async_fn_env#0}, app::wait::{async_fn_env#0}>", "Join"),
        ] {
            assert_eq!(short(path), expect, "{path}");
        }
    }
}
