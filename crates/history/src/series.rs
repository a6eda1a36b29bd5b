//! Metrics from entry to entry.

use std::collections::HashMap;

use cyclescope_records::stats::Number;
use cyclescope_records::{Record, Statistic, compare};
use rusqlite::params;

use crate::entry::unpacked;
use crate::{ChangePoint, Entry, History, HistoryError, change_points};

/// A metric of the file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MetricName {
    /// The experiment.
    pub experiment: String,
    /// The metric.
    pub metric: String,
    /// The unit.
    pub unit: String,
}

/// A value of a series.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// The place of the entry among those that the series was made of.
    pub entry: usize,
    /// The number of the record in the file.
    pub record: i64,
    /// The number of samples.
    pub n: u64,
    /// The value, by the statistic that was asked for.
    pub value: Number,
    /// The standard deviation of the samples.
    pub stddev: Number,
}

/// One metric of one configuration, from entry to entry.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Its newest record, without its model.
    pub record: Record,
    /// Its values, in the order of entries.
    pub points: Vec<Point>,
    /// True if all its values are exact.
    pub exact: bool,
    /// The points at which it changed.
    pub changes: Vec<ChangePoint>,
}

impl History {
    /// The metrics of `branch`, or of all branches, by experiment and name.
    ///
    /// # Errors
    /// [`HistoryError`].
    pub fn metrics(&self, branch: Option<&str>) -> Result<Vec<MetricName>, HistoryError> {
        let read = || -> rusqlite::Result<Vec<MetricName>> {
            let mut query = self.database.prepare(
                "SELECT DISTINCT experiment, metric, unit FROM record WHERE ?1 IS NULL OR id IN (SELECT record FROM \
                 entry_record JOIN entry ON entry.id = entry_record.entry WHERE branch = ?1) ORDER BY 1, 2, 3",
            )?;
            let rows = query.query_map(params![branch], |row| {
                Ok(MetricName { experiment: row.get(0)?, metric: row.get(1)?, unit: row.get(2)? })
            })?;
            rows.collect()
        };
        read().map_err(HistoryError::reading)
    }

    /// The series of the metric `name` over `entries`, in the order in which configurations first appear. A record continues the
    /// series whose last record is its partner in a comparison of files.
    ///
    /// # Errors
    /// [`HistoryError`].
    pub fn series(
        &self,
        name: &MetricName,
        entries: &[Entry],
        statistic: Statistic,
    ) -> Result<Vec<Series>, HistoryError> {
        let mut all = self.record_ids(name).map_err(HistoryError::reading)?;
        let mut known: HashMap<i64, Record> = HashMap::new();
        let mut series: Vec<Series> = Vec::new();
        for (place, entry) in entries.iter().enumerate() {
            let ids = all.remove(&entry.id).unwrap_or_default();
            let mut new = Vec::with_capacity(ids.len());
            for id in &ids {
                let record = match known.get(id) {
                    Some(record) => record,
                    None => known.entry(*id).or_insert(self.bare(*id)?),
                };
                new.push(record.clone());
            }
            let old: Vec<Record> = series.iter().map(|series| series.record.clone()).collect();
            let comparison = compare(&old, &new);
            // Records are told apart by where they lie, as two may be equal.
            let places = |all: &[Record]| -> HashMap<*const Record, usize> {
                all.iter().enumerate().map(|(place, record)| (std::ptr::from_ref(record), place)).collect()
            };
            let (old_places, new_places) = (places(&old), places(&new));
            let mut of: Vec<Option<usize>> = vec![None; new.len()];
            for pair in &comparison.pairs {
                let places =
                    (new_places.get(&std::ptr::from_ref(pair.new)), old_places.get(&std::ptr::from_ref(pair.old)));
                if let (Some(new), Some(old)) = places {
                    of[*new] = Some(*old);
                }
            }
            for ((id, record), old) in ids.into_iter().zip(new).zip(of) {
                let value = statistic.of(&record);
                let point = Point { entry: place, record: id, n: record.n, value, stddev: record.stddev };
                let exact = record.is_exact();
                match old.and_then(|old| series.get_mut(old)) {
                    Some(series) => {
                        series.exact &= exact;
                        series.points.push(point);
                        series.record = record;
                    }
                    None => series.push(Series { record, points: vec![point], exact, changes: Vec::new() }),
                }
            }
        }
        for one in &mut series {
            let values: Vec<Number> = one.points.iter().map(|point| point.value).collect();
            one.changes = change_points(&values, one.exact);
        }
        Ok(series)
    }

    /// The record with the number `id`, with its model.
    ///
    /// # Errors
    /// [`HistoryError`].
    pub fn record(&self, id: i64) -> Result<Record, HistoryError> {
        let text = "SELECT record.json, model.json FROM record LEFT JOIN model ON model.id = record.model \
                    WHERE record.id = ?1";
        let row = self.database.query_row(text, [id], |row| Ok((row.get(0)?, row.get(1)?)));
        let (json, model): (String, Option<String>) = row.map_err(HistoryError::reading)?;
        unpacked(&json, model.as_deref())
    }

    /// The numbers of the records of metric `name` in each entry that has some, in the entry's order.
    fn record_ids(&self, name: &MetricName) -> rusqlite::Result<HashMap<i64, Vec<i64>>> {
        let mut query = self.database.prepare(
            "SELECT entry, record.id FROM record JOIN entry_record ON entry_record.record = record.id \
             WHERE metric = ?1 AND experiment = ?2 AND unit = ?3 ORDER BY entry, position",
        )?;
        let mut rows = query.query(params![name.metric, name.experiment, name.unit])?;
        let mut all: HashMap<i64, Vec<i64>> = HashMap::new();
        while let Some(row) = rows.next()? {
            all.entry(row.get(0)?).or_default().push(row.get(1)?);
        }
        Ok(all)
    }

    /// The record with the number `id`, without its model.
    fn bare(&self, id: i64) -> Result<Record, HistoryError> {
        let json = || -> rusqlite::Result<String> {
            let mut query = self.database.prepare_cached("SELECT json FROM record WHERE id = ?1")?;
            query.query_row([id], |row| row.get(0))
        };
        unpacked(&json().map_err(HistoryError::reading)?, None)
    }
}
