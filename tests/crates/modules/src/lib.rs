//! Items with several names: where they are, and where others find them.

pub mod stock;
mod third;
pub mod wrapped;
mod hidden;

pub use hidden::Till;
pub use stock::Stock;
