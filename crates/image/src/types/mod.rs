//! Types and static variables, read from full debug information.
//!
//! Names stay where the file has them: many entries may share one long name.

mod read;

use std::collections::HashMap;

use cyclescope_machine::units::Address;
use gimli::{EndianSlice, LittleEndian, Unit};
use thiserror::Error;

use crate::{Image, SourceLine};

type Reader<'i> = EndianSlice<'i, LittleEndian>;

/// The greatest number of steps from a type to the one that it stands for, and of scopes around a name; no compiler exceeds it.
const DEEPEST: usize = 64;

/// The types of an image cannot be told.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TypesError {
    /// There is no debug information, or only lines.
    #[error(
        "the image has no types in its debug information; build it with full debug information (Rust: `debug = 2` in the \
         profile; C and C++: `-g`) and do not strip it"
    )]
    None,
    /// The debug information cannot be read.
    #[error("the debug information cannot be read ({0}); build the image again")]
    Damaged(String),
    /// A section of the debug information is compressed.
    #[error("the debug section {0} is compressed, which is not read here; link without --compress-debug-sections")]
    Compressed(String),
}

/// A type, by the place of its entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TypeId(usize);

/// A named part of a structure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member<'i> {
    /// The name; empty if it has none.
    pub name: &'i str,
    /// The byte offset in the structure.
    pub offset: u32,
    /// The type, if it is told.
    pub of: Option<TypeId>,
    /// The unit, the number of the file and the line of its declaration.
    declared: Option<(usize, u64, u32)>,
}

/// One of the forms of a structure that has several, such as a Rust `enum` or coroutine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variant<'i> {
    /// The discriminant's value in this form; `None` for the form of all other values.
    pub value: Option<u64>,
    /// The whole content of this form.
    pub member: Member<'i>,
}

/// A kind of type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind<'i> {
    /// A structure, class or union.
    Structure {
        /// Its parts that are always there.
        members: Vec<Member<'i>>,
        /// The part that tells which variant it has, if there are several.
        discriminant: Option<Member<'i>>,
        /// Its variants.
        variants: Vec<Variant<'i>>,
    },
    /// An array of this many elements of one type.
    Array(Option<TypeId>, u32),
    /// A pointer to a type.
    Pointer(Option<TypeId>),
    /// Another name, or other rights, of a type.
    Alias(Option<TypeId>),
    /// A number or another type without parts.
    Plain,
}

/// A type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Type<'i> {
    /// The name without the scopes around it; empty if it has none.
    pub name: &'i str,
    /// The scope around it.
    scope: Option<usize>,
    /// The size in bytes, if it is told.
    size: Option<u32>,
    /// The kind of type.
    pub kind: Kind<'i>,
}

/// A variable with an address of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Static<'i> {
    /// The name without the scopes around it.
    pub name: &'i str,
    scope: Option<usize>,
    /// The address.
    pub address: Address,
    /// The type, if it is told.
    pub of: Option<TypeId>,
}

/// A namespace, or a type that others are declared in.
#[derive(Clone, Copy, Debug)]
struct Scope<'i> {
    name: &'i str,
    around: Option<usize>,
}

/// The types and static variables of one image.
#[derive(Debug, Default)]
pub struct Types<'i> {
    units: Vec<Unit<Reader<'i>>>,
    strings: gimli::DebugStr<Reader<'i>>,
    line_strings: gimli::DebugLineStr<Reader<'i>>,
    scopes: Vec<Scope<'i>>,
    types: HashMap<usize, Type<'i>>,
    /// The parameters of generic types.
    parameters: HashMap<usize, Vec<(&'i str, TypeId)>>,
    statics: Vec<Static<'i>>,
}

