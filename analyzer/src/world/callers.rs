//! Who does something, or calls somebody who does: found from those who do, up to their callers, so each call is looked at once.

use std::collections::{BTreeMap, BTreeSet};

use crate::world::actions::effects::{Action, Effects, Step};
use crate::world::points::points_to::InstId;

/// Who calls whom.
#[derive(Default)]
pub(crate) struct Callers(BTreeMap<InstId, Vec<InstId>>);

impl Callers {
    /// Reads the calls off what all instances do.
    pub fn of(effects: &[Effects]) -> Callers {
        let mut callers = Callers::default();
        for (inst, steps) in instances(effects) {
            for step in steps.iter().flatten() {
                if let Action::Call { callees, .. } = &step.action {
                    callees.iter().for_each(|callee| callers.add(inst, *callee));
                }
            }
        }
        callers
    }

    /// Notes a call.
    pub fn add(&mut self, caller: InstId, callee: InstId) {
        let known = self.0.entry(callee).or_default();
        // The calls of one instance come one after the other.
        if known.last() != Some(&caller) {
            known.push(caller);
        }
    }

    /// These, and whoever calls one of them, directly or by calls.
    pub fn with(&self, these: impl IntoIterator<Item = InstId>) -> BTreeSet<InstId> {
        let mut work: Vec<InstId> = these.into_iter().collect();
        let mut found: BTreeSet<InstId> = work.iter().copied().collect();
        while let Some(inst) = work.pop() {
            let callers = self.0.get(&inst).into_iter().flatten();
            work.extend(callers.filter(|caller| found.insert(**caller)));
        }
        found
    }
}

/// The instances that do such a step, directly or by calls.
pub(crate) fn doing(effects: &[Effects], does: impl Fn(&Step) -> bool) -> BTreeSet<InstId> {
    let does = instances(effects).filter(|(_, steps)| steps.iter().flatten().any(&does));
    Callers::of(effects).with(does.map(|(inst, _)| inst))
}

/// All instances, with what they do.
pub(crate) fn instances(effects: &[Effects]) -> impl Iterator<Item = (InstId, &Effects)> {
    effects.iter().enumerate().map(|(index, steps)| (InstId(index as u32), steps))
}
