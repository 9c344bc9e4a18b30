//! What branches ask: the variant of a part, or a truth value that is one or comes from a test of one.

use std::collections::BTreeMap;

use robust_models::Value;

use crate::mir::{
    AggregateKind, ConstKind, Local, Operand, Path, Place, Prim, Rvalue, Statement, StatementKind,
    TerminatorKind, TyKind,
};

use super::super::parts::{Part, Parts};

/// The number of the variant that is not ready.
pub(super) const PENDING: i128 = 1;

/// Variants, truth values and small numbers, by what has them.
pub(super) type Known = BTreeMap<Part, i128>;

/// What a branch asks.
#[derive(Clone)]
pub(super) struct Asked {
    pub part: Part,
    /// The variants for which a truth value is true, and false.
    test: Option<(i128, i128)>,
    /// Whether what is not the one is the other.
    pub has_two: bool,
}

impl Asked {
    /// What a branch is known to be given.
    pub fn answer(&self, known: &Known) -> Option<i128> {
        let value = *known.get(&self.part)?;
        Some(self.test.map_or(value, |(yes, _)| i128::from(value == yes)))
    }

    /// The value for which a branch is given these bits.
    pub fn value(&self, bits: i128) -> i128 {
        match self.test {
            Some((_, no)) if bits == 0 => no,
            Some((yes, _)) => yes,
            None => bits,
        }
    }
}

/// What the branch at the end of a block asks.
pub(super) fn asks(parts: &Parts<'_, '_, '_>, block: usize) -> Option<Asked> {
    let TerminatorKind::SwitchInt { on, .. } = &parts.body.blocks[block].terminator.kind else { return None };
    let statements = &parts.body.blocks[block].statements;
    let (mut on, mut negated, mut before) = (on.place()?, false, statements.len());
    let is_set = loop {
        let local = on.as_local();
        let sets = |statement: &Statement| match &statement.kind {
            StatementKind::Assign(to, _) => local.is_some() && to.as_local() == local,
            _ => false,
        };
        let Some(number) = statements[..before].iter().rposition(sets) else { break false };
        let StatementKind::Assign(_, rvalue) = &statements[number].kind else { break true };
        let from = match rvalue {
            Rvalue::Discriminant(of) => of,
            Rvalue::Unary(how, operand) if &**how == "Not" => operand.place()?,
            Rvalue::Use(operand) => operand.place()?,
            _ => break true,
        };
        // It is asked of what it was then.
        if is_changed(parts, &statements[number + 1..], from) {
            break true;
        }
        match rvalue {
            Rvalue::Discriminant(of) => {
                let has_two = parts.ty_of(of).is_some_and(|ty| variants(ty).is_some());
                return Some(Asked { part: parts.reach(of)?.part, test: None, has_two });
            }
            Rvalue::Unary(..) => negated = !negated,
            _ => {}
        }
        (on, before) = (from, number);
    };
    let test = || predicate(parts, block, on.as_local(), negated);
    if let Some(asked) = (!is_set).then(test).flatten() {
        return Some(asked);
    }
    let is_truth = parts.ty_of(on).is_some_and(|ty| *ty == TyKind::Prim(Prim::Bool));
    Some(Asked { part: parts.reach(on)?.part, test: negated.then_some((0, 1)), has_two: is_truth })
}

/// Whether one of these statements puts something into a place, or into a part of it.
fn is_changed(parts: &Parts<'_, '_, '_>, statements: &[Statement], place: &Place) -> bool {
    let Some(part) = parts.reach(place).map(|reach| reach.part) else { return true };
    statements.iter().any(|statement| match &statement.kind {
        StatementKind::Assign(to, _) => {
            parts.target(to).is_none_or(|to| to.covers(&part) || part.covers(&to))
        }
        _ => false,
    })
}

/// The test that a call made of which the answer is looked at in the next block.
fn predicate(parts: &Parts<'_, '_, '_>, block: usize, on: Option<Local>, negated: bool) -> Option<Asked> {
    let statements = &parts.body.blocks[block].statements;
    let before = parts.body.blocks.iter().filter(|before| !before.cleanup).find_map(|before| {
        let TerminatorKind::Call(call) = &before.terminator.kind else { return None };
        (call.target?.0 as usize == block && on.is_some() && call.dest.as_local() == on).then_some(call)
    })?;
    let of = before.args.first()?.place()?;
    if is_changed(parts, statements, of) {
        return None;
    }
    let (good, bad) = variants(parts.ty_of(of)?.peel_refs())?;
    let (yes, no) = match parts.model(before)?.value {
        Some(Value::IsOk) => (good, bad),
        Some(Value::IsErr) => (bad, good),
        _ => return None,
    };
    let test = Some(if negated { (no, yes) } else { (yes, no) });
    Some(Asked { part: parts.reach(of)?.part, test, has_two: true })
}

/// The numbers of the good variant and of the other one of a type that has two.
fn variants(ty: &TyKind) -> Option<(i128, i128)> {
    let path = ty.as_path()?;
    let of = |good, bad| Some((variant(good)?, variant(bad)?));
    match path.last() {
        "Option" => of("Some", "None"),
        "Result" => of("Ok", "Err"),
        "Poll" => of("Ready", "Pending"),
        _ => None,
    }
}

/// The variant, truth value or small number that is made.
pub(super) fn made(rvalue: &Rvalue) -> Option<i128> {
    let of_path = |path: &Path| {
        let ty = path.segments.iter().rev().nth(1)?;
        matches!(&*ty.name, "Option" | "Result" | "Poll").then(|| variant(path.last()))?
    };
    match rvalue {
        Rvalue::Use(Operand::Const(constant)) => match &constant.kind {
            ConstKind::Named(path) => of_path(path),
            kind => number(kind),
        },
        Rvalue::Aggregate(kind, _) => match &**kind {
            AggregateKind::Adt { path, .. } => of_path(path),
            _ => None,
        },
        _ => None,
    }
}

/// The number of a variant of the language's own types.
fn variant(name: &str) -> Option<i128> {
    match name {
        "None" | "Ok" | "Ready" => Some(0),
        "Some" | "Err" | "Pending" => Some(1),
        _ => None,
    }
}

/// A truth value or a number.
pub(super) fn number(kind: &ConstKind) -> Option<i128> {
    match kind {
        ConstKind::Bool(value) => Some(i128::from(*value)),
        ConstKind::Int(value) => Some(*value),
        _ => None,
    }
}
