//! Changes that leave the same, whatever was there.

use crate::ir::NOTHING;
use crate::lower::sharing::basis::{AccessAt, Search};
use crate::mir::{
    AggregateKind, Body, ConstKind, Operand, Place, Projection, Rvalue, StatementKind, TerminatorKind,
};
use crate::world::actions::used::unused;
use crate::world::points::aggregates::number;
use crate::world::values::value::given;
use robust_models::{Change, Value as ModelValue};

/// A constant that a change leaves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::lower::sharing) enum Left {
    /// A number; 0 and 1 for truth values.
    Number(i128),
    /// An option with nothing in it.
    Nothing,
}

impl Search<'_, '_> {
    /// The constant that a change leaves, with the part of its variable.
    pub(in crate::lower::sharing) fn left(&self, (inst, block, number): AccessAt) -> Option<(String, Left)> {
        let body = self.flow.body_of(inst);
        let data = &body.blocks[block];
        let at = self.facts.effects[inst.0 as usize][block][number].at;
        if let Some(statement) = data.statements.get(at) {
            let StatementKind::Assign(place, value) = &statement.kind else { return None };
            return Some((part(place)?, left_by(body, value)?));
        }
        let TerminatorKind::Call(call) = &data.terminator.kind else { return None };
        let unasked = || unused(self.flow, self.cfg(inst), inst, call);
        let left = match self.flow.model_at(inst, block)?.value? {
            ModelValue::Set => left_in(body, call.args.get(1)?)?,
            ModelValue::Swap if unasked() => left_in(body, call.args.get(1)?)?,
            ModelValue::Take if unasked() => Left::Nothing,
            _ => return None,
        };
        Some((self.lent(inst, call.args.first()?.place()?)?, left))
    }

    /// What a change leaves in its place, and which part of a variable that is, as a text that is the same for the same; `None` if it is
    /// not always the same, or there is more there than that.
    pub(in crate::lower::sharing) fn stored(&self, (inst, block, number): AccessAt) -> Option<String> {
        let body = self.flow.body_of(inst);
        let data = &body.blocks[block];
        let at = self.facts.effects[inst.0 as usize][block][number].at;
        if let Some(statement) = data.statements.get(at) {
            let StatementKind::Assign(place, value) = &statement.kind else { return None };
            return Some(format!("{}{}", part(place)?, constant(body, value)?));
        }
        let TerminatorKind::Call(call) = &data.terminator.kind else { return None };
        let value = self.flow.model_at(inst, block)?.value;
        let unasked = || unused(self.flow, self.cfg(inst), inst, call);
        // What was there goes nowhere.
        if value == Some(ModelValue::Set) || value == Some(ModelValue::Swap) && unasked() {
            return operand(body, call.args.get(1)?);
        }
        let clears = self.modelled(inst, block, at).iter().any(|access| access.change == Some(Change::Clear));
        let empties = clears || value == Some(ModelValue::Take);
        (empties && unasked()).then(|| NOTHING.to_owned())
    }
}

fn left_by(body: &Body, value: &Rvalue) -> Option<Left> {
    match value {
        Rvalue::Use(used) => left_in(body, used),
        Rvalue::Aggregate(kind, parts) if parts.is_empty() => match &**kind {
            AggregateKind::Adt { path, .. } if path.last() == NOTHING => Some(Left::Nothing),
            _ => None,
        },
        _ => None,
    }
}

fn left_in(body: &Body, used: &Operand) -> Option<Left> {
    match used {
        Operand::Const(_) => number(Some(used)).map(Left::Number),
        Operand::Copy(place) | Operand::Move(place) => left_by(body, given(body, place.as_local()?)?),
    }
}

/// Which part of what a pointer leads to; `None` of elements, and of what is behind no pointer.
pub(in crate::lower::sharing) fn part(place: &Place) -> Option<String> {
    let (first, rest) = place.projection.split_first()?;
    let field = |step: &Projection| match step {
        Projection::Field(number, _) => Some(format!(".{number}")),
        _ => None,
    };
    matches!(first, Projection::Deref).then(|| rest.iter().map(field).collect())?
}

fn constant(body: &Body, value: &Rvalue) -> Option<String> {
    match value {
        Rvalue::Use(used) => operand(body, used),
        Rvalue::Aggregate(kind, parts) if parts.is_empty() => match &**kind {
            AggregateKind::Adt { path, .. } => Some(path.segments.last()?.name.to_string()),
            _ => None,
        },
        _ => None,
    }
}

pub(in crate::lower::sharing) fn operand(body: &Body, used: &Operand) -> Option<String> {
    let local = match used {
        Operand::Const(constant) => {
            let known = matches!(
                constant.kind,
                ConstKind::Int(_) | ConstKind::Bool(_) | ConstKind::Char(_) | ConstKind::Str(_)
            );
            return known.then(|| constant.to_string());
        }
        Operand::Copy(place) | Operand::Move(place) => place.as_local()?,
    };
    // What is made for it, at one place, of nothing.
    let mut made = body.blocks.iter().flat_map(|block| &block.statements).filter_map(|statement| {
        match &statement.kind {
            StatementKind::Assign(place, value) if place.local == local => Some((place, value)),
            _ => None,
        }
    });
    let (place, value) = made.next()?;
    let once = made.next().is_none() && place.projection.is_empty();
    let called = body.blocks.iter().any(
        |block| matches!(&block.terminator.kind, TerminatorKind::Call(call) if call.dest.local == local),
    );
    match value {
        Rvalue::Use(Operand::Const(_)) | Rvalue::Aggregate(..) if once && !called => constant(body, value),
        _ => None,
    }
}
