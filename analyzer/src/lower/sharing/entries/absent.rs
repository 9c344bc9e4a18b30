//! Entries that are made where there was none: `match map.get(&key) { None => map.insert(key, value), .. }` under one guard does what
//! `entry(key).or_insert(value)` does, and changes nothing of what others found there. And entries that were looked for and not found: who takes
//! out what there is leaves it so.

use std::collections::BTreeSet;

use robust_models::{AccessKind, Change};

use crate::ir::{self, Basis, BasisId};
use crate::lower::sharing::basis::{AccessAt, Search};
use crate::mir::{CallTarget, Local, Operand, Place, Rvalue, StatementKind, TerminatorKind};
use crate::world::actions::cfg::leads;
use crate::world::actions::effects::Action;
use crate::world::of_data::is_known_data;
use crate::world::points::heap::LocId;
use crate::world::points::points_to::InstId;
use crate::world::values::fresh::Fresh;
use crate::world::values::inline_readers::Origin;
use crate::world::values::presence::Presence;
use crate::world::values::rechecks::Dominators;
use crate::world::values::stale::Called;
use crate::world::values::value::{Known, Values, given, result_of};

/// Steps from a value to what it is made of.
const MOST_STEPS: u32 = 16;

impl Search<'_, '_> {
    /// Says which changes look themselves, as they are made: an entry is put in only after its key was looked for under the same guard, and
    /// was not there.
    pub(in crate::lower::sharing) fn make_entries(&self, values: &Values<'_, '_>, list: &mut [Basis]) {
        for (&at, &id) in &self.ids {
            let puts = list[id.index()].keyed
                && matches!(list[id.index()].change, Some(ir::Change::Set) | None)
                && !self.looks(at);
            if puts && self.is_made_where_absent(values, at) {
                list[id.index()].checks = true;
            }
        }
    }

    /// Says of each change that puts something in under a key which looks found nothing where it is made, unless what it puts in was had from
    /// elsewhere: that may be out of date by then, if somebody has taken out what was there.
    pub(in crate::lower::sharing) fn miss(&self, list: &mut [Basis]) {
        for (&at, &id) in &self.ids {
            let (inst, block, number) = at;
            let step = &self.facts.effects[inst.0 as usize][block][number];
            if list[id.index()].change != Some(ir::Change::Set) || !self.is_put_together(inst, block, step.at)
            {
                continue;
            }
            let chain = Dominators::of(self.cfg(inst)).chain(block);
            let missed = chain.into_iter().filter(|look| *look != block).filter(|look| {
                self.looks_for(inst, *look, self.vars(at)).is_some() && self.was_absent(inst, *look, block)
            });
            let mut looks: Vec<BasisId> = missed
                .flat_map(|look| {
                    let end = self.flow.body_of(inst).blocks[look].statements.len();
                    self.accesses(inst, look, end)
                })
                .filter(|(look, changes)| !changes && self.about[look.index()] == *self.vars(at))
                .map(|(look, _)| look)
                .collect();
            looks.sort_unstable();
            list[id.index()].missed = looks;
        }
    }

    /// Whether what a call puts in under a key is put together where it is made, or by functions of the program, of what these are given.
    fn is_put_together(&self, inst: InstId, block: usize, at: usize) -> bool {
        let Some((_, key)) = self.keyed(inst, block, at) else { return false };
        let TerminatorKind::Call(call) = &self.flow.body_of(inst).blocks[block].terminator.kind else {
            return false;
        };
        put_in(call, Some(key)).into_iter().all(|put| self.is_at_hand(inst, put, MOST_STEPS))
    }

    /// Whether all that a change puts in is data, nothing of it is made anew (a number that is drawn), and not all of it is what its function
    /// was given, or made of that.
    pub(in crate::lower::sharing) fn loads(
        &self,
        fresh: &Fresh<'_, '_, '_>,
        (inst, block, at): Origin,
    ) -> bool {
        let data = &self.flow.body_of(inst).blocks[block];
        let put: Vec<&Operand> =
            match (data.statements.get(at).map(|statement| &statement.kind), &data.terminator.kind) {
                (Some(StatementKind::Assign(_, rvalue)), _) => rvalue.operands(),
                (None, TerminatorKind::Call(call)) => {
                    put_in(call, self.keyed(inst, block, at).map(|(_, key)| key))
                }
                _ => Vec::new(),
            };
        let is_data = |put: &&Operand| {
            let Some(place) = put.place() else { return true };
            self.flow.place_ty(inst, place).is_some_and(|ty| is_known_data(self.flow, &ty))
        };
        let is_new = |put: &&Operand| fresh.operand(inst, put).is_some();
        put.iter().all(is_data)
            && !put.iter().any(is_new)
            && !put.into_iter().all(|put| self.is_at_hand(inst, put, MOST_STEPS))
    }

