//! The time that processes take.

use std::fs;

/// Returns the seconds that this process and its ended children spent in user mode, to a hundredth (proc(5): fields 14
/// and 16 of stat; USER_HZ is 100 on Linux).
pub fn user_seconds() -> (f64, f64) {
    let stat = fs::read_to_string("/proc/self/stat").expect("this is Linux");
    // The second field is the program's name in parentheses.
    let fields: Vec<&str> = stat.rsplit(") ").next().unwrap_or_default().split(' ').collect();
    let seconds = |field: usize| fields[field - 3].parse::<f64>().expect("it is a number") / 100.0;
    (seconds(14), seconds(16))
}
