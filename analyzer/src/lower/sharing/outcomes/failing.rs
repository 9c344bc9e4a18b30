//! What a look must not find: with these values its event panics.

use std::ops::RangeInclusive;

use robust_models::Value as ModelValue;

use crate::lower::sharing::basis::{AccessAt, Search};
use crate::lower::sharing::followed::Followed;
use crate::mir::{Local, TerminatorKind};
use crate::world::actions::cfg::panics;
use crate::world::actions::effects::{Action, Touch, Tracked};
use crate::world::points::points_to::InstId;

impl Search<'_, '_> {
    /// The values of a variable, where these are followed, with which the event of a look panics: by a branch of a `match`, or an `unwrap`.
    pub(in crate::lower::sharing) fn failing(&self, (inst, block, number): AccessAt) -> Vec<i128> {
        let step = &self.facts.effects[inst.0 as usize][block][number];
        match &step.action {
            Action::Access { touch: Touch::Read, tracked: Some(Tracked::Get(local)), .. } => {
                let all = self.vars((inst, block, number)).iter().find_map(|var| {
                    match self.sharing.vars[*var].domain? {
                        Followed::Variant { lo, hi, .. } => Some(lo..=hi),
                        _ => None,
                    }
                });
                self.panicking(inst, *local, all)
            }
            Action::Access { touch: Touch::Read, tracked: Some(Tracked::Tag(local, as_it_is)), .. } => {
                let fails = |value: i128| if *as_it_is { value } else { 1 - value };
                match self.is_unwrapped(inst, *local) {
                    true => vec![fails(0)],
                    false => self.panicking(inst, *local, Some(0..=1)).into_iter().map(fails).collect(),
                }
            }
            _ => Vec::new(),
        }
    }

    /// Whether a local is given to what panics unless it is something.
    fn is_unwrapped(&self, inst: InstId, local: Local) -> bool {
        let body = self.flow.body_of(inst);
        self.cfg(inst).reached.iter().any(|&block| {
            let TerminatorKind::Call(call) = &body.blocks[block].terminator.kind else { return false };
            let given = call.args.first().and_then(|arg| arg.place()?.as_local());
            let asserts = || self.flow.model_at(inst, block)?.value;
            given == Some(local) && asserts() == Some(ModelValue::Asserts)
        })
    }

    /// The values of a local, of all that it may have, if these are known, with which a branch on it leads to a panic.
    fn panicking(&self, inst: InstId, local: Local, all: Option<RangeInclusive<i128>>) -> Vec<i128> {
        let body = self.flow.body_of(inst);
        let mut found = Vec::new();
        for &block in &self.cfg(inst).reached {
            let TerminatorKind::SwitchInt { on, targets, otherwise } = &body.blocks[block].terminator.kind
            else {
                continue;
            };
            if on.place().and_then(|place| place.as_local()) != Some(local) {
                continue;
            }
            let failing = targets.iter().filter(|(_, to)| panics(body, to.0 as usize));
            found.extend(failing.filter_map(|(value, _)| i128::try_from(*value).ok()));
            if otherwise.is_some_and(|to| panics(body, to.0 as usize)) {
                let named =
                    |value: &i128| targets.iter().any(|(named, _)| i128::try_from(*named) == Ok(*value));
                found.extend(all.clone().into_iter().flatten().filter(|value| !named(value)));
            }
        }
        found
    }
}
