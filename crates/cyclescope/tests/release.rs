//! The workflow of releases: its steps run in bash, its archives are where `cargo binstall` looks for them; and all workflows of the
//! repository and of its pages are sound to actionlint.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::common::tools::wanted;
use crate::common::{PROGRAM, step, text};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository")
}

fn read(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

const WORKFLOW: &str = ".github/workflows/release.yml";

/// A runner's folders and variables.
struct Runner {
    folder: TempDir,
    target: &'static str,
}

impl Runner {
    fn new(target: &'static str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        for inner in ["tools", "work", "temp"] {
            fs::create_dir(folder.path().join(inner)).expect("ours");
        }
        let runner = Self { folder, target };
        for name in ["Cargo.toml", "README.md", "LICENSE-MIT", "LICENSE-APACHE"] {
            fs::copy(root().join(name), runner.work(name)).expect("it is there");
        }
        runner
    }

    fn work(&self, name: &str) -> PathBuf {
        self.folder.path().join("work").join(name)
    }

    /// A program that the steps find, as a script.
    fn tool(&self, name: &str, script: &str) {
        let path = self.folder.path().join("tools").join(name);
        fs::write(&path, format!("#!/bin/bash\n{script}\n")).expect("ours");
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("ours");
    }

    /// Runs the step `name` as GitHub does, and returns its exit code and all that it says.
    fn run(&self, name: &str, variables: &[(&str, &str)]) -> (Option<i32>, String) {
        let mut shell = Command::new("bash");
        shell.args(["--noprofile", "--norc", "-eo", "pipefail", "-c", &step(&read(WORKFLOW), name)]);
        let paths = [self.folder.path().join("tools"), "/usr/bin".into(), "/bin".into()];
        shell.env("PATH", std::env::join_paths(paths).expect("a path")).current_dir(self.work(""));
        shell.env("GITHUB_WORKSPACE", self.work("")).env("RUNNER_TEMP", self.folder.path().join("temp"));
        shell
            .env("GITHUB_ENV", self.work("env"))
            .env("TARGET", self.target)
            .env("NAME", format!("cyclescope-1-{}", self.target));
        shell.env("GITHUB_SERVER_URL", "https://github.com").env("GITHUB_REPOSITORY", "example/cyclescope");
        shell.env("GITHUB_REF_TYPE", "tag").env("GITHUB_REF_NAME", "v0.1.0").envs(variables.iter().copied());
        let output = shell.output().expect("there is bash");
        (output.status.code(), text(&output.stdout) + &text(&output.stderr))
    }

    fn good(&self, name: &str) -> String {
        let (code, told) = self.run(name, &[]);
        assert_eq!(code, Some(0), "{name}: {told}");
        told
    }
}

#[test]
fn a_tag_names_the_version_and_the_repository() {
    let runner = Runner::new("x86_64-unknown-linux-musl");
    runner.good("names");
    assert_eq!(fs::read_to_string(runner.work("env")).unwrap(), "NAME=cyclescope-0.1.0-x86_64-unknown-linux-musl\n");
    let (code, told) = runner.run("names", &[("GITHUB_REF_NAME", "v9.9.9")]);
    assert!(code == Some(1) && told.contains("::error::the tag is v9.9.9, and Cargo.toml has version 0.1.0"), "{told}");
    let (code, told) = runner.run("names", &[("GITHUB_REPOSITORY", "other/fork")]);
    assert!(code == Some(1) && told.contains("cargo binstall would not look here"), "{told}");
    // By hand nothing is published, from whatever branch.
    let (code, told) = runner.run("names", &[("GITHUB_REF_TYPE", "branch"), ("GITHUB_REF_NAME", "main")]);
    assert_eq!(code, Some(0), "{told}");
}

#[test]
fn the_core_and_the_program_are_built() {
    let runner = Runner::new("x86_64-unknown-linux-musl");
    for name in ["rustup", "npm", "cargo", "sudo"] {
        runner.tool(name, &format!("echo \"{name} $* core=$CYCLESCOPE_CORE\" >> asked"));
    }
    runner.good("core");
    runner.good("build");
    let asked = fs::read_to_string(runner.work("asked")).unwrap();
    for line in [
        "cargo xtask wasm --playground target/playground.html --core target/cyclescope.core",
        "sudo apt-get install -q -y musl-tools",
        "rustup target add x86_64-unknown-linux-musl",
        "cargo build --locked --release --target x86_64-unknown-linux-musl -p cyclescope core=/",
    ] {
        assert!(asked.contains(line), "{line}: {asked}");
    }
}

