//! Builds Arduino sketches as Arduino's own tools do: by the recipes in the `platform.txt` and `boards.txt` of the installed
//! core, which are lines of commands with `{names}` of properties in them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail};

use super::built::Built;
use super::list::{List, Row};
use super::toolchain::{self, PLATFORM};

/// The version that Arduino's tools say they are, in the macro `ARDUINO`: the last of their first kind.
const IDE: &str = "10819";
/// Flags that users may add to the compilation of C++. The core needs a macro of C++11 that GCC 5 has in C only.
const CPP_EXTRA: &str = "-DDECIMAL_DIG=__DECIMAL_DIG__";
/// The most levels of properties inside other properties.
const DEPTH: usize = 16;

/// Builds the row's sketch into `elf`, with the libraries of the core that it includes. Boards are called `arduino-` and their
/// name in `boards.txt`; `{mode}` in the sketch's path stands for the row's mode.
pub fn build(root: &Path, list: &List, row: &Row, elf: &Path) -> anyhow::Result<Built> {
    let sketch = match list.program(row).map(|program| program.sources.as_slice()) {
        Some([sketch]) => root.join(sketch.replace("{mode}", &row.mode)),
        _ => bail!("an Arduino project has one source, its sketch"),
    };
    let board = row.board.strip_prefix("arduino-").context("an Arduino board's name begins with arduino-")?;
    let platform = Path::new(PLATFORM);
    let mut recipes = Recipes::read(platform, board)?;
    let core = platform.join("cores").join(recipes.expand("{build.core}")?);
    let variant = platform.join("variants").join(recipes.expand("{build.variant}")?);

    let folder = elf.with_extension("arduino");
    if folder.exists() {
        std::fs::remove_dir_all(&folder).context("cannot empty the sketch's folder")?;
    }
    std::fs::create_dir_all(&folder)?;

    // A sketch is C++ that sees the core without saying so.
    let name = sketch.file_name().and_then(|name| name.to_str()).context("a sketch has a name")?;
    let text = std::fs::read_to_string(&sketch).with_context(|| format!("cannot read {}", sketch.display()))?;
    let libraries = libraries(platform, &text);
    let includes = [core.clone(), variant].into_iter().chain(libraries.iter().cloned());
    let includes: Vec<String> = includes.map(|folder| format!("\"-I{}\"", folder.display())).collect();
    recipes.set("includes", &includes.join(" "));
    let source = folder.join(format!("{name}.cpp"));
    std::fs::write(&source, format!("#include <Arduino.h>\n#line 1 \"{name}\"\n{text}"))?;
    let mut objects = vec![recipes.compile(&source, &folder)?];
    for library in libraries.iter().flat_map(|library| [library.clone(), library.join("utility")]) {
        for source in if library.is_dir() { sources(&library)? } else { Vec::new() } {
            objects.push(recipes.compile(&source, &folder)?);
        }
    }

    recipes.set("archive_file_path", &folder.join("core.a").display().to_string());
    for source in sources(&core)? {
        let object = recipes.compile(&source, &folder)?;
        recipes.set("object_file", &object.display().to_string());
        recipes.run("recipe.ar.pattern")?;
    }
    recipes.set("archive_file", "core.a");
    recipes.set("build.path", &folder.display().to_string());
    recipes.set("build.project_name", "sketch");
    let objects: Vec<String> = objects.iter().map(|object| format!("\"{}\"", object.display())).collect();
    recipes.set("object_files", &objects.join(" "));
    recipes.run("recipe.c.combine.pattern")?;
    let mut strip = Command::new("avr-objcopy");
    toolchain::run(strip.arg("--strip-debug").arg(folder.join("sketch.elf")).arg(elf))?;

    let version = recipes.expand("{version}")?;
    let flags =
        "-mmcu={build.mcu} {compiler.cpp.flags} {compiler.cpp.extra_flags} {compiler.c.elf.flags} {build.extra_flags}";
    Ok(Built {
        libraries: vec![("arduino-core-avr".to_owned(), version.clone())],
        version: Some(version),
        flags: words(&recipes.expand(flags)?),
        settings: Vec::new(),
    })
}

/// The folders of the core's libraries whose header the sketch `text` includes, in that order.
fn libraries(platform: &Path, text: &str) -> Vec<PathBuf> {
    let headers = text.lines().filter_map(|line| line.strip_prefix("#include <")?.strip_suffix(".h>"));
    let folders = headers.map(|name| platform.join("libraries").join(name).join("src"));
    folders.filter(|folder| folder.is_dir()).collect()
}

/// The sources in a folder, in the order of their names.
fn sources(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut sources = Vec::new();
    for entry in std::fs::read_dir(folder).with_context(|| format!("there is no {}", folder.display()))? {
        let path = entry?.path();
        if language(&path).is_some() {
            sources.push(path);
        }
    }
    sources.sort();
    Ok(sources)
}

