//! The policy of the page.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

/// A Content-Security-Policy under which exactly `scripts` run and nothing is fetched. Styles are free, since the charting
/// library writes them; they cannot reach out either.
pub(crate) fn policy(scripts: &[&str]) -> String {
    with(&sources(scripts), "")
}

/// The same for a page that runs firmware: WebAssembly runs too, in workers made of the page's own texts.
pub(crate) fn running(scripts: &[&str]) -> String {
    with(&format!("{} 'wasm-unsafe-eval'", sources(scripts)), " worker-src blob:;")
}

fn with(scripts: &str, more: &str) -> String {
    format!(
        "default-src 'none'; script-src {scripts};{more} style-src 'unsafe-inline'; img-src data: blob:; base-uri 'none'; form-action 'none'"
    )
}

fn sources(scripts: &[&str]) -> String {
    scripts.iter().map(|script| format!("'sha256-{}'", hash(script))).collect::<Vec<_>>().join(" ")
}

fn hash(text: &str) -> String {
    STANDARD.encode(Sha256::digest(text.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::policy;

    #[test]
    fn a_policy_names_its_scripts_by_hash_and_fetches_nothing() {
        // printf 'a' | sha256sum | xxd -r -p | base64
        let policy = policy(&["a"]);
        assert!(policy.contains("'sha256-ypeBEsobvcr6wjGzmiPcTaeG7/gUfE5yuYB3ha/uSLs='"), "{policy}");
        assert!(policy.starts_with("default-src 'none';"), "{policy}");
    }
}
