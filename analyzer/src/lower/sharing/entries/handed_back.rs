//! Claims that a function makes for whoever calls it: what it returns says whether the key was there. Whoever goes on only if it was not, has it.

use std::collections::BTreeSet;

use robust_models::Value as ModelValue;

use crate::lower::sharing::basis::Search;
use crate::lower::sharing::entries::claimed::Claim;
use crate::mir::{Local, Operand, Place, Prim, Projection, Rvalue, StatementKind, TerminatorKind, TyKind};
use crate::world::actions::outcome;
use crate::world::points::aggregates::variant_made;
use crate::world::points::points_to::InstId;
use crate::world::values::compared::only_through;
use crate::world::values::value::{Values, given, result_of};

/// Functions within functions that hand a claim back.
const MOST_CALLS: usize = 3;
/// Steps from a truth value to the result that it speaks of.
const MOST_STEPS: u32 = 12;

/// What is returned.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Says {
    /// `true`, something, a success; or the contrary.
    Success(bool),
    /// A variant of an enum of the program, by its discriminant.
    Variant(i128),
}

impl Search<'_, '_> {
    /// Adds the claims of those who call functions that make them.
    pub(super) fn hand_back(&self, values: &Values<'_, '_>, claims: &mut Vec<Claim>) {
        let mut from = 0;
        for _ in 0..MOST_CALLS {
            let until = claims.len();
            for number in from..until {
                let claim = &claims[number];
                let Some(says) = self.says_claimed(claim) else { continue };
                let (var, key) = (claim.var, claim.key.clone());
                for &(inst, block) in values.callers(claim.inst).unwrap_or_default() {
                    if let Some(held) = self.told_claimed(inst, block as usize, says) {
                        claims.push(Claim { inst, var, key: key.clone(), held, at: block as usize });
                    }
                }
            }
            from = until;
        }
    }

    /// What a function returns if it has claimed a key, and only then.
    fn says_claimed(&self, claim: &Claim) -> Option<Says> {
        let body = self.flow.body_of(claim.inst);
        if let TerminatorKind::Call(call) = &body.blocks[claim.at].terminator.kind
            && let Some(result) = call.dest.as_local()
            && let Some(told) = self.truth_returned(claim.inst)
            && let Some(first) = match result == told {
                true => Some(true),
                false => self.says_first(claim.inst, told, result, MOST_STEPS),
            }
        {
            return Some(Says::Success(first));
        }
        let variants = self.flow.local_ty(claim.inst, 0).and_then(|ty| self.flow.code.variants(&ty));
        let says = |rvalue: &Rvalue| {
            let variant = || variant_made(variants?, rvalue).map(Says::Variant);
            outcome::of(rvalue).map(Says::Success).or_else(variant)
        };
        // What is returned where it has it, and elsewhere.
        let mut said: [Option<Says>; 2] = [None; 2];
        for &block in &self.cfg(claim.inst).reached {
            let data = &body.blocks[block];
            let mut here: Vec<Option<Says>> = data
                .statements
                .iter()
                .filter_map(|statement| match &statement.kind {
                    StatementKind::Assign(place, rvalue) if place.local == Local::RETURN => {
                        Some(says(rvalue).filter(|_| place.projection.is_empty()))
                    }
                    _ => None,
                })
                .collect();
            if let TerminatorKind::Call(call) = &data.terminator.kind
                && call.dest.local == Local::RETURN
            {
                here.push(outcome::fails(self.flow, claim.inst, block).then_some(Says::Success(false)));
            }
            for one in here {
                let known = &mut said[usize::from(claim.held.contains(&block))];
                if known.is_some_and(|known| Some(known) != one) {
                    return None;
                }
                *known = Some(one?);
            }
        }
        match said {
            [Some(other), Some(claimed)] if other != claimed => Some(claimed),
            _ => None,
        }
    }

    /// The truth value that a function returns, or that says whether there is something in what it returns.
    fn truth_returned(&self, inst: InstId) -> Option<Local> {
        let is_truth = |local: Local| {
            self.flow.local_ty(inst, local.0).is_some_and(|ty| *ty == TyKind::Prim(Prim::Bool))
        };
        if is_truth(Local::RETURN) {
            return Some(Local::RETURN);
        }
        let (block, call) = result_of(self.flow.body_of(inst), &Operand::Copy(Place::from(Local::RETURN)))?;
        let hands_on = self.flow.model_at(inst, block)?.value == Some(ModelValue::Same);
        let told = call.args.first()?.place()?.as_local()?;
        (hands_on && is_truth(told)).then_some(told)
    }

