//! The data of the page's scripts: sections, runs, and the origin of each number, as compact JSON.
//!
//! Thousands of records share a few origins, so that origins, settings and models stand once each and are meant by their
//! index. Only the records that a cell means are in it.

use std::collections::BTreeMap;

use cyclescope_records::stats::{Histogram, Number};
use cyclescope_records::{Record, Scalar};
use serde::Serialize;
use serde_json::{Value, json};

use super::contents::{Page, PageError};
use super::run::{Flame, Run};
use super::section::{Cell, ContenderRow, Section};

/// The data of `page` as JSON that may stand inside a script element: `<`, `>` and `&` are escaped as JSON escapes them.
pub(crate) fn json(page: &Page) -> Result<String, PageError> {
    let mut behind = Behind::default();
    let sections: Vec<Value> = page.sections.iter().map(|each| section(each, &page.records, &mut behind)).collect();
    let runs: Vec<Value> = page.runs.iter().map(run).collect();
    let value = json!({
        "title": page.title,
        "sections": sections,
        "runs": runs,
        "records": behind.records,
        "origins": behind.origins.list,
        "settings": behind.settings.list,
        "models": behind.models.list,
        "facts": page.facts,
    });
    Ok(without_markup(&serde_json::to_string(&value)?))
}

pub(crate) fn without_markup(json: &str) -> String {
    json.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
}

/// The origins of the numbers, each once.
#[derive(Default)]
struct Behind {
    records: Vec<Value>,
    places: BTreeMap<usize, usize>,
    origins: Once,
    settings: Once,
    models: Once,
}

/// Values, each once.
#[derive(Default)]
struct Once {
    list: Vec<Value>,
    known: BTreeMap<String, usize>,
}

impl Once {
    fn place(&mut self, value: Value) -> usize {
        let list = &mut self.list;
        *self.known.entry(value.to_string()).or_insert_with(|| {
            list.push(value);
            list.len() - 1
        })
    }
}

#[derive(Serialize)]
struct Behold<'r> {
    mode: &'r str,
    params: &'r BTreeMap<String, Scalar>,
    metric: &'r str,
    unit: &'static str,
    n: u64,
    /// Texts: an integer beyond 2^53 is no number of JavaScript's.
    mean: String,
    stddev: String,
    min: String,
    median: String,
    p99: String,
    max: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    histogram: Option<Vec<[u64; 3]>>,
    origin: usize,
}

impl Behind {
    fn record(&mut self, index: usize, record: &Record) -> usize {
        if let Some(place) = self.places.get(&index) {
            return *place;
        }
        let model = record.model.as_ref().map(|known| self.models.place(json!(known)));
        let settings = self.settings.place(json!(record.settings));
        let origin = self.origins.place(json!({
            "experiment": record.experiment,
            "contender": record.contender,
            "version": record.contender_version,
            "compiler": record.compiler,
            "chip": record.chip,
            "clock": record.clock_hz,
            "opt": record.opt,
            "source": record.source.to_string(),
            "image": record.image_sha256,
            "settings": settings,
            "model": model,
        }));
        // One that holds nothing, or whose buckets end before they begin, cannot be drawn.
        let is_sound = |histogram: &&Histogram| {
            histogram.buckets.iter().any(|b| b.count > 0) && histogram.buckets.iter().all(|b| b.from <= b.to)
        };
        let buckets = |histogram: &Histogram| histogram.buckets.iter().map(|b| [b.from, b.to, b.count]).collect();
        let behold = Behold {
            mode: &record.mode,
            params: &record.params,
            metric: &record.metric,
            unit: record.unit.name(),
            n: record.n,
            mean: text(record.mean),
            stddev: text(record.stddev),
            min: text(record.min),
            median: text(record.median),
            p99: text(record.p99),
            max: text(record.max),
            histogram: record.histogram.as_ref().filter(is_sound).map(buckets),
            origin,
        };
        self.records.push(json!(behold));
        self.places.insert(index, self.records.len() - 1);
        self.records.len() - 1
    }
}

/// All digits there are.
fn text(number: Number) -> String {
    match number {
        Number::Integer(value) => crate::format::integer(value.into()),
        Number::Real(value) => value.to_string(),
    }
}

fn section(section: &Section, records: &[Record], behind: &mut Behind) -> Value {
    let mut cell = |cell: &Option<Cell>| {
        let cell = cell.as_ref()?;
        let record = behind.record(cell.record, records.get(cell.record)?);
        let known = json!([cell.value, cell.text, record, cell.statistic.name()]);
        Some(match &cell.luck {
            None => known,
            Some((range, layouts)) => json!([cell.value, cell.text, record, cell.statistic.name(), range, layouts]),
        })
    };
    let row = |row: &ContenderRow| Some(with(json!(row), "cells", row.cells.iter().map(&mut cell).collect()));
    let rows = section.rows.iter().map(row).collect();
    with(json!(section), "rows", rows)
}

/// Returns `object` with one member more.
fn with(mut object: Value, name: &str, member: Vec<Option<Value>>) -> Value {
    object[name] = json!(member);
    object
}

fn run(run: &Run) -> Value {
    let (again, cannot) = match &run.again {
        Ok(again) => (Some(again), None),
        Err(why) => (None, Some(why)),
    };
    let flame = run.flame.as_ref().map(flame);
    json!({"name": run.name, "title": run.title, "timeline": run.timeline, "flame": flame, "again": again, "cannot": cannot})
}

/// The tree of calls: each node its name, its parent's index (−1 for the root's children) and its cycles with all below.
fn flame(flame: &Flame) -> Value {
    let mut nodes: Vec<(String, i64, u64)> = Vec::new();
    let mut known: BTreeMap<(i64, &str), usize> = BTreeMap::new();
    for (path, own) in &flame.paths {
        let mut parent = -1;
        for name in path {
            let place = *known.entry((parent, name)).or_insert_with(|| {
                nodes.push((name.clone(), parent, 0));
                nodes.len() - 1
            });
            nodes[place].2 += own;
            parent = place as i64;
        }
    }
    json!({"total": flame.total, "asleep": flame.asleep, "nodes": nodes, "functions": flame.functions})
}

#[cfg(test)]
mod tests {
    use super::{flame, without_markup};
    use crate::page::Flame;

    #[test]
    fn nothing_in_the_data_ends_its_element() {
        assert_eq!(without_markup(r#"{"a":"</script><!--&"}"#), r#"{"a":"\u003c/script\u003e\u003c!--\u0026"}"#);
    }

    #[test]
    fn paths_become_a_tree_whose_parts_sum_up() {
        let path = |names: &[&str], own| (names.iter().map(|&name| name.to_owned()).collect(), own);
        let paths = vec![path(&["main"], 5), path(&["main", "f"], 7), path(&["irq", "f"], 1)];
        let tree = flame(&Flame { total: 13, paths, ..Flame::default() });
        assert_eq!(tree["nodes"].to_string(), r#"[["main",-1,12],["f",0,7],["irq",-1,1],["f",2,1]]"#);
    }
}
