//! Tables on terminals of many widths: nothing is wider, broken or lost without a word.

use cyclescope_report::{Cell, Column, Surface, TIE, Table, terminal};
use proptest::prelude::*;

/// A random table: words and numbers, some columns with a rank.
fn tables() -> impl Strategy<Value = Table> {
    let word = "[a-z]{1,14}";
    let prose = proptest::collection::vec(word, 0..9).prop_map(|words| words.join(" "));
    let column = (any::<bool>(), 0u8..4, "[a-z]{1,9}( [a-z]{1,9})?", proptest::option::of("[a-z]{1,6}"));
    let columns = proptest::collection::vec(column, 1..12);
    columns.prop_flat_map(move |columns| {
        let cell = (prose.clone(), -9_999_999_999i64..9_999_999_999);
        let rows = proptest::collection::vec(proptest::collection::vec(cell, columns.len()), 1..5);
        rows.prop_map(move |rows| {
            let heads = columns.iter().enumerate().map(|(index, (text, rank, name, unit))| {
                let name = format!("{name}-{index}");
                let column = match unit {
                    _ if *text => Column::text(name),
                    Some(unit) => Column::quantity(name, unit.as_str()),
                    None => Column::number(name),
                };
                column.rank(*rank)
            });
            let mut table = Table::new("", heads);
            for row in rows {
                let cells = row.iter().zip(&columns);
                table.row(cells.map(|((prose, number), (text, ..))| {
                    Cell::from(if *text { prose.clone() } else { number.to_string() })
                }));
            }
            table
        })
    })
}

fn on(table: &Table, width: u16) -> String {
    terminal(table, Surface { width: Some(width), colour: false })
}

/// The words of all cells of the columns that `drawn` does not name as left out.
fn words_shown<'t>(table: &'t Table, drawn: &str) -> Vec<&'t str> {
    let kept =
        |index: &usize| !drawn.split("Left out for want of room").nth(1).is_some_and(|note| named(note, table, *index));
    let kept: Vec<usize> = (0..table.columns.len()).filter(kept).collect();
    let cells = table.rows.iter().flat_map(|row| kept.iter().map(|index| row[*index].text.as_str()));
    // A column of empty cells goes without a word.
    let filled = |index: &&usize| table.rows.iter().any(|row| !row[**index].text.is_empty());
    let heads = kept.iter().filter(filled).map(|index| table.columns[*index].name.as_str());
    cells.chain(heads).flat_map(str::split_whitespace).collect()
}

/// Tells if `note` names the column at `index`.
fn named(note: &str, table: &Table, index: usize) -> bool {
    let tag = format!("-{index}");
    let _ = table;
    note.split([' ', ';', '.', '\n']).any(|word| word.ends_with(&tag))
}

proptest! {
    #[test]
    fn no_line_is_wider_than_the_terminal(table in tables(), width in 72u16..=200) {
        let drawn = on(&table, width);
        for line in drawn.lines() {
            prop_assert!(line.chars().count() <= usize::from(width), "{width}: {line}\n{drawn}");
        }
    }

    #[test]
    fn words_stay_whole_and_columns_that_are_left_out_are_named(table in tables(), width in 72u16..=200) {
        let drawn = on(&table, width);
        let seen: std::collections::HashSet<&str> = drawn.split_whitespace().collect();
        for word in words_shown(&table, &drawn) {
            prop_assert!(seen.contains(word), "{width}: {word} is broken or missing\n{drawn}");
        }
    }

    #[test]
    fn a_pipe_loses_nothing_and_has_a_line_a_row(table in tables()) {
        let drawn = terminal(&table, Surface::default());
        let units = usize::from(table.columns.iter().any(|column| column.unit.is_some()));
        prop_assert_eq!(drawn.lines().count(), 2 + units + table.rows.len());
        let seen: std::collections::HashSet<&str> = drawn.split_whitespace().collect();
        for word in words_shown(&table, "") {
            prop_assert!(seen.contains(word), "{word} is missing\n{drawn}");
        }
    }

    #[test]
    fn columns_without_a_rank_stay(table in tables(), width in 72u16..=200) {
        let drawn = on(&table, width);
        let note = drawn.split("Left out for want of room").nth(1).unwrap_or("");
        for (index, column) in table.columns.iter().enumerate() {
            prop_assert!(column.rank > 0 || !named(note, &table, index), "{width}: {}\n{drawn}", column.name);
        }
    }
}

