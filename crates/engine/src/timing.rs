//! Timing tables.

/// A core's timing rows: an index for each, `Id`, and the table, `ROWS`. Without rows, the indices alone and their number, `COUNT`.
#[macro_export]
macro_rules! timing_rows {
    ($($id:ident = $row:expr),+ $(,)?) => {
        $crate::timing_rows! { $($id),+ }

        const ROWS: &[cyclescope_machine::TimingRow; COUNT] = &[$($row),+];
    };
    ($($id:ident),+ $(,)?) => {
        #[derive(Clone, Copy)]
        #[repr(usize)]
        enum Id { $($id),+ }

        const COUNT: usize = [$(Id::$id),+].len();
    };
}
