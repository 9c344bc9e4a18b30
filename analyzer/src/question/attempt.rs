//! A first attempt at a question, for when there is little time for each.

use std::time::Duration;

use super::{Answered, Size};
use crate::case::Case;
use crate::reach::Engine;

impl Case {
    /// The answer, if a first attempt comes to one in `timeout` or a little more, as [`Case::answer`] would; else what it has found, which is
    /// not settled.
    pub fn attempt(&self, timeout: Duration) -> Answered {
        let (machine, now) = match self.begin(timeout) {
            Ok(begun) => begun,
            Err(answered) => return *answered,
        };
        let inquiry = |size| self.inquiry(&machine, (Engine::Quick, size), now + timeout);
        // The rest is for the same with fewer ways.
        let part = if self.has_many_ways() { timeout / 2 } else { timeout };
        let part = || self.inquiry(&machine, (Engine::Quick, Size::Small), now + part);
        if self.is_large()
            && let Some(answered) = inquiry(Size::Any).between(&self.question)
        {
            return answered;
        }
        let first = part().answer(&self.question).unwrap_or_else(Answered::late);
        if first.is_all() {
            return first;
        }
        let found = first.found().and_more(inquiry(Size::Any).few_ways(&self.question));
        Answered { settled: false, ..found }
    }
}
