//! Builds that are more than an optimisation level: another level for some packages, another core's instructions.

use std::collections::BTreeMap;

use anyhow::bail;
use serde::Deserialize;

/// The levels that the compilers know, GCC 12's among them.
const LEVELS: [&str; 5] = ["z", "s", "1", "2", "3"];
/// The builds that are their level and need no entry.
const PLAIN: [&str; 2] = ["s", "3"];

/// The meaning of a build's name.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Opt {
    /// The optimisation level.
    pub level: String,
    /// Rust: other levels, by the package's name.
    #[serde(default)]
    pub packages: BTreeMap<String, String>,
    /// The core that replaces a board's core, by the name of the replaced one. If there are any, the build is for these
    /// boards' cores only.
    #[serde(default)]
    pub core: BTreeMap<String, String>,
}

/// The list's builds by name.
#[derive(Debug, Default, Deserialize)]
#[serde(transparent)]
pub struct Opts(BTreeMap<String, Opt>);

impl Opts {
    /// The level of a build.
    pub fn level<'a>(&'a self, name: &'a str) -> &'a str {
        self.0.get(name).map_or(name, |opt| &opt.level)
    }

    /// The packages of a build that have another level, with that.
    pub fn packages(&self, name: &str) -> impl Iterator<Item = (&str, &str)> {
        let packages = self.0.get(name).into_iter().flat_map(|opt| &opt.packages);
        packages.map(|(package, level)| (package.as_str(), level.as_str()))
    }

    /// The core that a build for a board with `core` is made for; none where there is no such build.
    pub fn core<'a>(&'a self, name: &str, core: &'a str) -> Option<&'a str> {
        match self.0.get(name) {
            Some(opt) if !opt.core.is_empty() => opt.core.get(core).map(String::as_str),
            _ => Some(core),
        }
    }

    /// The cores that builds put in the place of others, and those others.
    pub fn cores(&self) -> impl Iterator<Item = &String> {
        self.0.values().flat_map(|opt| opt.core.iter().flat_map(|(from, to)| [from, to]))
    }

    /// Refuses levels that no compiler knows.
    pub fn validate(&self) -> anyhow::Result<()> {
        for (name, opt) in &self.0 {
            if let Some(level) = [&opt.level].into_iter().chain(opt.packages.values()).find(|l| !is_level(l)) {
                bail!("the build {name}: there is no level {level}");
            }
        }
        Ok(())
    }

    /// Tells whether a build of that name is listed or needs no listing.
    pub fn knows(&self, name: &str) -> bool {
        PLAIN.contains(&name) || self.0.contains_key(name)
    }
}

fn is_level(level: &str) -> bool {
    LEVELS.contains(&level)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opts(text: &str) -> Opts {
        toml::from_str(text).unwrap()
    }

    #[test]
    fn a_build_without_an_entry_is_its_level() {
        let none = Opts::default();
        assert_eq!((none.level("3"), none.core("3", "m4f")), ("3", Some("m4f")));
        assert_eq!(none.packages("3").count(), 0);
        assert!(none.knows("s") && !none.knows("z"));
    }

    #[test]
    fn an_entry_says_level_packages_and_core() {
        let some = opts("[z-fast]\nlevel = 'z'\npackages = { a = '3' }\n[small]\nlevel = 's'\ncore = { imc = 'i' }\n");
        assert_eq!((some.level("z-fast"), some.core("z-fast", "imc")), ("z", Some("imc")));
        assert_eq!(some.packages("z-fast").collect::<Vec<_>>(), [("a", "3")]);
        assert_eq!((some.level("small"), some.core("small", "imc")), ("s", Some("i")));
        assert_eq!(some.core("small", "m4f"), None, "there is no such build for another core");
        assert!(some.knows("small") && some.validate().is_ok());
        assert_eq!(some.cores().collect::<Vec<_>>(), ["imc", "i"]);
    }

    #[test]
    fn unknown_levels_are_refused() {
        assert!(opts("[x]\nlevel = '4'\n").validate().is_err());
        assert!(opts("[x]\nlevel = 'z'\npackages = { a = 'fast' }\n").validate().is_err());
    }
}
