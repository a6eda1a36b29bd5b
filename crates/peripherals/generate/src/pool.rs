//! Values that are kept once.

use std::collections::HashMap;
use std::hash::Hash;

/// Different values in the order in which they came, each with its place.
#[derive(Debug)]
pub struct Pool<T> {
    places: HashMap<T, u16>,
    values: Vec<T>,
}

impl<T> Default for Pool<T> {
    fn default() -> Self {
        Self { places: HashMap::new(), values: Vec::new() }
    }
}

impl<T: Clone + Eq + Hash> Pool<T> {
    /// The place of `value`.
    pub fn place(&mut self, value: T) -> u16 {
        if let Some(place) = self.places.get(&value) {
            return *place;
        }
        let place = u16::try_from(self.values.len()).expect("no family has as many");
        self.places.insert(value.clone(), place);
        self.values.push(value);
        place
    }

    /// The values, by place.
    pub fn into_values(self) -> Vec<T> {
        self.values
    }
}
