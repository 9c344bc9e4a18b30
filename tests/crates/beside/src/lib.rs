//! What the tasks of one call do beside one another, with what that call has made for them.

pub mod branches;
pub mod rounds;
pub mod sources;
