//! Elements that are looked for again, one by one, after all were listed: what was seen said which there are, and nothing of what is in them.

use crate::ir::{Basis, BasisId};
use crate::lower::sharing::basis::{AccessAt, Search};
use crate::mir::{
    BasicBlock, Body, BodyKind, Local, Operand, Place, Prim, Projection, Rvalue, TerminatorKind, Ty, TyKind,
};
use crate::world::actions::used::mentions;
use crate::world::elements::is_next;
use crate::world::points::points_to::InstId;
use crate::world::values::value::{Values, given, result_of};

/// Steps from a key to the element that it is.
const MOST_STEPS: u32 = 16;

impl Search<'_, '_> {
    /// Says of looks for one element of those that others listed which looks these were.
    pub(in crate::lower::sharing) fn look_for_listed(&self, values: &Values<'_, '_>, list: &mut [Basis]) {
        let looks: Vec<(AccessAt, BasisId)> = self.ids.iter().map(|(at, id)| (*at, *id)).collect();
        for &(at, id) in looks.iter().filter(|(at, _)| self.looks(*at)) {
            let of = |(other, known): &(AccessAt, BasisId)| {
                list[id.index()].data.name(*known) && self.vars(*other) == self.vars(at) && self.lists(*other)
            };
            let listed: Vec<BasisId> =
                looks.iter().filter(|other| of(other)).map(|(_, known)| *known).collect();
            if !listed.is_empty() && self.looks_for_element(values, at) {
                list[id.index()].listed = listed;
            }
        }
    }

    /// Whether a look is one at all elements, or at a part of each, whatever is in them.
    fn lists(&self, at: AccessAt) -> bool {
        let (inst, block, number) = at;
        let body = self.flow.body_of(inst);
        let step = &self.facts.effects[inst.0 as usize][block][number];
        match (&body.kind, &body.blocks[block].terminator.kind) {
            (BodyKind::Closure { .. }, _) => self.looks(at) && !selects(body),
            (_, TerminatorKind::Call(call)) if step.at == body.blocks[block].statements.len() => {
                let is_whole = self.looks(at) && self.keyed(inst, block, step.at).is_none();
                is_whole && self.takes_all(inst, call.dest.local)
            }
            _ => false,
        }
    }

    /// Whether what a local iterates over, or leads to, is gathered in a list by library functions, and none of the functions that these are given
    /// decides about an element.
    fn takes_all(&self, inst: InstId, mut local: Local) -> bool {
        let body = self.flow.body_of(inst);
        for _ in 0..MOST_STEPS {
            if self.is_list(&body.locals[local.0 as usize].ty) {
                return true;
            }
            let taken = body.blocks.iter().enumerate().find_map(|(index, block)| {
                let TerminatorKind::Call(call) = &block.terminator.kind else { return None };
                let first = call.args.first().and_then(Operand::place)?;
                let is_it = first.local == local
                    || given(body, first.local).is_some_and(|from| mentions(from, local));
                is_it.then_some((index, call))
            });
            let Some((block, call)) = taken else { return false };
            let Some(info) = self.flow.calls.get(&(inst, block as u32)) else { return false };
            let decides = info.callees.iter().any(|callee| selects(self.flow.body_of(*callee)));
            let is_named = call.args.iter().skip(1).any(|arg| arg.place().is_none());
            if info.foreign.is_none() || is_next(info) || decides || is_named {
                return false;
            }
            local = call.dest.local;
        }
        false
    }

    /// Whether this is a collection of elements without keys.
    fn is_list(&self, ty: &Ty) -> bool {
        let one = ty.as_path().is_some_and(|path| path.type_args().count() == 1);
        one && self.flow.model(ty).is_some_and(|model| model.many)
    }

    /// Whether a look is for one element that a loop has come to, by all that this is.
    fn looks_for_element(&self, values: &Values<'_, '_>, (inst, block, number): AccessAt) -> bool {
        let step = &self.facts.effects[inst.0 as usize][block][number];
        if let Some((_, key)) = self.keyed(inst, block, step.at) {
            return self.is_element(values, inst, key, MOST_STEPS);
        }
        if !matches!(self.flow.body_of(inst).kind, BodyKind::Closure { .. }) {
            return false;
        }
        let mut captures = (0..).map_while(|number| values.capture(inst, number)).peekable();
        captures.peek().is_some()
            && captures.all(|(maker, captured)| self.is_element(values, maker, captured, MOST_STEPS))
    }

    /// Whether a value is all of an element that a loop has come to, or refers to it. Numbers of places in a list are none.
    fn is_element(&self, values: &Values<'_, '_>, inst: InstId, value: &Operand, fuel: u32) -> bool {
        let (Some(fuel), Some(place)) = (fuel.checked_sub(1), value.place()) else { return false };
        let is_place = self
            .flow
            .place_ty(inst, place)
            .is_none_or(|ty| matches!(ty.peel_refs(), TyKind::Prim(Prim::Usize)));
        !is_place && self.is_element_at(values, inst, place, fuel)
    }

    fn is_element_at(&self, values: &Values<'_, '_>, inst: InstId, place: &Place, fuel: u32) -> bool {
        let body = self.flow.body_of(inst);
        let steps: Vec<&Projection> =
            place.projection.iter().filter(|step| **step != Projection::Deref).collect();
        match steps[..] {
            [Projection::Field(number, _)] if place.local == Local(1) => values
                .capture(inst, *number)
                .is_some_and(|(maker, captured)| self.is_element(values, maker, captured, fuel)),
            [Projection::Downcast(_), Projection::Field(0, _)] => {
                let from = Operand::Copy(Place::from(place.local));
                result_of(body, &from)
                    .is_some_and(|(block, _)| self.flow.calls.get(&(inst, block as u32)).is_some_and(is_next))
            }
            [] => match given(body, place.local) {
                Some(Rvalue::Use(operand) | Rvalue::Cast(_, operand, _)) => {
                    self.is_element(values, inst, operand, fuel)
                }
                Some(Rvalue::Ref(_, of) | Rvalue::CopyForDeref(of)) => {
                    self.is_element(values, inst, &Operand::Copy(of.clone()), fuel)
                }
                Some(_) => false,
                None => {
                    let copied = result_of(body, &Operand::Copy(Place::from(place.local)));
                    copied.filter(|(block, _)| self.copies(inst, *block)).is_some_and(|(_, call)| {
                        call.args.first().is_some_and(|of| self.is_element(values, inst, of, fuel))
                    })
                }
            },
            _ => false,
        }
    }

    /// Whether the call that ends a block gives what it is given, or refers to it.
    fn copies(&self, inst: InstId, block: usize) -> bool {
        let model = self.flow.model_at(inst, block);
        model.is_some_and(|model| model.value == Some(robust_models::Value::Copy))
    }
}

/// Whether a function decides about what it is given.
fn selects(body: &Body) -> bool {
    let branches = |block: &BasicBlock| matches!(block.terminator.kind, TerminatorKind::SwitchInt { .. });
    matches!(&*body.locals[0].ty, TyKind::Prim(Prim::Bool)) || body.blocks.iter().any(branches)
}