#[test]
fn the_greatest_rank_goes_first_and_the_width_that_shows_all_is_right() {
    let columns =
        [Column::text("name"), Column::number("a").rank(1), Column::number("b").rank(3), Column::number("c").rank(2)];
    let mut table = Table::new("", columns);
    let number = "1".repeat(20);
    table.row(["here".to_owned(), number.clone(), number.clone(), number]);
    assert!(on(&table, 60).contains("Left out for want of room: b. A terminal of 72 columns"), "{}", on(&table, 60));
    assert!(on(&table, 71).contains("Left out"));
    assert!(!on(&table, 72).contains("Left out"), "{}", on(&table, 72));
    assert!(on(&table, 40).contains("Left out for want of room: b; c."));
}

#[test]
fn empty_columns_go_first_and_without_a_word() {
    let columns = [Column::text("name"), Column::text("setting"), Column::number("a").rank(1)];
    let mut table = Table::new("", columns);
    table.row(["here", "", "1234567890"]).row(["there", "", "2"]);
    assert!(on(&table, 40).contains("setting"));
    let mut wide = table.clone();
    wide.row(["x".repeat(25), String::new(), "3".to_owned()]);
    let drawn = on(&wide, 40);
    assert!(!drawn.contains("setting") && drawn.contains("1234567890") && !drawn.contains("Left out"), "{drawn}");
    assert!(terminal(&wide, Surface::default()).contains("setting"), "a pipe has all columns");
    let none = Table::new("", [Column::text("n".repeat(30)), Column::text("m".repeat(30))]);
    assert!(on(&none, 40).contains("nnn"), "a table without rows keeps its headings");
}

#[test]
fn a_heading_in_the_note_stays_with_its_unit() {
    let column = |name: &str, rank| Column::quantity(name, "cycles / µs").rank(rank);
    let mut table = Table::new("", [column("mean", 0), column("stddev", 3), column("p99", 2), column("median", 1)]);
    table.row(vec!["1".repeat(30); 4]);
    for width in 72..120 {
        let drawn = on(&table, width);
        let (_, note) = drawn.split_once("Left out for want of room: ").expect("a note");
        for name in ["stddev", "p99", "median"].iter().filter(|name| note.contains(**name)) {
            assert!(note.contains(&format!("{name} (cycles / µs)")), "{width}: {note}");
        }
    }
}

#[test]
fn prose_that_lacks_little_is_not_broken_and_tied_words_stay_together() {
    let mut table = Table::new("", ["where", "these", "so"].map(Column::text));
    let pairs = ["embassy 434.2,", "rtic 310.0,", "lilos 303.5,", "freertos 475.5"].map(|pair| pair.replace(' ', TIE));
    table.row(["stm32c031c6 one 3", &pairs.join(" "), "1 of 1"]);
    let drawn = on(&table, 50);
    assert!(drawn.contains("stm32c031c6 one 3 "), "{drawn}");
    for pair in pairs {
        assert!(drawn.contains(&pair.replace(TIE, " ")), "{pair}: {drawn}");
    }
    assert!(!drawn.contains(TIE) && !cyclescope_report::markdown(&table).contains(TIE));
}

#[test]
fn a_column_of_long_words_has_its_room_beside_much_prose() {
    let mut table = Table::new("", ["name", "first", "second", "third"].map(Column::text));
    let (long, prose) = ("a-name-without-any-place-to-break", "so many words ".repeat(20));
    table.row([long, &prose, &prose, &prose]);
    for width in 90..=200 {
        let drawn = on(&table, width);
        assert!(drawn.contains(long), "{width}\n{drawn}");
    }
}

#[test]
fn what_is_too_wide_without_ranks_is_split_and_each_part_names_its_rows() {
    let heads = std::iter::once(Column::text("name")).chain((0..8).map(|index| Column::number(format!("n{index}"))));
    let mut table = Table::new("", heads);
    table.row(std::iter::once("row".to_owned()).chain((0..8).map(|index| format!("{index}23,456,789,012"))));
    let drawn = on(&table, 80);
    assert_eq!(drawn.matches("name").count(), 2, "{drawn}");
    assert_eq!(drawn.matches(" row ").count(), 2, "{drawn}");
    assert!((0..8).all(|index| drawn.contains(&format!("n{index}"))), "{drawn}");
}

#[test]
fn parts_repeat_as_many_names_as_tell_rows_apart() {
    let heads = ["form", "runtime", "futures"].map(Column::text);
    let mut table = Table::new("", heads.into_iter().chain((0..6).map(|index| Column::number(format!("n{index}")))));
    for runtime in ["a-runtime-of-many-threads", "a-runtime-of-one-thread"] {
        for futures in ["spawned", "plain"] {
            let names = ["futures-unordered", runtime, futures].map(str::to_owned);
            table.row(names.into_iter().chain((0..6).map(|index| format!("{index}23,456,789"))));
        }
    }
    let drawn = on(&table, 80);
    let rows = drawn.lines().filter(|line| line.contains("futures-unordered"));
    assert!(rows.clone().count() >= 12, "{drawn}");
    assert!(rows.clone().all(|row| row.contains("a-runtime") && row.contains("p")), "{drawn}");
}

