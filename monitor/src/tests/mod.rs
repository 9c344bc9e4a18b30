//! The runtime as programs drive it, held against what its tables were made of.

mod decided;
mod order;
mod slices;

use std::panic::Location;

use robust_analyzer::cor::{self, check::Checked, print};

use crate::report::{Watch, Where};
use crate::table::{self, Sites};

/// What is watched: these properties, nowhere else told of.
fn watch(checked: &Checked) -> &'static Watch {
    let watched = print::watched(checked);
    assert_eq!(watched.left, []);
    // There is one in each program, and it is never dropped.
    Box::leak(Box::new(Watch::new(table::read(&watched.tables(), None), Sites::default(), Where::default())))
}

fn built_in() -> &'static Watch {
    watch(&cor::read(cor::BUILT_IN, "lifecycle.cor").expect("it makes sense"))
}

#[track_caller]
fn here() -> &'static Location<'static> {
    Location::caller()
}