#[test]
fn an_archive_has_the_program_its_pages_and_completions_and_runs() {
    let runner = Runner::new("x86_64-unknown-linux-gnu");
    let built = runner.work("target/x86_64-unknown-linux-gnu/release");
    fs::create_dir_all(&built).expect("ours");
    symlink(PROGRAM, built.join("cyclescope")).expect("ours");
    runner.good("archive");
    runner.good("try");
    // This program was built without the core.
    let (code, told) = runner.run("pages", &[]);
    assert!(code == Some(1) && told.contains("::error::the program has no core for browsers"), "{told}");
    let unpacked = runner.folder.path().join("temp/cyclescope-1-x86_64-unknown-linux-gnu");
    for name in ["README.md", "LICENSE-MIT", "LICENSE-APACHE", "man/man1/cyclescope.1", "completions/cyclescope.zsh"] {
        assert!(unpacked.join(name).is_file(), "{name} is in the archive");
    }
    // A program that needs libraries of the system is none for every Linux.
    let other = Runner { target: "x86_64-unknown-linux-musl", folder: runner.folder };
    fs::create_dir_all(other.work("target/x86_64-unknown-linux-musl/release")).expect("ours");
    symlink(PROGRAM, other.work("target/x86_64-unknown-linux-musl/release/cyclescope")).expect("ours");
    other.good("archive");
    let (code, told) = other.run("try", &[]);
    assert!(code == Some(1) && told.contains("::error::the program is not static"), "{told}");
}

#[test]
fn a_release_has_the_sum_of_each_file() {
    let runner = Runner::new("");
    runner.tool("gh", "echo \"$*\" > ../asked");
    fs::create_dir(runner.work("dist")).expect("ours");
    for name in ["playground.html", "cyclescope.core", "cyclescope-0.1.0-aarch64-apple-darwin.tgz"] {
        fs::write(runner.work("dist").join(name), name).expect("ours");
    }
    runner.good("publish");
    let asked = fs::read_to_string(runner.work("asked")).unwrap();
    assert!(
        asked.starts_with("release create v0.1.0 --repo example/cyclescope --draft --title cyclescope 0.1.0 "),
        "{asked}"
    );
    assert!(
        asked.contains(
            " -- SHA256SUMS cyclescope-0.1.0-aarch64-apple-darwin.tgz cyclescope-playground.html cyclescope.core"
        ),
        "{asked}"
    );
    let sums = fs::read_to_string(runner.work("dist/SHA256SUMS")).unwrap();
    assert_eq!(sums.lines().count(), 3, "{sums}");
}

/// The targets of the workflow are those that docs/release.md names, and `cargo binstall` asks for the archives' names.
#[test]
fn binstall_looks_for_what_the_workflow_makes() {
    let workflow = read(WORKFLOW);
    let manifest: toml::Table = read("crates/cyclescope/Cargo.toml").parse().expect("TOML");
    let binstall = &manifest["package"]["metadata"]["binstall"];
    let expand = |text: &str, target: &str, suffix: &str| {
        let places = [
            ("repo", "R"),
            ("version", "0.1.0"),
            ("target", target),
            ("archive-suffix", suffix),
            ("bin", "cyclescope"),
            ("binary-ext", ""),
        ];
        places.iter().fold(text.to_owned(), |text, (name, value)| text.replace(&format!("{{ {name} }}"), value))
    };
    let targets: Vec<&str> =
        workflow.lines().filter_map(|line| line.split_once("target: ")?.1.strip_suffix(" }")).collect();
    assert_eq!(targets.len(), 5, "{targets:?}");
    let page = read("docs/release.md");
    for target in targets {
        let format = binstall.get("overrides").and_then(|all| all.get(target)).and_then(|one| one.get("pkg-fmt"));
        let format = format.unwrap_or(&binstall["pkg-fmt"]).as_str().expect("a text");
        let url = expand(binstall["pkg-url"].as_str().expect("a text"), target, &format!(".{format}"));
        assert_eq!(url, format!("R/releases/download/v0.1.0/cyclescope-0.1.0-{target}.{format}"));
        assert!(workflow.contains(&format!("$NAME.{format}")), "{format}");
        assert_eq!(format == "zip", target.contains("windows"));
        let inside = expand(binstall["bin-dir"].as_str().expect("a text"), target, "");
        assert_eq!(inside, format!("cyclescope-0.1.0-{target}/cyclescope"));
        assert!(page.contains(&format!("| `{target}` |")), "docs/release.md names {target}");
    }
}

#[test]
fn actionlint_finds_nothing_in_workflows_and_in_those_to_copy() {
    if !wanted("actionlint") {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let mut files = vec![root().join(WORKFLOW)];
    for page in ["ci", "history"] {
        let text = read(&format!("docs/{page}.md"));
        let (_, rest) = text.split_once("```yaml\n").expect("a workflow to copy");
        let (workflow, _) = rest.split_once("```").expect("it ends");
        let path = folder.path().join(format!("{page}.yml"));
        fs::write(&path, workflow).expect("ours");
        files.push(path);
    }
    let lint = |files: &[PathBuf]| {
        Command::new("actionlint").args(["-no-color", "-shellcheck="]).args(files).output().expect("it is there")
    };
    let output = lint(&files);
    assert!(output.status.success(), "{}", text(&output.stdout));
    let wrong = folder.path().join("wrong.yml");
    fs::write(&wrong, read(WORKFLOW).replace("needs: core", "needs: cores")).expect("ours");
    assert!(!lint(&[wrong]).status.success(), "it looks");
}
