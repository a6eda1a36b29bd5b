//! A grid of characters on which paths and points are drawn.

/// A character in a colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ink {
    pub(super) symbol: char,
    /// The code of the colour on a terminal.
    pub(super) colour: u8,
}

/// The characters of a plot; later ones cover earlier ones. Places are parts of its width and its height, 0 to 1 from the
/// lower left.
#[derive(Debug)]
pub(super) struct Grid {
    columns: usize,
    cells: Vec<Option<Ink>>,
}

impl Grid {
    /// An empty grid of `columns` and `rows`, neither 0.
    pub(super) fn new(columns: u16, rows: u16) -> Self {
        let columns = usize::from(columns);
        Self { columns, cells: vec![None; columns * usize::from(rows)] }
    }

    /// The characters of a row, from the top.
    pub(super) fn row(&self, row: u16) -> &[Option<Ink>] {
        &self.cells[usize::from(row) * self.columns..][..self.columns]
    }

    /// Draws a character.
    pub(super) fn point(&mut self, place: (f64, f64), ink: Ink) {
        let (column, row) = self.cell(place);
        self.cells[row * self.columns + column] = Some(ink);
    }

    /// Draws straight lines between neighbouring places.
    pub(super) fn path(&mut self, places: &[(f64, f64)], ink: Ink) {
        for pair in places.windows(2) {
            self.line(self.cell(pair[0]), self.cell(pair[1]), ink);
        }
    }

    /// Draws a line by the algorithm of Bresenham: one character in each column, or in each row of a steep line.
    fn line(&mut self, from: (usize, usize), to: (usize, usize), ink: Ink) {
        let steep = from.1.abs_diff(to.1) >= from.0.abs_diff(to.0);
        let turned = |(column, row): (usize, usize)| if steep { (row, column) } else { (column, row) };
        let (first, last) = (turned(from).min(turned(to)), turned(from).max(turned(to)));
        let (length, height) = ((last.0 - first.0) as isize, first.1.abs_diff(last.1) as isize);
        let (mut across, mut risen) = (first.1, 0);
        for along in first.0..=last.0 {
            let (column, row) = turned((along, across));
            self.cells[row * self.columns + column] = Some(ink);
            risen += 2 * height;
            if risen > length && along < last.0 {
                across = if last.1 > first.1 { across + 1 } else { across - 1 };
                risen -= 2 * length;
            }
        }
    }

    /// The column and the row, from the top, of a place.
    fn cell(&self, (x, y): (f64, f64)) -> (usize, usize) {
        let rows = self.cells.len() / self.columns;
        let at = |part: f64, count: usize| (part.clamp(0.0, 1.0) * (count - 1) as f64).round() as usize;
        (at(x, self.columns), at(1.0 - y, rows))
    }
}

#[cfg(test)]
mod tests {
    use super::{Grid, Ink};

    fn drawn(paths: &[&[(f64, f64)]]) -> Vec<String> {
        let mut grid = Grid::new(9, 5);
        for (path, symbol) in paths.iter().zip('a'..) {
            grid.path(path, Ink { symbol, colour: 36 });
        }
        (0..5).map(|row| grid.row(row).iter().map(|cell| cell.map_or('.', |ink| ink.symbol)).collect()).collect()
    }

    #[test]
    fn lines_reach_their_ends_without_gaps_in_every_direction() {
        let path = [(0.0, 0.25), (1.0, 1.0)];
        let flat = [".......aa", ".....aa..", "..aaa....", "aa.......", "........."];
        assert_eq!(drawn(&[&path]), flat);
        assert_eq!(drawn(&[&[path[1], path[0]]]), flat);
        let cross = ["a...b...c", "aa..b....", "..a.b....", "....b....", "....b...."];
        assert_eq!(
            drawn(&[&[(0.0, 1.0), (0.25, 0.5), (0.0, 0.75)], &[(0.5, 0.0), (0.5, 1.0)], &[(1.0, 1.0); 2]]),
            cross
        );
    }
}
