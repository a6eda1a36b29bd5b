//! The part that a symbol plays in jumps, by its kind and name.

use cyclescope_image::{Symbol, SymbolKind};

/// The part that a symbol plays where a jump leaves it or leads to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// A function.
    Function,
    /// A place in assembly, which may be a function or a part of one.
    Label,
    /// A compiler's helper.
    Helper,
    /// A linker's piece of code that only jumps on, for a call that does not reach its function.
    Thunk,
    /// The jumps of an AVR, which the hardware enters for an interrupt.
    Vectors,
}

/// avr-libc's and the Rust run-time's table of vectors.
const VECTORS: &str = "__vectors";

impl Role {
    pub(super) fn of(symbol: &Symbol) -> Self {
        match symbol.display_name() {
            VECTORS => Self::Vectors,
            name if is_thunk(name) => Self::Thunk,
            name if is_helper(name) => Self::Helper,
            _ if symbol.kind == SymbolKind::Function => Self::Function,
            _ => Self::Label,
        }
    }

    /// Tells if a path keeps the symbol's name where it jumps on. What a helper or a thunk jumps to is their caller's, and a
    /// handler that a vector leads to is the interrupt's.
    pub(super) const fn is_named_by_jumps(self) -> bool {
        matches!(self, Self::Function | Self::Label)
    }

    /// Tells if a jump there is a tail call. Code that saves registers for others is entered anywhere.
    pub(super) const fn is_reached_by_jumps(self, is_entry: bool) -> bool {
        match self {
            Self::Function | Self::Thunk => is_entry,
            Self::Helper => true,
            Self::Label | Self::Vectors => false,
        }
    }
}

/// Tells if linkers make the function to reach another one: GNU ld's `__memcpy_veneer` and `__memcpy_from_thumb`, LLD's
/// `__Thumbv7ABSLongThunk_memcpy` and `__AVRLongThunk_memcpy`.
fn is_thunk(name: &str) -> bool {
    const ENDS: [&str; 5] = ["_veneer", "_from_arm", "_from_thumb", "_change_to_arm", "_change_to_thumb"];
    const KINDS: [&str; 3] = ["__Thumb", "__ARM", "__AVR"];
    let plain = name.strip_prefix("__");
    plain.is_some_and(|plain| ENDS.iter().any(|end| plain.ends_with(end)))
        || KINDS.iter().any(|kind| name.starts_with(kind)) && name.contains("Thunk_")
}

/// Tells if compilers insert calls of the function: copies and fills of memory, and arithmetic that the core lacks (the
/// Arm run-time ABI's `__aeabi_…`, libgcc's and compiler-rt's `__udivsi3` and similar names).
fn is_helper(name: &str) -> bool {
    const MEMORY: [&str; 6] = ["memcpy", "memmove", "memset", "memcmp", "memclr", "bcmp"];
    const PREFIXES: [&str; 7] =
        ["compiler_builtins::", "__aeabi_", "__gnu_", "__riscv_save", "__riscv_restore", "__tablejump", "__prologue_"];
    /// Modes in libgcc's names: quarter, half, single, double and tetra integers, single and double floats.
    const MODES: [&str; 8] = ["qi", "hi", "psi", "si", "di", "ti", "sf", "df"];
    let plain = name.strip_prefix("__").unwrap_or(name);
    MEMORY.contains(&name)
        || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
        || plain.len() < name.len()
            && plain.ends_with(|c: char| c.is_ascii_digit())
            && MODES.iter().any(|mode| plain.trim_end_matches(|c: char| c.is_ascii_digit()).ends_with(mode))
}

#[cfg(test)]
mod tests {
    use super::{is_helper, is_thunk};

    #[test]
    fn helpers_are_known_by_their_names() {
        for name in
            ["memcpy", "__aeabi_memcpy4", "__udivsi3", "__mulhi3", "__udivmodqi4", "__muldf3", "__aeabi_uidivmod"]
        {
            assert!(is_helper(name), "{name}");
        }
        for name in ["main", "memory", "my_memcpy", "udivsi3", "__libc_init_array", "app::memcpy2", "__vector_1"] {
            assert!(!is_helper(name), "{name}");
        }
    }

    #[test]
    fn thunks_of_linkers_are_known_by_their_names() {
        for name in ["__memcpy_veneer", "__memcpy_from_thumb", "__Thumbv7ABSLongThunk_memcpy", "__AVRLongThunk_f"] {
            assert!(is_thunk(name), "{name}");
        }
        for name in ["veneer", "cut_veneer", "__Thumbelina", "app::Thunk_", "memcpy"] {
            assert!(!is_thunk(name), "{name}");
        }
    }
}
