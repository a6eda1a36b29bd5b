//! Tests of the declarations, one program. A new file beside this one is named here.

mod described;
