//! Who does something, or calls somebody who does: found from those who do, up to their callers, so each call is looked at once. And what is
//! called by whom.

use std::collections::{BTreeMap, BTreeSet};

use crate::world::actions::effects::{Action, Effects, Step};
use crate::world::points::points_to::{Flow, InstId};

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

    /// Whoever calls an instance, directly.
    pub fn of_callee(&self, callee: InstId) -> &[InstId] {
        self.0.get(&callee).map_or(&[], Vec::as_slice)
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

/// These instances and all that they call: what nobody else notices still makes something of what it is given.
pub(crate) fn called_by_all(flow: &Flow<'_>, insts: &BTreeSet<InstId>) -> BTreeSet<InstId> {
    called_by(flow, insts.clone(), |_| true)
}

/// An instance, what it calls, and what that calls, as far as it is known which function it is.
pub(crate) fn surely_called_by(flow: &Flow<'_>, inst: InstId) -> BTreeSet<InstId> {
    called_by(flow, BTreeSet::from([inst]), |callees| callees.len() == 1)
}

/// These, and whoever they call, by calls of which the callees are wanted.
fn called_by(
    flow: &Flow<'_>,
    these: BTreeSet<InstId>,
    are_wanted: impl Fn(&BTreeSet<InstId>) -> bool,
) -> BTreeSet<InstId> {
    let mut work: Vec<InstId> = these.iter().copied().collect();
    let mut found = these;
    while let Some(inst) = work.pop() {
        for block in 0..flow.body_of(inst).blocks.len() as u32 {
            let called = flow.calls.get(&(inst, block)).map(|info| &info.callees);
            let called = called.filter(|callees| are_wanted(callees)).into_iter().flatten();
            work.extend(called.filter(|callee| found.insert(**callee)));
        }
    }
    found
}
