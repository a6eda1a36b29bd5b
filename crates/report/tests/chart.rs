//! Charts: the same value in characters and as a picture.

use cyclescope_report::chart::{Axis, Chart, Point, Scale, Shape, chart};
use cyclescope_report::{Column, Surface, Table, markdown, svg, terminal};

/// Time against workers: one that scales to half of the ideal, and one that does not.
fn scaling() -> Chart {
    let workers = Axis::number("workers").on(Scale::Logarithmic).marked([1.0, 2.0, 4.0]);
    let time = Axis::quantity("time", "ms").on(Scale::Logarithmic);
    let mut chart = Chart::new("Time against workers", workers, time);
    let ideal = |first: f64| [1.0, 2.0, 4.0].map(|workers| Point::new(workers, first / workers));
    chart.series("joinset", Shape::Ideal, ideal(1000.0));
    let measured = [(1.0, 1000.0), (2.0, 700.0), (4.0, 500.0)];
    chart.series("joinset", Shape::Line, measured.map(|(x, y)| Point::new(x, y).within(y * 0.8, y * 1.25)));
    chart.series("await", Shape::Line, [(1.0, 1500.0), (2.0, 1500.0), (4.0, 1600.0)].map(|(x, y)| Point::new(x, y)));
    chart
}

/// The rows of the plot itself, without the margin of marks.
fn plot(text: &str) -> Vec<&str> {
    text.lines().filter_map(|line| line.split_once(['|', '+']).map(|(_, row)| row)).take(18).collect()
}

#[test]
fn a_pipe_gets_ascii_with_axes_units_and_a_letter_for_each_series() {
    let text = chart(&scaling(), Surface::default());
    assert!(text.is_ascii(), "{text}");
    assert!(text.starts_with("Time against workers\ntime (ms)\n"), "{text}");
    assert!(text.ends_with("A joinset   B await   . ideal   | confidence interval\n"), "{text}");
    assert!(text.lines().all(|line| line.len() <= 80 && line == line.trim_end()), "{text}");
    let rows = plot(&text);
    let column = |letter| {
        let mut found: Vec<usize> = rows.iter().flat_map(|row| row.match_indices(letter)).map(|(at, _)| at).collect();
        found.sort_unstable();
        found
    };
    // 1, 2 and 4 are equally far apart on this scale.
    let places = column('A');
    assert_eq!(places.len(), 3, "{text}");
    assert!((places[1] - places[0]).abs_diff(places[2] - places[1]) <= 1, "{places:?}\n{text}");
    let row = |letter: char| rows.iter().position(|row| row.contains(letter)).expect("it is drawn");
    assert!(row('B') < row('A'), "the slower one lies higher\n{text}");
    assert!(rows.iter().rposition(|row| row.contains('.')) > rows.iter().rposition(|row| row.contains('A')), "{text}");
    for mark in ["1,500 +", "1,000 +", "  500 +"] {
        assert!(text.contains(mark), "{mark}\n{text}");
    }
}

#[test]
fn a_terminal_gets_its_width_lines_and_colours() {
    let text = chart(&scaling(), Surface { width: Some(60), colour: true });
    assert!(text.contains('└') && text.contains("\x1b[36mA"), "{text}");
    let plain = chart(&scaling(), Surface { width: Some(60), colour: false });
    assert!(!plain.contains('\x1b') && plain.lines().all(|line| line.chars().count() <= 60), "{plain}");
    // However narrow or wide a terminal says it is.
    for width in [0, 1, 40, u16::MAX] {
        assert!(chart(&scaling(), Surface { width: Some(width), colour: true }).contains("workers"));
    }
}

#[test]
fn what_cannot_be_shown_is_left_out_and_nothing_panics() {
    let empty = Chart::new("none", Axis::number("x"), Axis::number("y"));
    assert!(chart(&empty, Surface::default()).contains("nothing to show"));
    assert!(svg(&[&empty]).is_ok() && svg(&[]).is_ok());
    let mut odd = Chart::new("odd\x1b[31m", Axis::number("x").on(Scale::Logarithmic), Axis::number("<y>"));
    odd.series(
        "a",
        Shape::Line,
        [(0.0, 1.0), (1.0, f64::NAN), (2.0, f64::INFINITY), (3.0, 5.0)].map(|(x, y)| Point::new(x, y)),
    );
    let text = chart(&odd, Surface::default());
    assert!(!text.contains('\x1b') && text.matches('A').count() == 2, "one point and the legend\n{text}");
    let drawn = svg(&[&odd]).expect("it is drawn");
    assert!(!drawn.contains("<y>") && !drawn.contains('\x1b') && drawn.contains("&lt;y&gt;"), "{drawn}");
}

#[test]
fn a_picture_holds_all_charts_with_their_marks_and_names() {
    let drawn = svg(&[&scaling(), &scaling()]).expect("it is drawn");
    assert!(drawn.starts_with("<svg ") && drawn.trim_end().ends_with("</svg>"), "{drawn}");
    for text in ["Time against workers", "time (ms)", "joinset", "await", "dashed: ideal", "1,000"] {
        assert!(drawn.matches(text).count() >= 2, "{text} once a chart");
    }
}

#[test]
fn a_name_of_a_picture_stands_behind_a_swatch_that_can_be_seen() {
    let drawn = svg(&[&scaling()]).expect("it is drawn");
    let number = |tag: &str, name: &str| -> f64 {
        let (_, rest) = tag.split_once(&format!(" {name}=\"")).unwrap_or_else(|| panic!("{name} of {tag}"));
        rest.split('"').next().and_then(|value| value.parse().ok()).unwrap_or_else(|| panic!("{name} of {tag}"))
    };
    let rects: Vec<&str> = drawn.split('<').filter(|tag| tag.starts_with("rect ")).collect();
    assert_eq!(rects.len(), 3, "the ground, and a swatch for each of two series\n{drawn}");
    for rect in rects {
        assert!(number(rect, "width") >= 10.0 && number(rect, "height") >= 6.0, "{rect}");
        let line = rect.contains("#FFFFFF") || drawn.matches(&*colour(rect)).count() > 1;
        assert!(line, "nothing drawn has the colour of {rect}");
    }
    let texts: Vec<&str> = drawn.split('<').filter(|tag| tag.starts_with("text ")).collect();
    for text in texts {
        assert!((0.0..900.0).contains(&number(text, "x")), "{text}");
    }
}

/// The `fill` of a tag's colour.
fn colour(tag: &str) -> String {
    tag.split("fill=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap_or_default().to_owned()
}

#[test]
fn a_table_has_its_charts_below_its_rows() {
    let mut table = Table::new("t", [Column::text("variant")]);
    table.row(["joinset"]).chart(scaling()).note("the note");
    let text = terminal(&table, Surface::default());
    let at = |what: &str| text.find(what).expect(what);
    assert!(at(" joinset\n") < at("Time against workers") && at("workers\n") < at("the note"), "{text}");
    let text = markdown(&table);
    assert!(
        text.contains("\nTime against workers\n\n```text\ntime (ms)\n") && text.contains("```\n\nthe note\n"),
        "{text}"
    );
}
