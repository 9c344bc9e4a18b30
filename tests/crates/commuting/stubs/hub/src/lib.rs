//! A library that gives out another one.

pub use parking_lot;

/// What most users need.
pub mod prelude {
    pub use parking_lot::RwLock;
}
