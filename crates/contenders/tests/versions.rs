//! The versions that records name are those that the manifest pins.

use cyclescope_host::built::LIBRARIES;

#[test]
fn the_versions_in_records_are_those_of_the_manifest() {
    let manifest =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")).expect("Cargo has read it");
    let manifest: toml::Table = manifest.parse().expect("Cargo has parsed it");
    let dependencies = manifest["dependencies"].as_table().expect("it is one");
    let pinned: Vec<(&str, &str)> = dependencies
        .iter()
        .filter_map(|(name, wanted)| {
            let version = wanted.as_str().or_else(|| wanted.get("version")?.as_str())?;
            Some((name.as_str(), version.strip_prefix('=')?))
        })
        .collect();
    assert_eq!(pinned, LIBRARIES);
}
