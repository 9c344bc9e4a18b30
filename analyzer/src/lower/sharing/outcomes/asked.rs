//! What is asked of looks: whether there is something, or also what it is.

use std::collections::BTreeMap;

use crate::ir::{Basis, BasisId, Facet};
use crate::lower::sharing::basis::{AccessAt, Search};
use crate::mir::{Local, TerminatorKind};
use crate::world::actions::effects::{Action, Touch};
use crate::world::points::points_to::InstId;
use crate::world::values::presence::Presence;
use crate::world::values::stale::{At, Called};
use crate::world::values::value::Values;

/// More instances on the ways to a change are not looked at.
const MOST_CALLERS: usize = 64;

/// By instance: the blocks that come to something, by themselves or by what they call.
type Leading = BTreeMap<InstId, Vec<usize>>;

impl Search<'_, '_> {
    /// What is asked of a look.
    pub(in crate::lower::sharing) fn asked(&self, inst: InstId, at: At) -> Option<Facet> {
        let called = |block: usize| Called::of(self.flow, inst, block);
        self.presence(inst, &called).asked(at)
    }

    /// What is asked of what the functions give that an instance calls.
    pub(in crate::lower::sharing) fn presence<'s>(
        &'s self,
        inst: InstId,
        called: &'s dyn Fn(usize) -> Called,
    ) -> Presence<'s> {
        Presence { body: self.flow.body_of(inst), cfg: self.cfg(inst), called }
    }

    /// What is asked of looks that a function leaves to its callers: nothing but whether there was something, if all of these ask only that.
    pub(in crate::lower::sharing) fn ask_callers(&self, values: &Values<'_, '_>, list: &mut [Basis]) {
        for (&look, id) in self.valued(list) {
            let Some(callers) = self.left_to_callers(values, look) else { continue };
            let asks = |(caller, result): &(InstId, Local)| {
                let called = |block: usize| Called::of(self.flow, *caller, block);
                self.presence(*caller, &called).asks_only_presence(*result)
            };
            if callers.iter().all(asks) {
                list[id.index()].asked = Some(Facet::Presence);
            }
        }
    }

    /// Notes of each change by which looks it is made only if there was something, or nothing.
    pub(in crate::lower::sharing) fn ask_before_changes(&self, values: &Values<'_, '_>, list: &mut [Basis]) {
        let valued = self.valued(list);
        for (&change, id) in &self.ids {
            let basis = &list[id.index()];
            // What looks again as it is made, and not for an entry, looks for something else.
            if basis.checks && !basis.keyed || !self.changes(change) {
                continue;
            }
            let same = |look: AccessAt| self.vars(look).intersection(self.vars(change)).next().is_some();
            let looks: Vec<(AccessAt, BasisId)> = valued
                .iter()
                .filter(|(look, id)| list[id.index()].keyed && basis.branch.include(*id) && same(**look))
                .map(|(look, id)| (**look, *id))
                .collect();
            if looks.is_empty() {
                continue;
            }
            let leading = self.leading(values, change);
            let asks = |look: &AccessAt| self.asks_presence_before(values, *look, &leading);
            list[id.index()].asks =
                looks.into_iter().filter(|(look, _)| asks(look)).map(|(_, id)| id).collect();
        }
    }

    /// The looks of which more is asked than whether there was something.
    fn valued(&self, list: &[Basis]) -> Vec<(&AccessAt, BasisId)> {
        let valued = |id: BasisId| list[id.index()].asked == Some(Facet::Value);
        self.ids.iter().map(|(at, id)| (at, *id)).filter(|(_, id)| valued(*id)).collect()
    }

    /// Whether an access is a change.
    fn changes(&self, (inst, block, number): AccessAt) -> bool {
        let step = &self.facts.effects[inst.0 as usize][block][number];
        matches!(&step.action, Action::Access { touch, .. } if *touch != Touch::Read)
    }

    /// The place that a look is at.
    fn at(&self, (inst, block, number): AccessAt) -> At {
        (block, self.facts.effects[inst.0 as usize][block][number].at)
    }

    /// Where callers get what a look gives, if its function asks nothing of that and only returns it.
    fn left_to_callers(&self, values: &Values<'_, '_>, look: AccessAt) -> Option<Vec<(InstId, Local)>> {
        let inst = look.0;
        let called = |block: usize| Called::of(self.flow, inst, block);
        if !self.presence(inst, &called).is_only_returned(self.at(look)) {
            return None;
        }
        let callers = values.callers(inst).filter(|callers| !callers.is_empty())?;
        callers
            .iter()
            .map(|(caller, block)| Some((*caller, self.result(*caller, *block as usize)?)))
            .collect()
    }

    /// The local that gets what the call that ends a block gives.
    fn result(&self, inst: InstId, block: usize) -> Option<Local> {
        match &self.flow.body_of(inst).blocks[block].terminator.kind {
            TerminatorKind::Call(call) => call.dest.as_local(),
            _ => None,
        }
    }

    /// Where a change is made, and the calls that come to it.
    fn leading(&self, values: &Values<'_, '_>, change: AccessAt) -> Leading {
        let mut found = Leading::from([(change.0, vec![change.1])]);
        let mut work = vec![change.0];
        while let Some(inst) = work.pop() {
            for (caller, block) in values.callers(inst).into_iter().flatten() {
                let blocks = found.entry(*caller).or_insert_with(|| {
                    work.push(*caller);
                    Vec::new()
                });
                blocks.push(*block as usize);
            }
            if found.len() > MOST_CALLERS {
                break;
            }
        }
        found
    }

    /// Whether branches that decide about something go only by whether a look found anything.
    fn asks_presence_before(&self, values: &Values<'_, '_>, look: AccessAt, leading: &Leading) -> bool {
        let here = || self.result(look.0, look.1).map(|result| vec![(look.0, result)]);
        // What callers ask later says nothing of what is done here.
        let gets = match leading.contains_key(&look.0) {
            true => here(),
            false => self.left_to_callers(values, look),
        };
        let gets = gets.unwrap_or_default();
        !gets.is_empty()
            && gets.iter().all(|(inst, result)| {
                let called = |block: usize| Called::of(self.flow, *inst, block);
                // What a function makes of it for its callers may be more than that.
                let Some(blocks) = leading.get(inst) else { return false };
                let decides =
                    |switch: &usize| blocks.iter().any(|block| self.decides(*inst, *switch, *block));
                !self.presence(*inst, &called).asks_more(*result).iter().any(decides)
            })
    }

    /// Whether a branch decides, or takes part in deciding, whether a block is reached.
    fn decides(&self, inst: InstId, branch: usize, block: usize) -> bool {
        let Some(deciders) = self.deciders.get(&inst) else { return true };
        let mut seen = vec![block];
        let mut next = 0;
        while let Some(block) = seen.get(next).copied() {
            next += 1;
            for decider in &deciders[block] {
                if *decider == branch {
                    return true;
                }
                if !seen.contains(decider) {
                    seen.push(*decider);
                }
            }
        }
        false
    }
}