impl<'i> Types<'i> {
    /// Returns the type `id`, whatever other names it has.
    pub fn get(&self, id: TypeId) -> Option<&Type<'i>> {
        self.resolved(id).map(|(_, found)| found)
    }

    /// Returns the type that `id` stands for, with its own place.
    fn resolved(&self, mut id: TypeId) -> Option<(TypeId, &Type<'i>)> {
        for _ in 0..DEEPEST {
            let found = self.types.get(&id.0)?;
            match found.kind {
                Kind::Alias(Some(of)) => id = of,
                _ => return Some((id, found)),
            }
        }
        None
    }

    /// Returns the size of `id` in bytes, if it is told.
    pub fn size(&self, id: TypeId) -> Option<u32> {
        let mut id = id;
        let mut times = 1u32;
        for _ in 0..DEEPEST {
            let (_, found) = self.resolved(id)?;
            match (found.size, &found.kind) {
                (Some(size), _) => return size.checked_mul(times),
                (None, Kind::Array(Some(of), count)) => {
                    times = times.checked_mul(*count)?;
                    id = *of;
                }
                _ => return None,
            }
        }
        None
    }

    /// Returns all structures with a name, by their places.
    pub fn structures(&self) -> impl Iterator<Item = (TypeId, &Type<'i>)> {
        let structures = self.types.iter().filter(|(_, found)| matches!(found.kind, Kind::Structure { .. }));
        let mut structures: Vec<_> = structures.map(|(place, found)| (TypeId(*place), found)).collect();
        structures.sort_unstable_by_key(|(id, _)| *id);
        structures.into_iter().filter(|(_, found)| !found.name.is_empty())
    }

    /// Returns the first structure with members whose name is `name`, without the scopes around it.
    pub fn structure(&self, name: &str) -> Option<TypeId> {
        let has_members =
            |found: &Type<'_>| matches!(&found.kind, Kind::Structure { members, .. } if !members.is_empty());
        self.structures().find(|(_, found)| found.name == name && has_members(found)).map(|(id, _)| id)
    }

    /// Returns the member `name` of the structure `id`.
    pub fn member(&self, id: TypeId, name: &str) -> Option<Member<'i>> {
        match &self.get(id)?.kind {
            Kind::Structure { members, .. } => members.iter().find(|member| member.name == name).copied(),
            _ => None,
        }
    }

    /// Returns the type parameters of the generic type `id` with their names.
    pub fn parameters(&self, id: TypeId) -> &[(&'i str, TypeId)] {
        let own = self.resolved(id).and_then(|(id, _)| self.parameters.get(&id.0));
        own.map(Vec::as_slice).unwrap_or_default()
    }

    /// Returns all variables.
    pub fn statics(&self) -> &[Static<'i>] {
        &self.statics
    }

    /// Returns the name of a type with the scopes around it, as in `app::blink::{async_fn_env#0}`.
    pub fn path(&self, id: TypeId) -> String {
        self.get(id).map(|found| self.scoped(found.scope, found.name)).unwrap_or_default()
    }

    /// Returns the name of a variable with the scopes around it.
    pub fn static_path(&self, variable: &Static<'_>) -> String {
        self.scoped(variable.scope, variable.name)
    }

    fn scoped(&self, scope: Option<usize>, name: &str) -> String {
        let around = |scope: &usize| self.scopes.get(*scope).and_then(|scope| scope.around);
        let around: Vec<usize> = std::iter::successors(scope, around).take(DEEPEST).collect();
        let names = around.iter().rev().filter_map(|scope| self.scopes.get(*scope)).map(|scope| scope.name);
        names.chain([name]).collect::<Vec<_>>().join("::")
    }

    /// Returns the place where a member is declared: of an await's variant, the await.
    pub fn declared(&self, member: &Member<'_>) -> Option<SourceLine> {
        let (unit, file, line) = member.declared?;
        let unit = self.units.get(unit)?;
        let header = unit.line_program.as_ref()?.header();
        let entry = header.file(file)?;
        let text = |value: gimli::AttributeValue<Reader<'i>>| match value {
            gimli::AttributeValue::String(text) => Some(text),
            gimli::AttributeValue::DebugStrRef(offset) => self.strings.get_str(offset).ok(),
            gimli::AttributeValue::DebugLineStrRef(offset) => self.line_strings.get_str(offset).ok(),
            _ => None,
        };
        let name = text(entry.path_name())?.to_string_lossy().into_owned();
        let folder = entry.directory(header).and_then(text).map(|folder| folder.to_string_lossy().into_owned());
        let path = match folder.filter(|folder| !folder.is_empty() && !name.starts_with('/')) {
            Some(folder) => format!("{folder}/{name}"),
            None => name,
        };
        Some(SourceLine { file: path, line, column: None })
    }
}

impl Image {
    /// Reads the types and variables of the debug information; takes time in proportion to it.
    ///
    /// # Errors
    /// [`TypesError`] if there is none that tells of types, or if it cannot be read.
    pub fn types(&self) -> Result<Types<'_>, TypesError> {
        read::types(self)
    }
}
