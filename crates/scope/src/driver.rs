//! The function of a driver behind an access to a register.
//!
//! The access itself is often made by a function of a library that every driver uses, inlined into it: `core::ptr`, or a
//! crate that only describes registers.

use cyclescope_image::{Frame, Image};
use cyclescope_machine::Probe;
use cyclescope_machine::units::Address;

use crate::backtrace::Backtrace;

/// Crates whose functions only read and write registers.
const REGISTER_CRATES: [&str; 7] =
    ["volatile-register", "volatile_register", "vcell", "tock-registers", "svd2rust", "safe-mmio", "bare-metal"];

/// The ends of names of crates that describe a part's registers.
const REGISTER_SUFFIXES: [&str; 4] = ["-pac", "-metapac", "_pac", "_metapac"];

/// Returns the innermost function at `pc` that is not a helper for accesses, with its line. Functions inlined there count.
/// Without debug information it is the function of the symbol table.
pub fn driver(image: &Image, pc: Address) -> Frame {
    let frames = image.frames(pc);
    let own = frames.iter().find(|frame| !is_helper(frame)).or(frames.last());
    let symbol = || image.function_at(pc).map(|symbol| symbol.display_name().to_owned());
    match own {
        Some(Frame { function, line }) => Frame { function: function.clone().or_else(symbol), line: line.clone() },
        None => Frame { function: symbol(), line: image.source_line(pc) },
    }
}

/// Returns the call of the innermost function that is not a helper for accesses, where one that was not inlined has made the
/// access at `pc`, which the machine behind `probe` has carried out last.
pub(crate) fn behind(probe: &dyn Probe, image: &Image, pc: Address) -> Option<Address> {
    let helper = image.function_at(pc)?;
    if !is_helper_at(image, pc) {
        return None;
    }
    let backtrace = Backtrace::of(probe, image);
    let mut calls = backtrace.calls();
    // The helper may have returned with the access, and an exception may have come.
    let stands = calls.next()?;
    if image.function_at(stands.pc).map(|symbol| symbol.address) != Some(helper.address) {
        return None;
    }
    // The instruction that calls ends before the address that it returns to.
    let mut callers = calls.filter(|call| !call.guessed).map(|call| Address::new(call.pc.get().saturating_sub(1)));
    callers.find(|call| image.function_at(*call).is_some() && !is_helper_at(image, *call))
}

/// Tells if all functions at `pc` are helpers.
fn is_helper_at(image: &Image, pc: Address) -> bool {
    let frames = image.frames(pc);
    match frames.is_empty() {
        true => is_helper(&Frame { function: driver(image, pc).function, line: None }),
        false => frames.iter().all(is_helper),
    }
}

/// Tells if the file or the name of `frame` is that of a helper.
fn is_helper(frame: &Frame) -> bool {
    let file = frame.line.as_ref().map(|line| line.file.as_str()).unwrap_or_default();
    let parts: Vec<&str> = file.split(['/', '\\']).collect();
    // Of the standard library, whatever the paths are remapped to.
    let standard = parts.windows(2).any(|pair| {
        matches!(pair[0], "core" | "alloc" | "compiler_builtins" | "compiler-builtins") && pair[1] == "src"
    });
    let function = frame.function.as_deref().unwrap_or_default().trim_start_matches('<');
    let named = ["core::", "alloc::", "compiler_builtins::"].iter().any(|start| function.starts_with(start));
    standard || named || parts.iter().any(|part| describes_registers(crate_name(part)))
}

/// Returns a folder's name without the version that registries put behind a crate's.
fn crate_name(folder: &str) -> &str {
    match folder.rsplit_once('-') {
        Some((name, version)) if version.starts_with(|c: char| c.is_ascii_digit()) => name,
        _ => folder,
    }
}

fn describes_registers(name: &str) -> bool {
    REGISTER_CRATES.contains(&name) || REGISTER_SUFFIXES.iter().any(|suffix| name.ends_with(suffix))
}

#[cfg(test)]
mod tests {
    use cyclescope_image::SourceLine;

    use super::*;

    fn frame(function: &str, file: &str) -> Frame {
        let line = Some(SourceLine { file: file.to_owned(), line: 1, column: None });
        Frame { function: Some(function.to_owned()), line }
    }

    #[test]
    fn helpers_are_the_standard_library_and_crates_of_registers() {
        for (function, file) in [
            ("core::ptr::write_volatile", "/rustc/abc/library/core/src/ptr/mod.rs"),
            ("write_volatile<u32>", "core/src/ptr/mod.rs"),
            ("<core::option::Option<T>>::map", ""),
            ("write", "/registry/src/index-0/vcell-0.1.3/src/lib.rs"),
            ("write", "registry/stm32-metapac-17.0.0/src/common.rs"),
            ("modify", "C:\\cargo\\stm32f4-pac-0.15.1\\src\\generic.rs"),
        ] {
            assert!(is_helper(&frame(function, file)), "{function} in {file}");
        }
        for (function, file) in [
            ("usart::init", "src/main.rs"),
            ("main", "/home/x/core/main.c"),
            ("embassy_stm32::usart::configure", "registry/embassy-stm32-0.6.0/src/usart/mod.rs"),
            ("pace", "src/pac.rs"),
        ] {
            assert!(!is_helper(&frame(function, file)), "{function} in {file}");
        }
    }
}
