//! Values whose `drop` finds that there is nothing to do: it asks first whether an `Option` that the value keeps is filled, and on
//! all ways to where it is dropped that was taken out. Who gives out what a guard of a pool holds does so.

use std::collections::BTreeMap;

use robust_models::{Models, Value};

use crate::mir::{
    AggregateKind, BasicBlock, Body, BorrowKind, CallTarget, Callee, Local, Operand, Place, Projection,
    Rvalue, StatementKind, TerminatorKind,
};

/// Whether the `drop` of what is dropped at the end of a block does nothing.
pub(crate) fn does_nothing(models: &Models, body: &Body, block: u32, drop: &Body) -> bool {
    let TerminatorKind::Drop { place, .. } = &body.blocks[block as usize].terminator.kind else {
        return false;
    };
    let Some(local) = place.as_local() else { return false };
    asked_first(models, drop).is_some_and(|field| is_taken_out(models, body, block as usize, local, field))
}

/// The field that a `drop` asks first for, if it does nothing where that is empty.
fn asked_first(models: &Models, drop: &Body) -> Option<u32> {
    let mut fields: BTreeMap<Local, u32> = BTreeMap::new();
    let mut at = 0;
    for _ in 0..drop.blocks.len() {
        let block = &drop.blocks[at];
        for statement in &block.statements {
            let StatementKind::Assign(to, rvalue) = &statement.kind else { continue };
            let to = to.as_local()?;
            let of = match rvalue {
                Rvalue::Ref(_, place) | Rvalue::Discriminant(place) => {
                    kept(place).or_else(|| fields.get(&place.as_local()?).copied())
                }
                Rvalue::Use(operand) => {
                    operand.place().and_then(Place::as_local).and_then(|local| fields.get(&local).copied())
                }
                _ => None,
            };
            of.map(|field| fields.insert(to, field));
        }
        at = match &block.terminator.kind {
            TerminatorKind::Goto(to) => to.0 as usize,
            TerminatorKind::Call(call) => {
                let asked = of_option(models, call)?;
                let first = call.args.first()?.place()?.as_local()?;
                let field = *fields.get(&first)?;
                // What is asked of a copy of the answer is asked of the field: `is_some` is followed by no discriminant.
                matches!(asked, Value::Take | Value::Same).then_some(())?;
                fields.insert(call.dest.as_local()?, field);
                call.target?.0 as usize
            }
            TerminatorKind::SwitchInt { on, targets, otherwise } => {
                let field = *fields.get(&on.place()?.as_local()?)?;
                let none = targets.iter().find(|(value, _)| *value == 0).map(|(_, to)| *to).or(*otherwise)?;
                return only_returns(drop, none.0 as usize).then_some(field);
            }
            _ => return None,
        };
    }
    None
}

/// The field of what is dropped that a place is.
fn kept(place: &Place) -> Option<u32> {
    match (&place.projection[..], place.local) {
        ([Projection::Deref, Projection::Field(number, _)], Local(1)) => Some(*number),
        _ => None,
    }
}

/// Whether nothing happens from a block on, but that locals go away.
fn only_returns(body: &Body, from: usize) -> bool {
    let mut at = from;
    for _ in 0..body.blocks.len() {
        let block = &body.blocks[at];
        let own = |place: &Place| !place.projection.contains(&Projection::Deref);
        let assigns = block.statements.iter().filter_map(|statement| match &statement.kind {
            StatementKind::Assign(place, _) => Some(place),
            _ => None,
        });
        if !assigns.into_iter().all(own) {
            return false;
        }
        at = match &block.terminator.kind {
            TerminatorKind::Return => return true,
            TerminatorKind::Goto(to) => to.0 as usize,
            TerminatorKind::Drop { target: Some(target), .. } => target.0 as usize,
            _ => return false,
        };
    }
    false
}

/// What a call asks of an option, or does to it, as far as models say.
fn of_option(models: &Models, call: &CallTarget) -> Option<Value> {
    let Callee::Fn { path, .. } = &call.callee else { return None };
    models.function(&path.plain())?.value
}

/// Whether on all ways to a block a field of a local was emptied last.
fn is_taken_out(models: &Models, body: &Body, block: usize, local: Local, field: u32) -> bool {
    // By block that is reached: whether it is so where it begins.
    let mut begins: BTreeMap<usize, bool> = BTreeMap::from([(0, false)]);
    let mut work = vec![0];
    while let Some(at) = work.pop() {
        let taken = after(models, &body.blocks[at], begins[&at], local, field);
        for next in body.blocks[at].terminator.kind.successors() {
            if body.blocks[next].cleanup {
                continue;
            }
            let known = begins.get(&next).copied();
            let now = known.unwrap_or(true) && taken;
            if known != Some(now) {
                begins.insert(next, now);
                work.push(next);
            }
        }
    }
    begins.get(&block).is_some_and(|begins| {
        let data = &body.blocks[block];
        through(data, *begins, local, field).0
    })
}

/// Whether a field is empty behind a block.
fn after(models: &Models, block: &BasicBlock, before: bool, local: Local, field: u32) -> bool {
    let (now, lent) = through(block, before, local, field);
    let TerminatorKind::Call(call) = &block.terminator.kind else { return now };
    if call.dest.local == local {
        return false;
    }
    let first = call.args.first().and_then(Operand::place).and_then(Place::as_local);
    match lent {
        Some(lent) if first == Some(lent) && of_option(models, call) == Some(Value::Take) => true,
        Some(_) => false,
        None => now,
    }
}

/// Whether a field is empty behind the statements of a block, and the local that it was lent to there.
fn through(block: &BasicBlock, before: bool, local: Local, field: u32) -> (bool, Option<Local>) {
    let (mut now, mut lent) = (before, None);
    for statement in &block.statements {
        let StatementKind::Assign(to, rvalue) = &statement.kind else { continue };
        if let Rvalue::Ref(BorrowKind::Mut, of) | Rvalue::RawPtr { mutable: true, place: of } = rvalue
            && of.local == local
        {
            match &of.projection[..] {
                [Projection::Field(number, _), ..] if *number != field => {}
                [Projection::Field(..)] if to.as_local().is_some() => lent = to.as_local(),
                _ => now = false,
            }
        }
        // Lent on as it is.
        if let Rvalue::Ref(BorrowKind::Mut, of) = rvalue
            && Some(of.local) == lent
            && of.projection[..] == [Projection::Deref]
        {
            lent = to.as_local();
        }
        if to.local == local {
            now = match &to.projection[..] {
                [Projection::Field(number, _), ..] if *number != field => now,
                [Projection::Field(..)] => is_none(block, rvalue),
                _ => false,
            };
        }
    }
    (now, lent)
}

/// Whether a value is `None`, or a local that was made so in the same block.
fn is_none(block: &BasicBlock, rvalue: &Rvalue) -> bool {
    match rvalue {
        Rvalue::Aggregate(kind, operands) => {
            matches!(&**kind, AggregateKind::Adt { path, .. } if operands.is_empty() && path.last() == "None")
        }
        Rvalue::Use(Operand::Move(place)) => {
            let made = block.statements.iter().filter_map(|statement| match &statement.kind {
                StatementKind::Assign(to, rvalue) if to.local == place.local => Some(rvalue),
                _ => None,
            });
            made.into_iter()
                .next_back()
                .is_some_and(|made| matches!(made, Rvalue::Aggregate(..)) && is_none(block, made))
        }
        _ => false,
    }
}
