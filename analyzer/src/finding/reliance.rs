//! What the pivot relies on: which of its event's earlier accesses decide what it does.

use super::unrelated::Held;
use crate::ir::*;
use crate::semantics::AccessKind;
use crate::witness::{Replayed, Trace};

/// How an access depends on what its event saw, or changed, of a variable before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reliance {
    /// What it saw goes into what is stored, or says what is accessed.
    Data,
    /// What it saw decides whether there is this access.
    Branch,
    /// It would be the same access whatever was seen.
    Independent,
}

/// How the last access depends on those that its event made before it to the variable of the first; `None` when the program does
/// not say.
pub(super) fn reliance(program: &Program, held: &[Held], first: &Held, last: &Held) -> Option<Reliance> {
    let basis = program.bases.get(last.basis?.index())?;
    let mut found = Reliance::Independent;
    for before in held.iter().take_while(|held| !std::ptr::eq(*held, last)) {
        if before.instance != last.instance || before.access.var != first.access.var {
            continue;
        }
        let before = before.basis?;
        if basis.data.include(before) {
            return Some(Reliance::Data);
        }
        if basis.branch.include(before) {
            found = Reliance::Branch;
        }
    }
    Some(found)
}

/// Why a change that is made whatever its event saw before need not be a bug, if it is one.
pub(super) fn independent(program: &Program, trace: &Trace, replayed: &Replayed) -> Option<String> {
    let held = Held::of(program, trace, replayed);
    let (first, last) = super::unrelated::ends(&held)?;
    let reads = |held: &Held| held.access.kind == AccessKind::Read;
    let same = first.access.var == last.access.var;
    if reads(last) || (!same && !reads(first)) {
        return None;
    }
    // Who is told what was there, and then changes it, tells something else than was there.
    let told = |held: &&Held| {
        let basis = held.basis.and_then(|basis| program.bases.get(basis.index()));
        held.instance == last.instance
            && held.access.var == last.access.var
            && basis.is_none_or(|basis| basis.told)
    };
    if same && reads(first) && held.iter().any(|held| told(&held)) {
        return None;
    }
    if reliance(program, &held, first, last)? != Reliance::Independent {
        return None;
    }
    let event = &program.proc(trace.tasks[last.instance].proc).name;
    let [before, after] = [first, last].map(|held| &program.vars[held.access.var.index()].name);
    Some(match same {
        true if reads(first) => {
            format!(
                "what `{event}` does to `{after}` does not depend on what it saw of it before, and nobody is told that"
            )
        }
        true => format!(
            "`{event}` changes `{after}` twice, the second time whatever it holds by then: a bug only if nobody may see \
             what it holds in between"
        ),
        false => format!("what `{event}` does to `{after}` does not depend on what it saw of `{before}`"),
    })
}
