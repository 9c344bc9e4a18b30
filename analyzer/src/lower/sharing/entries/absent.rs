//! Entries that are made where there was none: `match map.get(&key) { None => map.insert(key, value), .. }` under one guard does what
//! `entry(key).or_insert(value)` does, and changes nothing of what others found there.

use std::collections::BTreeSet;

use robust_models::{AccessKind, Change};

use crate::ir::Basis;
use crate::lower::sharing::basis::{AccessAt, Search};
use crate::mir::{Local, Operand, Place, Rvalue, TerminatorKind};
use crate::world::actions::cfg::leads;
use crate::world::actions::effects::Action;
use crate::world::points::heap::LocId;
use crate::world::points::points_to::InstId;
use crate::world::values::presence::Presence;
use crate::world::values::rechecks::Dominators;
use crate::world::values::stale::Called;
use crate::world::values::value::{Known, Values, given, result_of};

impl Search<'_, '_> {
    /// Says which changes look themselves, as they are made: an entry is put in only after its key was looked for under the same guard, and
    /// was not there.
    pub(in crate::lower::sharing) fn make_entries(&self, values: &Values<'_, '_>, list: &mut [Basis]) {
        for (&at, &id) in &self.ids {
            if list[id.index()].change == Some(crate::ir::Change::Set)
                && self.is_made_where_absent(values, at)
            {
                list[id.index()].checks = true;
            }
        }
    }

    fn is_made_where_absent(&self, values: &Values<'_, '_>, at: AccessAt) -> bool {
        let (inst, block, number) = at;
        let step = &self.facts.effects[inst.0 as usize][block][number];
        let Some(key) =
            self.keyed(inst, block, step.at).filter(|(access, _)| access.change == Some(Change::Set))
        else {
            return false;
        };
        let guards = self.guards_of(self.vars(at));
        // The key itself, or what is equal to what it refers to.
        let keys = [values.operand(inst, key.1), values.behind(inst, key.1)];
        let keys: Vec<Known> = keys.into_iter().flatten().filter(|_| !guards.is_empty()).collect();
        let dominators = Dominators::of(self.cfg(inst));
        dominators.chain(block).into_iter().filter(|look| *look != block).any(|look| {
            let same = || {
                self.looks_for(inst, look, self.vars(at))
                    .is_some_and(|of| values.behind(inst, of).is_some_and(|of| keys.contains(&of)))
            };
            same() && self.was_absent(inst, look, block) && !self.lets_in(inst, (look, block), &guards)
        })
    }

    /// The locks that variables are in; none if one is in no lock.
    fn guards_of(&self, vars: &BTreeSet<usize>) -> BTreeSet<LocId> {
        let of = self.sharing.guards(self.flow).filter(|(var, _)| vars.contains(var));
        let found: Vec<LocId> = of.map(|(_, lock)| lock).collect();
        if found.len() == vars.len() { found.into_iter().collect() } else { BTreeSet::new() }
    }

    /// The key that the call at the end of a block looks for in these variables.
    fn looks_for(&self, inst: InstId, block: usize, vars: &BTreeSet<usize>) -> Option<&Operand> {
        let end = self.flow.body_of(inst).blocks[block].statements.len();
        let (access, key) = self.keyed(inst, block, end)?;
        let here = self.steps_of(inst, block).any(|about| about == vars);
        (access.kind == AccessKind::Read && here).then_some(key)
    }

    /// Whether a block is only reached if the look at the end of another one found nothing.
    fn was_absent(&self, inst: InstId, look: usize, then: usize) -> bool {
        let (body, cfg) = (self.flow.body_of(inst), self.cfg(inst));
        let TerminatorKind::Call(call) = &body.blocks[look].terminator.kind else { return false };
        let called = |block: usize| Called::of(self.flow, inst, block);
        let presence = Presence { body, cfg, called: &called };
        let result = call.dest.local;
        cfg.reached.iter().any(|&switch| {
            presence.asks_presence(result, switch)
                && self.absent(inst, switch).is_some_and(|absent| {
                    let others = cfg.succs[switch].iter().filter(|next| **next != absent);
                    others.clone().count() > 0
                        && self.comes_to(inst, absent, then, switch)
                        && others.into_iter().all(|other| !self.comes_to(inst, *other, then, look))
                        && Dominators::of(cfg).dominates(switch, then)
                })
        })
    }

    /// Where a branch on whether there is something leads if there is nothing.
    fn absent(&self, inst: InstId, switch: usize) -> Option<usize> {
        let body = self.flow.body_of(inst);
        let block = &body.blocks[switch];
        let TerminatorKind::SwitchInt { on, .. } = &block.terminator.kind else { return None };
        let local: Local = on.place().and_then(Place::as_local)?;
        if let Some(Rvalue::Discriminant(_)) = given(body, local) {
            return leads(block, 0);
        }
        let (at, _) = result_of(body, on)?;
        let fails = Called::of(self.flow, inst, at).value == Some(robust_models::Value::IsErr);
        leads(block, u128::from(fails))
    }

    /// Whether a block may come after another one, without a third in between.
    fn comes_to(&self, inst: InstId, from: usize, to: usize, without: usize) -> bool {
        let cfg = self.cfg(inst);
        let mut seen = BTreeSet::new();
        let mut work = vec![from];
        while let Some(block) = work.pop() {
            if block == to {
                return true;
            }
            if block != without && seen.insert(block) {
                work.extend(&cfg.succs[block]);
            }
        }
        false
    }

    /// Whether one of these locks is given back on a way from the end of a block to another one.
    fn lets_in(&self, inst: InstId, (from, to): (usize, usize), guards: &BTreeSet<LocId>) -> bool {
        let cfg = self.cfg(inst);
        let between = cfg.reached.iter().filter(|block| **block != from && **block != to).filter(|block| {
            cfg.succs[from].iter().any(|next| self.comes_to(inst, *next, **block, from))
                && self.comes_to(inst, **block, to, from)
        });
        let mut steps = between.flat_map(|block| &self.facts.effects[inst.0 as usize][*block]);
        steps.any(|step| match &step.action {
            Action::Release { locks } => {
                locks.iter().any(|lock| guards.contains(&self.sharing.same.of(self.flow, *lock)))
            }
            _ => false,
        })
    }
}
