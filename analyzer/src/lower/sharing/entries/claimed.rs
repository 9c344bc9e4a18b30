//! Keys that are claimed: who puts a key into a set, and is told that it was not there yet, has all to itself that is done under that key,
//! until it takes the key out again. The set is a lock for each of its keys.
//!
//! It is one if nothing else is done to it: each change puts in a key, or takes out one that was claimed. What makes the claim, and what takes it
//! back, may be functions of their own (`handed_back`), such as the `drop` of a guard. A map is as good, where what is put in goes into an entry
//! that was found vacant.

use std::collections::{BTreeMap, BTreeSet};

use robust_models::{Order, Value as ModelValue};

use crate::ir::Basis;
use crate::lower::sharing::basis::{AccessAt, Search};
use crate::mir::{Local, Operand, Place, Prim, Rvalue, TerminatorKind, TyKind};
use crate::world::actions::cfg::reach;
use crate::world::actions::effects::{Action, Touch};
use crate::world::callers::instances;
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

/// The key that an access is about.
enum KeyAt {
    One(Known),
    /// That which what is dropped there was made with, in one of these places.
    Kept(Vec<((InstId, usize), Known)>),
}

impl KeyAt {
    fn include(&self, key: &Known) -> bool {
        match self {
            KeyAt::One(one) => one == key,
            KeyAt::Kept(made) => made.iter().any(|(_, one)| one == key),
        }
    }
}

