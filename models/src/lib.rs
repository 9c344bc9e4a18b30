//! What library functions mean to the analysis, as data.