/// The ending by which recipes name a source's language.
fn language(source: &Path) -> Option<&'static str> {
    ["c", "cpp", "S"].into_iter().find(|language| source.extension().is_some_and(|ending| ending == *language))
}

/// The properties of a platform and of one of its boards.
struct Recipes(BTreeMap<String, String>);

impl Recipes {
    fn read(platform: &Path, board: &str) -> anyhow::Result<Self> {
        let read = |name: &str| {
            let path = platform.join(name);
            std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))
        };
        let mut all = properties(&read("platform.txt")?);
        let prefix = format!("{board}.");
        let boards = properties(&read("boards.txt")?);
        let own = boards.iter().filter_map(|(name, value)| Some((name.strip_prefix(&prefix)?, value)));
        all.extend(own.map(|(name, value)| (name.to_owned(), value.clone())));
        all.insert("build.arch".into(), "AVR".into());
        all.insert("runtime.ide.version".into(), IDE.into());
        all.insert("compiler.cpp.extra_flags".into(), CPP_EXTRA.into());
        all.entry("build.extra_flags".into()).or_default();
        Ok(Self(all))
    }

    fn set(&mut self, name: &str, value: &str) {
        self.0.insert(name.to_owned(), value.to_owned());
    }

    /// The text with every property in it replaced by its value.
    fn expand(&self, text: &str) -> anyhow::Result<String> {
        let mut text = text.to_owned();
        for _ in 0..DEPTH {
            let Some((before, rest)) = text.split_once('{') else { return Ok(text) };
            let mut out = before.to_owned();
            for (index, piece) in rest.split('{').enumerate() {
                let (name, after) = piece.split_once('}').context("a property's name has no end")?;
                let value = self.0.get(name).with_context(|| format!("property {index}: there is no {name}"))?;
                out += value;
                out += after;
            }
            text = out;
        }
        bail!("properties stand in each other for ever: {text}")
    }

    /// Runs a recipe's command.
    fn run(&self, recipe: &str) -> anyhow::Result<()> {
        let line = self.expand(&format!("{{{recipe}}}"))?;
        let words = words(&line);
        let (program, arguments) = words.split_first().with_context(|| format!("{recipe} is empty"))?;
        toolchain::run(Command::new(program).env("LC_ALL", "C").args(arguments))?;
        Ok(())
    }

    /// Compiles one source; the object.
    fn compile(&mut self, source: &Path, folder: &Path) -> anyhow::Result<PathBuf> {
        let language = language(source).context("a source of an unknown language")?;
        let name = source.file_name().and_then(|name| name.to_str()).context("a source has a name")?;
        let object = folder.join(format!("{name}.o"));
        self.set("source_file", &source.display().to_string());
        self.set("object_file", &object.display().to_string());
        self.run(&format!("recipe.{language}.o.pattern"))?;
        Ok(object)
    }
}

/// The lines `name=value`.
fn properties(text: &str) -> BTreeMap<String, String> {
    let lines = text.lines().map(str::trim).filter(|line| !line.starts_with('#'));
    let pairs = lines.filter_map(|line| line.split_once('='));
    pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

/// A command's words; quotes of either kind keep blanks in a word, and inside one of them the other is a character.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for character in line.chars() {
        match (quote, character) {
            (None, '"' | '\'') => {
                quote = Some(character);
                word.get_or_insert_default();
            }
            (Some(open), _) if open == character => quote = None,
            (None, ' ' | '\t') => words.extend(word.take()),
            _ => word.get_or_insert_default().push(character),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_keep_what_stands_in_quotes() {
        assert_eq!(
            words(r#""/a b/gcc"  -O -D'N="x y"' "" -I"c d"/e"#),
            ["/a b/gcc", "-O", "-DN=\"x y\"", "", "-Ic d/e"]
        );
        assert!(words("  ").is_empty());
    }

    #[test]
    fn a_sketch_has_the_libraries_that_it_includes() {
        let platform = tempfile::tempdir().unwrap();
        let wire = platform.path().join("libraries/Wire/src");
        std::fs::create_dir_all(&wire).unwrap();
        let text = "// #include <EEPROM.h>\n#include <avr/sleep.h>\n#include <Wire.h>\n#include \"own.h\"\n";
        assert_eq!(libraries(platform.path(), text), [wire]);
    }

    #[test]
    fn properties_stand_in_each_other() {
        let recipes = Recipes(properties("# no=thing\na=1 {b}{b}\nb=-{c}=\n\nc=x\nloop={loop}\n"));
        assert_eq!(recipes.expand("<{a}>").unwrap(), "<1 -x=-x=>");
        assert!(recipes.expand("{loop}").unwrap_err().to_string().contains("for ever"));
        assert!(recipes.expand("{no}").is_err());
        assert!(recipes.expand("{a").is_err());
    }
}
