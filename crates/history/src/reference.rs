//! References to entries: `main~20`, a commit, a day.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::{Entry, History, HistoryError, Moment};

/// The fewest characters of a commit that mean it.
const SHORTEST_COMMIT: usize = 4;

/// A reference to an entry: a branch, for its newest entry; a commit or the beginning of its hash, for its newest entry; a day or a
/// time, for the newest entry until then; `#NUMBER`; or nothing, for the newest. Behind it `~N` means the Nth entry before on the
/// same branch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    base: String,
    back: usize,
}

/// Why a reference means no entry.
#[derive(Debug, Error)]
pub enum ReferenceError {
    /// The file.
    #[error(transparent)]
    History(#[from] HistoryError),
    /// Nothing is called that.
    #[error("the history has no branch, commit or day `{base}`")]
    Unknown {
        /// The reference without what follows a `~`.
        base: String,
        /// The branches that there are.
        branches: Vec<String>,
    },
    /// The beginning of several commits.
    #[error("`{base}` begins {count} commits of the history, such as {first} and {second}; write more of it")]
    Ambiguous {
        /// The beginning.
        base: String,
        /// The number of commits.
        count: usize,
        /// One of them.
        first: String,
        /// Another.
        second: String,
    },
    /// No entry at so early a time.
    #[error("branch {branch} has no entry until {time}; its first is of {first}")]
    Before {
        /// The branch.
        branch: String,
        /// The time.
        time: Moment,
        /// The time of its first entry.
        first: Moment,
    },
    /// Fewer entries than are counted back.
    #[error("`~{back}` goes back beyond the first entry of branch {branch}, which has {before} before that one")]
    TooFar {
        /// The entries to go back.
        back: usize,
        /// The branch.
        branch: String,
        /// The entries that there are before.
        before: usize,
    },
}

impl FromStr for Reference {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let Some((base, back)) = text.rsplit_once('~') else { return Ok(Self { base: text.to_owned(), back: 0 }) };
        let back = if back.is_empty() { Ok(1) } else { back.parse() };
        let wrong = |_| format!("`{text}` has no number behind its `~`; write it as in main~20");
        Ok(Self { base: base.to_owned(), back: back.map_err(wrong)? })
    }
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.back {
            0 => f.pad(&self.base),
            back => f.pad(&format!("{}~{back}", self.base)),
        }
    }
}

impl Reference {
    /// Finds the entry. Times and references without a base are looked for on `branch`.
    ///
    /// # Errors
    /// [`ReferenceError`].
    pub fn find(&self, history: &History, branch: &str) -> Result<Entry, ReferenceError> {
        let base = self.base(history, branch)?;
        if self.back == 0 {
            return Ok(base);
        }
        let mut entries = history.entries(Some(&base.branch))?;
        let place = entries.iter().position(|entry| entry.id == base.id).unwrap_or_default();
        match place.checked_sub(self.back) {
            Some(place) => Ok(entries.swap_remove(place)),
            None => Err(ReferenceError::TooFar { back: self.back, branch: base.branch, before: place }),
        }
    }

    fn base(&self, history: &History, branch: &str) -> Result<Entry, ReferenceError> {
        let base = self.base.as_str();
        let unknown = || -> ReferenceError {
            match history.branches() {
                Ok(branches) => ReferenceError::Unknown { base: base.to_owned(), branches },
                Err(error) => error.into(),
            }
        };
        let all = history.entries(None)?;
        let name = if base.is_empty() { branch } else { base };
        if let Some(newest) = all.iter().rev().find(|entry| entry.branch == name) {
            return Ok(newest.clone());
        }
        if let Some(number) = base.strip_prefix('#') {
            let found = number.parse().ok().and_then(|id: i64| all.into_iter().find(|entry| entry.id == id));
            return found.ok_or_else(unknown);
        }
        if base.is_empty() {
            return Err(unknown());
        }
        if let Some(found) = commit(base, branch, &all)? {
            return Ok(found);
        }
        let Ok(time) = Moment::until(base) else { return Err(unknown()) };
        let on: Vec<&Entry> = all.iter().filter(|entry| entry.branch == branch).collect();
        match (on.iter().rev().find(|entry| entry.time <= time), on.first()) {
            (Some(found), _) => Ok((*found).clone()),
            (None, Some(first)) => Err(ReferenceError::Before { branch: branch.to_owned(), time, first: first.time }),
            (None, None) => Err(unknown()),
        }
    }
}

/// The newest entry of the commit that `base` is or begins, on `branch` if it is there too.
fn commit(base: &str, branch: &str, all: &[Entry]) -> Result<Option<Entry>, ReferenceError> {
    let is = |entry: &&Entry| entry.commit == base;
    let begins = |entry: &&Entry| {
        base.len() >= SHORTEST_COMMIT
            && entry.commit.get(..base.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(base))
    };
    let mut found: Vec<&Entry> = all.iter().filter(is).collect();
    if found.is_empty() {
        found = all.iter().filter(begins).collect();
    }
    let mut commits: Vec<&str> = found.iter().map(|entry| entry.commit.as_str()).collect();
    commits.sort_unstable();
    commits.dedup();
    if let [first, second, ..] = commits.as_slice() {
        let (base, count) = (base.to_owned(), commits.len());
        return Err(ReferenceError::Ambiguous {
            base,
            count,
            first: (*first).to_owned(),
            second: (*second).to_owned(),
        });
    }
    let here = found.iter().rev().find(|entry| entry.branch == branch);
    Ok(here.or(found.last()).map(|entry| (*entry).clone()))
}
