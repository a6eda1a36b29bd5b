//! Checks of the program's output and LED, given the edges of its button.

use cyclescope_machine::units::{Cycles, Hertz};

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
/// there are no more than edges. The levels that were reported.
///
/// # Errors
/// [`RunError::Output`] with the first line that is wrong.
pub fn check_bounced(text: &str, edges: usize) -> Result<Vec<bool>, RunError> {
    let mut reported = Vec::new();
    for (number, found) in (1usize..).zip(text.split_inclusive('\n')) {
        let levels = [false, true];
        let Some(level) = levels.into_iter().find(|high| found == message(*high, number)) else {
            return Err(wrong(number, &message(true, number), found));
        };
        reported.push(level);
    }
    if reported.len() > edges {
        return Err(wrong(edges + 1, "nothing more", text.lines().nth(edges).unwrap_or_default()));
    }
    Ok(reported)
}

/// Of the times the button came to rest, for at least `rest`, how many the task took for the other level until the next
/// edge: the last of what it reported by then was wrong. `reported` are its tellings in order.
pub fn misjudged(reported: &[Edge], edges: &[Edge], rest: Cycles) -> u64 {
    let ends = edges.iter().skip(1).map(|(at, _)| *at).chain([Cycles::MAX]);
    let rests = edges.iter().zip(ends).filter(|((at, _), end)| end.saturating_sub(*at) >= rest);
    let wrong = rests.filter(|((_, level), end)| {
        let last = reported.partition_point(|(at, _)| at < end).checked_sub(1).and_then(|index| reported.get(index));
        // A button that nobody has heard of is up.
        last.is_none_or(|(_, reported)| reported != level)
    });
    wrong.count() as u64
}

/// The behaviour of an LED.
#[derive(Clone, Copy, Debug)]
pub struct Lamp {
    /// From one turn's beginning to the next, and how long it is on, each without `late`.
    turn: Cycles,
    on: Cycles,
    /// The time after the level is known in which the LED's task may still act on the level before. It is also the greatest
    /// error of the runtime's delays, which are of whole ticks.
    late: Cycles,
    /// The end of the run.
    end: Cycles,
}

impl Lamp {
    /// The program's: on for a tenth of a second, off for another.
    pub fn new(clock: Hertz, late: Cycles, end: Cycles) -> Self {
        let on = Cycles::new(clock.get() / 10);
        Self { turn: on + on, on, late, end }
    }
}

/// Checks that the LED, which went on at `rises` and off at `falls`, never went on when it had long been known that the
/// button was down, did so in each stretch of a turn in which the button was up, and stayed on for half a turn.
/// `edges` are the levels as the LED's task could know them; before the first of them the button is up.
///
/// # Errors
/// [`RunError::Led`] with the cycle at which it was wrong.
pub fn check_led(rises: &[Cycles], falls: &[Cycles], edges: &[Edge], lamp: &Lamp) -> Result<(), RunError> {
    let wrong = |at: Cycles, what| Err(RunError::Led { at: at.get(), what });
    for rise in rises {
        let before = edges.partition_point(|(at, _)| at <= rise);
        let known = before.checked_sub(1).and_then(|index| edges.get(index));
        if known.is_some_and(|(since, high)| !high && *rise >= since.saturating_add(lamp.late)) {
            return wrong(*rise, "went on while the button was down");
        }
        if let Some(fall) = falls.get(falls.partition_point(|fall| fall <= rise))
            && !(lamp.on.saturating_sub(lamp.late)..=lamp.on.saturating_add(lamp.late))
                .contains(&fall.saturating_sub(*rise))
        {
            return wrong(*rise, "was not on for 100 ms");
        }
    }
    let levels = [(Cycles::ZERO, true)].into_iter().chain(edges.iter().copied());
    let ends = edges.iter().map(|(at, _)| *at).chain([lamp.end]);
    for ((from, _), to) in levels.zip(ends).filter(|((_, high), _)| *high) {
        let longest = lamp.turn.saturating_add(lamp.late).saturating_add(lamp.late);
        let rose = rises.partition_point(|rise| *rise < from) != rises.partition_point(|rise| *rise < to);
        if !rose && to.saturating_sub(from) >= longest {
            return wrong(to, "stayed off while the button was up");
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
        let reported = check_bounced("Button is 0 (1)\nButton is 0 (2)\nButton is 1 (3)\n", 4);
        assert_eq!(reported.ok(), Some(vec![false, false, true]));
        assert!(check_bounced("Button is 0 (1)\nButton is 1 (3)\n", 4).is_err());
        assert!(check_bounced("Button is 0 (1)\nButton is 1 (2)\n", 1).is_err());
    }

    #[test]
    fn a_level_at_rest_that_was_told_wrong_is_counted() {
        let edges = edges(&[100, 101, 102, 200, 300]);
        let reported =
            |reported: &[(u64, bool)]| reported.iter().map(|(at, high)| (Cycles::new(*at), *high)).collect::<Vec<_>>();
        let rest = Cycles::new(50);
        assert_eq!(misjudged(&reported(&[(103, false), (203, true), (303, false)]), &edges, rest), 0);
        assert_eq!(misjudged(&reported(&[(103, true), (203, true), (303, false)]), &edges, rest), 1);
        assert_eq!(misjudged(&reported(&[(203, true)]), &edges, rest), 2);
    }

    #[test]
    fn the_led_follows_what_the_button_task_knows() {
        let edges = edges(&[1000, 2000, 5000]);
        let check = |rises: &[u64], on: u64| {
            let falls: Vec<Cycles> = rises.iter().map(|at| Cycles::new(at + on)).collect();
            let rises: Vec<Cycles> = rises.iter().copied().map(Cycles::new).collect();
            let lamp =
                Lamp { turn: Cycles::new(600), on: Cycles::new(300), late: Cycles::new(50), end: Cycles::new(5500) };
            check_led(&rises, &falls, &edges, &lamp)
        };
        assert!(check(&[0, 620, 2500, 3150, 4000], 300).is_ok());
        assert!(check(&[0, 620, 1020, 2500], 270).is_ok(), "it is not known yet");
        assert!(check(&[0, 620, 1500, 2500], 300).is_err());
        assert!(check(&[0, 620], 300).is_err(), "never again");
        assert!(check(&[2500], 300).is_err(), "not before the first press");
        for (next, right) in [(2699, true), (2700, false)] {
            let edges = [(1000, false), (2000, true), (next, false)].map(|(at, high)| (Cycles::new(at), high));
            let lamp =
                Lamp { turn: Cycles::new(600), on: Cycles::new(300), late: Cycles::new(50), end: Cycles::new(5500) };
            let found = check_led(&[Cycles::ZERO], &[Cycles::new(300)], &edges, &lamp);
            assert_eq!(found.is_ok(), right, "up from 2000 to {next}");
        }
        for on in [249, 351] {
            assert!(check(&[0, 2500], on).is_err() && check(&[2500], on).is_err(), "{on}");
        }
    }
}
