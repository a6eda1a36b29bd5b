//! The policy of the page.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

/// A Content-Security-Policy under which exactly the scripts of these hashes run and nothing is fetched. Styles are free,
/// since the charting library writes them; they cannot reach out either.
pub(crate) fn policy(hashes: &[&str]) -> String {
    let hashes: Vec<String> = hashes.iter().map(|hash| format!("'sha256-{hash}'")).collect();
    format!(
        "default-src 'none'; script-src {}; style-src 'unsafe-inline'; img-src data: blob:; base-uri 'none'; form-action 'none'",
        hashes.join(" ")
    )
}

/// Returns the SHA-256 of a script, as base64.
pub(crate) fn hash(text: &str) -> String {
    STANDARD.encode(Sha256::digest(text.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::{hash, policy};

    #[test]
    fn a_policy_names_its_scripts_by_hash_and_fetches_nothing() {
        // printf 'a' | sha256sum | xxd -r -p | base64
        let policy = policy(&[&hash("a")]);
        assert!(policy.contains("'sha256-ypeBEsobvcr6wjGzmiPcTaeG7/gUfE5yuYB3ha/uSLs='"), "{policy}");
        assert!(policy.starts_with("default-src 'none';"), "{policy}");
    }
}
