//! Demangles symbol names.

use std::fmt::{self, Write};

use cpp_demangle::{DemangleOptions, Symbol};

/// The longest name to demangle and the longest result, in bytes: a hostile name can demangle to a much longer one.
pub(crate) const LONGEST_NAME: usize = 4096;

/// Returns the Rust path (without its hash) or the C++ signature of `name`; `None` if `name` is not mangled or too
/// long.
pub fn demangle(name: &str) -> Option<String> {
    if name.len() > LONGEST_NAME {
        return None;
    }
    if let Ok(rust) = rustc_demangle::try_demangle(name) {
        return bounded(format_args!("{rust:#}"));
    }
    if name.starts_with("_Z") {
        let symbol = Symbol::new(name.as_bytes()).ok()?;
        let options = DemangleOptions::new().no_return_type();
        let mut out = Bounded(String::new());
        return symbol.structured_demangle(&mut out, &options).is_ok().then_some(out.0);
    }
    None
}

fn bounded(arguments: fmt::Arguments<'_>) -> Option<String> {
    let mut out = Bounded(String::new());
    out.write_fmt(arguments).ok()?;
    Some(out.0)
}

/// A string that refuses to grow beyond [`LONGEST_NAME`].
struct Bounded(String);

impl Write for Bounded {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        if self.0.len() + part.len() > LONGEST_NAME {
            return Err(fmt::Error);
        }
        self.0.push_str(part);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::demangle;

    #[track_caller]
    fn check(name: &str, expect: Option<&str>) {
        assert_eq!(demangle(name).as_deref(), expect);
    }

    #[test]
    fn each_mangling_is_taken_apart() {
        check("_ZN6primes6search17h0123456789abcdefE", Some("primes::search"));
        check("_RNvCs1234_7mycrate3foo", Some("mycrate::foo"));
        check("_ZN5boost4coro6resumeEi", Some("boost::coro::resume(int)"));
        check("main", None);
        check("_Z", None);
    }
}
