//! What is sifted out of a collection: who takes out what is among some others, or equal to something, leaves what is neither.
//!
//! `list.retain(|entry| !gone.contains(&entry.id))` leaves an entry whose number nobody can have seen: one that was drawn for it.

use crate::ir::{Basis, Change};
use crate::lower::sharing::basis::{AccessAt, Search};
use crate::mir::{Body, Local, Operand, Place, Projection, Rvalue, TerminatorKind};
use crate::world::points::points_to::InstId;
use crate::world::values::agree::compares;
use crate::world::values::fresh::Fresh;
use crate::world::values::value::{given, result_of};

use robust_models::{AccessKind, Value as ModelValue};

/// Steps from a truth value to what it asks, and from there to the element.
const MAX_STEPS: u32 = 12;

/// The element that a closure is to judge.
const ELEMENT: Local = Local(2);

/// A part of an element: the fields on the way to it.
type Part = Vec<u32>;

impl Search<'_, '_> {
    /// Says of each change that sifts by which part of the elements it does so, and of each one that puts something in which parts of that
    /// nobody else has.
    pub(in crate::lower::sharing) fn sift(&self, fresh: &Fresh<'_, '_, '_>, list: &mut [Basis]) {
        for (&at, &id) in &self.ids {
            let basis = &mut list[id.index()];
            match basis.change {
                Some(Change::Remove) if !basis.keyed => basis.sifts = self.sifts(at),
                Some(Change::Put) => basis.anew = self.anew(fresh, at),
                _ => {}
            }
        }
    }

    /// By which part of the elements a change decides which ones to leave, if it leaves those that have another one there than was asked for.
    fn sifts(&self, (inst, block, _): AccessAt) -> Option<Part> {
        let mut callees = self.flow.calls.get(&(inst, block as u32))?.callees.iter();
        let callee = *callees.next().filter(|_| callees.next().is_none())?;
        let (same, part) = self.asked_of_element(callee, Local::RETURN, MAX_STEPS)?;
        (!same).then_some(part)
    }

    /// Whether a truth value says that a part of the element is what it is compared with, or among such, and which part that is; or that it is
    /// not.
    fn asked_of_element(&self, inst: InstId, local: Local, fuel: u32) -> Option<(bool, Part)> {
        let fuel = fuel.checked_sub(1)?;
        let body = self.flow.body_of(inst);
        let of = |operand: &Operand| operand.place().and_then(Place::as_local);
        let part = |operand: &Operand| self.part(inst, operand.place()?, MAX_STEPS);
        let only = |a: &Operand, b: &Operand| match (part(a), part(b)) {
            (Some(part), None) | (None, Some(part)) => Some(part),
            _ => None,
        };
        match given(body, local) {
            Some(Rvalue::Use(operand)) => self.asked_of_element(inst, of(operand)?, fuel),
            Some(Rvalue::Unary(operator, operand)) if &**operator == "Not" => {
                let (same, part) = self.asked_of_element(inst, of(operand)?, fuel)?;
                Some((!same, part))
            }
            Some(Rvalue::Binary(operator, operands)) => match &**operator {
                "Eq" => Some((true, only(&operands.0, &operands.1)?)),
                "Ne" => Some((false, only(&operands.0, &operands.1)?)),
                _ => None,
            },
            Some(_) => None,
            None => {
                let (block, call) = result_of(body, &Operand::Copy(Place::from(local)))?;
                let model = self.flow.model_at(inst, block);
                let (first, second) = (call.args.first()?, call.args.get(1)?);
                if let Some(same) = compares(self.flow.models, call, model?.value) {
                    return Some((same, only(first, second)?));
                }
                let looks_up = model?.access.iter().flatten().any(|access| {
                    access.presence && access.kind == AccessKind::Read && access.key == Some(1)
                });
                let among = looks_up || model?.value == Some(ModelValue::IsAmong);
                Some((true, part(second).filter(|_| among && part(first).is_none())?))
            }
        }
    }

    /// The part of the element that a place is, or refers to.
    fn part(&self, inst: InstId, place: &Place, fuel: u32) -> Option<Part> {
        let fuel = fuel.checked_sub(1)?;
        let body: &Body = self.flow.body_of(inst);
        let mut fields = Vec::new();
        for step in &place.projection {
            match step {
                Projection::Deref => {}
                Projection::Field(number, _) => fields.push(*number),
                _ => return None,
            }
        }
        let from = match given(body, place.local) {
            _ if place.local == ELEMENT => return Some(fields),
            Some(Rvalue::Use(operand)) => operand.place()?,
            Some(Rvalue::Ref(_, place) | Rvalue::CopyForDeref(place)) => place,
            Some(_) => return None,
            None => {
                let (block, call) = result_of(body, &Operand::Copy(Place::from(place.local)))?;
                let copies = self.flow.model_at(inst, block)?.value == Some(ModelValue::Copy);
                call.args.first().filter(|_| copies)?.place()?
            }
        };
        let mut part = self.part(inst, from, fuel)?;
        part.extend(fields);
        Some(part)
    }

    /// The parts of what a change puts in that are made anew for its event.
    fn anew(&self, fresh: &Fresh<'_, '_, '_>, (inst, block, _): AccessAt) -> Vec<Part> {
        let body = self.flow.body_of(inst);
        let TerminatorKind::Call(call) = &body.blocks[block].terminator.kind else { return Vec::new() };
        let [_, put] = &call.args[..] else { return Vec::new() };
        let parts = match put.place().and_then(Place::as_local).and_then(|local| given(body, local)) {
            Some(Rvalue::Aggregate(_, parts)) => &parts[..],
            _ => &[],
        };
        let is_made = |part: &Operand| fresh.operand(inst, part).is_some();
        let numbered = parts.iter().enumerate().filter(|(_, part)| is_made(part));
        let made = numbered.map(|(number, _)| vec![number as u32]);
        // With a part that nobody else has, the whole is another one, too.
        is_made(put).then(Vec::new).into_iter().chain(made).collect()
    }
}
