//! The policy of the page.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

/// A Content-Security-Policy under which exactly `scripts` run and nothing is fetched. Styles are free, since the charting
/// library writes them; they cannot reach out either.
pub(crate) fn policy(scripts: &[&str]) -> String {
    let hashes: Vec<String> = scripts.iter().map(|script| format!("'sha256-{}'", hash(script))).collect();
    format!(
        "default-src 'none'; script-src {}; style-src 'unsafe-inline'; img-src data: blob:; base-uri 'none'; form-action 'none'",
        hashes.join(" ")
    )
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
