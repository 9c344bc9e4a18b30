//! What always holds of two fields of a future: that they are never of these two variants at once. It holds of each that is made, and whoever changes
//! one of the two has made it hold again before anybody else sees the whole.
//!
//! A panic in between is left out: who polls a future that panicked gets what it deserves.

use crate::mir::{AggregateKind, Body, Name, Operand, Rvalue, StatementKind, TerminatorKind, TyKind};
use crate::world::points::points_to::Flow;

use super::super::body::{Def, defs};
use super::super::parts::{Part, Parts};
use super::asked::{Known, made};
use super::ways::Ways;

/// A field, and a variant that it may be.
type Is = (u32, i128);

/// Whether no future of the type is ever as it is assumed to be.
pub(super) fn never(flow: &Flow<'_>, future: &TyKind, assumed: &Known) -> bool {
    let Some(owner) = future.as_path().map(crate::mir::Path::plain) else { return false };
    let fields: Vec<Is> = assumed
        .iter()
        .filter_map(|(part, value)| match &part.fields[..] {
            [(variant, field)] if variant.is_empty() => Some((*field, *value)),
            _ => None,
        })
        .collect();
    fields
        .iter()
        .enumerate()
        .any(|(number, one)| fields[number + 1..].iter().any(|other| never_both(flow, &owner, *one, *other)))
}

fn never_both(flow: &Flow<'_>, owner: &str, one: Is, other: Is) -> bool {
    let mut is_made = false;
    for (body, home) in flow.code.bodies.iter().zip(&flow.code.home) {
        for rvalue in assigned(body) {
            let Rvalue::Aggregate(kind, operands) = rvalue else { continue };
            if !matches!(&**kind, AggregateKind::Adt { path, .. } if path.plain() == owner) {
                continue;
            }
            is_made = true;
            let differs = |(field, value): Is| {
                let variants = operands.get(field as usize).and_then(|operand| variants(body, operand));
                variants.is_some_and(|variants| !variants.contains(&value))
            };
            if !differs(one) && !differs(other) {
                return false;
            }
        }
        if !keeps(flow, body, *home, owner, one, other) {
            return false;
        }
    }
    is_made
}

fn assigned(body: &Body) -> impl Iterator<Item = &Rvalue> {
    let blocks = body.blocks.iter().filter(|block| !block.cleanup);
    blocks.flat_map(|block| &block.statements).filter_map(|statement| match &statement.kind {
        StatementKind::Assign(_, rvalue) => Some(rvalue),
        _ => None,
    })
}

/// The variants that an operand may be of; none if that is not known.
fn variants(body: &Body, operand: &Operand) -> Option<Vec<i128>> {
    let local = match operand {
        Operand::Const(_) => return made(&Rvalue::Use(operand.clone())).map(|value| vec![value]),
        _ => operand.place()?.as_local()?,
    };
    let all = defs(body, local);
    let one = |def: &Def<'_>| match def {
        Def::Assign(rvalue) => made(rvalue),
        Def::Call(_) => None,
    };
    all.iter().map(one).collect::<Option<Vec<i128>>>().filter(|all| !all.is_empty())
}

/// Whether a body that changes one of the fields leaves nothing behind for which it does not hold.
fn keeps(flow: &Flow<'_>, body: &Body, home: usize, owner: &str, one: Is, other: Is) -> bool {
    let mut changes = false;
    for place in body.places() {
        body.fields_in(place, &mut |of, (variant, field), _| {
            changes |= variant.is_empty() && (field == one.0 || field == other.0) && of.plain() == owner;
        });
    }
    if !changes {
        return true;
    }
    let parts = Parts::new(flow, body, home);
    let wholes = wholes(&parts, owner, [one.0, other.0]);
    let Some(wholes) = wholes else { return false };
    wholes.into_iter().all(|whole| {
        let field = |(field, _): Is| {
            let mut part = whole.clone();
            part.fields.push((Name::default(), field));
            part
        };
        let ways = Ways::about(&parts, whole.clone(), [field(one), field(other)]);
        let Some(ends) = ways.ends() else { return false };
        ends.iter().all(|end| {
            let is_not = |is: Is| end.known.get(&field(is)).is_some_and(|value| *value != is.1);
            let is_changed = |is: Is| end.changed.contains(&field(is));
            is_not(one) || is_not(other) || !is_changed(one) && !is_changed(other)
        })
    })
}

/// All values of the type of which a body changes one of these fields; none if it is not known which.
fn wholes(parts: &Parts<'_, '_, '_>, owner: &str, fields: [u32; 2]) -> Option<Vec<Part>> {
    let mut found: Vec<Part> = Vec::new();
    let body = parts.body;
    let mut note = |place: &crate::mir::Place| {
        let mut last = None;
        body.fields_in(place, &mut |of, (_, field), _| {
            last = (of.plain() == owner && fields.contains(&field)).then_some(field);
        });
        let Some(field) = last else { return Some(()) };
        let mut part = parts.reach(place)?.part;
        while part.fields.pop()?.1 != field {}
        if !found.contains(&part) {
            found.push(part);
        }
        Some(())
    };
    for block in body.blocks.iter().filter(|block| !block.cleanup) {
        for statement in &block.statements {
            let StatementKind::Assign(to, rvalue) = &statement.kind else { continue };
            note(to)?;
            if let Rvalue::Ref(crate::mir::BorrowKind::Mut, place) | Rvalue::RawPtr { place, .. } = rvalue {
                note(place)?;
            }
            if let Rvalue::Use(Operand::Move(place)) = rvalue {
                note(place)?;
            }
        }
        if let TerminatorKind::Call(call) = &block.terminator.kind {
            note(&call.dest)?;
        }
    }
    Some(found)
}
