//! Items with several names: where they are, and where others find them.

pub mod core;
pub mod stock;
pub mod raw;
mod third;
pub mod wrapped;
mod hidden;

pub use hidden::Till;
pub use stock::Stock;
