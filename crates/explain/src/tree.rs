//! The processes below this one.

/// A process, as /proc/PID/stat has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Process {
    /// Its number.
    pub pid: i32,
    /// Its parent's.
    pub parent: i32,
    /// Its name.
    pub name: String,
    /// Tells if it has ended and nobody has waited for it.
    pub is_zombie: bool,
}

impl Process {
    /// Parses a line of /proc/PID/stat (proc_pid_stat(5)). The name may contain spaces and parentheses.
    fn parse(line: &str) -> Option<Self> {
        let (pid, rest) = line.split_once(" (")?;
        let (name, rest) = rest.rsplit_once(") ")?;
        let mut fields = rest.split_whitespace();
        let state = fields.next()?;
        let parent = fields.next()?.parse().ok()?;
        Some(Self { pid: pid.parse().ok()?, parent, name: name.to_owned(), is_zombie: matches!(state, "Z" | "X") })
    }
}

/// Returns all processes that descend from `root`, without those of `except` and what descends from them. Empty where the system
/// has no /proc.
pub(crate) fn descendants(root: i32, except: &[i32]) -> Vec<Process> {
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    let numbers = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    let all = numbers.filter_map(|pid| Process::parse(&std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?));
    below(root, except, &all.collect::<Vec<_>>())
}

fn below(root: i32, except: &[i32], all: &[Process]) -> Vec<Process> {
    let (mut found, mut parents) = (Vec::new(), vec![root]);
    while let Some(parent) = parents.pop() {
        let children = all.iter().filter(|one| one.parent == parent && !except.contains(&one.pid));
        for child in children.filter(|child| child.pid != root) {
            parents.push(child.pid);
            found.push(child.clone());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_look_like_the_fields_behind_it() {
        let process = Process::parse("12 (a) Z 1 (b)) S 7 12 12 0").unwrap();
        assert_eq!((process.pid, process.parent, process.is_zombie), (12, 7, false));
        assert_eq!(process.name, "a) Z 1 (b)");
        assert_eq!(Process::parse("12 (a"), None);
        assert_eq!(Process::parse(""), None);
    }

    #[test]
    fn those_below_are_found_to_any_depth() {
        let process = |pid, parent| Process { pid, parent, name: String::new(), is_zombie: false };
        let all = [process(2, 1), process(3, 2), process(4, 3), process(5, 1), process(6, 9), process(7, 5)];
        let mut found: Vec<i32> = below(1, &[5], &all).iter().map(|one| one.pid).collect();
        found.sort_unstable();
        assert_eq!(found, [2, 3, 4]);
    }
}
