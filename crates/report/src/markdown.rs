//! Tables for a pull request or a document: GitHub-flavoured Markdown.

use crate::text::{TIE, visible};
use crate::{Align, Chart, Surface, Table};

/// The table as Markdown that ends in a newline.
pub fn markdown(table: &Table) -> String {
    let mut out = String::new();
    if !table.title.is_empty() {
        out.push_str(&format!("### {}\n\n", escaped(&table.title)));
    }
    for line in &table.head {
        out.push_str(&format!("{}\n\n", escaped(line)));
    }
    if !table.columns.is_empty() {
        push_row(&mut out, table.columns.iter().map(|column| escaped(&column.heading())));
        let rules = table.columns.iter().map(|column| match column.align {
            Align::Left => "---".to_owned(),
            Align::Right => "---:".to_owned(),
        });
        push_row(&mut out, rules);
        for row in table.full_rows() {
            push_row(&mut out, row.map(|cell| escaped(&cell.text)));
        }
    }
    for chart in &table.charts {
        let drawn = crate::chart::chart(&Chart { title: String::new(), ..chart.clone() }, Surface::default());
        out.push_str(&format!("\n{}\n\n```text\n{drawn}```\n", escaped(&chart.title)));
    }
    for line in &table.foot {
        out.push_str(&format!("\n{}\n", escaped(line)));
    }
    out.replace(TIE, " ")
}

fn push_row(out: &mut String, cells: impl Iterator<Item = String>) {
    out.push('|');
    for cell in cells {
        out.push_str(&format!(" {cell} |"));
    }
    out.push('\n');
}

/// `text` with what Markdown would take for markup escaped; an underscore inside a word is none (GFM, 6.2).
fn escaped(text: &str) -> String {
    let text: Vec<char> = visible(text).chars().collect();
    let mut out = String::with_capacity(text.len());
    for (index, &c) in text.iter().enumerate() {
        let inside_word = |place: Option<usize>| {
            place.and_then(|place| text.get(place)).is_some_and(|neighbour| neighbour.is_alphanumeric())
        };
        let markup = match c {
            '\\' | '|' | '<' | '*' | '`' | '[' | ']' => true,
            '_' => !(inside_word(index.checked_sub(1)) && inside_word(Some(index + 1))),
            _ => false,
        };
        if markup {
            out.push('\\');
        }
        out.push(c);
    }
    out
}
