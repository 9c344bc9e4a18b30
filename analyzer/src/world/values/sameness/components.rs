//! What values are made of: of which parts, of what is in an option, of what a future has captured.

use std::collections::BTreeSet;

use robust_models::{Order, TypeKind, Value as ModelValue};

use crate::mir::{
    AggregateKind, Body, BodyKind, BorrowKind, Local, Operand, Place, Projection, Rvalue, StatementKind,
    TerminatorKind, TyKind,
};
use crate::world::actions::outcome;
use crate::world::exclusive::cloned;
use crate::world::points::points_to::InstId;
use crate::world::points::types::any_part;
use crate::world::values::value::{Definition, Known, Values, Wanted, definition};

impl<'a> Values<'_, 'a> {
    /// What is in the option, or the result, that a local is: where there is something, it is this.
    pub(in crate::world::values) fn payload(&self, inst: InstId, local: Local, fuel: u32) -> Option<Known> {
        let fuel = fuel.checked_sub(1)?;
        let body = self.flow.body_of(inst);
        if is_lent(body, local) {
            return None;
        }
        let mut found = None;
        for (index, block) in body.blocks.iter().enumerate().filter(|(_, block)| !block.cleanup) {
            let assigned = block.statements.iter().filter_map(|statement| match &statement.kind {
                StatementKind::Assign(place, rvalue) if place.local == local => Some((place, rvalue)),
                _ => None,
            });
            for (place, rvalue) in assigned {
                // What is not there is nothing.
                if place.projection.is_empty() && outcome::of(rvalue) == Some(false) {
                    continue;
                }
                let known = match rvalue {
                    Rvalue::Aggregate(_, parts) if outcome::of(rvalue) == Some(true) => {
                        self.operand_in(inst, parts.first()?, fuel)
                    }
                    Rvalue::Use(operand) => self.payload(inst, operand.place()?.as_local()?, fuel),
                    _ => None,
                };
                let once = place.projection.is_empty() && !self.facts.comes_again(inst, index);
                if found.replace(known.filter(|_| once)?).is_some() {
                    return None;
                }
            }
            let TerminatorKind::Call(call) = &block.terminator.kind else { continue };
            let model = self.flow.model_at(inst, index);
            let value = model.and_then(|model| model.value);
            if call.dest.local != local || value == Some(ModelValue::Fails) {
                continue;
            }
            let known = match self.callee(inst, index) {
                // What is there is handed on, unless a closure makes something else of it.
                _ if value == Some(ModelValue::Same) => {
                    let changes = model.and_then(|model| model.calls.as_ref());
                    let changes = changes.is_some_and(|calls| calls.times == Order::IfOk);
                    let first = call.args.first().and_then(Operand::place).and_then(Place::as_local);
                    first.filter(|_| !changes).and_then(|first| self.payload(inst, first, fuel))
                }
                Some(callee) => self.payload(callee, Local::RETURN, fuel),
                None => None,
            };
            let one = self.first.get(&self.flow.instances[inst.0 as usize].body).copied().unwrap_or(inst);
            let known = known.unwrap_or(Known::In(one, local));
            let once = call.dest.projection.is_empty() && !self.facts.comes_again(inst, index);
            if found.replace(Some(known).filter(|_| once)?).is_some() {
                return None;
            }
        }
        found
    }

    /// What is in this field of what a closure or future captured under a number.
    pub(in crate::world::values) fn part_of_capture(
        &self,
        inst: InstId,
        capture: u32,
        number: u32,
        fuel: u32,
    ) -> Option<Known> {
        let (maker, operand) = self.capture(inst, capture)?;
        self.part(maker, operand.place()?.as_local()?, number, fuel)
    }

    /// What the tuple or struct was made of, in this field, that a local is, or refers to: a copy is as good.
    pub(in crate::world::values) fn part(
        &self,
        inst: InstId,
        local: Local,
        number: u32,
        fuel: u32,
    ) -> Option<Known> {
        let fuel = fuel.checked_sub(1)?;
        let body = self.flow.body_of(inst);
        let definition = definition(body, local).filter(|_| !is_lent(body, local))?;
        if let Definition::Rvalue(block, _) | Definition::Call(block, _) = definition
            && self.facts.comes_again(inst, block)
        {
            return None;
        }
        let of = |inst: InstId, place: &Place| match &place.projection[..] {
            [] | [Projection::Deref] => self.part(inst, place.local, number, fuel),
            [Projection::Field(capture, _)] if place.local == Local(1) => {
                self.part_of_capture(inst, *capture, number, fuel)
            }
            _ => None,
        };
        match definition {
            Definition::Param(argument) => {
                let given = || {
                    let (caller, call) = self.caller(inst)?;
                    let whole = call.args.len() == body.arg_count as usize;
                    of(caller, call.args.get(argument as usize).filter(|_| whole)?.place()?)
                };
                given().or_else(|| self.stays(inst, local, number))
            }
            Definition::Rvalue(_, Rvalue::Aggregate(kind, parts)) => match &**kind {
                AggregateKind::Tuple | AggregateKind::Adt { .. } => {
                    self.operand_in(inst, parts.get(number as usize)?, fuel)
                }
                _ => None,
            },
            Definition::Rvalue(_, Rvalue::Use(operand) | Rvalue::Cast(_, operand, _)) => {
                of(inst, operand.place()?)
            }
            Definition::Rvalue(_, Rvalue::Ref(_, place) | Rvalue::CopyForDeref(place)) => of(inst, place),
            Definition::Call(block, call) if self.copies(inst, block, call, Wanted::Itself) => {
                of(inst, call.args.first()?.place()?)
            }
            // What a function of the program makes: a copy, most of the time.
            Definition::Call(block, _) => self.part(self.callee(inst, block)?, Local::RETURN, number, fuel),
            _ => None,
        }
    }

    /// The function of the program that the call that ends a block runs, if it is one.
    fn callee(&self, inst: InstId, block: usize) -> Option<InstId> {
        let info = self.flow.calls.get(&(inst, block as u32))?;
        let known = info.model.is_some() || info.foreign.is_some() || info.callees.len() != 1;
        info.callees.first().copied().filter(|_| !known)
    }

    /// What the value that is dropped has in a field.
    pub(in crate::world::values) fn kept(&self, inst: InstId, number: u32) -> Option<Known> {
        let value = self.flow.local_ty(inst, 1).filter(|_| self.flow.body_of(inst).is_drop())?;
        Some(Known::Kept(value.peel_refs().as_path()?.plain(), number))
    }

    /// What a field of what a parameter was given holds, if it is plain data that nobody changes while the body runs.
    fn stays(&self, inst: InstId, local: Local, number: u32) -> Option<Known> {
        let body = self.flow.body_of(inst);
        let ty = self.flow.local_ty(inst, local.0)?;
        if matches!(&*ty, TyKind::Ref { mutable: true, .. } | TyKind::Ptr { .. }) {
            return None;
        }
        let blocks = || body.blocks.iter().filter(|block| !block.cleanup);
        let assigned = blocks().flat_map(|block| &block.statements).filter_map(|statement| {
            if let StatementKind::Assign(place, _) = &statement.kind { Some(place) } else { None }
        });
        let called = blocks().filter_map(|block| match &block.terminator.kind {
            TerminatorKind::Call(call) => Some(&call.dest),
            _ => None,
        });
        if assigned.chain(called).any(|place| place.local == local) {
            return None;
        }
        let fields = self.flow.code.field_types(ty.peel_refs())?;
        let (_, field) = fields.get(number as usize)?;
        let mut changes = false;
        any_part(field, &mut |part| {
            let kind = self.flow.kind(part);
            changes |= matches!(kind, Some(TypeKind::Lock | TypeKind::Cell | TypeKind::Atomic))
                || matches!(part, TyKind::Ref { mutable: true, .. } | TyKind::Ptr { .. });
            changes
        });
        let one = self.first.get(&self.flow.instances[inst.0 as usize].body).copied().unwrap_or(inst);
        (!changes).then_some(Known::Part(one, local, number))
    }

    /// What all values of a type have in a field that is never changed, where they are made; `None` where that is not known, or where they can
    /// be cloned.
    pub fn made_with(&self, ty: &str, field: u32) -> Option<BTreeSet<Known>> {
        Some(self.makings(ty, field)?.into_iter().map(|(_, key)| key).collect())
    }

    /// The same, with the instances and blocks in which they are made.
    pub fn makings(&self, ty: &str, field: u32) -> Option<Vec<((InstId, usize), Known)>> {
        let is = |inst: InstId, place: &Place| {
            let of = self.flow.place_ty(inst, place);
            of.is_some_and(|of| of.as_path().is_some_and(|path| path.plain() == ty))
        };
        let mut keys = Vec::new();
        for index in 0..self.flow.instances.len() {
            let inst = InstId(index as u32);
            let blocks =
                self.flow.body_of(inst).blocks.iter().enumerate().filter(|(_, block)| !block.cleanup);
            let statements =
                blocks.flat_map(|(at, block)| block.statements.iter().map(move |statement| (at, statement)));
            for (at, statement) in statements {
                let StatementKind::Assign(place, rvalue) = &statement.kind else { continue };
                let changed = match rvalue {
                    Rvalue::Ref(BorrowKind::Mut, of) => of,
                    _ => place,
                };
                if let Some((Projection::Field(number, _), before)) = changed.projection.split_last()
                    && *number == field
                    && is(inst, &Place { local: changed.local, projection: before.into() })
                {
                    return None;
                }
                if let Rvalue::Aggregate(kind, parts) = rvalue
                    && matches!(**kind, AggregateKind::Adt { .. })
                    && is(inst, place)
                {
                    keys.push(((inst, at), self.operand(inst, parts.get(field as usize)?)?));
                }
            }
        }
        let cloned = cloned(self.flow);
        (!keys.is_empty() && !cloned.contains(ty)).then_some(keys)
    }

    /// The operand that a closure or future captured under this number, and the instance that made it.
    pub(crate) fn capture(&self, inst: InstId, number: u32) -> Option<(InstId, &'a Operand)> {
        let is_closure =
            matches!(self.flow.body_of(inst).kind, BodyKind::Closure { .. } | BodyKind::Coroutine { .. });
        let def = &self.flow.body_of(inst).def;
        let captured = |rvalue: &'a Rvalue| {
            let Rvalue::Aggregate(kind, captures) = rvalue else { return None };
            match &**kind {
                AggregateKind::Closure { body, .. } | AggregateKind::Coroutine { body, .. }
                    if body == def =>
                {
                    captures.get(number as usize)
                }
                _ => None,
            }
        };
        let caller = self.caller(inst).filter(|_| is_closure);
        let given = caller.and_then(|(caller, call)| {
            let body = self.flow.body_of(caller);
            let given = call.args.iter().find_map(|arg| {
                let Definition::Rvalue(_, rvalue) = definition(body, arg.place()?.as_local()?)? else {
                    return None;
                };
                captured(rvalue)
            });
            given.map(|operand| (caller, operand))
        });
        given.or_else(|| {
            // An `async fn` makes its future, and gives it to whoever awaits that.
            let made = self.makers.get(def).filter(|_| is_closure)?;
            let &[(maker, rvalue)] = &made[..] else { return None };
            captured(rvalue).map(|operand| (maker, operand))
        })
    }
}

/// Whether what a local holds, or a part of it, may be changed by whoever has it borrowed.
pub(crate) fn is_lent(body: &Body, local: Local) -> bool {
    let blocks = body.blocks.iter().filter(|block| !block.cleanup);
    blocks.flat_map(|block| &block.statements).any(|statement| match &statement.kind {
        StatementKind::Assign(
            _,
            Rvalue::Ref(BorrowKind::Mut, of) | Rvalue::RawPtr { mutable: true, place: of },
        ) => of.local == local && !of.projection.contains(&Projection::Deref),
        _ => false,
    })
}
