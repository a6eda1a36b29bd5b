//! Register maps by words as Rust tables, and which peripherals share one.

use crate::{Register, registers};

/// One map: the words of one peripheral or of several alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Module {
    /// The module's name: the first peripheral's.
    pub name: String,
    /// The kind of block.
    pub kind: String,
    /// The registers.
    pub words: Vec<Register>,
}

/// All maps, and which peripheral has which.
pub struct Modules {
    /// The maps.
    pub distinct: Vec<Module>,
    /// For each peripheral the name of its map.
    pub of: Vec<(String, String)>,
}

/// The part that maps belong to.
pub struct Target<'a> {
    /// Its name in prose: `the Kinetis K20`.
    pub part: &'a str,
    /// The version that its maps have.
    pub version: &'a str,
    /// The generator's folder.
    pub generator: &'a str,
}

/// Returns the maps of peripherals with these names, kinds and words; those with the same kind and words share one.
pub fn modules(peripherals: impl IntoIterator<Item = (String, String, Vec<Register>)>) -> Modules {
    let mut distinct: Vec<Module> = Vec::new();
    let mut of = Vec::new();
    for (peripheral, kind, words) in peripherals {
        let known = distinct.iter().find(|module| module.kind == kind && module.words == words);
        let name = match known {
            Some(known) => known.name.clone(),
            None => {
                let name = peripheral.to_lowercase();
                distinct.push(Module { name: name.clone(), kind, words });
                name
            }
        };
        of.push((peripheral, name));
    }
    distinct.sort_by(|a, b| a.name.cmp(&b.name));
    Modules { distinct, of }
}

/// Returns the table of `module`.
pub fn render(module: &Module, target: &Target<'_>) -> String {
    let Module { name, kind, words } = module;
    let resets: Vec<&Register> = words.iter().filter(|word| word.reset != 0 && !word.alternate).collect();
    let has_fields = words.iter().any(|word| !word.fields.is_empty());
    let has = |alternate: bool| words.iter().any(|word| word.alternate == alternate);
    let makers = [(has(false), "word"), (has(true), "view")];
    let makers: Vec<&str> = makers.into_iter().filter(|(used, _)| *used).map(|(_, maker)| maker).collect();
    let mut out = format!(
        "//! {} of {}, written by `crates/peripherals/{}`; do not edit.\n\n\
         use crate::bank::{};\n\
         use crate::register::{{Access::*, {}Map, {}}};\n\n\
         /// The declared registers.\n\
         pub const MAP: Map = Map {{ kind: {kind:?}, version: {:?}, registers: &[\n{}\
         \n/// Values after reset other than 0.\n\
         pub const RESETS: &[Modelled] = &[\n",
        name.to_uppercase(),
        target.part,
        target.generator,
        if resets.is_empty() { "Modelled" } else { "{Modelled, some}" },
        if has_fields { "Field, " } else { "" },
        makers.join(", "),
        target.version,
        registers(words)
    );
    out.extend(resets.iter().map(|word| format!("some({:?}, {:#x}, &[]),\n", word.name, word.reset)));
    out + "];\n"
}

/// Returns the index module.
pub fn render_index(modules: &Modules, generator: &str) -> String {
    let names = || modules.distinct.iter().map(|module| module.name.as_str());
    let all: String = names().map(|name| format!("(&{name}::MAP, {name}::RESETS),")).collect();
    format!(
        "//! Register maps written by `crates/peripherals/{generator}`; do not edit.\n\n\
         {}\nuse crate::{{Map, Modelled}};\n\n/// All maps, each with its values after reset.\n\
         pub const ALL: &[(&Map, &[Modelled])] = &[{all}];\n",
        crate::modules(names())
    )
}