#[test]
fn symbols_lose_their_middle_on_terminals_alone() {
    let mut table = Table::new("", [Column::symbol("function"), Column::number("cycles")]);
    let name = format!("<core::iter::adapters::{}<T>>::next", "Map".repeat(100));
    table.row([name.as_str(), "12"]);
    let drawn = on(&table, 80);
    assert!(drawn.contains("<core::iter") && drawn.contains("::next") && drawn.contains('…'), "{drawn}");
    assert!(drawn.contains("… stands for the middle of a long name"), "{drawn}");
    assert!(drawn.lines().all(|line| line.chars().count() <= 80), "{drawn}");
    let piped = terminal(&table, Surface::default());
    assert!(piped.contains(&name) && !piped.contains('…'), "{piped}");
}

#[test]
fn names_that_would_look_the_same_are_cut_around_their_difference() {
    let mut table = Table::new("", [Column::symbol("function"), Column::number("cycles")]);
    let tasks = ["__send_task::__send", "__report_task::__report", "__blink_task::__blink"];
    for task in tasks {
        let name =
            format!("<embassy_executor::raw::TaskStorage<button::{task}_task_inner_function::{{closure#0}}>>::poll");
        table.row([name.as_str(), "12"]);
    }
    // Other columns leave a line's half.
    table.columns.extend((0..4).map(|_| Column::number("0123456789")));
    let drawn = on(&table, 80);
    for task in ["…__send_task", "…__report_task", "…__blink_task"] {
        assert_eq!(drawn.lines().filter(|line| line.contains(task) && line.contains(" 12")).count(), 1, "{drawn}");
    }
    assert!(drawn.contains("… stands for the middle"), "{drawn}");
}

#[test]
fn names_that_would_look_the_same_take_more_lines() {
    let mut table = Table::new("", [Column::symbol("function"), Column::number("cycles")]);
    let name = |task: &str| format!("<executor::raw::{}{task}{}>::poll", "Task".repeat(15), "Storage".repeat(9));
    for task in ["red", "blue"] {
        table.row([name(task).as_str(), "12"]);
    }
    let drawn = on(&table, 72);
    let told: String = drawn.split_whitespace().collect();
    assert!(told.contains("red") && told.contains("blue"), "{drawn}");
    assert!(drawn.lines().all(|line| line.chars().count() <= 72), "{drawn}");
}

#[test]
fn a_note_below_several_tables_stands_below_the_last() {
    let noted =
        |notes: &[&str]| Table { foot: notes.iter().map(|note| (*note).to_owned()).collect(), ..Table::default() };
    let told = cyclescope_report::once(&[noted(&["a", "(1) x", "b"]), noted(&["c", "a", "(1) x"])]);
    assert_eq!(told[0].foot, ["(1) x", "b"]);
    assert_eq!(told[1].foot, ["c", "a", "(1) x"]);
}

#[test]
fn names_of_groups_have_rows_of_their_own_where_a_terminal_has_no_room() {
    let number = |name: &str, rank| Column::number(name).rank(rank);
    let columns = [Column::text("who"), Column::text("setting"), Column::text("metric")];
    let columns =
        columns.into_iter().chain([number("old", 0), number("new", 0), number("more", 2), number("ratio", 1)]);
    let mut table = Table::new("", columns);
    table.groups = 2;
    for setting in ["CoroutineSchedulingAlone", "CoroutineSchedulingBesideAProfiler"] {
        for metric in ["elapsed.own_clock", "instructions"] {
            table.row(["freertos", setting, metric, "9,816,440", "19,632,880", "+9,816,440", "2.0000"]);
        }
    }
    let narrow = on(&table, 80);
    assert!(narrow.lines().all(|line| line.chars().count() <= 80), "{narrow}");
    for word in ["ratio", "more", "2.0000", "19,632,880", "freertos CoroutineSchedulingAlone"] {
        assert!(narrow.contains(word), "{word}: {narrow}");
    }
    assert_eq!(narrow.matches("freertos").count(), 2, "once a group: {narrow}");
    let wide = on(&table, 160);
    assert_eq!(wide.matches("freertos").count(), 4, "once a row: {wide}");
    assert_eq!(terminal(&table, Surface::default()).matches("freertos").count(), 4);
}
