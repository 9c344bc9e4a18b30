//! Keys that were searched for because nothing is there: `(1..).find(|id| !map.contains_key(id))`.

use std::collections::BTreeSet;

use robust_models::Value as ModelValue;

use crate::lower::sharing::basis::Search;
use crate::mir::{BodyKind, Local, Operand, Place, Prim, Projection, Rvalue, TerminatorKind, TyKind};
use crate::world::points::points_to::InstId;
use crate::world::values::value::{given, result_of};

/// Steps from a key to the search that found it.
const MOST_STEPS: u32 = 16;

impl Search<'_, '_> {
    /// Whether the call at the end of a block has searched for a key under which nothing is in these variables, and this is the one.
    pub(super) fn is_found_free(
        &self,
        inst: InstId,
        search: usize,
        (key, vars): (&Operand, &BTreeSet<usize>),
    ) -> bool {
        let body = self.flow.body_of(inst);
        let TerminatorKind::Call(call) = &body.blocks[search].terminator.kind else { return false };
        let Some(info) = self.flow.calls.get(&(inst, search as u32)) else { return false };
        let mut asked = info.callees.iter();
        let Some(asked) = asked.next().filter(|_| asked.next().is_none()) else { return false };
        let is_key = || {
            let result = call.dest.as_local();
            let from = key.place().map(|place| place.local);
            result.zip(from).is_some_and(|(result, from)| self.is_out_of(inst, from, result, MOST_STEPS))
        };
        info.foreign.is_some() && self.asks_absence(*asked, vars) && is_key()
    }

    /// Whether what is in a local is what is in this option.
    fn is_out_of(&self, inst: InstId, local: Local, option: Local, fuel: u32) -> bool {
        let Some(fuel) = fuel.checked_sub(1) else { return false };
        if local == option {
            return true;
        }
        let body = self.flow.body_of(inst);
        let next = match given(body, local) {
            Some(Rvalue::Use(Operand::Copy(place) | Operand::Move(place)) | Rvalue::Ref(_, place)) => {
                let inside = |step: &Projection| matches!(step, Projection::Downcast(_) | Projection::Deref);
                let own = place.projection.iter().all(|step| {
                    inside(step) || matches!(step, Projection::Field(0, _)) && place.projection.len() == 2
                });
                own.then_some(place.local)
            }
            Some(_) => None,
            None => result_of(body, &Operand::Copy(Place::from(local)))
                .filter(|(block, _)| {
                    let value = self.flow.model_at(inst, *block).and_then(|model| model.value);
                    matches!(value, Some(ModelValue::Same | ModelValue::Asserts | ModelValue::Copy))
                })
                .and_then(|(_, call)| call.args.first()?.place()?.as_local()),
        };
        next.is_some_and(|next| self.is_out_of(inst, next, option, fuel))
    }

    /// Whether a closure says of what it is shown that there is nothing under that key in these variables.
    fn asks_absence(&self, closure: InstId, vars: &BTreeSet<usize>) -> bool {
        let body = self.flow.body_of(closure);
        let says =
            self.flow.local_ty(closure, Local::RETURN.0).is_some_and(|ty| *ty == TyKind::Prim(Prim::Bool));
        if !matches!(body.kind, BodyKind::Closure { .. }) || !says {
            return false;
        }
        let looks = |block: usize| {
            self.looks_for(closure, block, vars).and_then(Operand::place).is_some_and(|key| {
                key.local == Local(2) || self.is_out_of(closure, key.local, Local(2), MOST_STEPS)
            })
        };
        match given(body, Local::RETURN) {
            Some(Rvalue::Unary(operator, operand)) if &**operator == "Not" => {
                result_of(body, operand).is_some_and(|(block, _)| looks(block))
            }
            Some(_) => false,
            None => {
                let result = Operand::Copy(Place::from(Local::RETURN));
                let Some((block, call)) = result_of(body, &result) else { return false };
                let fails = self.flow.model_at(closure, block).and_then(|model| model.value);
                let of = call.args.first().and_then(Operand::place).and_then(Place::as_local);
                let of = of.map(|of| match given(body, of) {
                    Some(Rvalue::Ref(_, place)) => place.clone(),
                    _ => Place::from(of),
                });
                let looked = of.and_then(|of| result_of(body, &Operand::Copy(of)));
                fails == Some(ModelValue::IsErr) && looked.is_some_and(|(block, _)| looks(block))
            }
        }
    }
}
