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
use crate::world::values::value::{Definition, Known, MAX_STEPS, Values, Wanted, definition, given};

impl<'a> Values<'_, 'a> {
    /// What is in the option, the result, or the enum that a local is: where there is something, or that variant, it is this.
    pub(in crate::world::values) fn payload(
        &self,
        inst: InstId,
        local: Local,
        what: Inside<'_>,
        fuel: u32,
    ) -> Option<Known> {
        match self.put_inside(inst, local, what, fuel)? {
            Put::Operand(inst, operand) => self.operand_in(inst, operand, fuel.checked_sub(1)?),
            Put::Known(known) => Some(known),
        }
    }

    /// The same, as it was put there.
    fn put_inside(&self, inst: InstId, local: Local, what: Inside<'_>, fuel: u32) -> Option<Put<'a>> {
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
                if place.projection.is_empty() && what.is_made_by(rvalue) == Some(false) {
                    continue;
                }
                let put = match rvalue {
                    Rvalue::Aggregate(_, parts) if what.is_made_by(rvalue) == Some(true) => {
                        parts.get(what.number()).map(|part| Put::Operand(inst, part))
                    }
                    Rvalue::Use(operand) => self.handed_on_inside(inst, operand.place()?, what, fuel),
                    _ => None,
                };
                let once = place.projection.is_empty() && !self.facts.comes_again(inst, index);
                if found.replace(put.filter(|_| once)?).is_some() {
                    return None;
                }
            }
            let TerminatorKind::Call(call) = &block.terminator.kind else { continue };
            let model = self.flow.model_at(inst, index);
            let value = model.and_then(|model| model.value);
            if call.dest.local != local || value == Some(ModelValue::Fails) {
                continue;
            }
            let first = || call.args.first().and_then(Operand::place).and_then(Place::as_local);
            let put = match self.callee(inst, index) {
                // What is there is handed on, unless a closure makes something else of it.
                _ if value == Some(ModelValue::Same) => {
                    let changes = model.and_then(|model| model.calls.as_ref());
                    let changes = changes.is_some_and(|calls| calls.times == Order::IfOk);
                    first().filter(|_| !changes).and_then(|first| self.put_inside(inst, first, what, fuel))
                }
                _ if value == Some(ModelValue::Take) => {
                    first().and_then(|from| self.taken_of_kept(inst, from)).map(Put::Known)
                }
                Some(callee) => self.put_inside(callee, Local::RETURN, what, fuel),
                None => None,
            };
            let one = self.first.get(&self.flow.instances[inst.0 as usize].body).copied().unwrap_or(inst);
            let put = match what {
                Inside::Success => put.unwrap_or(Put::Known(Known::In(one, local))),
                Inside::Variant(..) => put?,
            };
            let once = call.dest.projection.is_empty() && !self.facts.comes_again(inst, index);
            if found.replace(Some(put).filter(|_| once)?).is_some() {
                return None;
            }
        }
        found
    }

    /// What is inside of what is moved out of a place: of a local, or of what was polled.
    fn handed_on_inside(&self, inst: InstId, place: &Place, what: Inside<'_>, fuel: u32) -> Option<Put<'a>> {
        match &place.projection[..] {
            [] => self.put_inside(inst, place.local, what, fuel),
            [Projection::Downcast(variant), Projection::Field(0, _)] if &**variant == "Ready" => {
                let Definition::Call(block, _) = definition(self.flow.body_of(inst), place.local)? else {
                    return None;
                };
                let info = self.flow.calls.get(&(inst, block as u32)).filter(|info| info.poll.is_some())?;
                let callee = info.callees.first().copied().filter(|_| info.callees.len() == 1)?;
                self.put_inside(callee, Local::RETURN, what, fuel)
            }
            _ => None,
        }
    }

    /// What was in the option in a field of the function's own value, which nobody but it has, and is taken out of there by this reference.
    fn taken_of_kept(&self, inst: InstId, from: Local) -> Option<Known> {
        let Definition::Rvalue(_, Rvalue::Ref(BorrowKind::Mut, of)) =
            definition(self.flow.body_of(inst), from)?
        else {
            return None;
        };
        let ([Projection::Field(number, _)] | [Projection::Deref, Projection::Field(number, _)]) =
            of.projection[..]
        else {
            return None;
        };
        let value = self.flow.local_ty(inst, 1).filter(|_| of.local == Local(1))?;
        let own = !matches!(&*value, TyKind::Ref { mutable: false, .. } | TyKind::Ptr { .. });
        let path = value.peel_refs().as_path().filter(|_| own && self.flow.code.is_own(value.peel_refs()))?;
        Some(Known::Kept(path.plain(), number))
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
            [Projection::Downcast(variant), Projection::Field(field, _)] => {
                let what = self.inside(inst, place.local, variant, *field)?;
                let Put::Operand(maker, operand) = self.put_inside(inst, place.local, what, fuel)? else {
                    return None;
                };
                self.part(maker, operand.place()?.as_local()?, number, fuel)
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
                    // What is taken out of an option is not there any more.
                    if std::ptr::eq(changed, place) || !self.is_only_taken(inst, place) {
                        return None;
                    }
                }
                if let Rvalue::Aggregate(kind, parts) = rvalue
                    && matches!(**kind, AggregateKind::Adt { .. })
                    && is(inst, place)
                {
                    let part = parts.get(field as usize)?;
                    let local = part.place().and_then(Place::as_local);
                    let made = local.and_then(|local| given(self.flow.body_of(inst), local));
                    if made.is_some_and(|made| outcome::of(made) == Some(false)) {
                        continue;
                    }
                    let inside = local.and_then(|local| {
                        made.and_then(outcome::of)?;
                        self.payload(inst, local, Inside::Success, MAX_STEPS)
                    });
                    keys.push(((inst, at), inside.or_else(|| self.operand(inst, part))?));
                }
            }
        }
        let cloned = cloned(self.flow);
        (!keys.is_empty() && !cloned.contains(ty)).then_some(keys)
    }

    /// Whether a reference is only there for what an option holds to be taken out.
    fn is_only_taken(&self, inst: InstId, reference: &Place) -> bool {
        let Some(reference) = reference.as_local() else { return false };
        let mut takes = false;
        let blocks = self.flow.body_of(inst).blocks.iter().enumerate().filter(|(_, block)| !block.cleanup);
        let used = |place: &Place| place.local == reference;
        for (index, block) in blocks {
            let mut read = block.statements.iter().flat_map(|statement| match &statement.kind {
                StatementKind::Assign(_, rvalue) => rvalue.places(),
                _ => Vec::new(),
            });
            if read.any(used) {
                return false;
            }
            if let TerminatorKind::Call(call) = &block.terminator.kind
                && call.args.iter().filter_map(Operand::place).any(used)
            {
                let value = self.flow.model_at(inst, index).and_then(|model| model.value);
                if value != Some(ModelValue::Take) {
                    return false;
                }
                takes = true;
            }
        }
        takes
    }

    /// What a library hands to a closure that it calls if its first argument is something: that.
    pub(in crate::world::values) fn handed(&self, inst: InstId, number: u32, fuel: u32) -> Option<Known> {
        let (caller, call) = self.caller(inst)?;
        let &(_, block) = self.callers(inst)?.first()?;
        let calls = self.flow.model_at(caller, block as usize)?.calls.as_ref()?;
        let from = call.args.first()?.place()?.as_local()?;
        let plain = self.flow.local_ty(caller, from.0).is_some_and(|ty| !matches!(&*ty, TyKind::Ref { .. }));
        (number == 1 && plain && calls.times == Order::IfOk)
            .then(|| self.payload(caller, from, Inside::Success, fuel))?
    }

    /// Which part of an enum a place is that is under this variant.
    pub(in crate::world::values) fn inside<'v>(
        &self,
        inst: InstId,
        local: Local,
        variant: &'v str,
        field: u32,
    ) -> Option<Inside<'v>> {
        let ty = self.flow.local_ty(inst, local.0)?;
        match self.flow.code.variants(&ty) {
            Some(_) => Some(Inside::Variant(variant, field)),
            None => (field == 0).then_some(Inside::Success),
        }
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

/// A part of an enum.
#[derive(Clone, Copy)]
pub(in crate::world::values) enum Inside<'v> {
    /// What is in an option, or in a result that is none of an error.
    Success,
    /// A field of a variant, by its name.
    Variant(&'v str, u32),
}

impl Inside<'_> {
    /// Whether an enum is made with it, if one is made.
    fn is_made_by(self, rvalue: &Rvalue) -> Option<bool> {
        match (self, rvalue) {
            (Inside::Success, _) => outcome::of(rvalue),
            (Inside::Variant(variant, _), Rvalue::Aggregate(kind, _)) => match &**kind {
                AggregateKind::Adt { path, .. } => Some(path.last() == variant),
                _ => None,
            },
            _ => None,
        }
    }

    /// Its number among the parts.
    fn number(self) -> usize {
        match self {
            Inside::Success => 0,
            Inside::Variant(_, field) => field as usize,
        }
    }
}

/// What was put into an enum.
enum Put<'a> {
    Operand(InstId, &'a Operand),
    Known(Known),
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
