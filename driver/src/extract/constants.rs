//! Numbers and truth values in the place of the constants that stand for them: `const IDLE: u8 = 0`, and discriminants that the source
//! gives. MIR refers to these by name; what is stored, compared or passed is the value.

use std::collections::{BTreeMap, BTreeSet};

use robust_analyzer::mir::{
    Body, BodyKind, Callee, ConstKind, Crate, Operand, Path, StatementKind, TerminatorKind,
};

/// What a path to a constant ends in. rustc leaves out the modules where it gives the value, so this is all that both have in common.
type Ending = String;

/// Puts the values in the place of a crate's own constants, in all of its bodies.
pub(super) fn put_in(krate: &mut Crate) {
    let values = values(krate);
    if values.is_empty() {
        return;
    }
    let roots = roots(krate);
    let put = |operand: &mut Operand| {
        let Operand::Const(constant) = operand else { return };
        let ConstKind::Named(path) = &constant.kind else { return };
        if let Some(value) = ending(path).filter(|_| is_own(path, &roots)).and_then(|name| values.get(&name))
        {
            constant.kind = value.clone();
        }
    };
    for body in &mut krate.bodies {
        operands(body, put);
    }
}

/// The values that are known, by what paths to them end in: of several constants with one ending, if all have the same.
fn values(krate: &Crate) -> BTreeMap<Ending, ConstKind> {
    let mut values: BTreeMap<Ending, Option<ConstKind>> = BTreeMap::new();
    for constant in &krate.constants {
        let plain = matches!(constant.value, ConstKind::Int(_) | ConstKind::Bool(_));
        let value = plain.then(|| constant.value.clone());
        let mut segments = constant.def.rsplit("::");
        let last = segments.next().unwrap_or_default();
        let Some(name) = told_apart(last, || segments.next()) else { continue };
        values
            .entry(name)
            .and_modify(|known| *known = known.take().filter(|known| Some(known) == value.as_ref()))
            .or_insert(value);
    }
    // Those that are worked out in a body have a value that is not known here.
    for body in krate.bodies.iter().filter(|body| matches!(body.kind, BodyKind::Const)) {
        if let Some(name) = ending(&body.path) {
            values.remove(&name);
        }
    }
    values.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}

fn ending(path: &Path) -> Option<Ending> {
    let mut names = path.segments.iter().rev().map(|segment| &*segment.name);
    told_apart(names.next()?, || names.next())
}

/// Discriminants have numbers; it is the variant that has a name.
fn told_apart<'n>(last: &'n str, before: impl FnOnce() -> Option<&'n str>) -> Option<Ending> {
    if last.starts_with('{') { Some(format!("{}::{last}", before()?)) } else { Some(last.to_owned()) }
}

/// What paths to items of a crate begin with.
fn roots(krate: &Crate) -> BTreeSet<String> {
    let first = |body: &Body| {
        let path = body.path.segments.first().filter(|_| body.path.qself.is_none());
        let def = body.def.split_once("::").map(|(first, _)| first).filter(|first| !first.starts_with('<'));
        [path.map(|segment| segment.name.to_string()), def.map(str::to_owned)]
    };
    let mut roots: BTreeSet<String> = krate.bodies.iter().flat_map(first).flatten().collect();
    roots.extend(krate.constants.iter().filter_map(|constant| {
        let (first, _) = constant.def.split_once("::")?;
        (!first.starts_with('<')).then(|| first.to_owned())
    }));
    for foreign in ["std", "core", "alloc"] {
        roots.remove(foreign);
    }
    roots
}

/// Whether a path is that of an item of the crate, whatever type it belongs to. What belongs to a trait, others may have given.
fn is_own(path: &Path, roots: &BTreeSet<String>) -> bool {
    let first = path.segments.first();
    path.qself.is_none()
        && (path.segments.len() == 1 || first.is_some_and(|first| roots.contains(&*first.name)))
}

fn operands(body: &mut Body, mut each: impl FnMut(&mut Operand)) {
    for block in &mut body.blocks {
        for statement in &mut block.statements {
            if let StatementKind::Assign(_, value) = &mut statement.kind {
                value.operands_mut().into_iter().for_each(&mut each);
            }
        }
        match &mut block.terminator.kind {
            TerminatorKind::Call(call) => {
                if let Callee::Value(operand) = &mut call.callee {
                    each(operand);
                }
                call.args.iter_mut().for_each(&mut each);
            }
            TerminatorKind::SwitchInt { on, .. } => each(on),
            TerminatorKind::Assert { cond, .. } => each(cond),
            TerminatorKind::Yield { value, .. } => each(value),
            _ => {}
        }
    }
}
