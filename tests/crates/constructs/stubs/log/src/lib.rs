//! A macro that logs.

/// Writes a line.
#[macro_export]
macro_rules! info {
    ($($text:tt)*) => {
        $crate::write(format_args!($($text)*))
    };
}

/// Where lines go.
pub fn write(line: std::fmt::Arguments<'_>) {
    let _ = line;
}
