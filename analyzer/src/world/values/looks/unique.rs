//! Numbers that were drawn, within what is stored and what is compared with that: what is found to be the same then is what the one who drew
//! the number has left there.

use std::collections::{BTreeMap, BTreeSet};

use crate::ir::{Basis, BasisId};
use crate::lower::sharing::basis::{AccessAt, Search};
use crate::mir::{Local, Operand, Place, Rvalue, StatementKind, TerminatorKind};
use crate::world::actions::cfg::reach;
use crate::world::actions::effects::{Action, Step, Touch};
use crate::world::points::points_to::InstId;
use crate::world::values::stale::At;
use crate::world::values::value::{Known, Values, given};

/// Values within values that are looked into.
const MOST_WITHIN: u32 = 3;

impl Search<'_, '_> {
    /// What a local is made of, if it is a struct or a variant, or refers to one; else its value.
    pub(super) fn parts_of(&self, values: &Values<'_, '_>, inst: InstId, local: Local) -> Vec<Known> {
        let mut parts = Vec::new();
        self.add_parts(values, inst, &Operand::Copy(Place::from(local)), MOST_WITHIN, &mut parts);
        parts
    }

    fn add_parts(
        &self,
        values: &Values<'_, '_>,
        inst: InstId,
        operand: &Operand,
        fuel: u32,
        parts: &mut Vec<Known>,
    ) {
        let Some(fuel) = fuel.checked_sub(1) else { return };
        let local = operand.place().and_then(Place::as_local);
        match local.and_then(|local| given(self.flow.body_of(inst), local)) {
            Some(Rvalue::Aggregate(_, inner)) => {
                inner.iter().for_each(|part| self.add_parts(values, inst, part, fuel, parts));
            }
            Some(Rvalue::Ref(_, of)) if of.as_local().is_some() => {
                self.add_parts(values, inst, &Operand::Copy(of.clone()), fuel, parts);
            }
            _ => parts.extend(values.operand(inst, operand)),
        }
    }

    /// Whether a change stores a number that its event has drawn and that is among these.
    pub(super) fn stores_what_is_unique(
        &self,
        values: &Values<'_, '_>,
        list: &[Basis],
        (inst, block, number): AccessAt,
        among: &[Known],
    ) -> bool {
        let step = &self.facts.effects[inst.0 as usize][block][number];
        if !matches!(step.action, Action::Access { touch: Touch::Write | Touch::Update(_), .. }) {
            return false;
        }
        let drawn: Vec<AccessAt> = among.iter().filter_map(|part| self.drawn_at(list, part)).collect();
        if drawn.is_empty() {
            return false;
        }
        let data = &self.flow.body_of(inst).blocks[block];
        let stored: Vec<&Operand> =
            match (data.statements.get(step.at).map(|statement| &statement.kind), &data.terminator.kind) {
                (Some(StatementKind::Assign(_, rvalue)), _) => rvalue.operands(),
                (None, TerminatorKind::Call(call)) => call.args.iter().skip(1).collect(),
                _ => return false,
            };
        let mut parts = Vec::new();
        stored.into_iter().for_each(|of| self.add_parts(values, inst, of, MOST_WITHIN, &mut parts));
        let own = parts.iter().filter_map(|part| self.drawn_at(list, part));
        own.into_iter().any(|own| drawn.iter().any(|drawn| own == *drawn || self.sees_the_same(own, *drawn)))
    }

    /// The look that a value was drawn with.
    fn drawn_at(&self, list: &[Basis], value: &Known) -> Option<AccessAt> {
        let Known::Of(inst, local) = *value else { return None };
        let body = self.flow.body_of(inst);
        let of_inst = self.ids.range((inst, 0, 0)..(InstId(inst.0 + 1), 0, 0));
        let fills = |(_, block, number): &AccessAt| {
            let at = self.facts.effects[inst.0 as usize][*block][*number].at;
            let statement = body.blocks[*block].statements.get(at);
            matches!(statement.map(|statement| &statement.kind),
                Some(StatementKind::Assign(place, Rvalue::Use(_))) if place.as_local() == Some(local))
        };
        let mut drawn = of_inst.filter(|(at, id)| list[id.index()].drawn && fills(at));
        drawn.next().map(|(at, _)| *at)
    }

    /// Whether two looks at the same are made at once.
    fn sees_the_same(&self, one: AccessAt, other: AccessAt) -> bool {
        let at =
            |(inst, block, number): AccessAt| (block, self.facts.effects[inst.0 as usize][block][number].at);
        one.0 == other.0
            && self.vars(one) == self.vars(other)
            && (self.is_undisturbed(one.0, (at(one), at(other)), self.vars(one))
                || self.is_undisturbed(one.0, (at(other), at(one)), self.vars(one)))
    }

    /// The changes that these looks find as they were left there by their own function.
    pub(super) fn left_before(
        &self,
        looks: &BTreeSet<BasisId>,
        places: &BTreeMap<BasisId, AccessAt>,
    ) -> Vec<BasisId> {
        let plain = |(inst, block, number): AccessAt| {
            let at = self.facts.effects[inst.0 as usize][block][number].at;
            (at < self.flow.body_of(inst).blocks[block].statements.len()).then_some((block, at))
        };
        let mut found = Vec::new();
        for look in looks.iter().map(|look| places[look]).filter(|look| self.looks(*look)) {
            let Some(until) = plain(look) else { continue };
            let own = self.ids.range((look.0, 0, 0)..(InstId(look.0.0 + 1), 0, 0));
            let left = own.filter(|(at, _)| {
                let same = !self.looks(**at) && self.vars(**at) == self.vars(look);
                let from = plain(**at).filter(|_| same);
                from.is_some_and(|from| self.is_undisturbed(look.0, (from, until), &BTreeSet::new()))
            });
            found.extend(left.map(|(_, id)| *id));
        }
        found
    }

    /// Whether nothing is acquired, released or waited for on any way from one statement to another, and these variables are not changed.
    fn is_undisturbed(&self, inst: InstId, (from, to): (At, At), vars: &BTreeSet<usize>) -> bool {
        let cfg = self.cfg(inst);
        let apart = |block: usize, number: usize, step: &Step| match &step.action {
            Action::Acquire { .. }
            | Action::Release { .. }
            | Action::Yield { .. }
            | Action::Source { .. }
            | Action::Join { .. }
            | Action::Wait => true,
            Action::Access { touch: Touch::Write | Touch::Update(_), .. } => {
                !self.vars((inst, block, number)).is_disjoint(vars)
            }
            _ => false,
        };
        let quiet = |block: usize, range: std::ops::Range<usize>| {
            let mut steps = self.facts.effects[inst.0 as usize][block].iter().enumerate();
            !steps.any(|(number, step)| range.contains(&step.at) && apart(block, number, step))
        };
        if from.0 == to.0 && from.1 < to.1 {
            return quiet(from.0, from.1 + 1..to.1);
        }
        let after = reach(&cfg.succs, cfg.succs[from.0].iter().copied());
        let before = reach(&cfg.preds, cfg.preds[to.0].iter().copied());
        after.contains(&to.0)
            && quiet(from.0, from.1 + 1..usize::MAX)
            && quiet(to.0, 0..to.1)
            && after.intersection(&before).all(|block| *block == from.0 || quiet(*block, 0..usize::MAX))
    }
}
