//! Loops that end because of what is found, as those that wait for what others do, and what relies on that.

use std::collections::{BTreeMap, BTreeSet};

use robust_models::TypeKind;

use crate::mir::{Callee, Local, TerminatorKind};

use crate::lower::sharing::basis::{AccessAt, Search};
use crate::world::actions::effects::{Action, Touch, Tracked};
use crate::world::points::points_to::InstId;
use crate::world::values::stale::Called;
use crate::world::values::waiting;

impl Search<'_, '_> {
    /// The branches that end loops that wait for something which may be undone, each with the blocks that come after it.
    pub fn ends_of_waits(&self, inst: InstId) -> Vec<(usize, Vec<usize>)> {
        let changes = |block: usize| self.looked_at(inst, block).is_none();
        // A guard that was given back with a wait is had again behind it.
        let is_guard = |local: Local| {
            self.flow.local_ty(inst, local.0).is_some_and(|ty| self.flow.kind(&ty) == Some(TypeKind::Guard))
        };
        let loops = waiting::loops(self.flow.body_of(inst), self.cfg(inst), &changes, &is_guard);
        let undone = |block: &usize| {
            let looked_at = self.looked_at(inst, *block).unwrap_or_default();
            !looked_at.is_subset(&self.one_way)
        };
        let waits = loops.into_iter().filter(|found| found.blocks.iter().any(undone));
        waits.map(|found| (found.end, found.after)).collect()
    }

    /// The branches that end loops that go from one key to the next, until there is nothing under it, or something, each with the blocks that
    /// come after it: these go by what was found under the last one.
    pub fn ends_of_searches(&self, inst: InstId) -> Vec<(usize, Vec<usize>)> {
        let body = self.flow.body_of(inst);
        let called = |block: usize| Called::of(self.flow, inst, block);
        let presence = self.presence(inst, &called);
        let looks = |block: usize, end: usize| match &body.blocks[block].terminator.kind {
            TerminatorKind::Call(call) => called(block).keyed && presence.asks_presence(call.dest.local, end),
            _ => false,
        };
        let searches = |blocks: &BTreeSet<usize>, _, end| blocks.iter().any(|block| looks(*block, end));
        let found = waiting::left_at_one_place(self.cfg(inst), searches);
        found.into_iter().map(|found| (found.end, found.after)).collect()
    }

    /// The variables that a block, or what it calls, looks at; none if it does anything else that others see.
    fn looked_at(&self, inst: InstId, block: usize) -> Option<BTreeSet<usize>> {
        let mut vars = BTreeSet::new();
        let mut seen = BTreeSet::new();
        let mut work = vec![(inst, block)];
        while let Some((inst, block)) = work.pop() {
            for (number, step) in self.facts.effects[inst.0 as usize][block].iter().enumerate() {
                match &step.action {
                    _ if step.enlists() => {}
                    Action::Access { touch: Touch::Read, .. } => {
                        vars.extend(self.vars((inst, block, number)))
                    }
                    Action::Call { callees, .. } => {
                        let new = callees.iter().filter(|callee| seen.insert(**callee));
                        let blocks = |callee: &InstId| self.cfg(*callee).reached.iter().copied();
                        work.extend(new.flat_map(|callee| blocks(callee).map(|block| (*callee, block))));
                    }
                    Action::Mark { .. }
                    | Action::Acquire { .. }
                    | Action::Release { .. }
                    | Action::Flag(..)
                    | Action::Variant(..)
                    | Action::Holds { .. }
                    | Action::Has { .. } => {}
                    Action::Yield { .. }
                    | Action::Wait
                    | Action::Source { time: true, .. }
                    | Action::Rely { .. } => {}
                    _ => return None,
                }
            }
        }
        Some(vars)
    }

    /// The variables that all changes bring the same way: to one constant, or by one operation on a number. What somebody has waited for
    /// there stays as it is.
    pub fn one_way(&self) -> BTreeSet<usize> {
        let mut ways: BTreeMap<usize, Option<String>> = BTreeMap::new();
        for at in self.ids.keys() {
            let Some(way) = self.way(*at) else { continue };
            for var in self.vars(*at) {
                let known = ways.entry(*var).or_insert_with(|| way.clone());
                if *known != way {
                    *known = None;
                }
            }
        }
        ways.into_iter().filter(|(_, way)| way.is_some()).map(|(var, _)| var).collect()
    }

    /// Which way an access changes something, if it does, and if that is known.
    fn way(&self, (inst, block, number): AccessAt) -> Option<Option<String>> {
        let step = &self.facts.effects[inst.0 as usize][block][number];
        let Action::Access { touch, tracked, .. } = &step.action else { return None };
        let data = &self.flow.body_of(inst).blocks[block];
        let function = match &data.terminator.kind {
            TerminatorKind::Call(call) if step.at == data.statements.len() => match &call.callee {
                Callee::Fn { path, .. } => Some(path.plain()),
                _ => None,
            },
            _ => None,
        };
        match (touch, tracked) {
            (Touch::Read, _) => None,
            (_, Some(Tracked::Set(value, _))) => Some(Some(value.to_string())),
            (Touch::Update(_), _) => Some(function),
            _ => Some(None),
        }
    }
}
