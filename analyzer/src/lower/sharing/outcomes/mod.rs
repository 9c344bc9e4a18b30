//! Where outcomes of looks go: through which parts of locals, into which decisions, and out to whom.

pub(crate) mod alternatives;
pub(crate) mod asked;
mod calls;
pub(crate) mod captures;
pub(crate) mod decisive;
pub(crate) mod failing;
pub(crate) mod flows;
pub(crate) mod members;
pub(crate) mod numbers;
pub(crate) mod observed;
pub(crate) mod parts;
pub(crate) mod tested;