    /// Whether a value is put together of constants, and of what a function was given when it was called.
    fn is_at_hand(&self, inst: InstId, value: &Operand, fuel: u32) -> bool {
        let Some(fuel) = fuel.checked_sub(1) else { return false };
        let body = self.flow.body_of(inst);
        let Some(place) = value.place() else { return true };
        if (1..=body.arg_count).contains(&place.local.0) {
            return !self.looks_inside(inst, place);
        }
        let all = |operands: Vec<&Operand>| {
            operands.into_iter().all(|operand| self.is_at_hand(inst, operand, fuel))
        };
        match given(body, place.local) {
            Some(Rvalue::Ref(_, of) | Rvalue::CopyForDeref(of)) => {
                self.is_at_hand(inst, &Operand::Copy(of.clone()), fuel)
            }
            Some(made) => all(made.operands()),
            None => {
                let Some((at, call)) = result_of(body, &Operand::Copy(Place::from(place.local))) else {
                    return false;
                };
                let given = || all(call.args.iter().collect());
                let Some(info) = self.flow.calls.get(&(inst, at as u32)) else { return false };
                if info.foreign.is_some() {
                    let model = self.flow.model_of(info);
                    let wraps = model.is_some_and(|model| {
                        matches!(model.flow, Some(robust_models::Flow::New | robust_models::Flow::Wrap))
                            || model.value == Some(robust_models::Value::Copy)
                    });
                    return wraps && given();
                }
                let made = |callee: &InstId| {
                    self.is_at_hand(*callee, &Operand::Copy(Place::from(Local::RETURN)), fuel)
                };
                info.poll.is_none() && !info.callees.is_empty() && info.callees.iter().all(made) && given()
            }
        }
    }

    /// Whether a place is behind a reference to what others may have, too.
    fn looks_inside(&self, inst: InstId, place: &Place) -> bool {
        !place.projection.is_empty()
            && self.flow.local_ty(inst, place.local.0).is_none_or(|ty| ty.peel_refs() != &*ty)
    }

    fn is_made_where_absent(&self, values: &Values<'_, '_>, at: AccessAt) -> bool {
        let (inst, block, number) = at;
        let step = &self.facts.effects[inst.0 as usize][block][number];
        let puts = |access: &robust_models::Access| match access.change {
            Some(change) => change == Change::Set,
            None => access.claims,
        };
        let Some(key) = self.keyed(inst, block, step.at).filter(|(access, _)| puts(access)) else {
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
            let free = || same() && self.was_absent(inst, look, block);
            let found = || self.is_found_free(inst, look, (key.1, self.vars(at)));
            (free() || !guards.is_empty() && found()) && !self.lets_in(inst, (look, block), &guards)
        })
    }

    /// The locks that variables are in; none if one is in no lock.
    pub(in crate::lower::sharing) fn guards_of(&self, vars: &BTreeSet<usize>) -> BTreeSet<LocId> {
        let of = self.sharing.guards(self.flow).filter(|(var, _)| vars.contains(var));
        let found: Vec<LocId> = of.map(|(_, lock)| lock).collect();
        if found.len() == vars.len() { found.into_iter().collect() } else { BTreeSet::new() }
    }

    /// The key that the call at the end of a block looks for in these variables.
    pub(super) fn looks_for(&self, inst: InstId, block: usize, vars: &BTreeSet<usize>) -> Option<&Operand> {
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
    pub(in crate::lower::sharing) fn lets_in(
        &self,
        inst: InstId,
        (from, to): (usize, usize),
        guards: &BTreeSet<LocId>,
    ) -> bool {
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

/// What a call puts in: all that it is given but for what it is about, which comes first, and the key.
fn put_in<'c>(call: &'c CallTarget, key: Option<&Operand>) -> Vec<&'c Operand> {
    let is_key = |arg: &&Operand| key.is_some_and(|key| std::ptr::eq(key, *arg));
    call.args.iter().skip(1).filter(|arg| !is_key(arg)).collect()
}
