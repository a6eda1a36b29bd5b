//! Reads the metadata files of `stm32-metapac`: Rust constants, as values that `serde` turns into the types of
//! [`metadata`](crate::metadata).

use std::path::Path;

use serde_json::{Map, Value};
use syn::{Expr, Item, Lit};

/// The constants and statics of the Rust file at `path`, by name.
pub fn constants(path: &Path) -> Map<String, Value> {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let file = syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let constant = |item| match item {
        Item::Static(item) => Some((item.ident.to_string(), value(&item.expr))),
        Item::Const(item) => Some((item.ident.to_string(), value(&item.expr))),
        _ => None,
    };
    file.items.into_iter().filter_map(constant).collect()
}

/// The module names of the Rust file at `path`, with the files that they are.
pub fn modules(path: &Path) -> Vec<(String, String)> {
    let text = std::fs::read_to_string(path).expect("it was read before");
    let file = syn::parse_file(&text).expect("it was parsed before");
    let module = |item| match item {
        Item::Mod(item) => {
            let attribute = item.attrs.iter().find(|known| known.path().is_ident("path"))?;
            let Ok(named) = attribute.meta.require_name_value() else { return None };
            Some((item.ident.to_string(), value(&named.value).as_str()?.to_owned()))
        }
        _ => None,
    };
    file.items.into_iter().filter_map(module).collect()
}

/// The file that the Rust file at `path` includes.
pub fn included(path: &Path) -> String {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let file = syn::parse_file(&text).expect("the crate's files are Rust");
    let include = file.items.into_iter().find_map(|item| match item {
        Item::Macro(item) if item.mac.path.is_ident("include") => item.mac.parse_body::<syn::LitStr>().ok(),
        _ => None,
    });
    include.expect("a part's file includes its metadata").value()
}

/// The value of an expression: a struct is an object, `Some(x)` is x, a variant with content an object of one key.
fn value(expr: &Expr) -> Value {
    match expr {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Str(text) => Value::from(text.value()),
            Lit::Int(number) => Value::from(number.base10_parse::<u64>().expect("numbers are not negative")),
            Lit::Bool(flag) => Value::from(flag.value),
            other => panic!("a literal of another kind: {other:?}"),
        },
        Expr::Reference(reference) => value(&reference.expr),
        Expr::Array(array) => array.elems.iter().map(value).collect(),
        Expr::Struct(literal) => {
            let field = |field: &syn::FieldValue| {
                let syn::Member::Named(name) = &field.member else { panic!("fields have names") };
                (name.to_string(), value(&field.expr))
            };
            Value::Object(literal.fields.iter().map(field).collect())
        }
        Expr::Call(call) => {
            let Expr::Path(function) = &*call.func else { panic!("a constructor is a path") };
            let name = last(&function.path);
            let inner = value(&call.args[0]);
            if name == "Some" { inner } else { Value::Object(Map::from_iter([(name, inner)])) }
        }
        Expr::Path(path) => match last(&path.path) {
            name if name == "None" => Value::Null,
            // `&adc::REGISTERS`: the module is the value.
            name if name == "REGISTERS" => Value::from(path.path.segments[0].ident.to_string()),
            name => Value::from(name),
        },
        Expr::Range(range) => {
            let end = |end: &Option<Box<Expr>>| value(end.as_ref().expect("ranges are closed"));
            Value::from(vec![end(&range.start), end(&range.end)])
        }
        other => panic!("an expression of another kind: {other:?}"),
    }
}

fn last(path: &syn::Path) -> String {
    path.segments.last().expect("a path has a segment").ident.to_string()
}
