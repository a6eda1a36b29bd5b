//! The size of a program's own source files, and their places marked `unsafe`.

use std::path::Path;

use anyhow::{Context, anyhow};
use proc_macro2::{TokenStream, TokenTree};
use syn::visit::Visit;
use tokei::{Config, LanguageType};

use super::list::{Kind, List, Row};

/// The counts over an application's files.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Application {
    /// Lines with code, by `tokei`; blank lines and comments do not count.
    pub source_lines: Option<u32>,
    /// Rust: blocks, functions and implementations marked `unsafe`.
    pub unsafe_blocks: Option<u32>,
}

/// Counts the row's application; both are `None` where the list names no files for it.
pub fn count(root: &Path, list: &List, row: &Row) -> anyhow::Result<Application> {
    let files = list.application(row);
    if files.is_empty() {
        return Ok(Application::default());
    }
    let (mut source_lines, mut unsafe_blocks) = (0, 0);
    let rust = list.project(row).kind == Kind::Rust;
    for file in files {
        let path = root.join(&file);
        source_lines += lines(&path).with_context(|| format!("cannot count the lines of {file}"))?;
        if rust {
            let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {file}"))?;
            unsafe_blocks += unsafe_places(&text).with_context(|| format!("{file} is not Rust"))?;
        }
    }
    Ok(Application { source_lines: Some(source_lines), unsafe_blocks: rust.then_some(unsafe_blocks) })
}

/// Lines with code in one file, its language known by its ending.
fn lines(path: &Path) -> anyhow::Result<u32> {
    // The counter's own defaults: no settings of whoever runs this.
    let config = Config::default();
    let language = LanguageType::from_path(path, &config).context("its language is not known")?;
    let report = language.parse(path.to_owned(), &config).map_err(|(error, _)| anyhow!(error))?;
    u32::try_from(report.stats.code).context("more lines than 32 bits count")
}

/// The places marked `unsafe` in a Rust file.
fn unsafe_places(text: &str) -> anyhow::Result<u32> {
    let mut places = UnsafePlaces(0);
    places.visit_file(&syn::parse_file(text)?);
    Ok(places.0)
}

struct UnsafePlaces(u32);

impl UnsafePlaces {
    fn add(&mut self, marked: bool) {
        self.0 += u32::from(marked);
    }
}

impl<'ast> Visit<'ast> for UnsafePlaces {
    fn visit_expr_unsafe(&mut self, block: &'ast syn::ExprUnsafe) {
        self.add(true);
        syn::visit::visit_expr_unsafe(self, block);
    }

    fn visit_signature(&mut self, signature: &'ast syn::Signature) {
        self.add(signature.unsafety.is_some());
        syn::visit::visit_signature(self, signature);
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        self.add(item.unsafety.is_some());
        syn::visit::visit_item_impl(self, item);
    }

    /// Counts each `unsafe` among a macro's tokens as a place, since the tokens are not parsed.
    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        self.0 += unsafe_tokens(call.tokens.clone());
    }
}

fn unsafe_tokens(tokens: TokenStream) -> u32 {
    tokens
        .into_iter()
        .map(|token| match token {
            TokenTree::Group(group) => unsafe_tokens(group.stream()),
            TokenTree::Ident(ident) => u32::from(ident == "unsafe"),
            TokenTree::Punct(_) | TokenTree::Literal(_) => 0,
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unsafe_is_counted_where_it_stands_and_not_where_it_is_named() {
        let text = r#"
            //! unsafe in a comment
            #[unsafe(no_mangle)]
            extern "C" fn handler() { unsafe { let unsafe_name = "unsafe"; } }
            unsafe fn one() { unsafe { unsafe {} } }
            unsafe impl Send for X {}
            impl X { unsafe fn two(&self) {} fn safe(&self) { call!(unsafe { 1 }, (unsafe { 2 })); } }
            #[app] mod app { fn task() { unsafe { go() } } }
            fn takes(pointer: unsafe fn()) {}
        "#;
        // handler 1, one 3, the impl 1, two 1, the macro's 2, the task 1; attribute and pointer type none.
        assert_eq!(unsafe_places(text).unwrap(), 9);
        assert_eq!(unsafe_places("fn main() {}").unwrap(), 0);
        assert!(unsafe_places("fn main( {").is_err());
    }

    #[test]
    fn blank_lines_and_comments_are_no_code() {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("a.c");
        std::fs::write(&source, "/* one\n   two */\n\n#include <x.h>\nint x; // three\n\n  // four\nint y;\n").unwrap();
        assert_eq!(lines(&source).unwrap(), 3);
        assert!(lines(&folder.path().join("b.no-such-language")).is_err());
        assert!(lines(&folder.path().join("missing.c")).is_err());
    }
}
