//! What the program must have said and shown, given what was done to its button.

use cyclescope_units::Cycles;

use crate::RunError;

/// A change of the button's level, `true` for high: released.
pub type Edge = (Cycles, bool);

/// Checks that each of `edges` has its message, in order, and that nothing else was said.
///
/// # Errors
/// [`RunError::Output`] with the first line that is wrong.
pub fn check_each(text: &str, edges: &[Edge]) -> Result<(), RunError> {
    let mut lines = text.split_inclusive('\n');
    for (number, (_, high)) in (1usize..).zip(edges) {
        let expected = message(*high, number);
        let found = lines.next().unwrap_or_default();
        if found != expected {
            return Err(wrong(number, &expected, found));
        }
    }
    match lines.next() {
        None => Ok(()),
        Some(more) => Err(wrong(edges.len() + 1, "nothing more", more)),
    }
}

/// Checks what is said where contacts bounce, so that not each change is seen: messages count from 1 without a hole, and
/// there are no more than edges. The levels that were told.
///
/// # Errors
/// [`RunError::Output`] with the first line that is wrong.
pub fn check_bounced(text: &str, edges: usize) -> Result<Vec<bool>, RunError> {
    let mut told = Vec::new();
    for (number, found) in (1usize..).zip(text.split_inclusive('\n')) {
        let levels = [false, true];
        let Some(level) = levels.into_iter().find(|high| found == message(*high, number)) else {
            return Err(wrong(number, &message(true, number), found));
        };
        told.push(level);
    }
    if told.len() > edges {
        return Err(wrong(edges + 1, "nothing more", text.lines().nth(edges).unwrap_or_default()));
    }
    Ok(told)
}

/// Of the times the button came to rest, for at least `rest`, how many the task took for the other level until the next
/// edge: the last of what it told by then was wrong. `told` are its tellings in order.
pub fn misjudged(told: &[Edge], edges: &[Edge], rest: Cycles) -> u64 {
    let ends = edges.iter().skip(1).map(|(at, _)| *at).chain([Cycles::MAX]);
    let rests = edges.iter().zip(ends).filter(|((at, _), end)| end.saturating_sub(*at) >= rest);
    let wrong = rests.filter(|((_, level), end)| {
        let last = told.partition_point(|(at, _)| at < end).checked_sub(1).and_then(|index| told.get(index));
        // A button that nobody has heard of is up.
        last.is_none_or(|(_, told)| told != level)
    });
    wrong.count() as u64
}

/// Checks that the LED, which went on at `rises`, never did so when it had been known for at least `known` that the button
/// was down, and that it did so in each stretch of at least `turn` in which the button was up. `edges` are the levels as
/// the LED's task could know them.
///
/// # Errors
/// [`RunError::Led`] with the cycle at which it was wrong.
pub fn check_led(rises: &[Cycles], edges: &[Edge], known: Cycles, turn: Cycles) -> Result<(), RunError> {
    for rise in rises {
        let before = edges.partition_point(|(at, _)| at <= rise);
        let Some((since, high)) = before.checked_sub(1).and_then(|index| edges.get(index)) else { continue };
        if !high && *rise >= since.saturating_add(known) {
            return Err(RunError::Led { at: rise.get(), what: "went on while the button was down" });
        }
    }
    for pair in edges.windows(2) {
        let [(from, true), (to, _)] = pair else { continue };
        let from = from.saturating_add(known);
        let rose = rises.iter().any(|rise| from <= *rise && rise < to);
        if !rose && to.saturating_sub(from) >= turn {
            return Err(RunError::Led { at: to.get(), what: "stayed off while the button was up" });
        }
    }
    Ok(())
}

fn message(high: bool, number: usize) -> String {
    format!("Button is {} ({number})\n", u8::from(high))
}

fn wrong(line: usize, expected: &str, found: &str) -> RunError {
    RunError::Output { line, expected: expected.trim_end().to_owned(), found: found.trim_end().to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edges(times: &[u64]) -> Vec<Edge> {
        times.iter().enumerate().map(|(index, at)| (Cycles::new(*at), index % 2 == 1)).collect()
    }

    #[test]
    fn each_edge_has_its_message() {
        let edges = edges(&[10, 20, 30]);
        assert!(check_each("Button is 0 (1)\nButton is 1 (2)\nButton is 0 (3)\n", &edges).is_ok());
        for (text, line) in [
            ("Button is 0 (1)\nButton is 1 (2)\n", 3),
            ("Button is 0 (1)\nButton is 0 (2)\nButton is 0 (3)\n", 2),
            ("Button is 0 (1)\nButton is 1 (2)\nButton is 0 (3)", 3),
            ("Button is 0 (1)\nButton is 1 (2)\nButton is 0 (3)\nx", 4),
        ] {
            let found = check_each(text, &edges);
            assert!(matches!(found, Err(RunError::Output { line: at, .. }) if at == line), "{text}: {found:?}");
        }
    }

    #[test]
    fn bounces_may_be_missed_but_not_miscounted() {
        let told = check_bounced("Button is 0 (1)\nButton is 0 (2)\nButton is 1 (3)\n", 4);
        assert_eq!(told.ok(), Some(vec![false, false, true]));
        assert!(check_bounced("Button is 0 (1)\nButton is 1 (3)\n", 4).is_err());
        assert!(check_bounced("Button is 0 (1)\nButton is 1 (2)\n", 1).is_err());
    }

    #[test]
    fn a_level_at_rest_that_was_told_wrong_is_counted() {
        let edges = edges(&[100, 101, 102, 200, 300]);
        let told = |told: &[(u64, bool)]| told.iter().map(|(at, high)| (Cycles::new(*at), *high)).collect::<Vec<_>>();
        let rest = Cycles::new(50);
        assert_eq!(misjudged(&told(&[(103, false), (203, true), (303, false)]), &edges, rest), 0);
        assert_eq!(misjudged(&told(&[(103, true), (203, true), (303, false)]), &edges, rest), 1);
        assert_eq!(misjudged(&told(&[(203, true)]), &edges, rest), 2);
    }

    #[test]
    fn the_led_follows_what_the_button_task_knows() {
        let edges = edges(&[1000, 2000, 5000]);
        let check = |rises: &[u64]| {
            let rises: Vec<Cycles> = rises.iter().copied().map(Cycles::new).collect();
            check_led(&rises, &edges, Cycles::new(50), Cycles::new(1000))
        };
        assert!(check(&[500, 2500, 4000]).is_ok());
        assert!(check(&[500, 1020, 2500]).is_ok(), "it is not known yet");
        assert!(check(&[500, 1500, 2500]).is_err());
        assert!(check(&[500]).is_err());
    }
}
