//! Keys that are claimed: who puts a key into a set, and is told that it was not there yet, has all to itself that is done under that key,
//! until it takes the key out again. The set is a lock for each of its keys.
//!
//! It is one if nothing else is done to it: each change puts in a key, or takes out one that was claimed. What makes the claim, and what takes it
//! back, may be functions of their own (`handed_back`).

use std::collections::{BTreeMap, BTreeSet};

use robust_models::Value as ModelValue;

use crate::ir::Basis;
use crate::lower::sharing::basis::{AccessAt, Search};
use crate::mir::{Local, Operand, Place, Prim, Rvalue, TerminatorKind, TyKind};
use crate::world::actions::cfg::reach;
use crate::world::actions::effects::{Action, Touch};
use crate::world::points::points_to::InstId;
use crate::world::values::compared::only_through;
use crate::world::values::rechecks::Dominators;
use crate::world::values::value::{Known, Values, given, result_of};

/// Steps from a truth value to the call that it comes from.
const MAX_STEPS: u32 = 12;

/// A claim of a key.
pub(super) struct Claim {
    pub inst: InstId,
    /// Of the variable, by number.
    pub var: usize,
    pub key: Known,
    /// Blocks that are reached only if the key was not there.
    pub held: BTreeSet<usize>,
    /// The block that makes the claim.
    pub at: usize,
}

/// Functions around an access that are looked at for a claim.
const MOST_AROUND: usize = 4;

impl Search<'_, '_> {
    /// Says of each access whether the key that it is about has been claimed by its event, and where.
    pub(in crate::lower::sharing) fn claims(&self, values: &Values<'_, '_>, list: &mut [Basis]) {
        let mut claims = Vec::new();
        let mut changed: BTreeMap<usize, Vec<AccessAt>> = BTreeMap::new();
        for &at in self.ids.keys() {
            let (inst, block, number) = at;
            let step = &self.facts.effects[inst.0 as usize][block][number];
            let Action::Access { touch, .. } = &step.action else { continue };
            if *touch == Touch::Read {
                continue;
            }
            for var in self.vars(at) {
                changed.entry(*var).or_default().push(at);
            }
            let (Some((access, key)), [var]) =
                (self.keyed_at(at), &self.vars(at).iter().copied().collect::<Vec<_>>()[..])
            else {
                continue;
            };
            let Some(key) = values.operand(inst, key) else { continue };
            let by_hand = list[self.ids[&at].index()].checks && self.is_put_by_hand(at);
            let held = match by_hand {
                true => Some(self.behind(inst, block)),
                // Where its own function does not ask, callers may.
                false => access.claims.then(|| self.won(inst, block).unwrap_or_default()),
            };
            if let Some(held) = held {
                claims.push(Claim { inst, var: *var, key, held, at: block });
            }
        }
        self.hand_back(values, &mut claims);
        let claimed: BTreeSet<usize> = claims.iter().map(|claim| claim.var).collect();
        let locks: BTreeSet<usize> = claimed
            .into_iter()
            .filter(|var| {
                let mut changes = changed[var].iter();
                !self.sharing.vars[*var].recurring
                    && changes.all(|at| self.is_claim(*at) || self.gives_back(values, &claims, *var, *at))
            })
            .collect();
        for (at, id) in &self.ids {
            // Most accesses are about no key, and it takes long to find out where one is made.
            let key = self.key_at(values, *at).filter(|_| !locks.is_empty());
            let same =
                claims.iter().filter(|claim| locks.contains(&claim.var) && Some(&claim.key) == key.as_ref());
            let others: Vec<&Claim> = same.filter(|claim| !self.vars(*at).contains(&claim.var)).collect();
            let by = others.iter().find(|claim| self.is_held(values, claim, *at));
            let beside = || others.iter().find(|claim| self.is_around(values, claim, *at));
            let near = if by.is_none() { beside() } else { None };
            let basis = &mut list[id.index()];
            let number = |claim: &&Claim| claim.var as u32;
            (basis.claimed, basis.beside_claim) = (by.map(number), near.map(number));
        }
    }

    /// As [`Search::keyed`], of an access.
    fn keyed_at(&self, (inst, block, number): AccessAt) -> Option<(&robust_models::Access, &Operand)> {
        self.keyed(inst, block, self.facts.effects[inst.0 as usize][block][number].at)
    }

    fn is_claim(&self, at: AccessAt) -> bool {
        self.keyed_at(at).is_some_and(|(access, _)| access.claims)
    }

    /// Whether a change puts something under a key, and does not look itself whether anything is there.
    fn is_put_by_hand(&self, (inst, block, number): AccessAt) -> bool {
        let step = &self.facts.effects[inst.0 as usize][block][number];
        self.keyed_at((inst, block, number)).is_some_and(|(access, _)| access.claims)
            && matches!(step.action, Action::Access { checks: false, .. })
    }

    /// The blocks that are reached only through another one.
    fn behind(&self, inst: InstId, block: usize) -> BTreeSet<usize> {
        let cfg = self.cfg(inst);
        let above = Dominators::of(cfg);
        cfg.reached.iter().copied().filter(|then| *then != block && above.dominates(block, *then)).collect()
    }

