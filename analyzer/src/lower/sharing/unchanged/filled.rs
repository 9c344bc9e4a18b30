//! What is done only where a cell that is filled once was found filled. Whoever has looked before it was filled does not do that.

use std::collections::BTreeSet;

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
        for (&(inst, block, _), id) in &self.ids {
            let filled = self.filled_at(values, &once, (inst, block), MOST_CALLS);
            list[id.index()].filled = filled.into_iter().filter(|look| look != id).collect();
        }
    }

    fn filled_at(
        &self,
        values: &Values<'_, '_>,
        once: &BTreeSet<usize>,
        (inst, block): (InstId, usize),
        fuel: u32,
    ) -> BTreeSet<BasisId> {
        let mut found: BTreeSet<BasisId> = BTreeSet::new();
        for &decider in &self.cfg(inst).reached {
            found.extend(self.found_by(once, inst, decider, block));
        }
        let callers = values.callers(inst).unwrap_or_default();
        let mut outer: Option<BTreeSet<BasisId>> = None;
        for (caller, at) in callers.iter().filter(|_| fuel > 0) {
            let theirs = self.filled_at(values, once, (*caller, *at as usize), fuel - 1);
            outer = Some(match outer {
                None => theirs,
                Some(outer) => &outer & &theirs,
            });
        }
        found.extend(outer.into_iter().flatten());
        found
    }

    /// The look that a branch goes by, if a block is reached only where that has found something.
    fn found_by(
        &self,
        once: &BTreeSet<usize>,
        inst: InstId,
        decider: usize,
        block: usize,
    ) -> Option<BasisId> {
        let (body, cfg) = (self.flow.body_of(inst), self.cfg(inst));
        let TerminatorKind::SwitchInt { on, targets, otherwise } = &body.blocks[decider].terminator.kind
        else {
            return None;
        };
        let (look, there) = self.presence_of(once, inst, on.place()?.as_local()?)?;
        let mut without = cfg.succs.clone();
        without[decider].clear();
        if decider == block || reach(&without, [0]).contains(&block) {
            return None;
        }
        let leads = |to: usize| cfg.succs[decider].contains(&to) && reach(&without, [to]).contains(&block);
        let told = targets.iter().filter(|(_, to)| leads(to.0 as usize));
        let only = told.clone().all(|(value, _)| *value == there);
        // What is not told is the other one.
        let rest = otherwise
            .is_none_or(|to| !leads(to.0 as usize) || targets.iter().all(|(value, _)| *value != there));
        (only && rest).then_some(look)
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
