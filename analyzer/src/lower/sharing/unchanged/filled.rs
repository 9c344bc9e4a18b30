//! What is done only where a cell that is filled once was found filled. Whoever has looked before it was filled does not do that.

use std::collections::{BTreeMap, BTreeSet};

use robust_models::Value as ModelValue;

use crate::ir::{Basis, BasisId};
use crate::lower::sharing::basis::Search;
use crate::mir::{Local, Operand, Place, Rvalue, TerminatorKind};
use crate::world::actions::cfg::reach;
use crate::world::actions::effects::{Action, Touch};
use crate::world::points::aggregates::is_option;
use crate::world::points::points_to::InstId;
use crate::world::values::value::{Values, given, result_of};

/// Steps from what a branch goes by to a look.
const MOST_STEPS: usize = 8;

/// Calls within calls that are followed.
const MOST_CALLS: u32 = 4;

impl Search<'_, '_> {
    /// Says of each access which looks at cells that are filled once have found something where it is made.
    pub(in crate::lower::sharing) fn find_filled(&self, values: &Values<'_, '_>, list: &mut [Basis]) {
        let changes = |at: &(InstId, usize, usize)| {
            let step = &self.facts.effects[at.0.0 as usize][at.1][at.2];
            matches!(&step.action, Action::Access { touch, .. } if *touch != Touch::Read)
        };
        let (mut once, mut other) = (BTreeSet::new(), BTreeSet::<usize>::new());
        for (at, id) in self.ids.iter().filter(|(at, _)| changes(at)) {
            match list[id.index()].fills_once() {
                true => once.extend(self.vars(*at)),
                false => other.extend(self.vars(*at)),
            }
        }
        once.retain(|var| !other.contains(var));
        if once.is_empty() {
            return;
        }
        let mut fills = Fills { search: self, values, once, asked: BTreeMap::new(), known: BTreeMap::new() };
        for (&(inst, block, _), id) in &self.ids {
            let filled = fills.at((inst, block), MOST_CALLS);
            list[id.index()].filled = filled.into_iter().filter(|look| look != id).collect();
        }
    }

    /// The branches of a body that go by a look at such a cell.
    fn branches_by(&self, once: &BTreeSet<usize>, inst: InstId) -> Vec<Asked> {
        let body = self.flow.body_of(inst);
        let deciders = self.cfg(inst).reached.iter();
        let asked = deciders.filter_map(|&decider| {
            let TerminatorKind::SwitchInt { on, .. } = &body.blocks[decider].terminator.kind else {
                return None;
            };
            let (look, there) = self.presence_of(once, inst, on.place()?.as_local()?)?;
            Some((decider, look, there))
        });
        asked.collect()
    }

    /// Whether a block is reached only where the look that a branch goes by has found something.
    fn only_if_found(&self, inst: InstId, (decider, _, there): Asked, block: usize) -> bool {
        let (body, cfg) = (self.flow.body_of(inst), self.cfg(inst));
        let TerminatorKind::SwitchInt { targets, otherwise, .. } = &body.blocks[decider].terminator.kind
        else {
            return false;
        };
        let mut without = cfg.succs.clone();
        without[decider].clear();
        if decider == block || reach(&without, [0]).contains(&block) {
            return false;
        }
        let leads = |to: usize| cfg.succs[decider].contains(&to) && reach(&without, [to]).contains(&block);
        let told = targets.iter().filter(|(_, to)| leads(to.0 as usize));
        let only = told.clone().all(|(value, _)| *value == there);
        // What is not told is the other one.
        let rest = otherwise
            .is_none_or(|to| !leads(to.0 as usize) || targets.iter().all(|(value, _)| *value != there));
        only && rest
    }

    /// The look at such a cell that a value tells the outcome of, and what it is where there was something.
    fn presence_of(&self, once: &BTreeSet<usize>, inst: InstId, local: Local) -> Option<(BasisId, u128)> {
        let body = self.flow.body_of(inst);
        let (of, there) = match given(body, local) {
            Some(Rvalue::Discriminant(place)) => {
                let of = place.as_local()?;
                // `Ok` and `Continue` come first, `Some` comes second.
                (of, u128::from(is_option(&*self.flow.local_ty(inst, of.0)?)))
            }
            Some(_) => return None,
            None => {
                let (block, call) = result_of(body, &Operand::Copy(Place::from(local)))?;
                let there = match self.flow.model_at(inst, block)?.value? {
                    ModelValue::IsOk => 1,
                    ModelValue::IsErr => 0,
                    _ => return None,
                };
                let asked = call.args.first()?.place()?.as_local()?;
                match given(body, asked) {
                    Some(Rvalue::Ref(_, place)) => (place.as_local()?, there),
                    _ => (asked, there),
                }
            }
        };
        let mut of = of;
        for _ in 0..MOST_STEPS {
            let (block, call) = result_of(body, &Operand::Copy(Place::from(of)))?;
            let end = body.blocks[block].statements.len();
            if let [(look, false)] = self.accesses(inst, block, end)[..] {
                let is_cell = self.steps_of(inst, block).all(|vars| vars.is_subset(once));
                return is_cell.then_some((look, there));
            }
            if self.flow.model_at(inst, block)?.value != Some(ModelValue::Same) {
                return None;
            }
            of = call.args.first()?.place()?.as_local()?;
        }
        None
    }
}

/// A branch that goes by a look at a cell that is filled once: where it is, the look, and what it goes by where there was something.
type Asked = (usize, BasisId, u128);

/// Which looks have found something wherever a block is reached: asked of each block once.
struct Fills<'s, 'a, 'w> {
    search: &'s Search<'a, 'w>,
    values: &'s Values<'a, 'w>,
    /// The variables that are only ever filled once.
    once: BTreeSet<usize>,
    asked: BTreeMap<InstId, Vec<Asked>>,
    known: BTreeMap<(InstId, usize, u32), BTreeSet<BasisId>>,
}

impl Fills<'_, '_, '_> {
    fn at(&mut self, (inst, block): (InstId, usize), fuel: u32) -> BTreeSet<BasisId> {
        if let Some(known) = self.known.get(&(inst, block, fuel)) {
            return known.clone();
        }
        let mut found = self.in_its_body(inst, block);
        let callers = self.values.callers(inst).unwrap_or_default();
        let mut outer: Option<BTreeSet<BasisId>> = None;
        for (caller, at) in callers.iter().filter(|_| fuel > 0) {
            let theirs = self.at((*caller, *at as usize), fuel - 1);
            let both = match outer {
                None => theirs,
                Some(outer) => &outer & &theirs,
            };
            // Who is called from somewhere without a look is called without one, whoever else calls it.
            let none = both.is_empty();
            outer = Some(both);
            if none {
                break;
            }
        }
        found.extend(outer.into_iter().flatten());
        self.known.insert((inst, block, fuel), found.clone());
        found
    }

    fn in_its_body(&mut self, inst: InstId, block: usize) -> BTreeSet<BasisId> {
        let (search, once) = (self.search, &self.once);
        let asked = self.asked.entry(inst).or_insert_with(|| search.branches_by(once, inst));
        asked.iter().filter(|of| search.only_if_found(inst, **of, block)).map(|(_, look, _)| *look).collect()
    }
}
