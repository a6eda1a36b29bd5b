//! The owner of a symbol.

use std::fmt;
use std::path::Path;

use crate::{Image, Symbol};

/// The crate or language of a symbol.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Owner {
    /// A Rust crate, by its name in paths (with underscores).
    Crate(String),
    /// C++, recognised by its mangling.
    Cpp,
    /// C, recognised by the source file, or because neither source file nor compiler indicates another language.
    C,
    /// Assembly, recognised by the source file.
    Assembly,
    /// Rust code with an unmangled name (`#[no_mangle]`), whose crate the line tables do not tell.
    UnmangledRust,
}

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Crate(name) => f.write_str(name),
            Self::Cpp => f.write_str("(C++)"),
            Self::C => f.write_str("(C)"),
            Self::Assembly => f.write_str("(assembly)"),
            Self::UnmangledRust => f.write_str("(unmangled Rust)"),
        }
    }
}

impl Owner {
    /// Returns the owner of `symbol` of `image`, from its mangled name or else from the source file of its first
    /// instruction.
    pub fn of(image: &Image, symbol: &Symbol) -> Self {
        match &symbol.demangled {
            Some(path) if rustc_demangle::try_demangle(&symbol.name).is_ok() => {
                crate_of_path(path).map_or(Self::UnmangledRust, |name| Self::Crate(name.to_owned()))
            }
            Some(_) => Self::Cpp,
            None => {
                if let Some(name) = image.unit_name(symbol.address).as_deref().and_then(crate_of_unit) {
                    return Self::Crate(name.to_owned());
                }
                let outermost = image.frames(symbol.address).into_iter().next_back();
                match outermost.and_then(|frame| frame.line) {
                    Some(line) => Self::of_file(&line.file),
                    None => match image.source_line(symbol.address) {
                        Some(line) => Self::of_file(&line.file),
                        None => Self::by_compiler(image),
                    },
                }
            }
        }
    }

    /// Returns the likely owner of an unmangled name without a source line: C, unless rustc is the only compiler named.
    fn by_compiler(image: &Image) -> Self {
        let compilers = image.compilers();
        let rust = compilers.iter().any(|name| name.contains("rustc"));
        let other = compilers.iter().any(|name| name.contains("GCC") || name.contains("clang"));
        if rust && !other { Self::UnmangledRust } else { Self::C }
    }

    fn of_file(file: &str) -> Self {
        match Path::new(file).extension().and_then(|extension| extension.to_str()) {
            Some("rs") => crate_of_file(file).map_or(Self::UnmangledRust, Self::Crate),
            Some("S" | "s" | "asm") => Self::Assembly,
            Some("cpp" | "cc" | "cxx" | "hpp") => Self::Cpp,
            _ => Self::C,
        }
    }
}

/// Returns the crate of a demangled Rust path: its first identifier that is no primitive type. `<T as Trait>::f`
/// belongs to the crate of `T`, or to the trait's crate for a primitive `T`.
fn crate_of_path(path: &str) -> Option<&str> {
    path.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':'))
        .filter(|part| {
            !matches!(*part, "" | "mut" | "dyn" | "as" | "impl" | "for" | "const" | "unsafe" | "fn" | "extern")
        })
        .find_map(|part| {
            let (first, rest) = part.split_once("::")?;
            (!first.is_empty() && !rest.is_empty() || part.ends_with("::")).then_some(first)
        })
        .filter(|name| !name.is_empty())
}

/// Returns the crate of a compilation unit of rustc: `src/main.rs/@/app.1f2e3d4c-cgu.0`.
fn crate_of_unit(unit: &str) -> Option<&str> {
    let (_, unit) = unit.rsplit_once("/@/")?;
    let (name, _) = unit.split_once('.')?;
    (!name.is_empty()).then_some(name)
}

/// Returns the crate of a source path in a registry or in the standard library: `…/cortex-m-rt-0.7.7/src/lib.rs`,
/// `library/core/src/fmt/mod.rs`. Other folders may have any name.
fn crate_of_file(file: &str) -> Option<String> {
    let parts: Vec<&str> = file.split(['/', '\\']).collect();
    let source = parts.iter().rposition(|part| *part == "src")?;
    let folder = *parts.get(source.checked_sub(1)?)?;
    let name = match folder.rsplit_once('-') {
        Some((name, version)) if version.starts_with(|c: char| c.is_ascii_digit()) => name,
        _ if parts[..source].contains(&"library") => folder,
        _ => return None,
    };
    (!name.is_empty() && !name.starts_with('.')).then(|| name.replace('-', "_"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_crate_is_the_paths_first_own_name() {
        for (path, expect) in [
            ("core::fmt::Formatter::pad", Some("core")),
            ("<embassy_time::Duration as core::fmt::Debug>::fmt", Some("embassy_time")),
            ("<u32 as core::fmt::Display>::fmt", Some("core")),
            ("<&T as core::fmt::Debug>::fmt", Some("core")),
            ("<&mut primes::Counter>::next", Some("primes")),
            ("<[u8] as heapless::Like>::f", Some("heapless")),
            ("primes::main::{{closure}}", Some("primes")),
            ("primes::STATE", Some("primes")),
        ] {
            assert_eq!(crate_of_path(path), expect, "{path}");
        }
    }

    #[test]
    fn the_crate_of_unmangled_code_is_read_off_its_file() {
        let of = |file| Owner::of_file(file).to_string();
        assert_eq!(of("/r/src/index-1/cortex-m-rt-0.7.7/src/lib.rs"), "cortex_m_rt");
        assert_eq!(of("library/compiler-builtins/compiler-builtins/src/arm.rs"), "compiler_builtins");
        assert_eq!(of("src/main.rs"), "(unmangled Rust)");
        assert_eq!(of("/w/arch/cortex-m/src/lib.rs"), "(unmangled Rust)", "that crate is called cortexm");
        assert_eq!(crate_of_unit("arch/cortex-m/src/lib.rs/@/cortexm.f2a6-cgu.0"), Some("cortexm"));
        assert_eq!(crate_of_unit("src/main.c"), None);
        assert_eq!(of("tasks.c"), "(C)");
        assert_eq!(of("port.S"), "(assembly)");
    }
}