    /// The blocks of a function in which an access is made, by it or by what it calls.
    fn seen_from(&self, values: &Values<'_, '_>, inst: InstId, at: AccessAt) -> BTreeSet<usize> {
        let mut around = BTreeSet::from([(at.0, at.1)]);
        let mut found = BTreeSet::new();
        for _ in 0..MOST_AROUND {
            found.extend(around.iter().filter(|(of, _)| *of == inst).map(|(_, block)| *block));
            let callers =
                around.iter().filter(|(of, _)| *of != inst).filter_map(|(of, _)| values.callers(*of));
            around = callers.flatten().map(|(caller, block)| (*caller, *block as usize)).collect();
        }
        found
    }

    /// Whether a change takes out a key that its function has claimed.
    fn gives_back(&self, values: &Values<'_, '_>, claims: &[Claim], var: usize, at: AccessAt) -> bool {
        let Some(key) = self.key_at(values, at).filter(|_| self.removes(at)) else { return false };
        claims.iter().any(|claim| claim.var == var && claim.key == key && self.is_held(values, claim, at))
    }

    fn removes(&self, at: AccessAt) -> bool {
        self.keyed_at(at).is_some_and(|(access, _)| access.change == Some(robust_models::Change::Remove))
    }

    fn key_at(&self, values: &Values<'_, '_>, at: AccessAt) -> Option<Known> {
        let (_, key) = self.keyed_at(at)?;
        values.operand(at.0, key)
    }

    /// Whether an access is made between a claim and where its function gives the key back.
    fn is_held(&self, values: &Values<'_, '_>, claim: &Claim, at: AccessAt) -> bool {
        let inst = claim.inst;
        let blocks = self.seen_from(values, inst, at);
        if blocks.is_empty() || !blocks.is_subset(&claim.held) {
            return false;
        }
        // Who has given it back has to claim it anew.
        let mut succs = self.cfg(inst).succs.clone();
        succs[claim.at].clear();
        let backs = self.ids.keys().filter(|at| {
            self.vars(**at).contains(&claim.var)
                && self.removes(**at)
                && self.key_at(values, **at).as_ref() == Some(&claim.key)
        });
        let given_back = |back: usize| !reach(&succs, succs[back].iter().copied()).is_disjoint(&blocks);
        !backs.flat_map(|at| self.seen_from(values, inst, *at)).any(given_back)
    }

    /// Whether an access is made on each way to a claim, or only behind it: it may be made where the claim is made, or where the key is given back.
    fn is_around(&self, values: &Values<'_, '_>, claim: &Claim, at: AccessAt) -> bool {
        let blocks = self.seen_from(values, claim.inst, at);
        let above = Dominators::of(self.cfg(claim.inst));
        let leads = || blocks.iter().all(|block| *block != claim.at && above.dominates(*block, claim.at));
        !blocks.is_empty() && (blocks.is_subset(&claim.held) || leads())
    }

    /// The blocks that are reached only if the call that ends a block found that nothing was there.
    fn won(&self, inst: InstId, block: usize) -> Option<BTreeSet<usize>> {
        let body = self.flow.body_of(inst);
        let TerminatorKind::Call(call) = &body.blocks[block].terminator.kind else { return None };
        let result = call.dest.as_local()?;
        let cfg = self.cfg(inst);
        cfg.reached.iter().find_map(|&branch| {
            let TerminatorKind::SwitchInt { on, targets, otherwise } = &body.blocks[branch].terminator.kind
            else {
                return None;
            };
            let first = self.says_first(inst, on.place()?.as_local()?, result, MAX_STEPS)?;
            let [(value, to)] = targets[..] else { return None };
            let to = if (value != 0) == first { to } else { (*otherwise)? };
            Some(only_through(cfg, branch, to.0 as usize))
        })
    }

    /// Whether a truth value, if it is so, says that what a claim returned is what is returned to who comes first; or, if it is not so.
    pub(super) fn says_first(&self, inst: InstId, local: Local, result: Local, fuel: u32) -> Option<bool> {
        let fuel = fuel.checked_sub(1)?;
        let body = self.flow.body_of(inst);
        // A set says `true`.
        if local == result {
            let ty = self.flow.local_ty(inst, local.0)?;
            return (*ty == TyKind::Prim(Prim::Bool)).then_some(true);
        }
        let is_result = |place: &Place| {
            place.as_local().is_some_and(|of| {
                of == result
                    || matches!(given(body, of), Some(Rvalue::Ref(_, of)) if of.as_local() == Some(result))
            })
        };
        let of = |operand: &Operand| operand.place().and_then(Place::as_local);
        match given(body, local) {
            Some(Rvalue::Use(operand)) => self.says_first(inst, of(operand)?, result, fuel),
            Some(Rvalue::Unary(operator, operand)) if &**operator == "Not" => {
                self.says_first(inst, of(operand)?, result, fuel).map(|first| !first)
            }
            // The first variant of an option is the one with nothing in it.
            Some(Rvalue::Discriminant(of)) => is_result(of).then_some(false),
            Some(_) => None,
            None => {
                let (block, call) = result_of(body, &Operand::Copy(Place::from(local)))?;
                let asked = call.args.first()?.place().is_some_and(is_result);
                match self.flow.model_at(inst, block)?.value.filter(|_| asked)? {
                    ModelValue::IsOk => Some(false),
                    ModelValue::IsErr => Some(true),
                    _ => None,
                }
            }
        }
    }
}
