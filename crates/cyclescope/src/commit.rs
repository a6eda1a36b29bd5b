//! The commit, the branch and the time of what is checked out: from git, and where git does not know it from the environment of
//! GitHub's and GitLab's runners.

use std::process::{Command, Stdio};

use cyclescope_history::Moment;

/// Returns what `git arguments` prints in the working folder, without the line's end; none if it fails or prints nothing.
fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    (output.status.success() && !text.is_empty()).then_some(text)
}

/// The first of `names` that the environment has.
fn variable(names: &[&str]) -> Option<String> {
    names.iter().find_map(|name| std::env::var(name).ok().filter(|value| !value.trim().is_empty()))
}

/// Returns the whole hash of the commit that git calls `name`.
pub(crate) fn resolved(name: &str) -> Option<String> {
    git(&["rev-parse", "--verify", "--quiet", "--end-of-options", &format!("{name}^{{commit}}")])
}

/// Returns the commit that is checked out.
pub(crate) fn commit() -> Option<String> {
    resolved("HEAD").or_else(|| variable(&["GITHUB_SHA", "CI_COMMIT_SHA"]))
}

/// Returns the branch that is checked out; on a runner, which checks out a commit alone, the one that it says.
pub(crate) fn branch() -> Option<String> {
    git(&["symbolic-ref", "--short", "--quiet", "HEAD"]).or_else(|| {
        variable(&["GITHUB_HEAD_REF", "GITHUB_REF_NAME", "CI_MERGE_REQUEST_SOURCE_BRANCH_NAME", "CI_COMMIT_REF_NAME"])
    })
}

/// Returns the time of `commit`, which is a whole hash.
pub(crate) fn time(commit: &str) -> Option<Moment> {
    let of_git = || {
        let text = git(&["show", "--no-patch", "--format=%ct", "--end-of-options", &format!("{commit}^{{commit}}")])?;
        Moment::from_unix(text.parse().ok()?)
    };
    // It is the time of the commit that is checked out, and of no other.
    let of_runner = || {
        variable(&["CI_COMMIT_SHA"]).filter(|checked_out| checked_out == commit)?;
        variable(&["CI_COMMIT_TIMESTAMP"])?.parse().ok()
    };
    of_git().or_else(of_runner)
}

/// Tells if files that git knows differ from what is checked out.
pub(crate) fn is_changed() -> bool {
    git(&["status", "--porcelain", "--untracked-files=no"]).is_some()
}
