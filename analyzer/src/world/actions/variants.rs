//! Which variant a local holds where the text asks again: what is moved out of a value in a pattern leaves a rest to drop, and the compiler
//! asks once more which variant it is.

use std::collections::{BTreeMap, BTreeSet};

use crate::mir::{BasicBlock, Body, BorrowKind, Local, Rvalue, StatementKind, TerminatorKind};
use crate::world::actions::cfg::leads;

/// Variants that are known, by local, as the discriminant's bits.
type Known = BTreeMap<Local, u128>;

/// Where blocks lead that ask for a variant that was asked for before, with nothing in between that may change it.
pub(super) fn decided(body: &Body, succs: &[Vec<usize>]) -> BTreeMap<usize, usize> {
    let asked: Vec<Option<Local>> = body.blocks.iter().map(asks_for).collect();
    let mut often: BTreeMap<Local, u32> = BTreeMap::new();
    for local in asked.iter().flatten() {
        *often.entry(*local).or_default() += 1;
    }
    let lent = lent_whole(body);
    often.retain(|local, times| *times > 1 && !lent.contains(local));
    if often.is_empty() {
        return BTreeMap::new();
    }
    let mut before: Vec<Option<Known>> = vec![None; body.blocks.len()];
    let mut work = Vec::new();
    if let Some(first) = before.first_mut() {
        *first = Some(Known::new());
        work.push(0);
    }
    while let Some(index) = work.pop() {
        let mut known = before[index].clone().unwrap_or_default();
        let block = &body.blocks[index];
        changed(block, |local| _ = known.remove(&local));
        for &next in &succs[index] {
            let mut known = known.clone();
            if let Some(local) = asked[index].filter(|local| often.contains_key(local))
                && let Some(bits) = only_for(block, next)
            {
                known.insert(local, bits);
            }
            let joined = match &before[next] {
                Some(other) => {
                    known.retain(|local, bits| other.get(local) == Some(bits));
                    known
                }
                None => known,
            };
            if before[next].as_ref() != Some(&joined) {
                before[next] = Some(joined);
                work.push(next);
            }
        }
    }
    let known = |index: usize, local: Local| {
        let mut known = before[index].clone()?;
        changed(&body.blocks[index], |local| _ = known.remove(&local));
        known.get(&local).copied()
    };
    let blocks = asked.iter().enumerate().filter_map(|(index, local)| Some((index, (*local)?)));
    blocks
        .filter_map(|(index, local)| Some((index, leads(&body.blocks[index], known(index, local)?)?)))
        .collect()
}

/// The local whose variant says where a block leads.
fn asks_for(block: &BasicBlock) -> Option<Local> {
    let TerminatorKind::SwitchInt { on, .. } = &block.terminator.kind else { return None };
    let on = on.place()?.as_local()?;
    block.statements.iter().rev().find_map(|statement| match &statement.kind {
        StatementKind::Assign(to, rvalue) if to.local == on => Some(match rvalue {
            Rvalue::Discriminant(of) => of.as_local(),
            _ => None,
        }),
        _ => None,
    })?
}

/// The value with which a block leads to another one, if there is one and no other.
fn only_for(block: &BasicBlock, next: usize) -> Option<u128> {
    let TerminatorKind::SwitchInt { targets, otherwise, .. } = &block.terminator.kind else { return None };
    if otherwise.is_some_and(|to| to.0 as usize == next) {
        return None;
    }
    let mut values = targets.iter().filter(|(_, to)| to.0 as usize == next).map(|(bits, _)| *bits);
    values.next().filter(|_| values.next().is_none())
}

/// Tells of the locals to which a block may give another variant.
fn changed(block: &BasicBlock, mut tell: impl FnMut(Local)) {
    for statement in &block.statements {
        match &statement.kind {
            StatementKind::Assign(place, _) | StatementKind::SetDiscriminant(place, _) => tell(place.local),
            _ => {}
        }
    }
    if let TerminatorKind::Call(call) = &block.terminator.kind {
        tell(call.dest.local);
    }
}

/// Locals that are lent as a whole to be changed.
fn lent_whole(body: &Body) -> BTreeSet<Local> {
    let statements = body.blocks.iter().flat_map(|block| &block.statements);
    let lent = statements.filter_map(|statement| match &statement.kind {
        StatementKind::Assign(_, Rvalue::Ref(BorrowKind::Mut, of))
        | StatementKind::Assign(_, Rvalue::RawPtr { place: of, mutable: true }) => of.as_local(),
        _ => None,
    });
    lent.collect()
}