    /// The blocks that are reached only if what the call that ends a block returned says that a key was claimed.
    fn told_claimed(&self, inst: InstId, block: usize, says: Says) -> Option<BTreeSet<usize>> {
        let body = self.flow.body_of(inst);
        let TerminatorKind::Call(call) = &body.blocks[block].terminator.kind else { return None };
        let results = self.copies_of(inst, call.dest.as_local()?);
        let cfg = self.cfg(inst);
        cfg.reached.iter().find_map(|&branch| {
            let TerminatorKind::SwitchInt { on, targets, otherwise } = &body.blocks[branch].terminator.kind
            else {
                return None;
            };
            let asked = on.place()?.as_local()?;
            // Which number says that it has it.
            let wanted = match says {
                Says::Success(says) => {
                    u128::from(self.says_success(inst, asked, &results, MOST_STEPS)? == says)
                }
                Says::Variant(variant) => {
                    let Some(Rvalue::Discriminant(of)) = given(body, asked) else { return None };
                    of.as_local().filter(|of| results.contains(of))?;
                    u128::try_from(variant).ok()?
                }
            };
            let to = targets.iter().find(|(value, _)| *value == wanted).map(|(_, to)| *to);
            let to = to.or_else(|| otherwise.filter(|_| targets.len() == 1))?;
            Some(only_through(cfg, branch, to.0 as usize))
        })
    }

    /// A local, and those that what it holds is moved to, out of what was polled, too.
    pub(super) fn copies_of(&self, inst: InstId, local: Local) -> BTreeSet<Local> {
        let body = self.flow.body_of(inst);
        let mut found = BTreeSet::from([local]);
        for _ in 0..MOST_STEPS {
            let before = found.len();
            for statement in body.blocks.iter().flat_map(|block| &block.statements) {
                let StatementKind::Assign(to, Rvalue::Use(operand)) = &statement.kind else { continue };
                let (Some(to), Some(from)) = (to.as_local(), operand.place()) else { continue };
                let whole = match &from.projection[..] {
                    [] => true,
                    [Projection::Downcast(variant), Projection::Field(0, _)] => &**variant == "Ready",
                    _ => false,
                };
                if whole && found.contains(&from.local) && given(body, to).is_some() {
                    found.insert(to);
                }
            }
            if found.len() == before {
                break;
            }
        }
        found
    }

    /// Whether a number that is not zero says that one of these results is a success; or, if it is not so, that it is none.
    fn says_success(&self, inst: InstId, local: Local, results: &BTreeSet<Local>, fuel: u32) -> Option<bool> {
        let fuel = fuel.checked_sub(1)?;
        let body = self.flow.body_of(inst);
        if results.contains(&local) {
            let ty = self.flow.local_ty(inst, local.0)?;
            return (*ty == TyKind::Prim(Prim::Bool)).then_some(true);
        }
        let of = |operand: &Operand| operand.place().and_then(Place::as_local);
        match given(body, local) {
            Some(Rvalue::Use(operand)) => self.says_success(inst, of(operand)?, results, fuel),
            Some(Rvalue::Unary(operator, operand)) if &**operator == "Not" => {
                self.says_success(inst, of(operand)?, results, fuel).map(|success| !success)
            }
            Some(Rvalue::Discriminant(of)) => {
                let of = of.as_local().filter(|of| self.is_result(inst, *of, results, fuel))?;
                match self.flow.local_ty(inst, of.0)?.as_path()?.last() {
                    "Option" => Some(true),
                    "Result" | "ControlFlow" => Some(false),
                    _ => None,
                }
            }
            Some(_) => None,
            None => {
                let (block, call) = result_of(body, &Operand::Copy(Place::from(local)))?;
                let asked = of(call.args.first()?)?;
                let value = self.flow.model_at(inst, block)?.value;
                let value = value.filter(|_| self.is_result(inst, asked, results, fuel));
                match value? {
                    ModelValue::IsOk => Some(true),
                    ModelValue::IsErr => Some(false),
                    _ => None,
                }
            }
        }
    }

    /// Whether a local is one of these results, refers to one, or is a success just if one is.
    fn is_result(&self, inst: InstId, local: Local, results: &BTreeSet<Local>, fuel: u32) -> bool {
        let Some(fuel) = fuel.checked_sub(1) else { return false };
        let body = self.flow.body_of(inst);
        if results.contains(&local) {
            return true;
        }
        let next = match given(body, local) {
            Some(Rvalue::Ref(_, of)) => of.as_local(),
            Some(Rvalue::Use(operand)) => operand.place().and_then(Place::as_local),
            Some(_) => None,
            None => result_of(body, &Operand::Copy(Place::from(local)))
                .filter(|(block, _)| {
                    let model = self.flow.model_at(inst, *block);
                    model.is_some_and(|model| model.value == Some(ModelValue::Same))
                })
                .and_then(|(_, call)| call.args.first()?.place()?.as_local()),
        };
        next.is_some_and(|next| self.is_result(inst, next, results, fuel))
    }
}