/// By instance: where it is called, by instance and block.
type Calls = BTreeMap<InstId, Vec<(InstId, usize)>>;

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
            let [var] = &self.vars(at).iter().copied().collect::<Vec<_>>()[..] else { continue };
            if let Some(key) = self.fills_vacant(at).and_then(|key| values.operand(inst, key)) {
                claims.push(Claim { inst, var: *var, key, held: self.behind(inst, block), at: block });
                continue;
            }
            let Some((access, key)) = self.keyed_at(at) else { continue };
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
        if claims.is_empty() {
            return;
        }
        let calls = self.calls();
        let claimed: BTreeSet<usize> = claims.iter().map(|claim| claim.var).collect();
        let locks: BTreeSet<usize> = claimed
            .into_iter()
            .filter(|var| {
                let mut changes = changed[var].iter();
                !self.sharing.vars[*var].recurring
                    && changes.all(|at| {
                        let claims_it = self.is_claim(*at) || self.fills_vacant(*at).is_some();
                        claims_it
                            || self.is_matched(*at)
                            || self.gives_back((values, &calls), &claims, *var, *at)
                    })
            })
            .collect();
        if locks.is_empty() {
            return;
        }
        for (at, id) in &self.ids {
            // Most accesses are about no key, and it takes long to find out where one is made.
            let key = self.key_at(values, *at);
            let same =
                claims.iter().filter(|claim| locks.contains(&claim.var) && Some(&claim.key) == key.as_ref());
            let others: Vec<&Claim> = same.filter(|claim| !self.vars(*at).contains(&claim.var)).collect();
            let by = others.iter().find(|claim| self.is_held((values, &calls), claim, *at));
            let beside = || others.iter().find(|claim| self.is_around(&calls, claim, *at));
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

    /// The key of the vacant entry that a change puts something into.
    fn fills_vacant(&self, (inst, block, number): AccessAt) -> Option<&Operand> {
        let at = self.facts.effects[inst.0 as usize][block][number].at;
        let claims = |access: &robust_models::Access| access.claims && access.key.is_none();
        let fills = self.modelled(inst, block, at).iter().any(claims);
        self.entry(inst, block, at).filter(|_| fills).map(|(key, _)| key)
    }

    /// Whether a change is only asking for an entry that is then matched: what is made of it is another change.
    fn is_matched(&self, (inst, block, number): AccessAt) -> bool {
        let at = self.facts.effects[inst.0 as usize][block][number].at;
        let body = self.flow.body_of(inst);
        let TerminatorKind::Call(call) = &body.blocks[block].terminator.kind else { return false };
        let Some(entry) = call.dest.as_local() else { return false };
        let entries = self.copies_of(inst, entry);
        let handed_on = body.blocks.iter().any(|data| match &data.terminator.kind {
            TerminatorKind::Call(call) => {
                call.args.iter().filter_map(Operand::place).any(|arg| entries.contains(&arg.local))
            }
            _ => false,
        });
        self.keyed(inst, block, at).is_some() && self.is_entry(inst, block) && !handed_on
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

    /// Where instances are called, or dropped values drop what they have.
    fn calls(&self) -> Calls {
        let mut calls = Calls::new();
        for (inst, blocks) in instances(&self.facts.effects) {
            for (block, steps) in blocks.iter().enumerate() {
                for step in steps {
                    let Action::Call { callees, .. } = &step.action else { continue };
                    callees.iter().for_each(|callee| calls.entry(*callee).or_default().push((inst, block)));
                }
            }
        }
        calls
    }

    /// The blocks of a function in which an access is made, by it or by what it calls.
    fn seen_from(&self, calls: &Calls, inst: InstId, at: AccessAt) -> BTreeSet<usize> {
        let mut around = BTreeSet::from([(at.0, at.1)]);
        let mut found = BTreeSet::new();
        for _ in 0..MOST_AROUND {
            found.extend(around.iter().filter(|(of, _)| *of == inst).map(|(_, block)| *block));
            let callers = around.iter().filter(|(of, _)| *of != inst).filter_map(|(of, _)| calls.get(of));
            around = callers.flatten().copied().collect();
        }
        found
    }

    /// Whether a change takes out a key that its function has claimed, or those have who made what is dropped there.
    fn gives_back(
        &self,
        known: (&Values<'_, '_>, &Calls),
        claims: &[Claim],
        var: usize,
        at: AccessAt,
    ) -> bool {
        let Some(keys) = self.removes(at).then(|| self.keys_at(known.0, at)).flatten() else { return false };
        let mut claims = claims.iter().filter(|claim| claim.var == var);
        match keys {
            KeyAt::One(key) => claims.any(|claim| claim.key == key && self.is_held(known, claim, at)),
            KeyAt::Kept(made) => made.iter().all(|(made_at, key)| {
                claims.clone().any(|claim| self.is_made_under(known.1, claim, (*made_at, key)))
            }),
        }
    }

    /// Whether what is made in a place, with a key, is made where its function has claimed that: in the same text, on whatever set.
    fn is_made_under(
        &self,
        calls: &Calls,
        claim: &Claim,
        ((inst, block), key): ((InstId, usize), &Known),
    ) -> bool {
        let body = |inst: InstId| self.flow.instances[inst.0 as usize].body;
        if body(inst) == body(claim.inst) {
            return claim.held.contains(&block) && (inst != claim.inst || claim.key == *key);
        }
        // By a closure that is only called then: `claimed.then(|| ..)`.
        let told = |(caller, at): &(InstId, usize)| {
            let TerminatorKind::Call(call) = &self.flow.body_of(*caller).blocks[*at].terminator.kind else {
                return false;
            };
            let TerminatorKind::Call(asked) = &self.flow.body_of(claim.inst).blocks[claim.at].terminator.kind
            else {
                return false;
            };
            let only_then = self.flow.model_at(*caller, *at).and_then(|model| model.calls.as_ref());
            let of = call.args.first().and_then(Operand::place).and_then(Place::as_local);
            *caller == claim.inst
                && only_then.is_some_and(|calls| calls.times == Order::IfOk)
                && of.zip(asked.dest.as_local()).is_some_and(|(of, result)| {
                    self.says_first(claim.inst, of, result, MAX_STEPS) == Some(true)
                })
        };
        claim.key == *key && calls.get(&inst).is_some_and(|calls| !calls.is_empty() && calls.iter().all(told))
    }

    fn removes(&self, at: AccessAt) -> bool {
        self.keyed_at(at).is_some_and(|(access, _)| access.change == Some(robust_models::Change::Remove))
    }

    fn key_at(&self, values: &Values<'_, '_>, at: AccessAt) -> Option<Known> {
        let (_, key) = self.keyed_at(at)?;
        values.operand(at.0, key).filter(|key| !matches!(key, Known::Kept(..)))
    }

    fn keys_at(&self, values: &Values<'_, '_>, at: AccessAt) -> Option<KeyAt> {
        let (_, key) = self.keyed_at(at)?;
        match values.operand(at.0, key)? {
            Known::Kept(ty, field) => values.makings(&ty, field).map(KeyAt::Kept),
            known => Some(KeyAt::One(known)),
        }
    }

    /// Whether an access is made between a claim and where its function gives the key back.
    fn is_held(&self, (values, calls): (&Values<'_, '_>, &Calls), claim: &Claim, at: AccessAt) -> bool {
        let inst = claim.inst;
        let blocks = self.seen_from(calls, inst, at);
        if blocks.is_empty() || !blocks.is_subset(&claim.held) {
            return false;
        }
        // Who has given it back has to claim it anew.
        let mut succs = self.cfg(inst).succs.clone();
        succs[claim.at].clear();
        let backs = self.ids.keys().filter(|at| {
            self.vars(**at).contains(&claim.var)
                && self.removes(**at)
                && self.keys_at(values, **at).is_some_and(|keys| keys.include(&claim.key))
        });
        let given_back = |back: usize| !reach(&succs, succs[back].iter().copied()).is_disjoint(&blocks);
        !backs.flat_map(|at| self.seen_from(calls, inst, *at)).any(given_back)
    }

    /// Whether an access is made on each way to a claim, or only behind it: it may be made where the claim is made, or where the key is given back.
    fn is_around(&self, calls: &Calls, claim: &Claim, at: AccessAt) -> bool {
        let blocks = self.seen_from(calls, claim.inst, at);
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
