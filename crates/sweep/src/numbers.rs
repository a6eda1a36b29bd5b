//! Numbers of an axis: a list, or so many at equal distances.

use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

/// The numbers of an axis, in the order of their points.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Numbers {
    /// These.
    List(Vec<u64>),
    /// `count` numbers from `from` on, each `step` more than the one before.
    Series(Series),
}

/// Numbers at equal distances.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Series {
    /// The first.
    pub from: u64,
    /// Their number.
    pub count: u64,
    /// The distance from one to the next.
    #[serde(default = "one")]
    pub step: u64,
}

const fn one() -> u64 {
    1
}

impl Default for Numbers {
    fn default() -> Self {
        Self::List(Vec::new())
    }
}

impl Numbers {
    /// Returns how many there are.
    pub fn count(&self) -> u64 {
        match self {
            Self::List(all) => all.len() as u64,
            Self::Series(series) => series.count,
        }
    }

    /// Tells if there are none.
    pub fn is_empty(&self) -> bool {
        self.count() == 0
    }

    /// Returns the number at `place`, from 0; `None` behind the last one, and for one of more than 64 bits.
    pub fn get(&self, place: u64) -> Option<u64> {
        match self {
            Self::List(all) => all.get(usize::try_from(place).ok()?).copied(),
            Self::Series(Series { from, count, step }) => {
                let place = (place < *count).then_some(place)?;
                from.checked_add(step.checked_mul(place)?)
            }
        }
    }
}

impl<'de> Deserialize<'de> for Numbers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Reader)
    }
}

/// Reads a list, a table or one number.
struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Numbers;

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("a list of numbers such as [1, 2, 3], or a table such as {from = 1, count = 100}")
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Numbers, E> {
        Ok(Numbers::List(vec![number]))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Numbers, E> {
        u64::try_from(number).map(|number| Numbers::List(vec![number])).map_err(|_| E::custom("a number is negative"))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Numbers, A::Error> {
        let mut all = Vec::new();
        while let Some(number) = list.next_element()? {
            all.push(number);
        }
        Ok(Numbers::List(all))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Numbers, A::Error> {
        Series::deserialize(MapAccessDeserializer::new(map)).map(Numbers::Series)
    }
}
