//! Reasons for a note: nothing says that it was meant as one step, or that anybody minds.

pub(crate) mod belonging;
pub(crate) mod memo;
pub(crate) mod outlived;
pub(crate) mod runs;
pub(crate) mod scattered;
pub(crate) mod statistics;
pub(crate) mod total;
pub(crate) mod under_way;
pub(crate) mod unlocked;
pub(crate) mod unobserved;
pub(crate) mod unrelated;
